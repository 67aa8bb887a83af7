//! A file after an edit beside the file before it: where they differ, and what identifies the new one.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;

use sha2::{Digest, Sha256};

const BLOCK: usize = 256 * 1024;
/// What differs is told in pages; a patched file differs in a few.
const PAGE: usize = 4096;

/// What is known of a file once it was read.
#[derive(Debug)]
pub(crate) struct Difference {
    /// The parts of the old file that the new one does not have at the same place, in order and apart.
    pub(crate) changed: Vec<Range<u64>>,
    /// Bytes of the new file.
    pub(crate) size: u64,
    /// CRC-32 of the new file.
    pub(crate) crc: u32,
    /// sha256 of the new file.
    pub(crate) sha256: [u8; 32],
}

impl Difference {
    /// Reads both files from their beginning. Without an old one, nothing of the new one is a change.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub(crate) fn read(old: Option<&mut File>, new: &mut File) -> io::Result<Self> {
        let mut old = old;
        let mut changed: Vec<Range<u64>> = Vec::new();
        let mut crc = crc32fast::Hasher::new();
        let mut sha256 = Sha256::new();
        let (mut before, mut after) = (vec![0; BLOCK], vec![0; BLOCK]);
        let mut size = 0;
        loop {
            let length = fill(new, &mut after)?;
            let after = &after[..length];
            let old_length = match &mut old {
                Some(old) => fill(old, &mut before)?,
                None => 0,
            };
            let before = &before[..old_length];
            if before != after {
                let pages = before.chunks(PAGE).zip(after.chunks(PAGE));
                for (number, _) in pages.enumerate().filter(|(_, (old, new))| old != new) {
                    let start = size + (number * PAGE) as u64;
                    let end = start + PAGE as u64;
                    match changed.last_mut() {
                        Some(last) if last.end == start => last.end = end,
                        _ => changed.push(start..end),
                    }
                }
            }
            if length == 0 {
                break;
            }
            crc.update(after);
            sha256.update(after);
            size += length as u64;
        }
        Ok(Self {
            changed,
            size,
            crc: crc.finalize(),
            sha256: sha256.finalize().into(),
        })
    }
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(length) => filled += length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, Write};

    use super::*;

    fn file(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file.rewind().unwrap();
        file
    }

    fn changed(old: &[u8], new: &[u8]) -> Vec<Range<u64>> {
        let difference = Difference::read(Some(&mut file(old)), &mut file(new)).unwrap();
        assert_eq!(difference.size, new.len() as u64);
        assert_eq!(difference.crc, crc32fast::hash(new));
        assert_eq!(difference.sha256, <[u8; 32]>::from(Sha256::digest(new)));
        difference.changed
    }

    #[test]
    fn changed_pages_are_told_and_neighbours_are_one() {
        let old = b"0123456789".repeat(BLOCK);
        let old = &old[..BLOCK * 2 + 100];
        let mut new = old.to_vec();
        assert!(changed(old, &new).is_empty());
        for place in [PAGE, PAGE * 3 - 1, BLOCK - 1, BLOCK, BLOCK * 2 + 99] {
            new[place] ^= 0xff;
        }
        let (page, block) = (PAGE as u64, BLOCK as u64);
        assert_eq!(
            changed(old, &new),
            [
                page..page * 3,
                block - page..block + page,
                block * 2..block * 2 + page
            ]
        );
    }

    #[test]
    fn a_last_page_that_grew_or_shrank_has_changed() {
        let second = PAGE as u64..2 * PAGE as u64;
        for length in [PAGE + 9, PAGE + 11] {
            let found = changed(&[7; PAGE + 10], &vec![7; length]);
            assert_eq!(found, std::slice::from_ref(&second), "{length}");
        }
        // What is beyond the old end, or gone with the new one, is told by the size.
        assert!(changed(&[7; PAGE], &[7; PAGE * 3]).is_empty());
        assert!(changed(&[7; PAGE * 3], &[7; PAGE]).is_empty());
        assert!(changed(&[], &[7; PAGE]).is_empty());
    }
}
