//! Writing: the document to stdout, files whole or not at all.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::Context;
use serde::Serialize;
use serde_json::ser::PrettyFormatter;

use crate::plain::{PlainJson, lines};

/// What [`write_whole`] found and did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// The file is new, or its bytes were replaced.
    New,
    /// It was there with the same bytes and was left alone.
    Same,
}

/// Prints a document to stdout: indented JSON and a line end. What would steer a terminal is escaped.
///
/// # Errors
/// When stdout cannot be written. A reader that went away early is not an error.
pub fn print<T: Serialize>(document: &T) -> anyhow::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let format = PlainJson(PrettyFormatter::new());
    let printed = document
        .serialize(&mut serde_json::Serializer::with_formatter(
            &mut out, format,
        ))
        .map_err(io::Error::from)
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush());
    match printed {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("stdout"),
    }
}

/// Prints text to stdout. What would steer a terminal is replaced, apart from line ends and tabs.
///
/// # Errors
/// When stdout cannot be written. A reader that went away early is not an error.
pub fn print_text(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out
        .write_all(lines(text).as_bytes())
        .and_then(|()| out.flush())
    {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("stdout"),
    }
}

/// Writes a small file beside its final place and renames it when it is whole; a kill leaves the old
/// file or the new one. A file that already has these bytes is not touched.
///
/// # Errors
/// When the folder cannot be written to; the message names the file.
pub fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<Written> {
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(Written::Same);
    }
    let attempt = || -> io::Result<()> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        // Opened here, because `tempfile_in` puts its own name into the error, which nobody knows.
        let open = |path: &Path| {
            let mut options = OpenOptions::new();
            options
                .write(true)
                .create_new(true)
                .mode(READABLE)
                .open(path)
        };
        let mut file = tempfile::Builder::new()
            .prefix(".rocm-bake-")
            .make_in(folder, open)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|failed| failed.error)?;
        Ok(())
    };
    attempt().with_context(|| path.display().to_string())?;
    Ok(Written::New)
}

/// A temporary file is private; what we publish is not. The umask still applies.
const READABLE: u32 = 0o666;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_the_same_bytes_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        assert_eq!(write_whole(&path, b"x").unwrap(), Written::New);
        assert_eq!(write_whole(&path, b"x").unwrap(), Written::Same);
        assert_eq!(write_whole(&path, b"y").unwrap(), Written::New);
        assert_eq!(std::fs::read(&path).unwrap(), b"y");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = write_whole(Path::new("/nowhere/at/all"), b"x").unwrap_err();
        assert_eq!(
            format!("{error:#}"),
            "/nowhere/at/all: No such file or directory (os error 2)"
        );
    }
}
