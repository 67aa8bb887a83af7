//! The site on disk: one writer at a time, swapped in whole.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use pipe::MadeFolders;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::sink::{Make, write_to};
use crate::staging::Staging;

/// A site that this process alone may write, until it is dropped.
///
/// Beside `SITE` stands `.SITE.index-gen/`, which holds the lock, what earlier runs read from the
/// wheels, and the site that is being built. Nothing of it is published.
pub(crate) struct Site {
    folder: PathBuf,
    work: PathBuf,
    /// Whether this run made the work folder; it then goes again when nothing came of the run.
    fresh: bool,
    published: bool,
    /// The folders above the site that this run made.
    parents: Option<MadeFolders>,
    _lock: File,
}

impl Site {
    /// Waits for other writers (`waiting` is called once if there is one), and puts right what a
    /// killed writer left.
    ///
    /// # Errors
    /// When the folders cannot be made, or `folder` is there and holds something that is no site.
    pub(crate) fn lock(folder: &Path, waiting: impl FnOnce()) -> anyhow::Result<Self> {
        let (folder, parents) = resolve(folder)?;
        let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
            bail!(
                "{}: not a folder that can be swapped; name one below it",
                folder.display()
            );
        };
        let mut beside = OsString::from(".");
        beside.push(name);
        beside.push(".index-gen");
        let work = parent.join(beside);
        let fresh = !work.exists();
        let lock = lock(&work, waiting).map_err(|error| pipe::failed(&work, &error))?;
        let mut site = Self {
            folder,
            work,
            fresh,
            published: false,
            parents: Some(parents),
            _lock: lock,
        };
        site.recover()
            .map_err(|error| pipe::failed(&site.work, &error))?;
        site.published = site.folder.join("published.json").is_file();
        if !site.published && is_something_else(&site.folder) {
            bail!(
                "{}: holds something that is not a site of index-gen, and would be replaced; name a new folder",
                site.folder.display()
            );
        }
        Ok(site)
    }

    /// Whether a site was published here before.
    pub(crate) fn is_published(&self) -> bool {
        self.published
    }

    /// The published site's folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A file beside the site that is not published.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.work.join(name)
    }

    /// Writes a file beside the site, whole or not at all.
    pub(crate) fn keep(&self, name: &str, make: &Make) -> anyhow::Result<()> {
        let (new, there) = (self.work.join("new"), self.beside(name));
        let write = || -> io::Result<()> {
            write_to(&mut File::create(&new)?, make)?;
            fs::rename(&new, &there)
        };
        write().map_err(|error| pipe::failed(&there, &error))
    }

    /// An empty folder to build the next site in.
    pub(crate) fn stage(&self) -> anyhow::Result<Staging> {
        let next = self.work.join("next");
        Staging::new(&next, &self.folder).map_err(|error| pipe::failed(&next, &error))
    }

    /// Puts the new site in the place of the old one.
    ///
    /// The two folders are exchanged in one step, so whoever opens a path finds the old site or the
    /// new one. Where a file system cannot exchange (NFS, some FUSE), there are two renames; a kill
    /// between them is put right by the next run.
    pub(crate) fn swap(&mut self, staging: Staging) -> anyhow::Result<()> {
        let next = staging.finish();
        let swapped = if self.folder.exists() {
            exchange(&next, &self.folder).or_else(|error| match error.kind() {
                ErrorKind::InvalidInput | ErrorKind::Unsupported => self.rename_twice(&next),
                _ => Err(error),
            })
        } else {
            fs::rename(&next, &self.folder)
        };
        swapped.map_err(|error| match error.kind() {
            ErrorKind::ResourceBusy | ErrorKind::CrossesDevices => anyhow!(
                "{}: cannot be swapped in whole; name a folder that is no mount point",
                self.folder.display()
            ),
            _ => pipe::failed(&self.folder, &error),
        })?;
        self.published = true;
        if let Some(parents) = self.parents.take() {
            parents.keep();
        }
        for left in ["next", "old"].map(|left| self.work.join(left)) {
            remove(&left).map_err(|error| pipe::failed(&left, &error))?;
        }
        Ok(())
    }

    fn rename_twice(&self, next: &Path) -> io::Result<()> {
        fs::rename(&self.folder, self.work.join("old"))?;
        fs::rename(next, &self.folder)
    }

    fn recover(&self) -> io::Result<()> {
        let old = self.work.join("old");
        if old.exists() && !self.folder.exists() {
            fs::rename(&old, &self.folder)?;
        }
        remove(&old)?;
        remove(&self.work.join("next"))
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if self.fresh && !self.published {
            // Nothing came of it, so nothing is left; the lock goes with its folder, under the lock. Folders above
            // it that are empty then go too.
            let _ = fs::remove_dir_all(&self.work);
        }
    }
}

