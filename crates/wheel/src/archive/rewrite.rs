//! Writing an archive anew: members are copied as they are compressed, a few get other content.
//!
//! A run of members that keep their names is copied as one block, local headers included. Only what
//! is renamed, had a data descriptor, or carried a ZIP64 field gets a new local header; the central
//! directory is written afresh. Nothing is ever compressed that was compressed before.

use std::io::{self, Read, Write};
use std::ops::Range;

use super::Archive;
use super::central::Member;
use super::fault::{Fault, WheelError};
use super::header;
use super::packed::Packed;
use super::source_hash::SourceHash;

/// How much is copied at once.
const BLOCK: usize = 256 * 1024;

/// Writes a new archive from the members of an old one, in one pass and without seeking.
#[derive(Debug)]
pub struct Rewriter<'a, W> {
    source: &'a Archive,
    out: W,
    written: u64,
    entries: Vec<Entry>,
    /// Bytes of the source that are to be copied next.
    run: Range<u64>,
    block: Box<[u8]>,
    hash: Option<SourceHash>,
}

/// A member of the new archive and where it starts; its directory entry is only made at the end, so
/// that an archive of many members does not need the directory in memory.
#[derive(Debug)]
struct Entry {
    at: u64,
    what: What,
}

#[derive(Debug)]
enum What {
    /// A member of the source, under another name or its own.
    Copied {
        index: usize,
        name: Option<Box<str>>,
    },
    New(Box<Member>),
}

/// A finished archive.
#[derive(Debug)]
pub struct Rewritten<W> {
    /// What was written to.
    pub out: W,
    /// Bytes of the archive.
    pub size: u64,
    /// The sha256 of the whole source in hex, where it was asked for.
    pub source_sha256: Option<String>,
}

/// A content that was deflated before, to be written as it is.
#[derive(Debug)]
pub struct Deflated<R> {
    /// Bytes of the content.
    pub size: u64,
    /// Bytes of the deflated content.
    pub compressed: u64,
    /// CRC-32 of the content.
    pub crc: u32,
    /// The deflated content, from its beginning.
    pub bytes: R,
}

impl<'a, W: Write> Rewriter<'a, W> {
    /// Starts an archive in `out`.
    pub fn new(source: &'a Archive, out: W) -> Self {
        Self {
            source,
            out,
            written: 0,
            entries: Vec::new(),
            run: 0..0,
            block: vec![0; BLOCK].into_boxed_slice(),
            hash: None,
        }
    }

    /// Hashes the whole source while its bytes pass, so that it is read once.
    #[must_use]
    pub fn with_source_hash(mut self) -> Self {
        self.hash = Some(SourceHash::default());
        self
    }

    /// Copies the member at `index`, as it is compressed, under `name` or its own name.
    ///
    /// # Errors
    /// When the source cannot be read or `out` not be written.
    pub fn copy(&mut self, index: usize, name: Option<&str>) -> Result<(), WheelError> {
        let member = &self.source.zip.members[index];
        let name = name.filter(|name| *name != member.name());
        self.entry(What::Copied {
            index,
            name: name.map(checked).transpose()?,
        });
        if member.plain && name.is_none() {
            return self.queue(member.header_at..member.end);
        }
        let old = self.local_extra(member)?;
        self.flush_run()?;
        let head = header::local(member, name.unwrap_or(member.name()), &old);
        self.write(&head)?;
        self.queue(member.data_at..member.data_at + member.compressed)
    }

