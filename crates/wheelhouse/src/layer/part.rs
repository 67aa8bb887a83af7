//! What has arrived of a blob, kept on disk so that the next run can go on where this one was cut.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;

use crate::image::Layer;

/// Bytes read back at once.
const CHUNK: u64 = 256 * 1024;

/// A piece of a blob in a file, `<digest>.<where it begins>.part`.
#[derive(Debug)]
pub(crate) struct Part {
    folder: PathBuf,
    hex: String,
    kept: Option<Kept>,
}

#[derive(Debug)]
struct Kept {
    path: PathBuf,
    file: File,
    begin: u64,
    length: u64,
}

/// A file of a part, and why it cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {}", path.display(), pipe::advised(cause))]
pub(crate) struct PartError {
    path: PathBuf,
    cause: io::Error,
}

fn at(path: &Path) -> impl Fn(io::Error) -> PartError {
    let path = path.to_owned();
    move |cause| PartError {
        path: path.clone(),
        cause,
    }
}

impl Part {
    /// Looks for what an earlier run kept of a layer's blob.
    pub(crate) fn open(folder: &Path, layer: &Layer) -> Result<Self, PartError> {
        let hex = layer.digest.hex().to_owned();
        let mut part = Self {
            folder: folder.to_owned(),
            hex,
            kept: None,
        };
        for entry in fs::read_dir(folder).map_err(at(folder))? {
            let path = entry.map_err(at(folder))?.path();
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            let begin = name
                .strip_prefix(&part.hex)
                .and_then(|rest| rest.strip_prefix('.'));
            let Some(begin) = begin.and_then(|rest| rest.strip_suffix(".part")) else {
                continue;
            };
            let file = OpenOptions::new()
                .read(true)
                .append(true)
                .open(&path)
                .map_err(at(&path))?;
            let length = file.metadata().map_err(at(&path))?.len();
            match begin.parse::<u64>() {
                Ok(begin)
                    if length > 0
                        && begin.saturating_add(length) <= layer.size
                        && part.kept.is_none() =>
                {
                    part.kept = Some(Kept {
                        path,
                        file,
                        begin,
                        length,
                    });
                }
                _ => fs::remove_file(&path).map_err(at(&path))?,
            }
        }
        Ok(part)
    }

    /// Where the kept piece begins; none when nothing is kept.
    pub(crate) fn begin(&self) -> Option<u64> {
        self.kept.as_ref().map(|kept| kept.begin)
    }

    /// Reads the piece back, from its start; none at its end.
    pub(crate) fn read(&mut self) -> Result<Option<Bytes>, PartError> {
        let Some(kept) = &mut self.kept else {
            return Ok(None);
        };
        let most = usize::try_from(kept.length.min(CHUNK)).unwrap_or_default();
        let mut chunk = vec![0; most];
        let n = kept.file.read(&mut chunk).map_err(at(&kept.path))?;
        chunk.truncate(n);
        kept.length -= n as u64;
        Ok((n > 0).then(|| chunk.into()))
    }

    /// Adds bytes that follow on those before, or begins a piece with them at `offset`.
    pub(crate) fn add(&mut self, offset: u64, chunk: &[u8]) -> Result<(), PartError> {
        if self.kept.is_none() {
            let path = self.folder.join(format!("{}.{offset}.part", self.hex));
            let file = File::create(&path).map_err(at(&path))?;
            self.kept = Some(Kept {
                path,
                file,
                begin: offset,
                length: 0,
            });
        }
        match &mut self.kept {
            Some(kept) => kept.file.write_all(chunk).map_err(at(&kept.path)),
            None => Ok(()),
        }
    }

    /// Removes the piece: its blob is complete, or wrong.
    pub(crate) fn remove(self) -> Result<(), PartError> {
        match self.kept {
            Some(kept) => fs::remove_file(&kept.path).map_err(at(&kept.path)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Digest;
    use crate::layer::Compression;

    fn layer(size: u64) -> Layer {
        let digest = Digest::of(b"");
        Layer {
            diff_id: digest.clone(),
            digest,
            size,
            compression: Compression::None,
        }
    }

    fn read(part: &mut Part) -> Vec<u8> {
        let mut all = vec![];
        while let Some(chunk) = part.read().unwrap() {
            all.extend_from_slice(&chunk);
        }
        all
    }

    #[test]
    fn a_piece_is_found_again_and_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = Part::open(folder.path(), &layer(100)).unwrap();
        assert_eq!((first.begin(), read(&mut first)), (None, vec![]));
        first.add(40, b"abc").unwrap();
        first.add(43, b"def").unwrap();
        drop(first);
        let mut second = Part::open(folder.path(), &layer(100)).unwrap();
        assert_eq!(
            (second.begin(), read(&mut second)),
            (Some(40), b"abcdef".to_vec())
        );
        second.add(46, b"ghi").unwrap();
        drop(second);
        let mut third = Part::open(folder.path(), &layer(100)).unwrap();
        assert_eq!(read(&mut third), b"abcdefghi");
        third.remove().unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_piece_that_cannot_be_of_this_blob_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let mut part = Part::open(folder.path(), &layer(100)).unwrap();
        part.add(40, b"abc").unwrap();
        assert_eq!(Part::open(folder.path(), &layer(42)).unwrap().begin(), None);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
