//! Reading a text file whole, within bounds.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes that a bake file or a Dockerfile may have; real ones have a few thousand.
const LARGEST: u64 = 16 << 20;

/// The text of a file.
///
/// # Errors
/// What the system says, and a file of more than 16 MiB or of other than UTF-8.
pub(crate) fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let read = File::open(path)?
        .take(LARGEST + 1)
        .read_to_string(&mut text)
        .map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => invalid("this is no text in UTF-8"),
            _ => error,
        })?;
    if u64::try_from(read).is_ok_and(|read| read > LARGEST) {
        return Err(invalid("larger than 16 MiB, which no such file is"));
    }
    Ok(text)
}

fn invalid(cause: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endless_file_is_refused() {
        let error = read(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "larger than 16 MiB, which no such file is"
        );
    }
}
