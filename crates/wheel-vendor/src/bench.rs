//! Files on their way into a wheel: unpacked beside the output, edited there, deflated there.
//!
//! Nothing of the wheel is unpacked that does not change, and of a member that does only what is near the changes is
//! compressed anew.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use native::elf::Facts;
use wheel::{Archive, Seams, sha256_file};

use crate::difference::Difference;
use crate::edit::{Dynamic, Edit};
use crate::elf_file::facts_of_file;
use crate::graft::Graft;
use crate::patchelf::Patchelf;
use crate::payload::Payload;
use crate::read_back::Before;

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
    /// Goes away with the bench.
    #[expect(dead_code, reason = "held for what its end does")]
    folder: Folder,
    /// Where this run's files lie, below the folder.
    own: PathBuf,
    count: u32,
    /// Members that lie there as they were, by their position in the archive.
    unpacked: BTreeMap<usize, Unpacked>,
}

/// A member as it is in the wheel, and where its compressed data can be cut.
#[derive(Debug)]
struct Unpacked {
    path: PathBuf,
    facts: Option<Facts>,
    seams: Seams,
}

impl Bench {
    /// A bench beside `place`, the wheel that is being written. Its name is always the same, so that a run after a kill
    /// clears away what the killed one left. Every run works in a folder of its own below it: a patchelf that outlived
    /// its killed run must not write among the files of this one.
    ///
    /// # Errors
    /// When the folder cannot be written to.
    pub(crate) fn new(place: &Path) -> anyhow::Result<Self> {
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let path = place.with_file_name(format!(".{name}.bench"));
        // What still comes in while it is cleared away does no harm, and goes with this run's own.
        let _ = std::fs::remove_dir_all(&path);
        let make = || {
            std::fs::create_dir_all(&path)?;
            Ok::<_, io::Error>(tempfile::tempdir_in(&path)?.keep())
        };
        let own = make().with_context(|| path.display().to_string())?;
        Ok(Self {
            folder: Folder(path),
            own,
            count: 0,
            unpacked: BTreeMap::new(),
        })
    }

    /// Unpacks a member, which is inflated only this once, and returns what it says about itself; `None` when it is no ELF
    /// file.
    ///
    /// # Errors
    /// When it cannot be read, its tables are damaged, or the bench cannot be written to.
    pub(crate) fn unpack(
        &mut self,
        archive: &Archive,
        index: usize,
    ) -> anyhow::Result<Option<&Facts>> {
        if !self.unpacked.contains_key(&index) {
            let path = self.next();
            let mut content = archive.stream_noting_seams(index);
            io::copy(&mut content, &mut File::create_new(&path)?)?;
            let unpacked = Unpacked {
                facts: facts_of_file(&path)?,
                seams: content.into_seams(),
                path,
            };
            self.unpacked.insert(index, unpacked);
        }
        Ok(self.unpacked[&index].facts.as_ref())
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
        patchelf: Patchelf,
    ) -> anyhow::Result<Payload> {
        let name = archive.members()[index].name();
        let work = |bench: &mut Self| -> anyhow::Result<Payload> {
            let facts = bench.unpack(archive, index)?.map(Dynamic::from);
            let path = bench.unpacked[&index].path.clone();
            let edited = bench.edit(&path, facts, edit, patchelf)?;
            let (mut old, mut new) = (File::open(&path)?, File::open(&edited)?);
            let difference = Difference::read(Some(&mut old), &mut new)?;
            let seams = &bench.unpacked[&index].seams;
            let payload = bench.payload(&difference, |out| {
                archive.splice(index, seams, &difference.changed, &mut new, out)
            })?;
            std::fs::remove_file(path)?;
            std::fs::remove_file(edited)?;
            bench.unpacked.remove(&index);
            Ok(payload)
        };
        work(self).with_context(|| name.to_owned())
    }

    /// Edits a copy of a library, which must be the one that was planned for.
    ///
    /// # Errors
    /// When it is another one by now, cannot be read, edited, or read back as it should be; the message names the library.
    pub(crate) fn library(&mut self, graft: &Graft, patchelf: Patchelf) -> anyhow::Result<Payload> {
        let work = |bench: &mut Self| -> anyhow::Result<Payload> {
            let copy = bench.next();
            io::copy(&mut File::open(&graft.path)?, &mut File::create_new(&copy)?)?;
            let (sha256, _) = sha256_file(&copy)?;
            ensure!(
                sha256 == graft.sha256,
                "has changed since this run began; run it again when its build is over"
            );
            let facts = facts_of_file(&copy)?;
            let facts = facts.as_ref().map(Dynamic::from);
            let edited = bench.edit(&copy, facts, &graft.edit, patchelf)?;
            let payload = bench.whole(&edited)?;
            std::fs::remove_file(copy)?;
            std::fs::remove_file(edited)?;
            Ok(payload)
        };
        work(self).with_context(|| graft.path.display().to_string())
    }

    /// A text that is written as it is.
    ///
    /// # Errors
    /// When the bench cannot be written to.
    pub(crate) fn text(&mut self, text: &[u8]) -> anyhow::Result<Payload> {
        let path = self.next();
        std::fs::write(&path, text)?;
        self.whole(&path)
    }

    fn next(&mut self) -> PathBuf {
        self.count += 1;
        self.own.join(self.count.to_string())
    }

    /// Edits a copy of a file and checks it; returns where the copy is. `dynamic` is what `object` reads in the file.
    fn edit(
        &mut self,
        file: &Path,
        dynamic: Option<Dynamic>,
        edit: &Edit,
        patchelf: Patchelf,
    ) -> anyhow::Result<PathBuf> {
        let edited = self.next();
        let before = Before::read(file, &dynamic.context("it is no ELF file")?)?;
        patchelf.apply(file, &edited, edit)?;
        before.check(&edited, edit)?;
        Ok(edited)
    }

    /// Deflates all of a file.
    fn whole(&self, path: &Path) -> anyhow::Result<Payload> {
        let mut file = File::open(path)?;
        let read = Difference::read(None, &mut file)?;
        file.rewind()?;
        self.payload(&read, |out| {
            let mut encoder = DeflateEncoder::new(out, Compression::default());
            io::copy(&mut file, &mut encoder)?;
            encoder.try_finish()?;
            Ok(encoder.total_out())
        })
    }

    /// What `deflate` writes, and how many bytes it says it has written.
    fn payload(
        &self,
        content: &Difference,
        deflate: impl FnOnce(&mut File) -> io::Result<u64>,
    ) -> anyhow::Result<Payload> {
        let mut deflated = tempfile::tempfile_in(&self.own)?;
        let compressed = deflate(&mut deflated)?;
        Ok(Payload::new(deflated, compressed, content)?)
    }
}
