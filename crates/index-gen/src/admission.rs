//! Reading the wheels that are not known yet, several at a time.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use pipe::{Architecture, Progress};

use crate::entrant::Entrant;
use crate::memory::{Known, Memory};
use crate::options::Options;
use crate::problems::Problems;
use crate::site::Site;
use crate::staging::Staging;
use crate::told::{ReadError, Stamp, read};

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

/// The folder of an architecture's wheels and sidecars in the site.
pub(crate) fn assets(arch: &Architecture) -> PathBuf {
    Path::new("assets").join(arch.as_str())
}

/// The name of a wheel's METADATA beside it (PEP 658).
pub(crate) fn sidecar(filename: &str) -> String {
    format!("{filename}.metadata")
}

/// A wheel of which the site has everything that is needed, or one that has to be read.
pub(crate) struct Candidate {
    entrant: Entrant,
    stamp: Stamp,
    known: Option<Known>,
}

/// Finds out which wheels are known. Files that are missing, or were changed after they were measured,
/// are faults.
pub(crate) fn recall(
    entrants: Vec<Entrant>,
    mut memory: Memory,
    site: &Site,
    options: &Options,
    problems: &mut Problems,
) -> Vec<Candidate> {
    let folder = site.folder().join(assets(&options.arch));
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
            let metadata = Stamp::of(&folder.join(sidecar(&wheel.filename)));
            let has_sidecar = metadata.is_ok_and(|s| s.size == known.told.metadata_size);
            // Whoever serves the wheels from the site gets the bytes that were read, not bytes that
            // the document alone vouches for.
            let has_bytes = || !in_site || is_carried(&folder, &wheel.filename, known);
            has_sidecar && (known.is_file(&entrant, stamp) || has_bytes())
        });
        candidates.push(Candidate {
            entrant,
            stamp,
            known,
        });
    }
    candidates
}

/// Whether the site's own copy of a wheel is the file that was read.
pub(crate) fn is_carried(folder: &Path, filename: &str, known: &Known) -> bool {
    Stamp::of(&folder.join(filename)).is_ok_and(|stamp| stamp == known.stamp)
}

/// Whether every wheel is known.
pub(crate) fn all_known(candidates: &[Candidate]) -> bool {
    candidates.iter().all(|candidate| candidate.known.is_some())
}

/// Reads what is not known and writes its sidecars; several wheels at a time, told in their order.
pub(crate) fn admit(
    candidates: Vec<Candidate>,
    staging: Option<&Staging>,
    arch: &Architecture,
    quiet: bool,
    problems: &mut Problems,
) -> Vec<Admitted> {
    let unread = candidates
        .iter()
        .filter(|candidate| candidate.known.is_none());
    let total = unread.map(|candidate| candidate.stamp.size).sum();
    let progress = Progress::bytes(total, quiet);
    let folder = staging.map(|staging| staging.path(&assets(arch)));
    let next = AtomicUsize::new(0);
    let results: Vec<OnceLock<Result<Known, ReadError>>> =
        candidates.iter().map(|_| OnceLock::new()).collect();
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(candidate) = candidates.get(index) else {
                break;
            };
            if candidate.known.is_none() {
                let wheel = &candidate.entrant.wheel;
                progress.on(&wheel.filename);
                let result = read_one(candidate, folder.as_deref());
                progress.add(wheel.size);
                // Each place is filled once: the counter gives every candidate to one thread.
                let _ = results[index].set(result);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 1..threads.min(MOST_THREADS) {
            scope.spawn(work);
        }
        work();
    });
    progress.done();
    let mut admitted = Vec::with_capacity(candidates.len());
    for (candidate, result) in candidates.into_iter().zip(results) {
        let Candidate { entrant, known, .. } = candidate;
        match (known, result.into_inner()) {
            (Some(known), _) => admitted.push(Admitted {
                entrant,
                known,
                fresh: false,
            }),
            (None, Some(Ok(known))) => admitted.push(Admitted {
                entrant,
                known,
                fresh: true,
            }),
            (None, Some(Err(error))) => problems.fault(&entrant.wheel.path, error),
            (None, None) => problems.fault(&entrant.wheel.path, "was not read"),
        }
    }
    admitted
}

fn read_one(candidate: &Candidate, folder: Option<&Path>) -> Result<Known, ReadError> {
    let (told, metadata) = read(&candidate.entrant)?;
    if let Some(folder) = folder {
        std::fs::write(
            folder.join(sidecar(&candidate.entrant.wheel.filename)),
            metadata,
        )?;
    }
    Ok(Known::new(&candidate.entrant, candidate.stamp, told))
}
