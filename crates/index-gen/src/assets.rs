//! The folder of an architecture's wheels and sidecars, as the published site has it.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::bail;
use pipe::Architecture;

use crate::digest::Digest;
use crate::folder::Folder;
use crate::memory::Known;
use crate::told::Stamp;

/// The list of what is uploaded, in the folder itself.
pub(crate) const LIST: &str = "assets.json";

/// A sidecar is METADATA, of which the largest public ones have 300 KB.
const LONGEST_SIDECAR: u64 = 8 << 20;

/// The folder in the site.
pub(crate) fn folder(arch: &Architecture) -> PathBuf {
    Path::new("assets").join(arch.as_str())
}

/// The name of a wheel's METADATA beside it (PEP 658).
pub(crate) fn sidecar(filename: &str) -> String {
    format!("{filename}.metadata")
}

/// The published folder. Its files are asked for one by one: what is known of them all would take as
/// much memory as their names.
#[derive(Debug, Default)]
pub(crate) struct Published {
    path: PathBuf,
    folder: Option<Folder>,
    /// When an earlier run left it, in nanoseconds since 1970. A file that is not older may have been changed
    /// since, and is read.
    left: u64,
}

impl Published {
    /// Opens the folder, which a run left at that time; nothing is there before the first run.
    pub(crate) fn open(path: PathBuf, left: Option<Stamp>) -> Self {
        Self {
            folder: Folder::open(&path, path.clone()).ok(),
            path,
            left: left.map_or(0, |left| left.modified),
        }
    }

    /// The folder itself.
    pub(crate) fn folder(&self) -> Option<&Folder> {
        self.folder.as_ref()
    }

    /// Whether the METADATA that was read from a wheel is there.
    pub(crate) fn has_sidecar(&self, filename: &str, known: &Known) -> bool {
        let (name, told) = (sidecar(filename), &known.told);
        self.stamp(&name).is_some_and(|there| {
            there.size == told.metadata_size
                && (there.modified < self.left
                    || self.digest_of_sidecar(&name) == Some(told.metadata_sha256))
        })
    }

    /// Whether the site's own copy of a wheel is the file that was read.
    pub(crate) fn has_wheel(&self, filename: &str, known: &Known) -> bool {
        self.stamp(filename) == Some(known.stamp)
    }

    /// Checks a file that is kept from an earlier set, and that no wheel of this one can restore.
    ///
    /// # Errors
    /// When it is gone, or has other bytes than its page says.
    pub(crate) fn check_kept(&self, name: &str, sha256: &str) -> anyhow::Result<()> {
        const WHAT: &str = "restore it, or run without --keep-old";
        let shown = self.path.join(name);
        let Some(there) = self.stamp(name) else {
            bail!("{}: was published, and is gone; {WHAT}", shown.display());
        };
        if there.modified >= self.left {
            let hashed = wheel::sha256_file(&shown);
            let (found, _) = hashed.map_err(|error| pipe::failed(&shown, &error))?;
            if found != sha256 {
                bail!(
                    "{}: has other bytes than were published; {WHAT}",
                    shown.display()
                );
            }
        }
        Ok(())
    }

    /// Whether there are so many files beside the list.
    pub(crate) fn count_is(&self, count: usize) -> bool {
        let mut found = 0;
        let look = |folder: &Folder| folder.each(|name, _| found += usize::from(name != LIST));
        let looked = self.folder.as_ref().map(look);
        matches!(looked, Some(Ok(()))) && found == count
    }

    fn stamp(&self, name: &str) -> Option<Stamp> {
        self.folder.as_ref()?.stamp(name)
    }

    fn digest_of_sidecar(&self, name: &str) -> Option<Digest> {
        let file = self.folder.as_ref()?.read(name).ok()?;
        let mut bytes = Vec::new();
        file.take(LONGEST_SIDECAR).read_to_end(&mut bytes).ok()?;
        Some(Digest::of(&bytes))
    }
}
