//! Every file name that was ever published, with its bytes: `published.json`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use pipe::Architecture;
use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::sink::Out;

/// File name to sha256, per architecture. Names are added and never go.
///
/// A published name is immutable: lock files hold its sha256, and a client's cache may hold its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ledger {
    schema: String,
    architectures: BTreeMap<String, BTreeMap<String, Digest>>,
}

const SCHEMA: &str = "published/1";

/// A ledger that cannot be read. Without it no name is safe, so it is not passed over.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LedgerError {
    /// Not JSON, or cut short.
    #[error("not a whole ledger: {0}; restore it from the published site")]
    Json(#[from] serde_json::Error),
    /// Written by another version.
    #[error("this is a `{0}` ledger, expected `{SCHEMA}`; run the index-gen that wrote it")]
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
    pub(crate) fn sha256(&self, arch: &Architecture, filename: &str) -> Option<Digest> {
        let names = self.architectures.get(arch.as_str())?;
        names.get(filename).copied()
    }

    /// Adds a name. One that is already there takes the new bytes: the caller has asked whether it may.
    pub(crate) fn publish(&mut self, arch: &Architecture, filename: &str, sha256: Digest) {
        let architectures = &mut self.architectures;
        let names = architectures.entry(arch.as_str().to_owned()).or_default();
        match names.get_mut(filename) {
            Some(known) => *known = sha256,
            None => {
                names.insert(filename.to_owned(), sha256);
            }
        }
    }

    /// Writes the file, a line for each name: it is kept under version control.
    pub(crate) fn write(&self, out: &mut Out) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, self)?;
        out.write_all(b"\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_has_bytes_of_its_own_in_each_architecture() {
        let (a, b) = ("gfx950".parse().unwrap(), "gfx1201".parse().unwrap());
        let mut ledger = Ledger::default();
        ledger.publish(&a, "x.whl", Digest::of(b"1"));
        ledger.publish(&b, "x.whl", Digest::of(b"2"));
        let ledger = Ledger::parse(&serde_json::to_vec(&ledger).unwrap()).unwrap();
        assert_eq!(ledger.sha256(&a, "x.whl"), Some(Digest::of(b"1")));
        assert_eq!(ledger.sha256(&b, "x.whl"), Some(Digest::of(b"2")));
        assert_eq!(ledger.sha256(&a, "y.whl"), None);
    }

    #[test]
    fn a_ledger_cut_short_is_refused() {
        let bytes = serde_json::to_vec(&Ledger::default()).unwrap();
        assert!(matches!(
            Ledger::parse(&bytes[..bytes.len() - 3]),
            Err(LedgerError::Json(_))
        ));
    }
}