/// The folder itself, links followed: a link's target is what has to be swapped. The folders above it are made.
fn resolve(folder: &Path) -> anyhow::Result<(PathBuf, MadeFolders)> {
    let told = |error: io::Error| pipe::failed(folder, &error);
    match fs::canonicalize(folder) {
        Ok(there) => Ok((there, MadeFolders::default())),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            if folder.is_symlink() {
                bail!(
                    "{}: a link that leads nowhere; make the folder that it names",
                    folder.display()
                );
            }
            let name = folder.file_name().ok_or(error).map_err(told)?;
            let parent = match folder.parent() {
                Some(parent) if !parent.as_os_str().is_empty() => parent,
                _ => Path::new("."),
            };
            let made = MadeFolders::make(parent).map_err(told)?;
            Ok((fs::canonicalize(parent).map_err(told)?.join(name), made))
        }
        Err(error) => Err(told(error)),
    }
}

/// Takes the lock in `work`. A writer that published nothing removes its work folder, lock and all, so
/// the file that was locked must still be the one that is there.
fn lock(work: &Path, waiting: impl FnOnce()) -> io::Result<File> {
    let path = work.join("lock");
    let mut waiting = Some(waiting);
    loop {
        fs::create_dir_all(work)?;
        let file = match File::options().create(true).append(true).open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            opened => opened?,
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                if let Some(waiting) = waiting.take() {
                    waiting();
                }
                file.lock()?;
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let ours = file.metadata()?;
        if fs::metadata(&path)
            .is_ok_and(|there| there.ino() == ours.ino() && there.dev() == ours.dev())
        {
            return Ok(file);
        }
    }
}

fn exchange(next: &Path, folder: &Path) -> io::Result<()> {
    Ok(renameat_with(
        CWD,
        next,
        CWD,
        folder,
        RenameFlags::EXCHANGE,
    )?)
}

/// Whether `folder` is there and no empty folder: a device or a pipe would be replaced as well.
fn is_something_else(folder: &Path) -> bool {
    match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) => error.kind() != ErrorKind::NotFound,
    }
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn staged(site: &Site, text: &str) -> Staging {
        let staging = site.stage().unwrap();
        fs::write(staging.path(Path::new("published.json")), text).unwrap();
        staging
    }

    #[test]
    fn a_run_that_publishes_nothing_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::lock(&folder.path().join("site"), || ()).unwrap();
        drop(staged(&site, "x"));
        drop(site);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn folders_above_the_site_go_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/er/site");
        drop(Site::lock(&path, || ()).unwrap());
        assert!(!folder.path().join("new").exists());
        let mut site = Site::lock(&path, || ()).unwrap();
        let staging = staged(&site, "x");
        site.swap(staging).unwrap();
        drop(site);
        assert!(path.join("published.json").exists());
    }

    #[test]
    fn names_that_are_no_text_stay_apart() {
        use std::os::unix::ffi::OsStrExt;
        let folder = tempfile::tempdir().unwrap();
        let path = |byte: u8| folder.path().join(std::ffi::OsStr::from_bytes(&[byte]));
        let (one, other) = (path(0xfe), path(0xff));
        let one = Site::lock(&one, || ()).unwrap();
        let other = Site::lock(&other, || panic!("waited")).unwrap();
        assert_ne!(one.beside("lock"), other.beside("lock"));
    }

    #[test]
    fn a_link_that_leads_nowhere_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("nowhere", &link).unwrap();
        let error = Site::lock(&link, || ()).err().unwrap();
        assert!(
            error
                .to_string()
                .ends_with("link: a link that leads nowhere; make the folder that it names"),
            "{error}"
        );
    }

    #[test]
    fn a_new_site_takes_the_place_of_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("site");
        for text in ["one", "two"] {
            let mut site = Site::lock(&path, || ()).unwrap();
            let staging = staged(&site, text);
            site.swap(staging).unwrap();
            assert!(!site.beside("next").exists());
            assert_eq!(
                fs::read_to_string(path.join("published.json")).unwrap(),
                text
            );
        }
    }

    #[test]
    fn without_exchange_two_renames_do_and_a_kill_between_them_is_put_right() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("site");
        let mut site = Site::lock(&path, || ()).unwrap();
        let staging = staged(&site, "one");
        site.swap(staging).unwrap();
        let next = staged(&site, "two").finish();
        site.rename_twice(&next).unwrap();
        assert_eq!(
            fs::read_to_string(path.join("published.json")).unwrap(),
            "two"
        );
        fs::rename(&path, &next).unwrap();
        drop(site);
        let site = Site::lock(&path, || ()).unwrap();
        assert_eq!(
            fs::read_to_string(path.join("published.json")).unwrap(),
            "one"
        );
        assert!(!site.beside("next").exists() && !site.beside("old").exists());
    }

    #[test]
    fn a_folder_of_something_else_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("thesis.tex"), "years").unwrap();
        let error = Site::lock(folder.path(), || ()).err().unwrap();
        assert!(error.to_string().ends_with("name a new folder"), "{error}");
        assert!(folder.path().join("thesis.tex").exists());
    }

    #[test]
    fn what_is_no_folder_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let error = Site::lock(&socket, || ()).err().unwrap();
        assert!(error.to_string().ends_with("name a new folder"), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_link_is_followed_to_the_site() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        fs::create_dir(folder.path().join("real")).unwrap();
        std::os::unix::fs::symlink("real", &link).unwrap();
        let mut site = Site::lock(&link, || ()).unwrap();
        let staging = staged(&site, "x");
        site.swap(staging).unwrap();
        assert!(link.is_symlink());
        assert!(folder.path().join("real/published.json").exists());
    }
}
