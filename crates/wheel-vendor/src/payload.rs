//! A member on its way into a wheel: deflated, and described.

use std::fs::File;
use std::io::{self, BufReader, Seek};

use wheel::{Deflated, RecordHash, RecordRow};

use crate::difference::Difference;

const BLOCK: usize = 256 * 1024;

/// A file that is ready to go in.
#[derive(Debug)]
pub(crate) struct Payload {
    deflated: File,
    size: u64,
    compressed: u64,
    crc: u32,
    sha256: [u8; 32],
}

impl Payload {
    /// `deflated` holds `compressed` bytes; `content` is what they inflate to.
    ///
    /// # Errors
    /// When the file cannot be rewound.
    pub(crate) fn new(
        mut deflated: File,
        compressed: u64,
        content: &Difference,
    ) -> io::Result<Self> {
        deflated.rewind()?;
        Ok(Self {
            deflated,
            size: content.size,
            compressed,
            crc: content.crc,
            sha256: content.sha256,
        })
    }

    /// The row of RECORD for it.
    pub(crate) fn row(&self, path: &str) -> RecordRow {
        RecordRow {
            path: path.to_owned(),
            hash: Some(RecordHash::Sha256(self.sha256)),
            size: Some(self.size),
        }
    }

    /// What goes into the archive.
    pub(crate) fn into_deflated(self) -> Deflated<BufReader<File>> {
        Deflated {
            size: self.size,
            compressed: self.compressed,
            crc: self.crc,
            bytes: BufReader::with_capacity(BLOCK, self.deflated),
        }
    }
}
