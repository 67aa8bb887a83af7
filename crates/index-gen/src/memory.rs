//! What earlier runs read from the wheels, so that an unchanged wheel is not read again.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use crate::entrant::Entrant;
use crate::told::{Stamp, Told};

/// The form of the file. What another form holds is read again from the wheels.
const SCHEMA: &str = "index-gen-memory/1";

/// What is remembered, by file name. It saves work and is never needed: whatever is wrong with the
/// file, the wheels are read again.
#[derive(Debug, Default)]
pub(crate) struct Memory(BTreeMap<String, Known>);

/// A wheel as it was when it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Known {
    /// The file that was read.
    path: String,
    /// Its size and age then.
    pub(crate) stamp: Stamp,
    /// Its bytes' sha256.
    sha256: String,
    /// What it said.
    pub(crate) told: Told,
}

#[derive(Serialize, Deserialize)]
struct Stored<K: Ord, V> {
    schema: String,
    wheels: BTreeMap<K, V>,
}

impl Known {
    /// What was just read from a wheel.
    pub(crate) fn new(entrant: &Entrant, stamp: Stamp, told: Told) -> Self {
        Self {
            path: entrant.wheel.path.clone(),
            stamp,
            sha256: entrant.wheel.sha256.clone(),
            told,
        }
    }

    /// Whether the file at the wheel's path, with this stamp, is the one that was read. Otherwise the
    /// document alone says that it holds the same bytes.
    pub(crate) fn is_file(&self, entrant: &Entrant, stamp: Stamp) -> bool {
        self.path == entrant.wheel.path && self.stamp == stamp
    }
}

impl Memory {
    /// What an earlier run remembered; nothing if there is no such file, or none that can be read.
    pub(crate) fn load(path: &Path) -> Self {
        let stored = std::fs::read(path)
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Stored<String, Known>>(&bytes).ok())
            .filter(|stored| stored.schema == SCHEMA);
        Self(stored.map(|stored| stored.wheels).unwrap_or_default())
    }

    /// Takes out what is known about the bytes that the document names.
    pub(crate) fn recall(&mut self, entrant: &Entrant) -> Option<Known> {
        let wheel = &entrant.wheel;
        self.0
            .remove(&wheel.filename)
            .filter(|known| known.sha256 == wheel.sha256 && known.stamp.size == wheel.size)
    }

    /// Writes what is known now.
    pub(crate) fn save<'a>(
        path: &Path,
        wheels: impl Iterator<Item = (&'a str, &'a Known)>,
    ) -> anyhow::Result<()> {
        let stored = Stored {
            schema: SCHEMA.to_owned(),
            wheels: wheels.collect(),
        };
        let bytes = serde_json::to_vec(&stored).context("what was read")?;
        pipe::write_whole(path, &bytes)?;
        Ok(())
    }
}
