//! The new wheels in their folder: all of them whole, or none.

use std::io;
use std::path::{Path, PathBuf};

use pipe::{Partial, Progress, Stop};
use wheel::sha256_file;

use crate::plan::Plan;
use crate::subject::Stamp;
use crate::write::{WriteError, Written, write};

/// A wheel that is in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Output {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// Its sha256 in hex.
    pub(crate) sha256: String,
    /// Bytes of it.
    pub(crate) size: u64,
    /// The sha256 of the wheel that came in.
    pub(crate) source_sha256: String,
}

/// Where wheels go, and what may be replaced there.
#[derive(Debug, Clone)]
pub(crate) struct Folder<'a> {
    /// The folder.
    pub(crate) path: &'a Path,
    /// Files that are in the way may be replaced, but never an input.
    pub(crate) force: bool,
}

/// Writes every wheel beside its final place and, when all of them are whole, puts them there. Until
/// then a failure leaves the folder as it was.
pub(crate) fn write_all(
    plans: &[Plan],
    folder: &Folder<'_>,
    progress: &Progress,
) -> Result<Vec<Output>, Stop> {
    let new_folder = !folder.path.exists();
    std::fs::create_dir_all(folder.path)
        .map_err(|error| Stop::cannot(format!("{}: {error}", folder.path.display())))?;
    let result = write_partials(plans, folder, progress).and_then(commit);
    if result.is_err() && new_folder {
        // Only removed while it is empty.
        let _ = std::fs::remove_dir(folder.path);
    }
    result
}

fn write_partials(
    plans: &[Plan],
    folder: &Folder<'_>,
    progress: &Progress,
) -> Result<Vec<(Option<Partial>, Output)>, Stop> {
    let inputs: Vec<Stamp> = plans.iter().map(|plan| plan.subject.stamp()).collect();
    let mut done = Vec::with_capacity(plans.len());
    for plan in plans {
        progress.on(&plan.filename);
        let path = folder.path.join(&plan.filename);
        let source = plan.subject.path.display();
        let written = place(plan, &path, folder.force, &inputs, progress).map_err(|error| {
            match error {
                PlaceError::There => Stop::cannot(format!(
                    "{}: it is there with other bytes; remove it, or replace it with --force",
                    path.display()
                )),
                PlaceError::Input => Stop::cannot(format!(
                    "{}: it would be replaced, and it came in with the set; name another folder with \
                     --out",
                    path.display()
                )),
                PlaceError::Write(WriteError::Output(cause)) => {
                    Stop::cannot(format!("{}: cannot be written: {cause}", path.display()))
                }
                PlaceError::Write(error) => Stop::cannot(format!("{source}: {error}")),
            }
        })?;
        let output = Output {
            path,
            sha256: written.sha256,
            size: written.size,
            source_sha256: written.source_sha256,
        };
        done.push((written.out, output));
    }
    Ok(done)
}

fn commit(done: Vec<(Option<Partial>, Output)>) -> Result<Vec<Output>, Stop> {
    let mut outputs = Vec::with_capacity(done.len());
    for (partial, output) in done {
        if let Some(partial) = partial {
            partial
                .commit()
                .map_err(|error| Stop::cannot(format!("{}: {error}", output.path.display())))?;
        }
        outputs.push(output);
    }
    Ok(outputs)
}

enum PlaceError {
    /// Another file has the name.
    There,
    /// An input has the name.
    Input,
    Write(WriteError),
}

impl From<WriteError> for PlaceError {
    fn from(error: WriteError) -> Self {
        Self::Write(error)
    }
}

/// Writes one wheel beside its final place; no file when the right bytes are there already.
fn place(
    plan: &Plan,
    path: &Path,
    force: bool,
    inputs: &[Stamp],
    progress: &Progress,
) -> Result<Written<Option<Partial>>, PlaceError> {
    match Stamp::of(path) {
        Ok(found) => {
            let written = write(plan, progress.through(io::sink()))?;
            // Hashed first, so that a run after a finished one writes nothing.
            let (there, _) = sha256_file(path).map_err(WriteError::Io)?;
            if there == written.sha256 {
                return Ok(written.without_file());
            }
            if inputs.iter().any(|input| input.is_same_file(found)) {
                return Err(PlaceError::Input);
            }
            if !force {
                return Err(PlaceError::There);
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(WriteError::Output(error.to_string()).into()),
    }
    let partial = Partial::create(path).map_err(|error| WriteError::Output(error.to_string()))?;
    let written = write(plan, progress.through(partial))?;
    Ok(Written {
        out: Some(written.out.out),
        sha256: written.sha256,
        size: written.size,
        source_sha256: written.source_sha256,
    })
}

impl<W> Written<W> {
    fn without_file(self) -> Written<Option<Partial>> {
        Written {
            out: None,
            sha256: self.sha256,
            size: self.size,
            source_sha256: self.source_sha256,
        }
    }
}
