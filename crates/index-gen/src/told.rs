//! What a wheel itself says, read once: its METADATA, and that its bytes are those of the document.

use std::collections::BTreeSet;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use pipe::Wheel;
use serde::{Deserialize, Serialize};
use wheel::Archive;

use crate::digest::Digest;
use crate::entrant::Entrant;
use crate::memory::Known;

/// What was read from a wheel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Told {
    /// sha256 of METADATA.
    pub(crate) metadata_sha256: Digest,
    /// Bytes of METADATA.
    pub(crate) metadata_size: u64,
    /// `Requires-Python` as METADATA has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) requires_python: Option<Arc<str>>,
    /// The `device-…` extras that it provides: a metapackage has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) extras: Vec<Arc<str>>,
}

impl Told {
    /// Whether the wheel provides this extra.
    pub(crate) fn provides(&self, extra: &str) -> bool {
        self.extras.iter().any(|provided| **provided == *extra)
    }
}

/// What a thread reads wheels with.
///
/// Texts that most wheels of a set share are kept once. What stays of a wheel then allocates nothing:
/// among the buffers that come and go with an archive, every small piece that stays would hold a hole
/// open.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    texts: BTreeSet<Arc<str>>,
}

/// Size and age of a file; a file that has both unchanged is taken as unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    /// Bytes.
    pub(crate) size: u64,
    /// Nanoseconds since 1970.
    pub(crate) modified: u64,
}

impl Stamp {
    /// Of the file that a path leads to.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        Seen::at(path).map(|seen| seen.stamp)
    }

    /// Of a file that was looked at by the system's own call: bytes, and seconds and nanoseconds since 1970.
    pub(crate) fn from_parts(size: i64, seconds: i64, nanoseconds: impl Into<u64>) -> Self {
        let modified = i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds.into());
        Self::new(u64::try_from(size).unwrap_or_default(), modified)
    }

    fn new(size: u64, modified: i128) -> Self {
        let modified = u64::try_from(modified.max(0)).unwrap_or(u64::MAX);
        Self { size, modified }
    }
}

/// A file that was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) stamp: Stamp,
    /// Which file it is: hard links of one file have the same.
    pub(crate) inode: Inode,
}

/// The device and the number of a file on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Inode {
    pub(crate) device: u64,
    pub(crate) number: u64,
}

impl Seen {
    /// Looks at the file that a path leads to.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        let there = std::fs::metadata(path)?;
        let modified = i128::from(there.mtime()) * 1_000_000_000 + i128::from(there.mtime_nsec());
        Ok(Self {
            stamp: Stamp::new(there.len(), modified),
            inode: Inode {
                device: there.dev(),
                number: there.ino(),
            },
        })
    }
}

/// A wheel that is not what the document says, or not sound.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    /// Missing or unreadable.
    #[error("{}", pipe::advised(.0))]
    Io(#[from] io::Error),
    /// The file changed after it was measured.
    #[error("has {found} bytes, the document says {expected}; measure it again")]
    Size {
        /// In the folder.
        found: u64,
        /// In the document.
        expected: u64,
    },
    /// The file changed after it was measured, or the document is wrong.
    #[error("its sha256 is {found}, the document says {expected}; measure it again")]
    Sha256 {
        /// Of the bytes.
        found: Digest,
        /// In the document.
        expected: Digest,
    },
    /// Not a wheel.
    #[error(transparent)]
    Wheel(#[from] wheel::WheelError),
    /// pip and uv leave a wheel out whose `Requires-Dist` they cannot read.
    #[error("Requires-Dist: {0}; no installer takes it so: rebuild it")]
    Requirement(#[from] wheel::RequirementError),
    /// `2.0.0` in a wheel whose file name says `2.0`: equal versions, which clients show differently.
    #[error("METADATA spells its version `{found}`, its file name `{expected}`; rebuild it")]
    Spelling {
        /// In METADATA.
        found: String,
        /// In the file name, and the normal form.
        expected: String,
    },
}

impl Stamp {
    /// Checks that a file has the size that it had when it was measured.
    pub(crate) fn check_size(self, expected: u64) -> Result<(), ReadError> {
        let found = self.size;
        if found == expected {
            return Ok(());
        }
        Err(ReadError::Size { found, expected })
    }
}

/// Opens a wheel. A file that is gone, or is not the one that was measured, is told as such and not as a
/// broken archive.
fn open(wheel: &Wheel) -> Result<Archive, ReadError> {
    let path = Path::new(&wheel.path);
    let opened = Archive::open(path);
    let size = opened.as_ref().map(Archive::file_size);
    match size {
        Ok(size) if size == wheel.size => {}
        _ => Stamp::of(path)?.check_size(wheel.size)?,
    }
    Ok(opened?)
}

impl Reader {
    /// Reads a wheel through: its sha256 against the document's, and METADATA against its file name.
    /// Returns what the file was like, what it says, and the bytes of METADATA.
    pub(crate) fn read(&mut self, entrant: &Entrant) -> Result<(Known, Vec<u8>), ReadError> {
        let wheel = entrant.wheel;
        let archive = open(wheel)?;
        let stamp = Stamp::new(archive.file_size(), archive.modified());
        let found = Digest::from(archive.sha256()?);
        if found != entrant.sha256 {
            return Err(ReadError::Sha256 {
                found,
                expected: entrant.sha256,
            });
        }
        let metadata = archive.metadata();
        let version = metadata.get("Version").unwrap_or_default();
        if version != wheel.version {
            return Err(ReadError::Spelling {
                found: version,
                expected: wheel.version.clone(),
            });
        }
        for line in metadata.requires_dist() {
            line.requirement?;
        }
        let bytes = metadata.bytes().to_vec();
        let mut extras = metadata.all("Provides-Extra");
        extras.retain(|extra| extra.starts_with("device-"));
        let told = Told {
            metadata_sha256: Digest::of(&bytes),
            metadata_size: bytes.len() as u64,
            requires_python: metadata.requires_python().map(|text| self.text(text)),
            extras: extras.into_iter().map(|text| self.text(text)).collect(),
        };
        Ok((Known::new(stamp, told), bytes))
    }

    fn text(&mut self, text: String) -> Arc<str> {
        if let Some(known) = self.texts.get(text.as_str()) {
            return Arc::clone(known);
        }
        let text = Arc::from(text);
        self.texts.insert(Arc::clone(&text));
        text
    }
}