    /// Writes another content under `name`, with the time, mode and method of the member at `index`.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub fn replace(&mut self, index: usize, name: &str, content: &[u8]) -> Result<(), WheelError> {
        self.replace_with(index, name, |out| out.write_all(content))
    }

    /// The same with a content that is written piece by piece; only its compressed form is in memory.
    ///
    /// # Errors
    /// When `out` cannot be written, and those of `content`.
    pub fn replace_with(
        &mut self,
        index: usize,
        name: &str,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), WheelError> {
        let old = &self.source.zip.members[index];
        let packed = Packed::new(old.stored, content)?;
        let mut member = old.with_content(packed.size, packed.bytes.len() as u64, packed.crc);
        member.name = checked(name)?;
        self.start(member)?;
        self.write(&packed.bytes)
    }

    /// Writes a content that was deflated before under `name`, with the time of the member at `like` and
    /// the Unix mode `mode` (type bits included).
    ///
    /// # Errors
    /// When the content is not as long as it says, or `out` cannot be written.
    pub fn insert<R: Read>(
        &mut self,
        like: usize,
        name: &str,
        mode: u32,
        mut content: Deflated<R>,
    ) -> Result<(), WheelError> {
        let like = &self.source.zip.members[like];
        let mut member = like.with_content(content.size, content.compressed, content.crc);
        member.name = checked(name)?;
        member.external = mode << 16;
        member.stored = false;
        member.needed = member.needed.max(header::NEEDS_DEFLATE);
        self.start(member)?;
        let mut left = content.compressed;
        while left > 0 {
            let length = usize::try_from(left).unwrap_or(BLOCK).min(BLOCK);
            content.bytes.read_exact(&mut self.block[..length])?;
            self.write_block(length)?;
            left -= length as u64;
        }
        Ok(())
    }

    /// Writes the central directory, the end records and the source's comment.
    ///
    /// # Errors
    /// When the source cannot be read or `out` not be written.
    pub fn finish(mut self) -> Result<Rewritten<W>, WheelError> {
        self.flush_run()?;
        let start = self.written;
        let entries = std::mem::take(&mut self.entries);
        let mut gathered = Vec::with_capacity(BLOCK);
        for entry in &entries {
            gathered.extend_from_slice(&self.directory_entry(entry));
            if gathered.len() > BLOCK / 2 {
                self.write(&gathered)?;
                gathered.clear();
            }
        }
        self.write(&gathered)?;
        let size = self.written - start;
        let comment = &self.source.zip.comment;
        let end = header::end(entries.len() as u64, start, size, comment);
        self.write(&end)?;
        let source_sha256 = match self.hash.take() {
            None => None,
            Some(hash) => Some(hash.finish(&self.source.zip.file, self.source.zip.file_size)?),
        };
        Ok(Rewritten {
            out: self.out,
            size: self.written,
            source_sha256,
        })
    }

    fn directory_entry(&self, entry: &Entry) -> Vec<u8> {
        match &entry.what {
            What::New(member) => header::central(member, member.name(), entry.at),
            What::Copied { index, name } => {
                let member = &self.source.zip.members[*index];
                header::central(member, name.as_deref().unwrap_or(member.name()), entry.at)
            }
        }
    }

    /// Notes a member that starts where the next byte goes, once everything queued is written.
    fn entry(&mut self, what: What) {
        let at = self.written + (self.run.end - self.run.start);
        self.entries.push(Entry { at, what });
    }

    /// Writes the local header of a new member.
    fn start(&mut self, member: Member) -> Result<(), WheelError> {
        self.flush_run()?;
        let head = header::local(&member, member.name(), &[]);
        self.entry(What::New(Box::new(member)));
        self.write(&head)
    }

    /// The extra fields of the member's local header, without a ZIP64 one.
    fn local_extra(&self, member: &Member) -> Result<Vec<u8>, WheelError> {
        let head = super::local::HEAD as u64 + member.name().len() as u64;
        let from = member.header_at + head;
        let length = usize::try_from(member.data_at - from).unwrap_or(0);
        let mut bytes = vec![0; length];
        self.source.zip.file.read_exact_at(&mut bytes, from)?;
        super::extra::Extra::parse(&bytes)
            .map(|extra| extra.others)
            .map_err(|(fault, cause)| WheelError::member(fault, member.name(), cause))
    }

    /// Adds bytes of the source to the run, or starts a new run with them.
    fn queue(&mut self, bytes: Range<u64>) -> Result<(), WheelError> {
        if self.run.end != bytes.start || self.run.is_empty() {
            self.flush_run()?;
            self.run = bytes;
        } else {
            self.run.end = bytes.end;
        }
        Ok(())
    }

    fn flush_run(&mut self) -> Result<(), WheelError> {
        let run = std::mem::replace(&mut self.run, 0..0);
        let mut at = run.start;
        while at < run.end {
            let length = usize::try_from(run.end - at).unwrap_or(BLOCK).min(BLOCK);
            let file = &self.source.zip.file;
            file.read_exact_at(&mut self.block[..length], at)?;
            if let Some(hash) = &mut self.hash {
                hash.passes(file, at, &self.block[..length])?;
            }
            self.write_block(length)?;
            at += length as u64;
        }
        Ok(())
    }

    fn write_block(&mut self, length: usize) -> Result<(), WheelError> {
        self.out
            .write_all(&self.block[..length])
            .map_err(|error| unwritable(&error))?;
        self.written += length as u64;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), WheelError> {
        self.out
            .write_all(bytes)
            .map_err(|error| unwritable(&error))?;
        self.written += bytes.len() as u64;
        Ok(())
    }
}

fn checked(name: &str) -> Result<Box<str>, WheelError> {
    if name.len() > usize::from(u16::MAX) {
        let cause = "is a name longer than a zip can hold";
        return Err(WheelError::member(Fault::NameLength, name, cause));
    }
    Ok(name.into())
}

/// Told apart from a source that cannot be read.
fn unwritable(error: &io::Error) -> WheelError {
    WheelError::new(Fault::Unwritable, error.to_string())
}
