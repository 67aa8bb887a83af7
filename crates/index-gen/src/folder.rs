//! A folder that is held open, so that each of its many files is reached by name alone.

use std::fs::{File, FileTimes};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, fstat, linkat, openat, statat};

use crate::told::{Inode, Stamp};

/// An open folder.
#[derive(Debug)]
pub(crate) struct Folder {
    handle: OwnedFd,
    /// What messages call it: where it will be, of one that is still being built.
    shown: PathBuf,
}

impl Folder {
    /// Opens a folder that messages call `shown`.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn open(path: &Path, shown: PathBuf) -> io::Result<Self> {
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
        let handle = openat(CWD, path, flags, Mode::empty())?;
        Ok(Self { handle, shown })
    }

    /// What messages call a file of it.
    pub(crate) fn shown(&self, name: impl AsRef<Path>) -> PathBuf {
        self.shown.join(name)
    }

    /// Size and age of a file, when there is one of this name. A link is none.
    pub(crate) fn stamp(&self, name: &str) -> Option<Stamp> {
        let there = statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        FileType::from_raw_mode(there.st_mode)
            .is_file()
            .then(|| Stamp::from_parts(there.st_size, there.st_mtime, there.st_mtime_nsec))
    }

    /// Calls this with the name of each entry and the file behind it, in the order in which the folder gives
    /// them.
    pub(crate) fn each(&self, mut with: impl FnMut(&str, Inode)) -> io::Result<()> {
        let device = fstat(&self.handle)?.st_dev;
        for entry in Dir::read_from(&self.handle)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy();
            let number = entry.ino();
            if name != "." && name != ".." {
                with(&name, Inode { device, number });
            }
        }
        Ok(())
    }

    /// Opens a file to read it.
    pub(crate) fn read(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.handle, name, flags, Mode::empty())?.into())
    }

    /// Writes a new file.
    ///
    /// # Errors
    /// The message names the file.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let write = || self.create(Path::new(name))?.write_all(bytes);
        write().map_err(|error| pipe::failed(&self.shown(name), &error))
    }

    /// Takes in a file without reading it where the file system allows that: as a hard link, otherwise as
    /// a copy of the same age. Of a symbolic link, what it leads to is taken in.
    ///
    /// # Errors
    /// The message names the file that is written, and the other one when that cannot be read.
    pub(crate) fn bring(&self, from: &Path, name: &str) -> anyhow::Result<()> {
        self.link_or_copy(CWD, from, from, Path::new(name))
    }

    /// The same with a file of another open folder, which keeps its name.
    ///
    /// # Errors
    /// As with [`Folder::bring`].
    pub(crate) fn carry(&self, from: &Self, name: &Path) -> anyhow::Result<()> {
        let shown = from.shown(name);
        self.link_or_copy(from.handle.as_fd(), name, &shown, name)
    }

    fn link_or_copy(
        &self,
        folder: BorrowedFd<'_>,
        from: &Path,
        shown: &Path,
        name: &Path,
    ) -> anyhow::Result<()> {
        if linkat(folder, from, &self.handle, name, AtFlags::SYMLINK_FOLLOW).is_ok() {
            return Ok(());
        }
        let source = open_regular(folder, from).map_err(|error| pipe::failed(shown, &error))?;
        self.copy(source, name).map_err(|error| {
            let told = pipe::advised(&error);
            let (to, from) = (self.shown(name), shown.display());
            anyhow::anyhow!("{}: copied from {from}: {told}", to.display())
        })
    }

    /// The age goes along, so that what was read from one is known of the other.
    fn copy(&self, mut source: File, name: &Path) -> io::Result<()> {
        let modified = source.metadata()?.modified()?;
        let mut copy = self.create(name)?;
        io::copy(&mut source, &mut copy)?;
        copy.set_times(FileTimes::new().set_modified(modified))
    }

    fn create(&self, name: &Path) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        Ok(openat(&self.handle, name, flags, Mode::from_raw_mode(0o666))?.into())
    }
}

/// Opens a file to copy it; a pipe that nobody writes to is not waited for.
fn open_regular(folder: BorrowedFd<'_>, path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(openat(folder, path, flags, Mode::empty())?);
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other(
            "this is not a regular file; take it out of the site",
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, SystemTime};

    use super::*;

    fn open(path: &Path) -> Folder {
        Folder::open(path, path.to_owned()).unwrap()
    }

    #[test]
    fn what_a_link_leads_to_is_taken_in() {
        let desk = tempfile::tempdir().unwrap();
        fs::write(desk.path().join("a"), "x").unwrap();
        std::os::unix::fs::symlink("a", desk.path().join("link")).unwrap();
        let folder = open(desk.path());
        assert_eq!(folder.stamp("link"), None);
        folder.bring(&desk.path().join("link"), "b").unwrap();
        assert_eq!(folder.stamp("b"), folder.stamp("a"));
    }

    #[test]
    fn a_copy_is_as_old_as_its_original() {
        let desk = tempfile::tempdir().unwrap();
        let folder = open(desk.path());
        folder.write("a", b"x").unwrap();
        let day = SystemTime::UNIX_EPOCH + Duration::from_secs(86400);
        let file = File::options().write(true).open(desk.path().join("a"));
        file.unwrap().set_modified(day).unwrap();
        folder
            .copy(folder.read("a").unwrap(), Path::new("b"))
            .unwrap();
        assert_eq!(folder.stamp("b"), folder.stamp("a"));
    }

    #[test]
    fn the_file_that_fails_is_the_one_that_is_named() {
        let desk = tempfile::tempdir().unwrap();
        let folder = open(desk.path());
        folder.write("a", b"x").unwrap();
        let there = desk.path().join("a");
        let told = |result: anyhow::Result<()>| result.unwrap_err().to_string();
        let taken = "File exists (os error 17); move away what is there, or name another place";
        assert_eq!(
            told(folder.write("a", b"y")),
            format!("{}: {taken}", there.display())
        );
        assert_eq!(
            told(folder.bring(&there, "a")),
            format!("{0}: copied from {0}: {taken}", there.display())
        );
        assert_eq!(
            told(folder.bring(Path::new("/nowhere"), "b")),
            "/nowhere: No such file or directory (os error 2); check the path"
        );
    }
}
