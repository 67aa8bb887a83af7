//! A new content, packed in memory piece by piece.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// A content in the form in which it goes into the archive.
pub(super) struct Packed {
    pub(super) bytes: Vec<u8>,
    pub(super) size: u64,
    pub(super) crc: u32,
}

impl Packed {
    /// Stores or deflates what `content` writes.
    pub(super) fn new(
        stored: bool,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<Self> {
        let out = if stored {
            Packer::Stored(Vec::new())
        } else {
            Packer::Deflated(DeflateEncoder::new(Vec::new(), Compression::default()))
        };
        let mut counted = Counted {
            out,
            size: 0,
            crc: crc32fast::Hasher::new(),
        };
        content(&mut counted)?;
        Ok(Self {
            bytes: counted.out.finish()?,
            size: counted.size,
            crc: counted.crc.finalize(),
        })
    }
}

enum Packer {
    Stored(Vec<u8>),
    Deflated(DeflateEncoder<Vec<u8>>),
}

impl Packer {
    fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            Self::Stored(bytes) => Ok(bytes),
            Self::Deflated(encoder) => encoder.finish(),
        }
    }
}

impl Write for Packer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stored(out) => out.write(bytes),
            Self::Deflated(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Counts what passes, and its CRC.
struct Counted<W> {
    out: W,
    size: u64,
    crc: crc32fast::Hasher,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.out.write(bytes)?;
        self.crc.update(&bytes[..length]);
        self.size += length as u64;
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
