//! A part of a file as a reader of its own, without moving the file's position.

use std::io::{self, Read};

use super::source::Source;

/// Reads `length` bytes from `at`; several may read one file, also from several threads.
#[derive(Debug)]
pub(super) struct Section<'a> {
    file: &'a Source,
    at: u64,
    length: u64,
}

impl<'a> Section<'a> {
    pub(super) fn new(file: &'a Source, at: u64, length: u64) -> Self {
        Self { file, at, length }
    }
}

impl Read for Section<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let wanted = usize::try_from(self.length)
            .unwrap_or(usize::MAX)
            .min(buffer.len());
        if wanted == 0 {
            return Ok(0);
        }
        let got = self.file.read_at(&mut buffer[..wanted], self.at)?;
        if got == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.at += got as u64;
        self.length -= got as u64;
        Ok(got)
    }
}
