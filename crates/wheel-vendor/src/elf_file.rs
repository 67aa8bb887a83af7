//! The ELF facts of a library on disk or of a member of a wheel.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use native::elf::{Facts, Outcome, Questions, Scan};
use std::collections::BTreeSet;

/// More than any library has; the largest known ones have 4 GB. A file with a hole can claim any size.
pub(crate) const LARGEST: u64 = 16 << 30;

/// Nothing is asked beyond what every file is asked.
static NOTHING: BTreeSet<String> = BTreeSet::new();

/// What a file on disk says about itself; `None` when it is not an ELF file (a linker script, say).
///
/// # Errors
/// When it cannot be read or its tables are damaged; the message does not name it.
pub(crate) fn facts_of_file(path: &Path) -> anyhow::Result<Option<Facts>> {
    let size = std::fs::metadata(path)?.len();
    let name = path.to_string_lossy();
    facts(&name, size, || Ok(Box::new(File::open(path)?)))
}

/// The same of a stream that can be opened again, since a few libraries need a second pass.
///
/// # Errors
/// When it cannot be read or its tables are damaged.
pub(crate) fn facts<'a>(
    name: &str,
    size: u64,
    mut open: impl FnMut() -> io::Result<Box<dyn Read + 'a>>,
) -> anyhow::Result<Option<Facts>> {
    let questions = Questions {
        member: name,
        watched: &NOTHING,
        symbols: false,
    };
    let mut scan = Scan::begin(questions, size);
    let mut block = vec![0; 128 * 1024];
    loop {
        let mut reader = open()?;
        while !scan.is_done() {
            match reader.read(&mut block) {
                Ok(0) => break,
                Ok(length) => scan.feed(&block[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        match scan.finish()? {
            Outcome::Facts(facts) => return Ok(Some(*facts)),
            Outcome::NotElf | Outcome::Stub => return Ok(None),
            Outcome::Again(again) => scan = *again,
        }
    }
}
