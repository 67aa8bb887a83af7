//! The folder of an architecture's wheels and sidecars, as the published site has it.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use pipe::Architecture;

use crate::memory::Known;
use crate::told::Stamp;

/// The list of what is uploaded, in the folder itself.
pub(crate) const LIST: &str = "assets.json";

/// The folder in the site.
pub(crate) fn folder(arch: &Architecture) -> PathBuf {
    Path::new("assets").join(arch.as_str())
}

/// The name of a wheel's METADATA beside it (PEP 658).
pub(crate) fn sidecar(filename: &str) -> String {
    format!("{filename}.metadata")
}

/// Size and age of everything in the published folder but the list.
#[derive(Debug, Default)]
pub(crate) struct Published {
    files: HashMap<String, Stamp>,
    /// Whether something is there that is no file of ours.
    foreign: bool,
}

impl Published {
    /// Looks; nothing is there before the first run.
    pub(crate) fn look(folder: &Path) -> Self {
        let mut published = Self::default();
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let stamp = entry.metadata().and_then(|there| Stamp::from(&there));
            match (entry.file_name().into_string(), stamp) {
                (Ok(name), _) if name == LIST => {}
                (Ok(name), Ok(stamp)) => {
                    published.files.insert(name, stamp);
                }
                _ => published.foreign = true,
            }
        }
        published
    }

    /// Whether the METADATA that was read from a wheel is there.
    pub(crate) fn has_sidecar(&self, filename: &str, known: &Known) -> bool {
        let there = self.files.get(&sidecar(filename));
        there.is_some_and(|stamp| stamp.size == known.told.metadata_size)
    }

    /// Whether the site's own copy of a wheel is the file that was read.
    pub(crate) fn has_wheel(&self, filename: &str, known: &Known) -> bool {
        self.files.get(filename) == Some(&known.stamp)
    }

    /// Whether a file of this size is there; any size will do where none is given.
    pub(crate) fn has(&self, name: &str, size: Option<u64>) -> bool {
        let there = self.files.get(name);
        there.is_some_and(|stamp| size.is_none_or(|size| size == stamp.size))
    }

    /// Whether there are so many files and nothing else.
    pub(crate) fn count_is(&self, count: usize) -> bool {
        !self.foreign && self.files.len() == count
    }
}
