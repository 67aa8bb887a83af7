//! The folder that wheels are pulled into: what is there already, and giving a verified wheel its name.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::image::Layer;
use crate::layer::{Contents, Removal, StagedWheel, WheelEntry};

/// The part of the folder that is ours: receipts, broken downloads, wheels without a name yet.
const WORK: &str = ".wheelhouse";

/// More than a receipt with the most wheels, and with the longest names, takes; bytes.
const LONGEST_RECEIPT: u64 = 8 << 20;

/// An output folder that no other run writes to.
#[derive(Debug)]
pub(crate) struct Store {
    out: PathBuf,
    work: PathBuf,
    /// Held as long as the store.
    _lock: File,
    /// File names given in this run: sha256 and image.
    given: Mutex<BTreeMap<String, (String, String)>>,
}

/// Why the folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// A file that cannot be read, written or renamed.
    #[error("{}: {}", path.display(), pipe::advised(cause))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// Something in our part of the folder that we never put there, and that opening could wait for without end.
    #[error("{}: no ordinary file; remove {WORK} and run again", .0.display())]
    Foreign(PathBuf),
    /// Two runs into one folder.
    #[error("{}: another wheelhouse pulls into this folder; wait for it, or name another --out", .0.display())]
    Busy(PathBuf),
    /// Two images with the same file name and different bytes in it.
    #[error("`{filename}` is in {first} too, with different bytes; one index cannot hold both")]
    Conflict {
        /// The wheel.
        filename: String,
        /// The image that had it first.
        first: String,
    },
}

/// What an earlier run found in a layer, so that it need not be fetched to be known.
#[derive(Debug, Serialize, Deserialize)]
struct Receipt {
    layer: String,
    diff_id: String,
    removes_all: bool,
    removes: Vec<String>,
    wheels: Vec<ReceiptWheel>,
}

#[derive(Debug, Serialize, Deserialize)]
struct ReceiptWheel {
    filename: String,
    size: u64,
    sha256: String,
}

