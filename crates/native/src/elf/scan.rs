//! Reading an ELF member as a stream, with bounded memory and at most three passes.
//!
//! The strings come early in a file and the table that says which of them matter comes late (at 79 %
//! in the median library), so the beginning is kept: up to the end of the first loadable segment, at
//! most 24 MiB, which holds the tables of nearly every library. What patchelf moved to the end is kept
//! as it passes, since by then the dynamic table has told of it. Only what lies in between and was not
//! kept needs a second pass.

use std::collections::VecDeque;
use std::ops::Range;

use super::captured::{Captured, join};
use super::error::ElfError;
use super::facts::{Facts, Questions};
use super::header::{HEADER, Head, Header};
use super::read::{Attempt, attempt};

/// Most bytes kept from the beginning.
const PREFIX: u64 = 24 << 20;
/// Bytes kept from the beginning whatever the segments say.
const SMALL: u64 = 256 << 10;
/// Most bytes kept of one member.
const HELD: u64 = 36 << 20;
/// Passes over one member.
const PASSES: u8 = 3;
/// Attempts that brought up nothing new, after which the next one waits until all that was asked for is
/// there: behind hundreds of single names nothing new turns up.
const FRUITLESS: u32 = 3;
/// Attempts to read one file; a sound one takes ten.
const ATTEMPTS: u32 = 64;

/// What a scan came to.
#[derive(Debug)]
pub enum Outcome<'a> {
    /// The member is not an ELF file.
    NotElf,
    /// It begins as an ELF file does and ends before its header does, or the header is of no kind
    /// that exists. No loader would take it.
    Stub,
    /// Read.
    Facts(Box<Facts>),
    /// The member must be fed once more from its beginning; [`Scan::is_done`] tells when to stop.
    Again(Box<Scan<'a>>),
}

/// A reader of one ELF member.
#[derive(Debug)]
pub struct Scan<'a> {
    questions: Questions<'a>,
    captured: Captured,
    pass: u8,
    position: u64,
    header: Option<Header>,
    /// The beginning, while it is being kept, and where it will end.
    prefix: Option<(Vec<u8>, u64)>,
    /// What has to be kept further on, in order; the first may be half there.
    wanted: VecDeque<Range<u64>>,
    building: Vec<u8>,
    fruitless: u32,
    attempts: u32,
    answer: Option<Result<Answer, ElfError>>,
}

#[derive(Debug)]
enum Answer {
    NotElf,
    Stub,
    Facts(Box<Facts>),
}

impl<'a> Scan<'a> {
    /// Begins with a member of `size` bytes, as its archive tells.
    #[must_use]
    pub fn begin(questions: Questions<'a>, size: u64) -> Self {
        Self {
            questions,
            captured: Captured::new(size),
            pass: 1,
            position: 0,
            header: None,
            prefix: Some((Vec::new(), HEADER as u64)),
            wanted: VecDeque::new(),
            building: Vec::new(),
            fruitless: 0,
            attempts: 0,
            answer: None,
        }
    }

    /// Takes the next bytes of the member.
    pub fn feed(&mut self, chunk: &[u8]) {
        let mut rest = chunk;
        while !rest.is_empty() {
            if self.answer.is_some() {
                self.position += rest.len() as u64;
                return;
            }
            rest = if self.prefix.is_some() {
                self.feed_prefix(rest)
            } else {
                self.feed_wanted(rest)
            };
        }
    }

