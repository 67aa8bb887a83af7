//! The sha256 of a source file, taken from the blocks that are copied out of it.

use std::io;

use super::source::Source;

use sha2::{Digest, Sha256};

use crate::sha256::hex;

const BLOCK: usize = 64 * 1024;

/// Hashes what passes and fetches what was skipped, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct SourceHash {
    hash: Sha256,
    at: u64,
    /// A block came from before one that was hashed: members that lie in another order than the
    /// directory lists them. The file is then hashed by itself at the end.
    disordered: bool,
}

impl SourceHash {
    /// `block` was read from `at`.
    pub(super) fn passes(&mut self, file: &Source, at: u64, block: &[u8]) -> io::Result<()> {
        if self.disordered {
            return Ok(());
        }
        if at < self.at {
            self.disordered = true;
            return Ok(());
        }
        self.catch_up(file, at)?;
        self.hash.update(block);
        self.at += block.len() as u64;
        Ok(())
    }

    pub(super) fn finish(mut self, file: &Source, size: u64) -> io::Result<String> {
        if self.disordered {
            self = Self::default();
        }
        self.catch_up(file, size)?;
        Ok(hex(self.hash))
    }

    /// Hashes the bytes up to `to` that nobody copied: old headers, replaced contents, the directory.
    fn catch_up(&mut self, file: &Source, to: u64) -> io::Result<()> {
        if self.at == to {
            return Ok(());
        }
        let mut block = vec![0; usize::try_from(to - self.at).unwrap_or(BLOCK).min(BLOCK)];
        while self.at < to {
            let length = usize::try_from(to - self.at).unwrap_or(BLOCK).min(BLOCK);
            file.read_exact_at(&mut block[..length], self.at)?;
            self.hash.update(&block[..length]);
            self.at += length as u64;
        }
        Ok(())
    }
}
