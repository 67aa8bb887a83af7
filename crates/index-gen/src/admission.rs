//! Reading the wheels that are not known yet, several at a time.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

use pipe::Progress;

use crate::assets::{Published, sidecar};
use crate::entrant::Entrant;
use crate::folder::Folder;
use crate::memory::{Known, Memory};
use crate::options::Options;
use crate::problems::Problems;
use crate::told::{ReadError, Reader, Seen};

/// More do not help: the disk is the limit.
const MOST_THREADS: usize = 8;

/// A wheel with a place in the index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Admitted<'a> {
    pub(crate) entrant: Entrant<'a>,
    pub(crate) known: &'a Known,
    /// Read in this run: its sidecar is new.
    pub(crate) fresh: bool,
}

/// What is known of each wheel of a set, in its order: from earlier runs, or read in this one.
#[derive(Debug, Default)]
pub(crate) struct Knowledge {
    known: Vec<Option<Known>>,
    /// The places of those that no earlier run knew, sorted.
    unread: Vec<usize>,
}

impl Knowledge {
    /// Finds out which wheels are known. Files that are missing, or were changed after they were measured,
    /// are faults; `seen` tells how each file is now, where it was looked at.
    pub(crate) fn recall(
        entrants: &[Entrant],
        seen: &[Option<io::Result<Seen>>],
        memory: &mut Memory,
        published: &Published,
        options: &Options,
        problems: &mut Problems,
    ) -> Self {
        let in_site = options.location.is_in_site();
        let mut known = Vec::with_capacity(entrants.len());
        let mut unread = Vec::new();
        for (place, (entrant, seen)) in entrants.iter().zip(seen).enumerate() {
            let wheel = entrant.wheel;
            let size = match seen {
                Some(Ok(seen)) => seen.stamp.check_size(wheel.size).map_err(|e| e.to_string()),
                Some(Err(error)) => Err(pipe::advised(error)),
                None => Ok(()),
            };
            if let Err(error) = size {
                problems.fault(&wheel.path, error);
            }
            let recalled = memory.recall(entrant).filter(|known| {
                // Whoever serves the wheels from the site gets the bytes that were read, not bytes that
                // the document alone vouches for.
                let has_bytes = || !in_site || published.has_wheel(&wheel.filename, known);
                let is_file = matches!(seen, Some(Ok(seen)) if known.is_file(seen.stamp));
                published.has_sidecar(&wheel.filename, known) && (is_file || has_bytes())
            });
            if recalled.is_none() {
                unread.push(place);
            }
            known.push(recalled);
        }
        Self { known, unread }
    }

    /// Whether every wheel was known.
    pub(crate) fn is_whole(&self) -> bool {
        self.unread.is_empty()
    }

    /// Reads what is not known, several wheels at a time, and writes its sidecars into the staging. A wheel
    /// that is not sound is a problem.
    ///
    /// One thread alone makes files: several that make them in one folder wait for each other, and waiting
    /// costs more than the work.
    pub(crate) fn read(
        &mut self,
        entrants: &[Entrant],
        sidecars: &Folder,
        quiet: bool,
        problems: &mut Problems,
    ) -> anyhow::Result<()> {
        let Self { known, unread } = self;
        read_all(entrants, unread, quiet, |place, result| {
            let wheel = entrants[place].wheel;
            match result {
                Ok((read, metadata)) => {
                    sidecars.write(&sidecar(&wheel.filename), &metadata)?;
                    known[place] = Some(read);
                }
                Err(error) => problems.fault(&wheel.path, error),
            }
            Ok(())
        })
    }

    /// The wheels that are known by now.
    pub(crate) fn admitted<'a>(&'a self, entrants: &[Entrant<'a>]) -> Vec<Admitted<'a>> {
        let mut admitted = Vec::with_capacity(entrants.len());
        let mut unread = self.unread.iter().peekable();
        for (place, (entrant, known)) in entrants.iter().zip(&self.known).enumerate() {
            let fresh = unread.next_if(|&&next| next == place).is_some();
            admitted.extend(known.as_ref().map(|known| Admitted {
                entrant: *entrant,
                known,
                fresh,
            }));
        }
        admitted
    }
}

/// Reads the wheels at these places and hands what was read to `take`, in no order; an error of its ends the
/// reading.
fn read_all(
    entrants: &[Entrant],
    unread: &[usize],
    quiet: bool,
    mut take: impl FnMut(usize, Result<(Known, Vec<u8>), ReadError>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let total = unread.iter().map(|&place| entrants[place].wheel.size).sum();
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
                    let entrant = &entrants[index];
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
    let taken = std::thread::scope(|scope| {
        let (done, finished) = sync_channel::<Vec<(usize, _)>>(threads);
        for _ in 0..threads {
            let done = done.clone();
            scope.spawn(|| work(done));
        }
        drop(done);
        // Where taking fails, the receiver goes, and with it whoever would send more.
        finished
            .into_iter()
            .flatten()
            .try_for_each(|(index, read)| take(index, read))
    });
    progress.done();
    taken
}
