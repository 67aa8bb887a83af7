//! Carrying out a plan: one wheel written anew, or byte for byte.

use std::collections::BTreeMap;
use std::io::{self, Write};

use wheel::{Archive, Fault, HashingWriter, Record, RecordRow, Rewriter, WheelError};

use crate::plan::{Change, Plan};
use crate::subject::Stamp;

/// A wheel that was written.
#[derive(Debug)]
pub(crate) struct Written<W> {
    /// What was written to.
    pub(crate) out: W,
    /// Its sha256 in hex.
    pub(crate) sha256: String,
    /// Bytes of it.
    pub(crate) size: u64,
    /// The sha256 of the wheel that came in.
    pub(crate) source_sha256: String,
}

/// Why a wheel could not be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WriteError {
    /// The wheel is not the one that was checked.
    #[error("it changed while it was read; run again")]
    Changed,
    /// The wheel is not the one that was measured.
    #[error("its sha256 is {found}, the document says {expected}; measure it again")]
    Measured {
        /// What the file has.
        found: String,
        /// What the document says.
        expected: String,
    },
    /// Two members would get one name.
    #[error(
        "wheel.name-collision: `{0}` already has the name that another member gets with the new version"
    )]
    Collision(String),
    /// The new wheel cannot be written.
    #[error("cannot be written: {0}")]
    Output(String),
    /// The wheel cannot be read.
    #[error(transparent)]
    Wheel(WheelError),
    /// The wheel cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A failing write is about the new file, everything else about the old one.
impl From<WheelError> for WriteError {
    fn from(error: WheelError) -> Self {
        if error.fault() == Fault::Unwritable {
            Self::Output(error.cause().to_owned())
        } else {
            Self::Wheel(error)
        }
    }
}

/// Writes the wheel of a plan to `out`, hashing what comes in and what goes out in the same pass.
pub(crate) fn write<W: Write>(plan: &Plan, out: W) -> Result<Written<W>, WriteError> {
    let out = HashingWriter::new(out);
    let (out, source_sha256) = match &plan.change {
        Some(change) => rewrite(plan, change, out)?,
        None => copy(plan, out)?,
    };
    let expected = &plan.subject.facts.sha256;
    if plan.subject.measured_sha256 && *expected != source_sha256 {
        return Err(WriteError::Measured {
            found: source_sha256,
            expected: expected.clone(),
        });
    }
    if Stamp::of(&plan.subject.path)? != plan.subject.stamp() {
        return Err(WriteError::Changed);
    }
    let (out, sha256, size) = out.finish();
    Ok(Written {
        out,
        sha256,
        size,
        source_sha256,
    })
}

type Copied<W> = (HashingWriter<W>, String);

/// The same bytes: what comes in is what goes out, so one hash is both.
fn copy<W: Write>(plan: &Plan, mut out: HashingWriter<W>) -> Result<Copied<W>, WriteError> {
    use std::io::Read;
    let mut file = std::fs::File::open(&plan.subject.path)?;
    let mut block = vec![0; 256 * 1024];
    loop {
        let length = match file.read(&mut block) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        out.write_all(&block[..length])
            .map_err(|error| WriteError::Output(error.to_string()))?;
    }
    let sha256 = out.sha256();
    Ok((out, sha256))
}

fn rewrite<W: Write>(
    plan: &Plan,
    change: &Change,
    out: HashingWriter<W>,
) -> Result<Copied<W>, WriteError> {
    let archive = Archive::open(&plan.subject.path)?;
    let names = archive.members().iter().map(wheel::Member::name);
    if let Some(member) = change.renames.collision(names) {
        return Err(WriteError::Collision(member.to_owned()));
    }
    let dist_info = archive.dist_info();
    let metadata = format!("{dist_info}/METADATA");
    let wheel_info = format!("{dist_info}/WHEEL");
    let record = archive.record_path();
    let mut record_index = None;
    let mut rewriter = Rewriter::new(&archive, out).with_source_hash();
    for (index, member) in archive.members().iter().enumerate() {
        let name = member.name();
        if name == record {
            record_index = Some(index);
            continue;
        }
        if plan
            .subject
            .signatures
            .iter()
            .any(|signature| signature == name)
        {
            continue;
        }
        let renamed = change.renames.apply(name);
        let content = match name {
            _ if name == metadata => change.metadata.as_deref(),
            _ if name == wheel_info => change.wheel_info.as_deref(),
            _ => None,
        };
        match content {
            Some(content) => {
                rewriter.replace(index, renamed.as_deref().unwrap_or(name), content)?;
            }
            None => rewriter.copy(index, renamed.as_deref())?,
        }
    }
    if let Some(index) = record_index {
        let old = archive.required_record()?;
        let new = rows(old, plan, change, [&metadata, &wheel_info, &record]);
        let name = change.renames.name_of(&record);
        rewriter.replace_with(index, &name, |out| new.write_to(out))?;
    }
    let rewritten = rewriter.finish()?;
    let sha256 = rewritten.source_sha256.unwrap_or_default();
    Ok((rewritten.out, sha256))
}

/// RECORD from now on: the same rows in the same order, with new names and the new contents' hashes.
fn rows(
    old: Record,
    plan: &Plan,
    change: &Change,
    [metadata, wheel_info, record]: [&str; 3],
) -> Record {
    let mut repeated = repeated(&old);
    let mut own = false;
    let mut new = old.map_rows(|row| {
        // Of a row that stands twice, which says nothing false, the first stays.
        match repeated.get_mut(&row.path) {
            Some(seen) if *seen => return None,
            Some(seen) => *seen = true,
            None => {}
        }
        if plan.subject.signatures.contains(&row.path) {
            return None;
        }
        let path = change.renames.name_of(&row.path);
        let content = match row.path.as_str() {
            name if name == metadata => change.metadata.as_deref(),
            name if name == wheel_info => change.wheel_info.as_deref(),
            name if name == record => {
                own = true;
                return Some(RecordRow::bare(&path));
            }
            _ => None,
        };
        Some(match content {
            Some(content) => RecordRow::of(&path, content),
            None => RecordRow { path, ..row },
        })
    });
    if !own {
        new.push(RecordRow::bare(&change.renames.name_of(record)));
    }
    new
}

/// The paths that have more than one row, none seen yet.
fn repeated(record: &Record) -> BTreeMap<String, bool> {
    let mut paths: Vec<&str> = record.rows().iter().map(|row| row.path.as_str()).collect();
    paths.sort_unstable();
    paths
        .windows(2)
        .filter(|pair| pair[0] == pair[1])
        .map(|pair| (pair[0].to_owned(), false))
        .collect()
}