    /// Whether further bytes change nothing in this pass.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.answer.is_some() || (self.pass > 1 && self.wanted.is_empty())
    }

    /// The member is at its end, or [`Scan::is_done`].
    ///
    /// # Errors
    /// [`ElfError`] when the file's tables are damaged.
    pub fn finish(mut self) -> Result<Outcome<'a>, ElfError> {
        if self.answer.is_none() {
            if self.pass == 1 {
                self.captured.set_size(self.position);
            }
            if let Some((prefix, _)) = self.prefix.take() {
                self.end_in_prefix(prefix);
            }
        }
        if self.answer.is_none() {
            let missing = self.attempt();
            if self.answer.is_none() {
                if missing.is_empty() || self.pass == PASSES || self.held_with(&missing) > HELD {
                    return Err(ElfError::Scattered);
                }
                self.pass += 1;
                self.position = 0;
                self.fruitless = 0;
                self.building = Vec::new();
                self.wanted = missing.into();
                return Ok(Outcome::Again(Box::new(self)));
            }
        }
        match self.answer {
            Some(Ok(Answer::Facts(facts))) => Ok(Outcome::Facts(facts)),
            Some(Ok(Answer::Stub)) => Ok(Outcome::Stub),
            Some(Err(error)) => Err(error),
            Some(Ok(Answer::NotElf)) | None => Ok(Outcome::NotElf),
        }
    }

    /// Keeps bytes of the beginning; returns what is left of the chunk.
    fn feed_prefix<'b>(&mut self, chunk: &'b [u8]) -> &'b [u8] {
        let Some((prefix, end)) = &mut self.prefix else {
            return chunk;
        };
        let room = usize::try_from(*end - self.position).unwrap_or(usize::MAX);
        let (taken, rest) = chunk.split_at(room.min(chunk.len()));
        prefix.extend_from_slice(taken);
        self.position += taken.len() as u64;
        if self.position == *end {
            self.prefix_is_full();
        }
        rest
    }

    /// The bytes that were aimed at are there: aims further, or goes over to the rest of the file.
    fn prefix_is_full(&mut self) {
        let Some((mut prefix, _)) = self.prefix.take() else {
            return;
        };
        if !self.look_at_header(&prefix) {
            return;
        }
        let Some(header) = self.header else { return };
        let size = self.captured.size();
        let table = header.segments_end.min(SMALL).min(size);
        let aim = if self.position < table {
            table
        } else {
            // Program headers at the end of the file tell too late: as much as possible is kept.
            let load = Head::first_load_end(&prefix, header);
            load.unwrap_or(if header.segments_end > table {
                PREFIX
            } else {
                0
            })
            .clamp(SMALL, PREFIX)
            .min(size)
        };
        if aim > self.position {
            let more = usize::try_from(aim - self.position).unwrap_or(0);
            prefix.reserve_exact(more);
            self.prefix = Some((prefix, aim));
            return;
        }
        self.captured.keep(0, prefix);
        self.look_ahead();
    }

    /// Reads the header once; false when the answer is already known.
    fn look_at_header(&mut self, prefix: &[u8]) -> bool {
        if self.header.is_some() {
            return true;
        }
        match Head::read(prefix) {
            Head::NotElf => self.answer = Some(Ok(Answer::NotElf)),
            Head::Stub => self.answer = Some(Ok(Answer::Stub)),
            Head::Elf(header) if !header.machine.is_host() => {
                let facts = Facts::of_device(header.machine, header.bits, header.little_endian);
                self.answer = Some(Ok(Answer::Facts(Box::new(facts))));
            }
            Head::Elf(header) => self.header = Some(header),
        }
        self.answer.is_none()
    }

    /// The member ended while its beginning was being kept.
    fn end_in_prefix(&mut self, prefix: Vec<u8>) {
        if self.look_at_header(&prefix) {
            self.captured.keep(0, prefix);
        }
    }

    /// Keeps what was asked for as it passes; returns what is left of the chunk.
    fn feed_wanted<'b>(&mut self, chunk: &'b [u8]) -> &'b [u8] {
        let Some(range) = self.wanted.front().cloned() else {
            self.position += chunk.len() as u64;
            return &[];
        };
        let until = if self.position < range.start {
            range.start
        } else {
            range.end
        };
        let room = usize::try_from(until - self.position).unwrap_or(usize::MAX);
        let (taken, rest) = chunk.split_at(room.min(chunk.len()));
        if self.position >= range.start {
            if self.building.is_empty() {
                let size = usize::try_from(range.end - range.start).unwrap_or(0);
                self.building.reserve_exact(size);
            }
            self.building.extend_from_slice(taken);
        }
        self.position += taken.len() as u64;
        if self.position == range.end {
            let bytes = std::mem::take(&mut self.building);
            self.captured.keep(range.start, bytes);
            self.wanted.pop_front();
            if self.wanted.is_empty() || self.fruitless < FRUITLESS {
                self.look_ahead();
            }
        }
        rest
    }

    /// Tries to read, and sets out to keep what is missing and still to come.
    fn look_ahead(&mut self) {
        let missing = self.attempt();
        if self.answer.is_some() {
            return;
        }
        let ahead = missing
            .into_iter()
            .filter(|range| range.start >= self.position);
        let known: u64 = self
            .wanted
            .iter()
            .map(|range| range.end - range.start)
            .sum();
        let wanted = join(self.wanted.drain(..).chain(ahead).collect());
        if wanted
            .iter()
            .map(|range| range.end - range.start)
            .sum::<u64>()
            == known
        {
            self.fruitless += 1;
        }
        if self.held_with(&wanted) > HELD {
            self.answer = Some(Err(ElfError::Absurd("tables")));
        }
        self.wanted = wanted.into();
    }

    /// Tries to read; what is missing comes back where the answer is not known yet.
    fn attempt(&mut self) -> Vec<Range<u64>> {
        let Some(header) = self.header else {
            return Vec::new();
        };
        self.attempts += 1;
        if self.attempts > ATTEMPTS {
            self.answer = Some(Err(ElfError::Scattered));
            return Vec::new();
        }
        match attempt(&self.captured, header, &self.questions) {
            Ok(Attempt::Facts(facts)) => self.answer = Some(Ok(Answer::Facts(facts))),
            Ok(Attempt::Missing(missing)) => return missing,
            Err(error) => self.answer = Some(Err(error)),
        }
        Vec::new()
    }

    fn held_with(&self, ranges: &[Range<u64>]) -> u64 {
        let asked: u64 = ranges.iter().map(|range| range.end - range.start).sum();
        asked + self.captured.held() as u64
    }
}
