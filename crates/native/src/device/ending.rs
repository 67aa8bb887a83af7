//! The end of a compressed bundle of version 1, whose header does not say how long it is.
//!
//! A zstd frame is a chain of blocks, each with its length. A zlib stream has no lengths, so it is inflated
//! to nowhere. What stands inside must not be searched: compressed data may hold a stretch of the bundle as it is.

use std::fmt;
use std::ops::Range;

use flate2::{Decompress, FlushDecompress, Status};

use super::compressed::{Header, Method};
use super::integrity::Integrity;
use super::scan::Step;
use super::{MemberDevice, rules, zstd};

/// A compressed bundle whose end is looked for.
pub(super) struct Ending {
    start: u64,
    raw_size: u64,
    stream: Stream,
}

enum Stream {
    Zstd { checksum: bool },
    Zlib(Box<Decompress>),
}

/// What a step of the search came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// The end is further on.
    Further(Step),
    /// The bundle stands here; so many bytes of it were left.
    End(Range<u64>, u64),
    /// There is no end: the data is not what it should be.
    Damage,
}

impl fmt::Debug for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ending({}..)", self.start)
    }
}

impl Ending {
    /// For the bundle at `start`, and how far behind its header the chain or the stream begins; none where
    /// the stream does not begin at all, or would inflate to more than the budget.
    pub(super) fn begin(
        header: &Header,
        start: u64,
        stream: &[u8],
        budget: &mut u64,
    ) -> Option<(Self, u64)> {
        let (stream, skip) = match header.method {
            Method::Zstd => {
                let frame = zstd::Frame::read(stream)?;
                let checksum = frame.checksum;
                (Stream::Zstd { checksum }, frame.header as u64)
            }
            Method::Zlib => {
                *budget = budget.checked_sub(header.raw_size)?;
                (Stream::Zlib(Box::new(Decompress::new(true))), 0)
            }
        };
        let raw_size = header.raw_size;
        let ending = Self {
            start,
            raw_size,
            stream,
        };
        Some((ending, skip))
    }

    /// Looks at the bytes from `at` on.
    pub(super) fn step(&mut self, at: u64, data: &[u8]) -> Found {
        if data.is_empty() {
            return Found::Further(Step::Need(1));
        }
        let (taken, ended) = match &mut self.stream {
            Stream::Zstd { checksum } => {
                let Some(header) = data.get(..3) else {
                    return Found::Further(Step::Need(3));
                };
                let Some(block) = zstd::Block::read([header[0], header[1], header[2]]) else {
                    return Found::Damage;
                };
                let tail = if block.last && *checksum { 4 } else { 0 };
                (3 + block.stored as u64 + tail, block.last)
            }
            Stream::Zlib(inflater) => match inflate(inflater, data, self.raw_size) {
                Some(step) => step,
                None => return Found::Damage,
            },
        };
        if ended {
            Found::End(self.start..at + taken, taken)
        } else {
            Found::Further(Step::Advance(taken))
        }
    }

    /// Says that the data is damaged. How far a damaged stream is read depends on the chunks it comes in,
    /// so nothing that follows can be told.
    pub(super) fn damaged(&self, found: &mut MemberDevice) {
        let start = self.start;
        found.note(rules::COMPRESSED, || {
            format!(
                "the compressed bundle at offset {start} is damaged or not as long as its header says; \
                 what follows was not searched"
            )
        });
    }

    /// The member ended before the bundle did.
    pub(super) fn cut_short(&self, found: &mut MemberDevice, integrity: &mut Integrity) {
        let start = self.start;
        found.note(rules::BUNDLE_BOUNDS, || {
            format!("the file ends inside the compressed bundle at offset {start}")
        });
        integrity.bundle(start..start);
    }
}

/// Inflates to nowhere: bytes taken, and whether the stream ended there. None where it is damaged or has
/// another length than it should.
fn inflate(inflater: &mut Decompress, data: &[u8], raw_size: u64) -> Option<(u64, bool)> {
    let mut nowhere = [0; 16 << 10];
    let mut taken = 0;
    loop {
        let before = (inflater.total_in(), inflater.total_out());
        let rest = data.get(taken..).unwrap_or_default();
        let status = inflater.decompress(rest, &mut nowhere, FlushDecompress::None);
        let came = inflater.total_out() - before.1;
        taken += usize::try_from(inflater.total_in() - before.0).unwrap_or(usize::MAX);
        if inflater.total_out() > raw_size {
            return None;
        }
        let is_full = came == nowhere.len() as u64;
        match status {
            Ok(Status::StreamEnd) => {
                return (inflater.total_out() == raw_size).then_some((taken as u64, true));
            }
            Ok(_) if taken >= data.len() && !is_full => return Some((taken as u64, false)),
            Ok(_) if (inflater.total_in(), inflater.total_out()) != before => {}
            _ => return None,
        }
    }
}
