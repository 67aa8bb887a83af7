//! Folders that are made for an output, and go again when nothing comes of it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The folders that a run made, outermost first. Dropped, it takes those away again that are still empty.
#[derive(Debug, Default)]
#[must_use = "what was made goes again with this"]
pub struct MadeFolders(Vec<PathBuf>);

impl MadeFolders {
    /// Makes a folder and those above it, and remembers which of them were not there.
    ///
    /// # Errors
    /// What the system says. What was made by then is gone again.
    pub fn make(folder: &Path) -> io::Result<Self> {
        let mut missing: Vec<PathBuf> = folder
            .ancestors()
            .take_while(|of| !of.as_os_str().is_empty() && fs::symlink_metadata(of).is_err())
            .map(Path::to_owned)
            .collect();
        missing.reverse();
        let made = Self(missing);
        fs::create_dir_all(folder)?;
        Ok(made)
    }

    /// They stay.
    pub fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for MadeFolders {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // One that somebody else has put something into by now stays.
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_made_and_is_empty_goes_again() {
        let folder = tempfile::tempdir().unwrap();
        let (there, deep) = (folder.path().join("a"), folder.path().join("a/b/c"));
        fs::create_dir(&there).unwrap();
        let made = MadeFolders::make(&deep).unwrap();
        assert!(deep.exists());
        drop(made);
        assert!(there.exists() && !there.join("b").exists());

        let made = MadeFolders::make(&deep).unwrap();
        fs::write(there.join("b/note"), "").unwrap();
        drop(made);
        assert!(there.join("b/note").exists() && !deep.exists());

        MadeFolders::make(&deep).unwrap().keep();
        assert!(deep.exists());
    }

    #[test]
    fn of_a_folder_that_cannot_be_made_nothing_stays() {
        let folder = tempfile::tempdir().unwrap();
        let long = folder.path().join("a").join("b".repeat(300));
        assert!(MadeFolders::make(&long).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
