//! Every file name that was ever published, with its bytes: `published.json`.

use std::collections::BTreeMap;

use pipe::Architecture;
use serde::{Deserialize, Serialize};

/// File name to sha256, per architecture. Names are added and never go.
///
/// A published name is immutable: lock files hold its sha256, and a client's cache may hold its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ledger {
    schema: String,
    architectures: BTreeMap<String, BTreeMap<String, String>>,
}

const SCHEMA: &str = "published/1";

/// A ledger that cannot be read. Without it no name is safe, so it is not passed over.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LedgerError {
    /// Not JSON, or cut short.
    #[error("not a whole ledger: {0}; restore it from the published site")]
    Json(#[from] serde_json::Error),
    /// Written by another version.
    #[error("this is a `{0}` ledger, expected `{SCHEMA}`")]
    Schema(String),
}

impl Default for Ledger {
    fn default() -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            architectures: BTreeMap::new(),
        }
    }
}

impl Ledger {
    /// Reads `published.json`.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, LedgerError> {
        let ledger: Self = serde_json::from_slice(bytes)?;
        if ledger.schema == SCHEMA {
            Ok(ledger)
        } else {
            Err(LedgerError::Schema(ledger.schema))
        }
    }

    /// The sha256 under which a name was published.
    pub(crate) fn sha256(&self, arch: &Architecture, filename: &str) -> Option<&str> {
        let names = self.architectures.get(arch.as_str())?;
        names.get(filename).map(String::as_str)
    }

    /// Adds names. One that is already there keeps its place and takes the new bytes: the caller has
    /// asked whether it may.
    pub(crate) fn publish<'a>(
        &mut self,
        arch: &Architecture,
        files: impl Iterator<Item = (&'a str, &'a str)>,
    ) {
        let names = self
            .architectures
            .entry(arch.as_str().to_owned())
            .or_default();
        names.extend(files.map(|(name, sha256)| (name.to_owned(), sha256.to_owned())));
    }

    /// The file's bytes.
    pub(crate) fn to_json(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_has_bytes_of_its_own_in_each_architecture() {
        let (a, b) = ("gfx950".parse().unwrap(), "gfx1201".parse().unwrap());
        let mut ledger = Ledger::default();
        ledger.publish(&a, [("x.whl", "1")].into_iter());
        ledger.publish(&b, [("x.whl", "2")].into_iter());
        let ledger = Ledger::parse(&ledger.to_json().unwrap()).unwrap();
        assert_eq!(ledger.sha256(&a, "x.whl"), Some("1"));
        assert_eq!(ledger.sha256(&b, "x.whl"), Some("2"));
        assert_eq!(ledger.sha256(&a, "y.whl"), None);
    }

    #[test]
    fn a_ledger_cut_short_is_refused() {
        let bytes = Ledger::default().to_json().unwrap();
        assert!(matches!(
            Ledger::parse(&bytes[..bytes.len() - 3]),
            Err(LedgerError::Json(_))
        ));
    }
}