impl Store {
    /// Opens a folder, making it if need be, and removes what a killed run left without a name.
    ///
    /// # Errors
    /// [`StoreError::Busy`] when another run holds it, [`StoreError::Io`] when it cannot be written to.
    pub(crate) fn open(out: &Path) -> Result<Self, StoreError> {
        let work = out.join(WORK);
        let io = |path: &Path| {
            let path = path.to_owned();
            move |cause| StoreError::Io { path, cause }
        };
        fs::create_dir_all(&work).map_err(io(&work))?;
        let lock_path = work.join("lock");
        if fs::symlink_metadata(&lock_path).is_ok_and(|found| !found.is_file()) {
            return Err(StoreError::Foreign(lock_path));
        }
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&lock_path);
        let lock = lock.map_err(io(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StoreError::Busy(out.to_owned())),
            Err(TryLockError::Error(cause)) => return Err(io(&lock_path)(cause)),
        }
        for entry in fs::read_dir(&work).map_err(io(&work))? {
            let entry = entry.map_err(io(&work))?;
            let path = entry.path();
            if !entry.file_type().map_err(io(&path))?.is_file() {
                return Err(StoreError::Foreign(path));
            }
            if path.extension().is_some_and(|extension| extension == "new") {
                fs::remove_file(&path).map_err(io(&path))?;
            }
        }
        Ok(Self {
            out: out.to_owned(),
            work,
            _lock: lock,
            given: Mutex::default(),
        })
    }

    /// Where layers are unpacked and broken downloads wait.
    pub(crate) fn work(&self) -> &Path {
        &self.work
    }

    /// What an earlier run found in a layer. A receipt that cannot be read is none.
    pub(crate) fn receipt(&self, layer: &Layer) -> Option<Contents> {
        let file = File::open(self.receipt_path(layer)).ok()?;
        let bytes = pipe::read_at_most(file, LONGEST_RECEIPT).ok()?;
        let receipt: Receipt = serde_json::from_slice(&bytes).ok()?;
        if receipt.layer != layer.digest.to_string() || receipt.diff_id != layer.diff_id.to_string()
        {
            return None;
        }
        let all = receipt.removes_all.then_some(Removal::All);
        let wheels = receipt
            .wheels
            .into_iter()
            .filter(|wheel| !wheel.filename.contains('/'));
        Some(Contents {
            removals: all
                .into_iter()
                .chain(receipt.removes.into_iter().map(Removal::One))
                .collect(),
            wheels: wheels
                .map(|wheel| {
                    let entry = WheelEntry {
                        size: wheel.size,
                        sha256: wheel.sha256,
                    };
                    (
                        wheel.filename,
                        StagedWheel {
                            entry,
                            staged: None,
                        },
                    )
                })
                .collect(),
        })
    }

    /// Remembers what a verified layer holds.
    pub(crate) fn remember(&self, layer: &Layer, contents: &Contents) -> anyhow::Result<()> {
        let removed = contents
            .removals
            .iter()
            .filter_map(|removal| match removal {
                Removal::One(name) => Some(name.clone()),
                Removal::All => None,
            });
        let wheels = contents
            .wheels
            .iter()
            .map(|(filename, wheel)| ReceiptWheel {
                filename: filename.clone(),
                size: wheel.entry.size,
                sha256: wheel.entry.sha256.clone(),
            });
        let receipt = Receipt {
            layer: layer.digest.to_string(),
            diff_id: layer.diff_id.to_string(),
            removes_all: contents.removals.contains(&Removal::All),
            removes: removed.collect(),
            wheels: wheels.collect(),
        };
        let bytes = serde_json::to_vec_pretty(&receipt)?;
        pipe::write_whole(&self.receipt_path(layer), &bytes)?;
        Ok(())
    }

    /// Whether a wheel is there with exactly these bytes; all of them are read.
    pub(crate) fn holds(&self, filename: &str, wheel: &WheelEntry) -> bool {
        let read = || -> io::Result<bool> {
            let path = self.path(filename);
            let found = fs::metadata(&path)?;
            if !found.is_file() || found.len() != wheel.size {
                return Ok(false);
            }
            Ok(Digest::of_reader(File::open(path)?)?.hex() == wheel.sha256)
        };
        read().unwrap_or(false)
    }

    /// Where a wheel is, or will be.
    pub(crate) fn path(&self, filename: &str) -> PathBuf {
        self.out.join(filename)
    }

    /// Reserves a file name for an image, so that no other takes it with other bytes.
    ///
    /// # Errors
    /// [`StoreError::Conflict`]
    pub(crate) fn claim(
        &self,
        filename: &str,
        wheel: &WheelEntry,
        image: &str,
    ) -> Result<(), StoreError> {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        match given.get(filename) {
            Some((sha256, first)) if *sha256 != wheel.sha256 => Err(StoreError::Conflict {
                filename: filename.to_owned(),
                first: first.clone(),
            }),
            Some(_) => Ok(()),
            None => {
                given.insert(
                    filename.to_owned(),
                    (wheel.sha256.clone(), image.to_owned()),
                );
                Ok(())
            }
        }
    }

    /// Gives verified bytes their name; an older wheel of that name is replaced in one step.
    ///
    /// They are not forced to the disk: a power cut may lose them, and the next pull sees that by the hash.
    pub(crate) fn name(&self, staged: &Path, filename: &str) -> Result<(), StoreError> {
        fs::rename(staged, self.path(filename)).map_err(|cause| {
            let path = self.path(filename);
            StoreError::Io { path, cause }
        })
    }

    fn receipt_path(&self, layer: &Layer) -> PathBuf {
        self.work.join(format!("{}.json", layer.digest.hex()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::Compression;

    fn layer() -> Layer {
        Layer {
            digest: Digest::of(b"blob"),
            size: 4,
            compression: Compression::None,
            diff_id: Digest::of(b"archive"),
        }
    }

    #[test]
    fn what_was_remembered_is_known_again() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let entry = WheelEntry {
            size: 1,
            sha256: Digest::of(b"x").hex().to_owned(),
        };
        let wheel = StagedWheel {
            entry,
            staged: None,
        };
        let contents = Contents {
            removals: vec![Removal::All, Removal::One("old.whl".to_owned())],
            wheels: BTreeMap::from([("a.whl".to_owned(), wheel)]),
        };
        assert_eq!(store.receipt(&layer()), None);
        store.remember(&layer(), &contents).unwrap();
        assert_eq!(store.receipt(&layer()), Some(contents));
        let other = Layer {
            diff_id: Digest::of(b"another archive"),
            ..layer()
        };
        assert_eq!(store.receipt(&other), None);
        fs::write(store.receipt_path(&layer()), b"{").unwrap();
        assert_eq!(store.receipt(&layer()), None);
    }

    #[test]
    fn a_folder_is_for_one_run_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let first = Store::open(folder.path()).unwrap();
        assert!(matches!(
            Store::open(folder.path()),
            Err(StoreError::Busy(_))
        ));
        fs::write(first.work().join("x.new"), b"").unwrap();
        fs::write(first.work().join("x.part"), b"").unwrap();
        drop(first);
        let second = Store::open(folder.path()).unwrap();
        assert!(!second.work().join("x.new").exists());
        assert!(second.work().join("x.part").exists());
    }

    #[test]
    fn what_could_be_waited_for_without_end_is_refused() {
        for name in ["lock", "x.json", "x.part", "x.new"] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(WORK).join(name);
            fs::create_dir(folder.path().join(WORK)).unwrap();
            // As a pipe would be, and what only opening it would tell.
            std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
            let expected = format!(
                "{}: no ordinary file; remove .wheelhouse and run again",
                path.display()
            );
            let error = Store::open(folder.path()).unwrap_err();
            assert_eq!(error.to_string(), expected);
            assert!(path.is_symlink());
        }
    }

    #[test]
    fn a_wheel_is_there_when_its_bytes_are() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let wheel = WheelEntry {
            size: 1,
            sha256: Digest::of(b"x").hex().to_owned(),
        };
        assert!(!store.holds("a.whl", &wheel));
        fs::write(store.path("a.whl"), b"y").unwrap();
        assert!(!store.holds("a.whl", &wheel));
        fs::write(store.path("a.whl"), b"x").unwrap();
        assert!(store.holds("a.whl", &wheel));
    }
}
