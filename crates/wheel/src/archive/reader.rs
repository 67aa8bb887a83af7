//! The content of a member, inflated in one pass with bounded memory and its CRC checked.

use std::io::{self, Read};

use super::engine::{Engine, Reached, Step};
use super::fault::{Fault, WheelError};
use super::seam::Seams;
use super::zip::Zip;

/// How much compressed data is read at once.
const INPUT: usize = 256 * 1024;
/// How much content is handed out at once: it should still be in the cache when it is looked at.
const OUTPUT: usize = 128 * 1024;

/// The buffers and the state of inflating. Reuse one for many members: an archive of 13,000 members
/// then allocates once.
#[derive(Debug)]
pub struct Inflater {
    engine: Engine,
    input: Box<[u8]>,
    output: Box<[u8]>,
}

impl Default for Inflater {
    fn default() -> Self {
        Self::with(Engine::for_content())
    }
}

impl Inflater {
    fn with(engine: Engine) -> Self {
        Self {
            engine,
            input: vec![0; INPUT].into_boxed_slice(),
            output: vec![0; OUTPUT].into_boxed_slice(),
        }
    }
}

/// Hands out the content of one member, chunk by chunk.
///
/// The end is only reached when size and CRC are those of the directory, so whoever read to the end
/// has read the true content.
#[derive(Debug)]
pub struct MemberReader<'a> {
    zip: &'a Zip,
    index: usize,
    inflater: Buffers<'a>,
    /// Where in the file the next compressed bytes are, and how many are left there.
    next: u64,
    left: u64,
    /// The part of the input buffer that is not used up.
    input: std::ops::Range<usize>,
    /// The part of the output buffer that `Read` has not handed out.
    output: std::ops::Range<usize>,
    produced: u64,
    crc: crc32fast::Hasher,
    seams: Seams,
    /// Deflate's own end mark was read.
    stream_ended: bool,
    ended: bool,
}

#[derive(Debug)]
enum Buffers<'a> {
    Own(Box<Inflater>),
    Lent(&'a mut Inflater),
}

impl Buffers<'_> {
    fn get(&mut self) -> &mut Inflater {
        match self {
            Self::Own(inflater) => inflater,
            Self::Lent(inflater) => inflater,
        }
    }
}

impl<'a> MemberReader<'a> {
    pub(super) fn own(zip: &'a Zip, index: usize) -> Self {
        Self::start(zip, index, Buffers::Own(Box::default()))
    }

    pub(super) fn noting_seams(zip: &'a Zip, index: usize) -> Self {
        let inflater = Inflater::with(Engine::for_seams());
        Self::start(zip, index, Buffers::Own(Box::new(inflater)))
    }

    pub(super) fn lent(zip: &'a Zip, index: usize, inflater: &'a mut Inflater) -> Self {
        inflater.engine.reset();
        Self::start(zip, index, Buffers::Lent(inflater))
    }

    fn start(zip: &'a Zip, index: usize, inflater: Buffers<'a>) -> Self {
        let member = &zip.members[index];
        Self {
            zip,
            index,
            inflater,
            next: member.data_at,
            left: member.compressed,
            input: 0..0,
            output: 0..0,
            produced: 0,
            crc: crc32fast::Hasher::new(),
            seams: Seams::default(),
            stream_ended: false,
            ended: false,
        }
    }

    /// The next part of the content; empty at the end, and only there.
    ///
    /// # Errors
    /// `member.data`, `member.size` or `member.crc` when the content is not what the directory says,
    /// `zip.truncated` or `file.unreadable` when it cannot be read.
    pub fn next_chunk(&mut self) -> Result<&[u8], WheelError> {
        let length = self.fill()?;
        Ok(&self.inflater.get().output[..length])
    }

    /// Where the compressed data that was read so far can be cut; nowhere, unless it was asked for.
    #[must_use]
    pub fn into_seams(self) -> Seams {
        self.seams
    }

