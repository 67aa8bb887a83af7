//! Reading the wheels that are not known yet, several at a time.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

use pipe::Progress;

use crate::assets::{self, Published, sidecar};
use crate::entrant::Entrant;
use crate::memory::{Known, Memory};
use crate::options::Options;
use crate::problems::Problems;
use crate::staging::Staging;
use crate::told::{ReadError, Reader, Stamp, Told};

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
/// are faults; `stamps` tells how each file is now.
pub(crate) fn recall(
    entrants: Vec<Entrant>,
    stamps: Vec<io::Result<Stamp>>,
    memory: &mut Memory,
    published: &Published,
    options: &Options,
    problems: &mut Problems,
) -> Vec<Candidate> {
    let in_site = options.location.is_in_site();
    let mut candidates = Vec::with_capacity(entrants.len());
    for (entrant, stamp) in entrants.into_iter().zip(stamps) {
        let wheel = &entrant.wheel;
        let stamp = match stamp {
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

/// Reads what is not known, several wheels at a time, and writes its sidecars; told in the order of the
/// candidates.
///
/// One thread alone makes files: several that make them in one folder wait for each other, and waiting
/// costs more than the work.
pub(crate) fn admit(
    mut candidates: Vec<Candidate>,
    staging: Option<&Staging>,
    options: &Options,
    quiet: bool,
    problems: &mut Problems,
) -> Vec<Admitted> {
    let mut results = Vec::new();
    results.resize_with(candidates.len(), || None);
    if let Some(staging) = staging {
        let folder = staging.path(&assets::folder(&options.arch));
        read_all(&candidates, quiet, |index, read| {
            let Candidate { entrant, stamp, .. } = &candidates[index];
            results[index] = Some(read.and_then(|(told, metadata)| {
                let sidecar = sidecar(&entrant.wheel.filename);
                std::fs::write(folder.join(sidecar), metadata)?;
                Ok(Known::new(*stamp, told))
            }));
        });
    }
    let mut admitted = Vec::with_capacity(candidates.len());
    for (candidate, result) in candidates.drain(..).zip(results) {
        let Candidate { entrant, known, .. } = candidate;
        let fresh = known.is_none();
        match known.map(Ok).or(result) {
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

/// Reads every candidate that is not known and hands what was read to `take`, in no order.
fn read_all(
    candidates: &[Candidate],
    quiet: bool,
    mut take: impl FnMut(usize, Result<(Told, Vec<u8>), ReadError>),
) {
    let unread: Vec<usize> = (0..candidates.len())
        .filter(|&index| candidates[index].known.is_none())
        .collect();
    let total = unread
        .iter()
        .map(|&index| candidates[index].stamp.size)
        .sum();
    let progress = Progress::bytes(total, quiet);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.min(MOST_THREADS).min(unread.len());
    // Many small wheels are handed on together, few large ones each for itself.
    let some = (unread.len() / (8 * threads.max(1))).clamp(1, 32);
    let next = AtomicUsize::new(0);
    let work = |done: SyncSender<_>| {
        let mut reader = Reader::default();
        loop {
            let start = next.fetch_add(some, Ordering::Relaxed);
            let mine: Vec<usize> = unread.iter().skip(start).take(some).copied().collect();
            if mine.is_empty() {
                break;
            }
            let read: Vec<_> = mine
                .into_iter()
                .map(|index| {
                    let entrant = &candidates[index].entrant;
                    progress.on(&entrant.wheel.filename);
                    let read = reader.read(entrant);
                    progress.add(entrant.wheel.size);
                    (index, read)
                })
                .collect();
            if done.send(read).is_err() {
                break;
            }
        }
    };
    std::thread::scope(|scope| {
        let (done, finished) = sync_channel::<Vec<(usize, _)>>(threads);
        for _ in 0..threads {
            let done = done.clone();
            scope.spawn(|| work(done));
        }
        drop(done);
        for (index, read) in finished.into_iter().flatten() {
            take(index, read);
        }
    });
    progress.done();
}
