//! One wheel written beside its final place, and what is known of it then.

use std::io::{BufWriter, IntoInnerError};
use std::path::Path;

use anyhow::{Context, anyhow, ensure};
use pipe::{More, Origin, Partial, Progress, Record, Wheel};
use serde_json::json;
use wheel::{Archive, HashingWriter, Inflater};

use crate::bench::Bench;
use crate::graft::Grafts;
use crate::output::{self, Output};
use crate::patchelf::Patchelf;
use crate::plan::Job;
use crate::rewrite::rewrite;

/// A wheel on its way, beside its final place; dropped, nothing of it stays.
#[derive(Debug)]
pub(crate) struct Draft {
    /// What of the wheel is unpacked.
    pub(crate) bench: Bench,
    partial: Partial,
}

impl Draft {
    /// Begins a wheel.
    ///
    /// # Errors
    /// When the folder cannot be written to, or another run writes the same wheel.
    pub(crate) fn new(place: &Path) -> anyhow::Result<Self> {
        let name = || place.display().to_string();
        let partial = Partial::create(place).with_context(name)?;
        // After the partial file, whose lock keeps another run away from the bench too.
        let bench = Bench::new(place)?;
        Ok(Self { bench, partial })
    }
}

/// Writes one wheel; it gets its name when the output is committed.
///
/// # Errors
/// When the wheel is not the one that was measured, a library cannot be edited as it must be, or `out` not be written to.
pub(crate) fn write(
    job: Job,
    out: &Path,
    patchelf: Option<Patchelf>,
    progress: &Progress,
) -> anyhow::Result<(Wheel, Output)> {
    let Job {
        mut wheel,
        grafts,
        draft,
        ..
    } = job;
    let path = std::mem::take(&mut wheel.path);
    let source = Path::new(&path);
    let place = output::place(out, source, &wheel.filename)?;
    wheel.path = place.display().to_string();
    if grafts.is_empty() {
        // Its lock would keep a copy of the wheel away.
        drop(draft);
        let output = Output::same(source, &wheel.sha256, place)?;
        progress.add(wheel.size);
        return Ok((wheel, output));
    }
    let patchelf = patchelf.ok_or_else(|| anyhow!("patchelf was not looked for"))?;
    let archive = Archive::open(source)?;
    if wheel.record != Some(Record::Verified) {
        archive.verify_record(&mut Inflater::default())?;
    }
    let Draft { mut bench, partial } = match draft {
        Some(draft) => draft,
        None => Draft::new(&place)?,
    };
    let file = HashingWriter::new(BufWriter::with_capacity(
        256 * 1024,
        progress.through(partial),
    ));
    let (file, source_sha256) = rewrite(&archive, &wheel, &grafts, &mut bench, patchelf, file)?;
    ensure!(source_sha256 == wheel.sha256, output::CHANGED);
    let (buffered, sha256, size) = file.finish();
    let file = buffered.into_inner().map_err(IntoInnerError::into_error)?;
    let output = Output::written(file.out, &sha256, place)?;
    wheel.origin.get_or_insert_with(|| Origin {
        filename: wheel.filename.clone(),
        version: wheel.version.clone(),
        tags: wheel.tags.clone(),
        sha256: source_sha256,
        more: More::new(),
    });
    wheel.sha256 = sha256;
    wheel.size = size;
    wheel.record = Some(Record::Verified);
    // A grafted library can need a newer glibc, or hold GPU code: what was measured is not this wheel any more.
    wheel.platform = None;
    wheel.device = None;
    wheel.more.insert("grafted".to_owned(), grafted(&grafts));
    Ok((wheel, output))
}

/// What was grafted, for whoever reads the document.
fn grafted(grafts: &Grafts) -> serde_json::Value {
    grafts
        .libraries
        .iter()
        .map(|graft| {
            json!({
                "member": format!("{}/{}", grafts.folder, graft.name),
                "needed_as": graft.needed_as,
                "sha256": graft.sha256,
            })
        })
        .collect()
}
