//! The file below an archive: read at any place, and a small one only once.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};

use sha2::{Digest, Sha256};

/// A file of at most this many bytes is read whole when it is opened. A wheel of four members would
/// otherwise be read a dozen times, and most wheels of an index may be so small.
const SMALL: u64 = 64 * 1024;
/// How much of a large file is hashed at once.
const BLOCK: usize = 256 * 1024;

/// A file that is read by position, so that several threads may read it.
#[derive(Debug)]
pub(super) struct Source {
    file: File,
    size: u64,
    modified: i128,
    /// All of a small file.
    whole: Option<Box<[u8]>>,
}

impl Source {
    /// A file that was opened, and what was seen of it then.
    pub(super) fn new(file: File, metadata: &Metadata) -> io::Result<Self> {
        let size = metadata.len();
        let modified =
            i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec());
        let mut whole = None;
        if size <= SMALL {
            let mut bytes = vec![0; usize::try_from(size).unwrap_or(0)];
            file.read_exact_at(&mut bytes, 0)?;
            whole = Some(bytes.into_boxed_slice());
        }
        Ok(Self {
            file,
            size,
            modified,
            whole,
        })
    }

    /// Bytes of the file when it was opened.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// When the file was last written to before it was opened, in nanoseconds since 1970.
    pub(super) fn modified(&self) -> i128 {
        self.modified
    }

    /// Fills the buffer from `at`.
    pub(super) fn read_exact_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()> {
        match self.part(at) {
            None => self.file.read_exact_at(buffer, at),
            Some(part) => {
                let part = part.get(..buffer.len());
                buffer.copy_from_slice(part.ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
        }
    }

    /// Reads what is there from `at`, at most a buffer full.
    pub(super) fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        match self.part(at) {
            None => self.file.read_at(buffer, at),
            Some(part) => {
                let length = part.len().min(buffer.len());
                buffer[..length].copy_from_slice(&part[..length]);
                Ok(length)
            }
        }
    }

    /// The sha256 of the whole file.
    pub(super) fn sha256(&self) -> io::Result<[u8; 32]> {
        if let Some(whole) = &self.whole {
            return Ok(Sha256::digest(whole).into());
        }
        let mut hash = Sha256::new();
        let mut block = vec![0; BLOCK];
        let mut at = 0;
        while at < self.size {
            let length = usize::try_from(self.size - at).unwrap_or(BLOCK).min(BLOCK);
            self.file.read_exact_at(&mut block[..length], at)?;
            hash.update(&block[..length]);
            at += length as u64;
        }
        Ok(hash.finalize().into())
    }

    /// A small file's bytes from `at`, none when that is behind its end.
    fn part(&self, at: u64) -> Option<&[u8]> {
        let whole = self.whole.as_ref()?;
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        Some(whole.get(at..).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_file_reads_as_a_large_one_does() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "0123456789").unwrap();
        let open = || {
            let file = File::open(&path).unwrap();
            let metadata = file.metadata().unwrap();
            Source::new(file, &metadata).unwrap()
        };
        let small = open();
        let large = Source {
            whole: None,
            ..open()
        };
        for at in [0, 4, 9, 10, 11, u64::MAX / 4] {
            for length in [0, 1, 6, 10] {
                let read = |source: &Source| {
                    let (mut exact, mut some) = (vec![0; length], vec![0; length]);
                    let whole = source.read_exact_at(&mut exact, at).map_err(|e| e.kind());
                    let count = source.read_at(&mut some, at).unwrap();
                    (whole.map(|()| exact), count, some)
                };
                assert_eq!(read(&small), read(&large), "{length} from {at}");
            }
        }
        assert_eq!(small.sha256().unwrap(), large.sha256().unwrap());
    }
}