    /// Fills the output buffer as far as there is content.
    fn fill(&mut self) -> Result<usize, WheelError> {
        if self.ended {
            return Ok(0);
        }
        let length = if self.zip.members[self.index].stored {
            self.fill_stored()?
        } else {
            self.fill_inflated()?
        };
        self.produced += length as u64;
        let output = &self.inflater.get().output[..length];
        self.crc.update(output);
        if length == 0 {
            self.ended = true;
            self.check_end()?;
        }
        Ok(length)
    }

    fn fill_stored(&mut self) -> Result<usize, WheelError> {
        let length = usize::try_from(self.left).unwrap_or(OUTPUT).min(OUTPUT);
        let output = &mut self.inflater.get().output[..length];
        self.zip.file.read_exact_at(output, self.next)?;
        self.next += length as u64;
        self.left -= length as u64;
        Ok(length)
    }

    fn fill_inflated(&mut self) -> Result<usize, WheelError> {
        if self.stream_ended {
            return Ok(0);
        }
        let size = self.zip.members[self.index].size;
        let mut filled = 0;
        loop {
            if self.input.is_empty() && self.left > 0 {
                self.read_input()?;
            }
            let whole_input = self.left == 0;
            let inflater = self.inflater.get();
            let step = inflater.engine.step(
                &inflater.input[self.input.clone()],
                &mut inflater.output,
                filled,
                whole_input,
            );
            let Some(Step {
                took,
                gave,
                reached,
            }) = step
            else {
                let cause = "cannot be inflated";
                return Err(self.zip.fault(self.index, Fault::Data, cause));
            };
            self.input.start += took;
            filled += gave;
            if self.produced + filled as u64 > size {
                let cause = "has more content than the directory says";
                return Err(self.zip.fault(self.index, Fault::Size, cause));
            }
            if reached == Reached::Seam {
                let left = self.left + self.input.len() as u64;
                let compressed = self.zip.members[self.index].compressed - left;
                self.seams.note(self.produced + filled as u64, compressed);
            }
            if reached == Reached::End {
                if !self.input.is_empty() || !whole_input {
                    let cause = "has bytes behind its compressed data";
                    return Err(self.zip.fault(self.index, Fault::Data, cause));
                }
                self.stream_ended = true;
                return Ok(filled);
            }
            if filled == OUTPUT {
                return Ok(filled);
            }
            if took == 0 && gave == 0 && reached == Reached::Buffer {
                let cause = "has compressed data that ends too early";
                return Err(self.zip.fault(self.index, Fault::Data, cause));
            }
        }
    }

    fn read_input(&mut self) -> Result<(), WheelError> {
        let length = usize::try_from(self.left).unwrap_or(INPUT).min(INPUT);
        let inflater = self.inflater.get();
        self.zip
            .file
            .read_exact_at(&mut inflater.input[..length], self.next)?;
        self.next += length as u64;
        self.left -= length as u64;
        self.input = 0..length;
        Ok(())
    }

    fn check_end(&self) -> Result<(), WheelError> {
        let member = &self.zip.members[self.index];
        if self.produced != member.size {
            let cause = "has less content than the directory says";
            return Err(self.zip.fault(self.index, Fault::Size, cause));
        }
        if self.crc.clone().finalize() != member.crc {
            let cause = "has another CRC than the directory says";
            return Err(self.zip.fault(self.index, Fault::Crc, cause));
        }
        Ok(())
    }

    /// As [`Read::read`], with the fault itself.
    pub(super) fn read_or_fault(&mut self, buffer: &mut [u8]) -> Result<usize, WheelError> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if self.output.is_empty() {
            let length = self.fill()?;
            self.output = 0..length;
        }
        let length = self.output.len().min(buffer.len());
        let from = self.output.start;
        buffer[..length].copy_from_slice(&self.inflater.get().output[from..from + length]);
        self.output.start += length;
        Ok(length)
    }
}

/// A fault comes out as an [`io::Error`] that carries the [`WheelError`].
impl Read for MemberReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.read_or_fault(buffer).map_err(io::Error::other)
    }
}
