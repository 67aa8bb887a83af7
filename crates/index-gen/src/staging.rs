//! The next site, while it is being built.

use std::fs::{self, File, FileTimes};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use rustix::fs::{AtFlags, CWD, linkat};

/// A folder that goes again unless it becomes the site.
pub(crate) struct Staging {
    root: PathBuf,
    kept: bool,
}

impl Staging {
    /// An empty folder in place of whatever was there.
    pub(crate) fn new(root: &Path) -> io::Result<Self> {
        fs::create_dir(root)?;
        Ok(Self {
            root: root.to_owned(),
            kept: false,
        })
    }

    /// Where a path of the site is for now.
    pub(crate) fn path(&self, of: &Path) -> PathBuf {
        self.root.join(of)
    }

    /// Makes a folder and those above it.
    pub(crate) fn make_dir(&self, of: &Path) -> anyhow::Result<()> {
        let path = self.path(of);
        fs::create_dir_all(&path).with_context(|| path.display().to_string())
    }

    /// Takes in a file without reading it where the file system allows that: as a hard link, otherwise
    /// as a copy of the same age. Of a symbolic link, what it leads to is taken in.
    pub(crate) fn bring(&self, from: &Path, to: &Path) -> anyhow::Result<()> {
        let path = self.path(to);
        linkat(CWD, from, CWD, &path, AtFlags::SYMLINK_FOLLOW)
            .or_else(|_| copy(from, &path))
            .with_context(|| from.display().to_string())
    }

    /// Carries over what the old site holds and the new one does not: other architectures, and
    /// whatever a person put there.
    pub(crate) fn carry(&self, site: &Path, rewritten: &[PathBuf]) -> anyhow::Result<()> {
        self.carry_folder(site, Path::new(""), rewritten)
            .with_context(|| site.display().to_string())
    }

    fn carry_folder(
        &self,
        site: &Path,
        folder: &Path,
        rewritten: &[PathBuf],
    ) -> anyhow::Result<()> {
        for entry in fs::read_dir(site.join(folder))? {
            let entry = entry?;
            let of = folder.join(entry.file_name());
            if rewritten.contains(&of) {
                continue;
            }
            let kind = entry.file_type()?;
            if kind.is_dir() {
                fs::create_dir_all(self.path(&of))?;
                self.carry_folder(site, &of, rewritten)?;
            } else if kind.is_symlink() {
                std::os::unix::fs::symlink(fs::read_link(entry.path())?, self.path(&of))?;
            } else {
                self.bring(&entry.path(), &of)?;
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

/// The age goes along, so that what was read from one is known of the other.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to)?;
    let modified = fs::metadata(from)?.modified()?;
    File::options()
        .write(true)
        .open(to)?
        .set_times(FileTimes::new().set_modified(modified))
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
        let staging = Staging::new(&folder.path().join("next")).unwrap();
        staging
            .carry(&site, &["data/a".into(), "index.html".into()])
            .unwrap();
        let there = |file: &str| staging.path(Path::new(file)).exists();
        assert!(there("data/b/y") && there("CNAME") && there("link"));
        assert!(!there("data/a") && !there("index.html"));
    }

    #[test]
    fn what_a_link_leads_to_is_taken_in() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "x").unwrap();
        std::os::unix::fs::symlink("a", folder.path().join("link")).unwrap();
        let staging = Staging::new(&folder.path().join("next")).unwrap();
        staging
            .bring(&folder.path().join("link"), Path::new("b"))
            .unwrap();
        let there = fs::symlink_metadata(staging.path(Path::new("b"))).unwrap();
        assert!(there.is_file());
    }

    #[test]
    fn a_copy_is_as_old_as_its_original() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&a, "x").unwrap();
        let day = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(86400);
        File::options()
            .write(true)
            .open(&a)
            .unwrap()
            .set_modified(day)
            .unwrap();
        copy(&a, &b).unwrap();
        assert_eq!(fs::metadata(&b).unwrap().modified().unwrap(), day);
    }
}
