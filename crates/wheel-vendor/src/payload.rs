//! Files on their way into a wheel: unpacked beside the output, edited there, deflated there.
//!
//! Nothing of the size of a library is held in memory, and nothing of the wheel is unpacked that does not change.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use sha2::{Digest, Sha256};
use wheel::{Archive, Deflated, RecordHash, RecordRow};

use crate::edit::Edit;
use crate::patchelf::Patchelf;
use crate::read_back::Before;

const BLOCK: usize = 256 * 1024;

/// A folder that goes away with everything in it.
#[derive(Debug)]
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // Nothing can be done about a failure here, and the next run clears it away.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Where files are edited and deflated on their way.
#[derive(Debug)]
pub(crate) struct Bench {
    folder: Folder,
    patchelf: Patchelf,
    count: u32,
}

/// A file that is ready to go in.
#[derive(Debug)]
pub(crate) struct Payload {
    deflated: File,
    size: u64,
    compressed: u64,
    crc: u32,
    sha256: [u8; 32],
}

impl Bench {
    /// A bench beside `place`, the wheel that is being written. Its name is always the same, so that a run after a kill
    /// clears away what the killed one left.
    ///
    /// # Errors
    /// When the folder cannot be written to.
    pub(crate) fn new(place: &Path, patchelf: Patchelf) -> anyhow::Result<Self> {
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let path = place.with_file_name(format!(".{name}.bench"));
        let make = || {
            if path.exists() {
                std::fs::remove_dir_all(&path)?;
            }
            std::fs::create_dir(&path)
        };
        make().with_context(|| path.display().to_string())?;
        Ok(Self {
            folder: Folder(path),
            patchelf,
            count: 0,
        })
    }

    /// Edits a member of the wheel.
    ///
    /// # Errors
    /// When it cannot be read, edited, or read back as it should be; the message names the member.
    pub(crate) fn member(
        &mut self,
        archive: &Archive,
        index: usize,
        edit: &Edit,
    ) -> anyhow::Result<Payload> {
        let name = archive.members()[index].name();
        let work = |bench: &mut Self| {
            let path = bench.next();
            let mut file = File::create_new(&path)?;
            io::copy(&mut archive.stream(index), &mut file)?;
            bench.edit(&path, edit)
        };
        work(self).with_context(|| name.to_owned())
    }

    /// Edits a copy of a library.
    ///
    /// # Errors
    /// When it cannot be read, edited, or read back as it should be; the message names the library.
    pub(crate) fn library(&mut self, library: &Path, edit: &Edit) -> anyhow::Result<Payload> {
        let work = |bench: &mut Self| {
            let path = bench.next();
            // Not fs::copy: a library without write permission is the rule, and patchelf writes in place.
            io::copy(&mut File::open(library)?, &mut File::create_new(&path)?)?;
            bench.edit(&path, edit)
        };
        work(self).with_context(|| library.display().to_string())
    }

    /// A text that is written as it is.
    ///
    /// # Errors
    /// When the bench cannot be written to.
    pub(crate) fn text(&mut self, text: &[u8]) -> anyhow::Result<Payload> {
        let path = self.next();
        std::fs::write(&path, text)?;
        self.deflate(&path)
    }

    fn next(&mut self) -> PathBuf {
        self.count += 1;
        self.folder.0.join(self.count.to_string())
    }

    fn edit(&self, path: &Path, edit: &Edit) -> anyhow::Result<Payload> {
        let before = Before::read(path)?;
        self.patchelf.apply(path, edit)?;
        before.check(path, edit)?;
        let payload = self.deflate(path)?;
        std::fs::remove_file(path)?;
        Ok(payload)
    }

    fn deflate(&self, path: &Path) -> anyhow::Result<Payload> {
        let mut encoder = DeflateEncoder::new(
            tempfile::tempfile_in(&self.folder.0)?,
            Compression::default(),
        );
        let mut crc = crc32fast::Hasher::new();
        let mut sha256 = Sha256::new();
        let mut size = 0;
        let mut file = File::open(path)?;
        let mut block = vec![0; BLOCK];
        loop {
            let length = file.read(&mut block)?;
            if length == 0 {
                break;
            }
            crc.update(&block[..length]);
            sha256.update(&block[..length]);
            encoder.write_all(&block[..length])?;
            size += length as u64;
        }
        let mut deflated = encoder.finish()?;
        let compressed = deflated.stream_position()?;
        deflated.rewind()?;
        Ok(Payload {
            deflated,
            size,
            compressed,
            crc: crc.finalize(),
            sha256: sha256.finalize().into(),
        })
    }
}

impl Payload {
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
