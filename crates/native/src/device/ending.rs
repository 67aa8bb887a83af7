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
    end: Option<u64>,
}

enum Stream {
    Zstd { checksum: bool },
    Zlib(Box<Decompress>),
}

impl fmt::Debug for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ending({}..)", self.start)
    }
}

impl Ending {
    /// For the bundle at `start`, and how far behind its header the chain or the stream begins; none where
    /// the stream does not begin at all.
    pub(super) fn begin(header: &Header, start: u64, stream: &[u8]) -> Option<(Self, u64)> {
        let (stream, skip) = match header.method {
            Method::Zstd => {
                let frame = zstd::Frame::read(stream)?;
                let checksum = frame.checksum;
                (Stream::Zstd { checksum }, frame.header as u64)
            }
            Method::Zlib => (Stream::Zlib(Box::new(Decompress::new(true))), 0),
        };
        let raw_size = header.raw_size;
        let ending = Self {
            start,
            raw_size,
            stream,
            end: None,
        };
        Some((ending, skip))
    }

    /// Where the bundle stands, once the end has been found.
    pub(super) fn region(&self) -> Option<Range<u64>> {
        self.end.map(|end| self.start..end)
    }

    /// Looks at the bytes from `at` on.
    pub(super) fn step(
        &mut self,
        at: u64,
        data: &[u8],
        budget: &mut u64,
        found: &mut MemberDevice,
    ) -> Step {
        if data.is_empty() {
            return Step::Need(1);
        }
        let (taken, ended) = match &mut self.stream {
            Stream::Zstd { checksum } => {
                let Some(header) = data.get(..3) else {
                    return Step::Need(3);
                };
                match zstd::Block::read([header[0], header[1], header[2]]) {
                    Some(block) => {
                        let tail = if block.last && *checksum { 4 } else { 0 };
                        (3 + block.stored as u64 + tail, Ok(block.last))
                    }
                    None => (3, Err("its compressed data is damaged")),
                }
            }
            Stream::Zlib(inflater) => inflate(inflater, data, self.raw_size, budget),
        };
        match ended {
            Ok(false) => {}
            Ok(true) => self.end = Some(at + taken),
            Err(cause) => {
                let start = self.start;
                found.note(rules::COMPRESSED, || {
                    format!("the compressed bundle at offset {start} cannot be read: {cause}")
                });
                self.end = Some(at + taken);
            }
        }
        Step::Advance(taken)
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

/// Inflates to nowhere: bytes taken, and whether the stream ended there.
fn inflate(
    inflater: &mut Decompress,
    data: &[u8],
    raw_size: u64,
    budget: &mut u64,
) -> (u64, Result<bool, &'static str>) {
    let mut nowhere = [0; 16 << 10];
    let mut taken = 0;
    loop {
        let before = (inflater.total_in(), inflater.total_out());
        let rest = data.get(taken..).unwrap_or_default();
        let status = inflater.decompress(rest, &mut nowhere, FlushDecompress::None);
        let came = inflater.total_out() - before.1;
        taken += usize::try_from(inflater.total_in() - before.0).unwrap_or(usize::MAX);
        let step = (taken as u64).max(1);
        if inflater.total_out() > raw_size {
            return (step, Err("it is longer than its header says"));
        }
        let Some(left) = budget.checked_sub(came) else {
            return (step, Err("too much would have to be inflated"));
        };
        *budget = left;
        match status {
            Ok(Status::StreamEnd) if inflater.total_out() == raw_size => return (step, Ok(true)),
            Ok(Status::StreamEnd) => return (step, Err("it is shorter than its header says")),
            Ok(_) if taken >= data.len() && came < nowhere.len() as u64 => {
                return (step, Ok(false));
            }
            Ok(_) if (inflater.total_in(), inflater.total_out()) != before => {}
            _ => return (step, Err("its compressed data is damaged")),
        }
    }
}
