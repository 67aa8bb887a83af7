//! A large file that appears whole or not at all.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A file that is being written beside its final place, as `.<name>.partial`.
///
/// The name is always the same, so a run after a kill takes the left-over file for its own instead of
/// leaving one more behind; a lock keeps two runs apart. Dropped without [`Partial::commit`], it is
/// removed.
#[derive(Debug)]
pub struct Partial {
    file: File,
    beside: PathBuf,
    path: PathBuf,
    committed: bool,
}

impl Partial {
    /// Starts an empty file for `path`; its folder must be there.
    ///
    /// # Errors
    /// When the folder cannot be written to, another run writes the same file, or something stands there that no run left: a
    /// link would lead to a file that is not ours, and a pipe would wait for a reader.
    pub fn create(path: &Path) -> io::Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let partial = path.with_file_name(format!(".{name}.partial"));
        if partial
            .symlink_metadata()
            .is_ok_and(|found| !found.is_file())
        {
            let name = partial.display();
            return Err(io::Error::other(format!(
                "{name} is in the way; take it away"
            )));
        }
        loop {
            let file = OpenOptions::new()
                .create(true)
                .write(true)
                .truncate(false)
                .open(&partial)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(io::Error::other(
                        "another run is writing this file; wait until it ends",
                    ));
                }
                // A file system without locks: two runs at once are then the caller's business.
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
                Err(TryLockError::Error(error)) => return Err(error),
            }
            // Between opening and locking, another run may have renamed the file to its final place.
            let ours = file.metadata()?;
            let same = std::fs::metadata(&partial)
                .is_ok_and(|found| (found.dev(), found.ino()) == (ours.dev(), ours.ino()));
            if same {
                file.set_len(0)?;
                return Ok(Self {
                    file,
                    beside: partial,
                    path: path.to_owned(),
                    committed: false,
                });
            }
        }
    }

    /// Puts the file in its final place, where it replaces what was there.
    ///
    /// # Errors
    /// When the bytes cannot be brought to the disk or the file not be renamed.
    pub fn commit(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        std::fs::rename(&self.beside, &self.path)?;
        self.committed = true;
        Ok(())
    }
}

impl Write for Partial {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.committed {
            // Nothing can be done about a failure here, and the next run takes the file over.
            let _ = std::fs::remove_file(&self.beside);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_when_it_is_committed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.whl");
        let mut partial = Partial::create(&path).unwrap();
        partial.write_all(b"x").unwrap();
        assert!(!path.exists());
        partial.commit().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"x");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_is_given_up_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        drop(Partial::create(&folder.path().join("a.whl")).unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_a_killed_run_left_is_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.whl");
        std::fs::write(folder.path().join(".a.whl.partial"), b"old and longer").unwrap();
        let mut partial = Partial::create(&path).unwrap();
        partial.write_all(b"new").unwrap();
        partial.commit().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn what_no_run_left_is_not_written_through() {
        let folder = tempfile::tempdir().unwrap();
        let (path, partial) = (folder.path().join("a"), folder.path().join(".a.partial"));
        let said = format!("{} is in the way; take it away", partial.display());
        let precious = folder.path().join("precious");
        std::fs::write(&precious, b"x").unwrap();
        std::os::unix::fs::symlink(&precious, &partial).unwrap();
        assert_eq!(Partial::create(&path).unwrap_err().to_string(), said);
        assert_eq!(std::fs::read(&precious).unwrap(), b"x");
        std::fs::remove_file(&partial).unwrap();
        std::fs::create_dir(&partial).unwrap();
        assert_eq!(Partial::create(&path).unwrap_err().to_string(), said);
    }

    #[test]
    fn two_runs_do_not_write_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.whl");
        let _first = Partial::create(&path).unwrap();
        let error = Partial::create(&path).unwrap_err();
        assert_eq!(
            error.to_string(),
            "another run is writing this file; wait until it ends"
        );
    }
}
