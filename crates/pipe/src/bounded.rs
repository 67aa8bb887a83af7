//! Input that is read into memory, which no input may fill.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The longest document that is read, in bytes: a hundred thousand wheels have room in it.
pub(crate) const LONGEST_DOCUMENT: u64 = 512 << 20;

/// The longest file that a person writes, in bytes.
const LONGEST_FILE: u64 = 32 << 20;

/// Reads to the end.
///
/// # Errors
/// When reading fails, or there are more than `limit` bytes.
pub fn read_at_most(from: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::other(format!(
            "more than {} MiB; give what the documentation names",
            limit >> 20
        )));
    }
    Ok(bytes)
}

/// Reads a file that a person wrote, such as a configuration or a list.
///
/// # Errors
/// When it cannot be read, or has more than 32 MiB.
pub fn read_small(path: &Path) -> io::Result<Vec<u8>> {
    read_at_most(File::open(path)?, LONGEST_FILE)
}

/// Reads a text that a person wrote.
///
/// # Errors
/// As [`read_small`], and when it is not UTF-8.
pub fn read_small_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read_small(path)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not UTF-8; save it as such"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_without_end_does_not_fill_the_memory() {
        let error = read_at_most(io::repeat(b' '), 1 << 20).unwrap_err();
        assert_eq!(
            error.to_string(),
            "more than 1 MiB; give what the documentation names"
        );
        let error = read_small_text(Path::new("/dev/zero")).unwrap_err();
        assert!(error.to_string().starts_with("more than 32 MiB"), "{error}");
        assert_eq!(read_at_most(&b"12"[..], 2).unwrap(), b"12");
    }
}
