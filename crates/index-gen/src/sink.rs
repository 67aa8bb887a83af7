//! Where the files of a site go as they are made: into the next site, or beside the published one to
//! see whether they are the same. Neither holds a file in memory.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use anyhow::Context;

use crate::staging::Staging;

/// Where the bytes of a file go. JSON comes in very small pieces, which are gathered before anybody has to be
/// asked what becomes of them.
pub(crate) type Out<'a> = BufWriter<&'a mut dyn Write>;

/// Makes the bytes of one file.
pub(crate) type Make<'a> = dyn Fn(&mut Out) -> io::Result<()> + 'a;

/// Makes a file and hands all of it to `to`.
pub(crate) fn write_to(to: &mut dyn Write, make: &Make) -> io::Result<()> {
    let mut out = Out::with_capacity(1 << 16, to);
    make(&mut out)?;
    out.flush()
}

/// Takes the files of a site, one after another.
pub(crate) trait Sink {
    /// Takes one, at its path in the site; false when nothing more has to be made.
    fn put(&mut self, of: &Path, make: &Make) -> anyhow::Result<bool>;
}

/// Writes files into a staging.
pub(crate) struct Fill<'a>(pub(crate) &'a Staging);

impl Sink for Fill<'_> {
    fn put(&mut self, of: &Path, make: &Make) -> anyhow::Result<bool> {
        if let Some(folder) = of.parent() {
            self.0.make_dir(folder)?;
        }
        let write = || write_to(&mut File::create(self.0.path(of))?, make);
        write().map_err(|error| self.0.failed(of, &error))?;
        Ok(true)
    }
}

/// Compares files with those of a published site; wants no more as soon as one differs.
pub(crate) struct Compare<'a>(pub(crate) &'a Path);

impl Sink for Compare<'_> {
    fn put(&mut self, of: &Path, make: &Make) -> anyhow::Result<bool> {
        let Ok(there) = fs::File::open(self.0.join(of)) else {
            return Ok(false);
        };
        let mut comparison = Comparison::with(there);
        write_to(&mut comparison, make).with_context(|| of.display().to_string())?;
        Ok(comparison.is_whole())
    }
}

struct Comparison {
    there: BufReader<File>,
    block: Vec<u8>,
    same: bool,
}

impl Comparison {
    fn with(there: File) -> Self {
        Self {
            there: BufReader::with_capacity(1 << 16, there),
            block: Vec::new(),
            same: true,
        }
    }

    /// Whether all was the same and the published file ends here too.
    fn is_whole(&mut self) -> bool {
        self.same && matches!(self.there.read(&mut [0]), Ok(0))
    }
}

impl Write for Comparison {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.same {
            self.block.resize(bytes.len(), 0);
            self.same = self.there.read_exact(&mut self.block).is_ok() && self.block == bytes;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_published_file_is_the_same_only_from_beginning_to_end() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "one two").unwrap();
        let same = |of: &str, text: &str| {
            let make = |out: &mut Out| out.write_all(text.as_bytes());
            Compare(folder.path()).put(Path::new(of), &make).unwrap()
        };
        assert!(same("a", "one two"));
        for other in ["one", "one two three", "one tw0", ""] {
            assert!(!same("a", other), "{other}");
        }
        assert!(!same("b", ""));
    }
}
