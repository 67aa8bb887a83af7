//! The next site, while it is being built.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::folder::Folder;

/// A folder that goes again unless it becomes the site.
pub(crate) struct Staging {
    root: PathBuf,
    /// What it becomes.
    site: PathBuf,
    kept: bool,
}

impl Staging {
    /// An empty folder that shall become the site.
    pub(crate) fn new(root: &Path, site: &Path) -> io::Result<Self> {
        fs::create_dir(root)?;
        Ok(Self {
            root: root.to_owned(),
            site: site.to_owned(),
            kept: false,
        })
    }

    /// Where a path of the site is for now.
    pub(crate) fn path(&self, of: &Path) -> PathBuf {
        self.root.join(of)
    }

    /// An error of the system about a path of the site, told by the place that it will have.
    pub(crate) fn failed(&self, of: &Path, error: &io::Error) -> anyhow::Error {
        pipe::failed(&self.site.join(of), error)
    }

    /// Makes a folder and those above it.
    pub(crate) fn make_dir(&self, of: &Path) -> anyhow::Result<()> {
        fs::create_dir_all(self.path(of)).map_err(|error| self.failed(of, &error))
    }

    /// Opens a folder, to put many files into it.
    pub(crate) fn folder(&self, of: &Path) -> anyhow::Result<Folder> {
        Folder::open(&self.path(of), self.site.join(of)).map_err(|error| self.failed(of, &error))
    }

    /// Carries over what the old site holds and the new one does not: other architectures, and
    /// whatever a person put there.
    pub(crate) fn carry(&self, rewritten: &[PathBuf]) -> anyhow::Result<()> {
        self.carry_folder(Path::new(""), rewritten)
    }

    fn carry_folder(&self, folder: &Path, rewritten: &[PathBuf]) -> anyhow::Result<()> {
        let site = self.site.join(folder);
        let told = |error: io::Error| pipe::failed(&site, &error);
        let (from, to) = (
            Folder::open(&site, site.clone()).map_err(told)?,
            self.folder(folder)?,
        );
        for entry in fs::read_dir(&site).map_err(told)? {
            let entry = entry.map_err(told)?;
            let name = entry.file_name();
            let of = folder.join(&name);
            if rewritten.contains(&of) {
                continue;
            }
            let kind = entry.file_type().map_err(told)?;
            if kind.is_dir() {
                self.make_dir(&of)?;
                self.carry_folder(&of, rewritten)?;
            } else if kind.is_symlink() {
                if rewritten.iter().any(|path| path.starts_with(&of)) {
                    // What is made below it would be written where it leads, outside of what is swapped.
                    anyhow::bail!(
                        "{}: a link, and the site is swapped in whole; put the folder itself in its place",
                        self.site.join(&of).display()
                    );
                }
                fs::read_link(entry.path())
                    .and_then(|to| std::os::unix::fs::symlink(to, self.path(&of)))
                    .map_err(|error| self.failed(&of, &error))?;
            } else {
                to.carry(&from, Path::new(&name))?;
            }
        }
        Ok(())
    }

    /// Keeps the folder: it becomes the site.
    pub(crate) fn finish(mut self) -> PathBuf {
        self.kept = true;
        self.root.clone()
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.kept {
            let _ = fs::remove_dir_all(&self.root);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_but_what_is_rewritten_is_carried_over() {
        let folder = tempfile::tempdir().unwrap();
        let site = folder.path().join("site");
        fs::create_dir_all(site.join("data/a")).unwrap();
        fs::create_dir_all(site.join("data/b")).unwrap();
        for file in ["data/a/x", "data/b/y", "CNAME", "index.html"] {
            fs::write(site.join(file), file).unwrap();
        }
        std::os::unix::fs::symlink("CNAME", site.join("link")).unwrap();
        let staging = Staging::new(&folder.path().join("next"), &site).unwrap();
        staging
            .carry(&["data/a".into(), "index.html".into()])
            .unwrap();
        let there = |file: &str| staging.path(Path::new(file)).exists();
        assert!(there("data/b/y") && there("CNAME") && there("link"));
        assert!(!there("data/a") && !there("index.html"));
    }
}
