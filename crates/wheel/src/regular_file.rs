//! Opening a file that may be anything.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;

/// Opens a file to read it. To open a pipe that nobody writes to would wait without end, so the path is
/// looked at before.
///
/// # Errors
/// When it cannot be opened, or is a folder, a pipe, a socket or a device.
pub fn open_regular(path: &Path) -> io::Result<File> {
    open_with_metadata(path).map(|(file, _)| file)
}

/// The same, with what was seen of the file that was opened.
pub(crate) fn open_with_metadata(path: &Path) -> io::Result<(File, Metadata)> {
    if fs::metadata(path)?.is_file() {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_file() {
            return Ok((file, metadata));
        }
    }
    Err(io::Error::other("this is not a regular file"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_pipe_that_nobody_writes_to_is_refused_and_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("a-1.0-py3-none-any.whl");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let error = crate::Archive::open(&pipe).unwrap_err();
        assert_eq!(
            error.to_string(),
            "file.unreadable: this is not a regular file"
        );
        let error = crate::sha256_file(&pipe).unwrap_err();
        assert_eq!(error.to_string(), "this is not a regular file");
    }
}
