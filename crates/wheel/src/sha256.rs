//! The sha256 of a file and of what is written.

use std::io::{self, Read, Write};
use std::path::Path;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use crate::regular_file::open_regular;

/// How much is read at once; large enough that the calls do not count, small enough for a cache.
const BLOCK: usize = 256 * 1024;

/// The sha256 of a file as 64 lower-case hex digits, and its size in bytes.
///
/// # Errors
/// When the file cannot be read, or is no regular file; the message does not name it.
pub fn sha256_file(path: &Path) -> io::Result<(String, u64)> {
    let mut file = open_regular(path)?;
    let mut hash = Sha256::new();
    let mut block = vec![0; BLOCK];
    let mut size = 0;
    loop {
        match file.read(&mut block) {
            Ok(0) => return Ok((hex(hash), size)),
            Ok(length) => {
                hash.update(&block[..length]);
                size += length as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The sha256 of these bytes as 64 lower-case hex digits.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes))
}

/// Hashes and counts what passes through to `out`.
#[derive(Debug)]
pub struct HashingWriter<W> {
    out: W,
    hash: Sha256,
    size: u64,
}

impl<W: Write> HashingWriter<W> {
    /// A writer in front of `out`.
    pub fn new(out: W) -> Self {
        Self {
            out,
            hash: Sha256::new(),
            size: 0,
        }
    }

    /// The sha256 in hex of what has passed so far.
    #[must_use]
    pub fn sha256(&self) -> String {
        hex(self.hash.clone())
    }

    /// What was written to, the sha256 of it in hex, and its size in bytes.
    pub fn finish(self) -> (W, String, u64) {
        (self.out, hex(self.hash), self.size)
    }
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.out.write(bytes)?;
        self.hash.update(&bytes[..length]);
        self.size += length as u64;
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

pub(crate) fn hex(hash: Sha256) -> String {
    HEXLOWER.encode(&hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn a_file_and_a_writer_have_the_hash_of_the_bytes() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "abc").unwrap();
        assert_eq!(sha256_file(file.path()).unwrap(), (ABC.to_owned(), 3));
        let mut writer = HashingWriter::new(Vec::new());
        writer.write_all(b"a").unwrap();
        writer.write_all(b"bc").unwrap();
        assert_eq!(writer.finish(), (b"abc".to_vec(), ABC.to_owned(), 3));
        assert_eq!(sha256_hex(b"abc"), ABC);
    }
}
