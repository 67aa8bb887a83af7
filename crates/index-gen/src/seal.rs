//! Whether a run would find everything as an earlier one left it, known without making a page.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pipe::Architecture;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::assets::{self, LIST};
use crate::digest::Digest;
use crate::folder::Folder;
use crate::pages::index_folder;
use crate::told::{Inode, Stamp};

/// What a run depends on and what it leaves, each in one sha256: everything that it was told and the
/// size and age of every wheel; the size and age of every file that it makes.
///
/// As with the memory, an age that was set back by hand is not seen. `--distrust-cache` asks nobody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seal {
    conditions: Digest,
}

/// Takes what a run depends on, piece by piece.
#[derive(Clone)]
pub(crate) struct Conditions(Sha256);

impl Conditions {
    /// Begins with the program itself: another build may make other pages.
    pub(crate) fn new() -> Self {
        let mut conditions = Self(Sha256::new());
        let program = std::env::current_exe().and_then(|path| Stamp::of(&path));
        conditions.add(format!("{} {program:?}", env!("CARGO_PKG_VERSION")).as_bytes());
        conditions
    }

    /// One more piece.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// Everything was added but the wheels' files as they are now, or were before they were read.
    pub(crate) fn seal(mut self, files: impl Iterator<Item = Option<Stamp>>) -> Seal {
        for stamp in files {
            self.add(&stamp.map(bytes).unwrap_or_default());
        }
        Seal {
            conditions: Digest::from(self.0),
        }
    }
}

impl Seal {
    /// What an earlier run told on stderr, when its seal is this one and the site is as it left it. `inputs` are
    /// the wheels' files.
    pub(crate) fn holds(
        &self,
        path: &Path,
        site: &Path,
        arch: &Architecture,
        inputs: &HashSet<Inode>,
    ) -> Option<Vec<String>> {
        let text = pipe::read_small_text(path).ok()?;
        let earlier: Sealed = serde_json::from_str(&text).ok()?;
        let holds = earlier.conditions == self.conditions
            && earlier.made == made(site, arch).ok()?
            && are_untouched(
                &site.join(assets::folder(arch)),
                Stamp::of(path).ok()?,
                inputs,
            )
            .ok()?;
        holds.then_some(earlier.notes)
    }

    /// The seal on the site as it is now.
    pub(crate) fn on(
        &self,
        site: &Path,
        arch: &Architecture,
        notes: &[String],
    ) -> anyhow::Result<Vec<u8>> {
        Ok(serde_json::to_vec(&Sealed {
            conditions: self.conditions,
            made: made(site, arch)?,
            notes: notes.to_vec(),
        })?)
    }
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    conditions: Digest,
    made: Digest,
    notes: Vec<String>,
}

/// The files of a site that a run for an architecture makes.
///
/// Pages are looked at one by one. Of wheels and sidecars, of which there are many, the age of their
/// folder tells whether one came, went or was put in the place of another.
fn made(site: &Path, arch: &Architecture) -> io::Result<Digest> {
    let mut hash = Sha256::new();
    let assets = site.join(assets::folder(arch));
    for of in ["index.html", "published.json"] {
        add(&mut hash, &site.join(of))?;
    }
    add(&mut hash, &assets.join(LIST))?;
    add(&mut hash, &assets)?;
    let mut folders: Vec<PathBuf> = vec![site.join(index_folder(arch))];
    while let Some(folder) = folders.pop() {
        let mut entries = Vec::new();
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            entries.push((entry.file_name(), entry.file_type()?.is_dir()));
        }
        entries.sort();
        for (name, is_dir) in entries {
            hash.update(name.as_encoded_bytes());
            let path = folder.join(name);
            if is_dir {
                folders.push(path);
            } else {
                add(&mut hash, &path)?;
            }
        }
    }
    Ok(Digest::from(hash))
}

/// Whether all wheels and sidecars are older than the seal, as one that was written into in place is not. One
/// of the same age may have been written into right after the seal: clocks of file systems are coarse. The
/// wheels that came in were looked at already, and most of those in the site are links to them.
fn are_untouched(assets: &Path, seal: Stamp, inputs: &HashSet<Inode>) -> io::Result<bool> {
    let assets = Folder::open(assets, assets.to_owned())?;
    let mut untouched = true;
    assets.each(|name, inode| {
        untouched = untouched
            && (inputs.contains(&inode)
                || assets
                    .stamp(name)
                    .is_some_and(|there| there.modified < seal.modified));
    })?;
    Ok(untouched)
}

fn add(hash: &mut Sha256, path: &Path) -> io::Result<()> {
    hash.update(bytes(Stamp::of(path)?));
    Ok(())
}

fn bytes(stamp: Stamp) -> Vec<u8> {
    [stamp.size.to_le_bytes(), stamp.modified.to_le_bytes()].concat()
}
