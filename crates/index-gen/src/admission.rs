//! Reading the wheels that are not known yet, several at a time.

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use pipe::Progress;

use crate::assets::{self, Published, sidecar};
use crate::entrant::Entrant;
use crate::memory::{Known, Memory};
use crate::options::Options;
use crate::problems::Problems;
use crate::staging::Staging;
use crate::told::{ReadError, Reader, Stamp};

/// More do not help: the disk is the limit.
const MOST_THREADS: usize = 8;

/// A wheel with a place in the index.
#[derive(Debug)]
pub(crate) struct Admitted {
    pub(crate) entrant: Entrant,
    pub(crate) known: Known,
    /// Read in this run: its sidecar is new.
    pub(crate) fresh: bool,
}

/// A wheel that is known, or has to be read.
pub(crate) struct Candidate {
    entrant: Entrant,
    stamp: Stamp,
    known: Option<Known>,
}

/// Finds out which wheels are known. Files that are missing, or were changed after they were measured,
/// are faults.
pub(crate) fn recall(
    entrants: Vec<Entrant>,
    memory: &mut Memory,
    published: &Published,
    options: &Options,
    problems: &mut Problems,
) -> Vec<Candidate> {
    let in_site = options.location.is_in_site();
    let mut candidates = Vec::with_capacity(entrants.len());
    for entrant in entrants {
        let wheel = &entrant.wheel;
        let stamp = match Stamp::of(Path::new(&wheel.path)) {
            Ok(stamp) if stamp.size == wheel.size => stamp,
            Ok(stamp) => {
                let (found, expected) = (stamp.size, wheel.size);
                problems.fault(&wheel.path, ReadError::Size { found, expected });
                continue;
            }
            Err(error) => {
                problems.fault(&wheel.path, error);
                continue;
            }
        };
        let known = memory.recall(&entrant).filter(|known| {
            // Whoever serves the wheels from the site gets the bytes that were read, not bytes that
            // the document alone vouches for.
            let has_bytes = || !in_site || published.has_wheel(&wheel.filename, known);
            published.has_sidecar(&wheel.filename, known) && (known.is_file(stamp) || has_bytes())
        });
        candidates.push(Candidate {
            entrant,
            stamp,
            known,
        });
    }
    candidates
}

/// Whether every wheel is known.
pub(crate) fn all_known(candidates: &[Candidate]) -> bool {
    candidates.iter().all(|candidate| candidate.known.is_some())
}

/// Reads what is not known and writes its sidecars; several wheels at a time, told in their order.
pub(crate) fn admit(
    candidates: Vec<Candidate>,
    staging: Option<&Staging>,
    options: &Options,
    quiet: bool,
    problems: &mut Problems,
) -> Vec<Admitted> {
    let unread = || {
        candidates
            .iter()
            .filter(|candidate| candidate.known.is_none())
    };
    let progress = Progress::bytes(unread().map(|candidate| candidate.stamp.size).sum(), quiet);
    let folder = staging.map(|staging| staging.path(&assets::folder(&options.arch)));
    let next = AtomicUsize::new(0);
    let results: Vec<OnceLock<Result<Known, ReadError>>> =
        candidates.iter().map(|_| OnceLock::new()).collect();
    let work = || {
        let mut reader = Reader::default();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(candidate) = candidates.get(index) else {
                break;
            };
            if candidate.known.is_none() {
                let wheel = &candidate.entrant.wheel;
                progress.on(&wheel.filename);
                let result = read_one(candidate, folder.as_deref(), &mut reader);
                progress.add(wheel.size);
                // Each place is filled once: the counter gives every candidate to one thread.
                let _ = results[index].set(result);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 1..threads.min(MOST_THREADS).min(unread().count()) {
            scope.spawn(work);
        }
        work();
    });
    progress.done();
    let mut admitted = Vec::with_capacity(candidates.len());
    for (candidate, result) in candidates.into_iter().zip(results) {
        let Candidate { entrant, known, .. } = candidate;
        let fresh = known.is_none();
        match known.map(Ok).or(result.into_inner()) {
            Some(Ok(known)) => admitted.push(Admitted {
                entrant,
                known,
                fresh,
            }),
            Some(Err(error)) => problems.fault(&entrant.wheel.path, error),
            None => problems.fault(&entrant.wheel.path, "was not read"),
        }
    }
    admitted
}

fn read_one(
    candidate: &Candidate,
    folder: Option<&Path>,
    reader: &mut Reader,
) -> Result<Known, ReadError> {
    let (told, metadata) = reader.read(&candidate.entrant)?;
    if let Some(folder) = folder {
        let sidecar = sidecar(&candidate.entrant.wheel.filename);
        std::fs::write(folder.join(sidecar), metadata)?;
    }
    Ok(Known::new(candidate.stamp, told))
}
