//! What earlier runs read from the wheels, so that an unchanged wheel is not read again.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::entrant::Entrant;
use crate::sink::Out;
use crate::told::{Stamp, Told};

/// The first line of the file. What another form holds is read again from the wheels.
const FORM: &str = "index-gen-memory/1";

/// A wheel as it was when it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    /// The file that was read, where it is not the wheel's own.
    elsewhere: Option<Box<str>>,
    /// Its size and age then.
    pub(crate) stamp: Stamp,
    /// What it said.
    pub(crate) told: Told,
}

impl Known {
    /// What was just read from a wheel.
    pub(crate) fn new(stamp: Stamp, told: Told) -> Self {
        Self {
            elsewhere: None,
            stamp,
            told,
        }
    }

    /// Whether the file at the wheel's path, with this stamp, is the one that was read. Otherwise the
    /// document alone says that it holds the same bytes.
    pub(crate) fn is_file(&self, stamp: Stamp) -> bool {
        self.elsewhere.is_none() && self.stamp == stamp
    }
}

/// What earlier runs remembered: a line for each wheel, sorted by file name, read as it is asked for.
///
/// It saves work and is never needed: whatever is wrong with the file, the wheels are read again.
#[derive(Default)]
pub(crate) struct Memory {
    lines: Option<BufReader<File>>,
    line: String,
    /// Wheels that nobody asked for.
    forgotten: bool,
}

#[derive(Serialize, Deserialize)]
struct Row<'a> {
    #[serde(borrow)]
    filename: Cow<'a, str>,
    #[serde(borrow)]
    path: Cow<'a, str>,
    sha256: Digest,
    stamp: Stamp,
    told: Cow<'a, Told>,
}

impl Memory {
    /// Opens the file of an earlier run; remembers nothing if there is none, or none of this form.
    pub(crate) fn open(path: &Path) -> Self {
        let mut memory = Self {
            lines: File::open(path).ok().map(BufReader::new),
            ..Self::default()
        };
        memory.step();
        if memory.line.trim_end() == FORM {
            memory.step();
        } else {
            memory.lines = None;
            memory.line.clear();
        }
        memory
    }

    /// What is known about the bytes that the document names. Wheels are asked for in the order of
    /// their file names.
    pub(crate) fn recall(&mut self, entrant: &Entrant) -> Option<Known> {
        let wheel = &entrant.wheel;
        while !self.line.is_empty() {
            // A line that cannot be read ends what is remembered: the file was damaged.
            let row: Row = serde_json::from_str(&self.line).ok()?;
            if *row.filename > *wheel.filename {
                return None;
            }
            let found = row.filename == wheel.filename;
            let known =
                (row.sha256 == entrant.sha256 && row.stamp.size == wheel.size).then(|| Known {
                    elsewhere: (row.path != wheel.path).then(|| row.path.as_ref().into()),
                    stamp: row.stamp,
                    told: row.told.into_owned(),
                });
            self.step();
            if found {
                return known;
            }
            self.forgotten = true;
        }
        None
    }

    /// Whether it holds wheels that nobody asked for.
    pub(crate) fn has_more(&self) -> bool {
        self.forgotten || !self.line.is_empty()
    }

    fn step(&mut self) {
        self.line.clear();
        if let Some(lines) = &mut self.lines
            && lines.read_line(&mut self.line).is_err()
        {
            self.line.clear();
        }
    }

    /// Writes what is known now, of wheels in the order of their file names: the next file.
    pub(crate) fn record<'a>(
        out: &mut Out,
        wheels: impl Iterator<Item = (&'a Entrant<'a>, &'a Known)>,
    ) -> io::Result<()> {
        out.write_all(FORM.as_bytes())?;
        for (Entrant { wheel, sha256 }, known) in wheels {
            let row = Row {
                filename: Cow::Borrowed(wheel.filename.as_str()),
                path: Cow::Borrowed(known.elsewhere.as_deref().unwrap_or(&wheel.path)),
                sha256: *sha256,
                stamp: known.stamp,
                told: Cow::Borrowed(&known.told),
            };
            out.write_all(b"\n")?;
            serde_json::to_writer(&mut *out, &row)?;
        }
        out.write_all(b"\n")
    }
}
