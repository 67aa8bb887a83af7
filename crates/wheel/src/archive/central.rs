//! The central directory: every member of the archive.

use std::io::{BufReader, Read};

use super::bytes::Fields;
use super::end::End;
use super::extra::Extra;
use super::fault::{Fault, WheelError};
use super::name::check_name;
use super::section::Section;
use super::source::Source;

pub(super) const SIGNATURE: &[u8; 4] = b"PK\x01\x02";

/// How much of the directory is read at once; a reader fills all of its buffer with zeros first.
const BLOCK: usize = 64 * 1024;
/// More members than this no wheel has; the largest public ones have 14,000.
const MAX_MEMBERS: u64 = 1 << 18;
/// Bytes of a directory of that many members with long names.
const MAX_DIRECTORY: u64 = 64 << 20;
/// What one byte of deflate can at most become (RFC 1951: 258 bytes from two bits).
const MAX_RATIO: u64 = 1032;
/// What a whole archive may at most become per byte of file, beyond [`FREE_CONTENT`].
const MAX_ARCHIVE_RATIO: u64 = 200;
const FREE_CONTENT: u64 = 256 << 20;

/// Bits of the general purpose flag (APPNOTE 4.4.4).
const FLAG_ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;
const FLAG_PATCH: u16 = 1 << 5;
pub(super) const FLAG_DESCRIPTOR: u16 = 1 << 3;
pub(super) const FLAG_UTF8: u16 = 1 << 11;

/// One member of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub(super) name: Box<str>,
    pub(super) header_at: u64,
    pub(super) data_at: u64,
    /// Behind the data and the descriptor, where there is one.
    pub(super) end: u64,
    pub(super) compressed: u64,
    pub(super) size: u64,
    pub(super) crc: u32,
    pub(super) time_and_date: u32,
    pub(super) external: u32,
    pub(super) made_by: u16,
    pub(super) needed: u16,
    pub(super) flags: u16,
    pub(super) internal: u16,
    pub(super) stored: bool,
    /// The local header can be copied as it is.
    pub(super) plain: bool,
    pub(super) extra: Box<[u8]>,
}

impl Member {
    /// The name: a relative path with `/`, one at the end for a directory.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bytes of the content.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Bytes of the content as it is stored.
    #[must_use]
    pub fn compressed_size(&self) -> u64 {
        self.compressed
    }

    /// CRC-32 of the content.
    #[must_use]
    pub fn crc(&self) -> u32 {
        self.crc
    }

    /// Unix mode with the type bits; 0 where the archive was made without.
    #[must_use]
    pub fn mode(&self) -> u32 {
        self.external >> 16
    }

    /// Whether this is the entry of a directory.
    #[must_use]
    pub fn is_dir(&self) -> bool {
        self.name.ends_with('/')
    }

    /// Whether the content is stored and not compressed.
    #[must_use]
    pub fn is_stored(&self) -> bool {
        self.stored
    }
}

/// Reads all entries. Names, methods, types and sizes are checked here, one by one.
pub(super) fn read(file: &Source, end: &End, file_size: u64) -> Result<Vec<Member>, WheelError> {
    if end.entries > MAX_MEMBERS || end.size > MAX_DIRECTORY {
        return Err(WheelError::new(
            Fault::TooManyMembers,
            format!(
                "{} members in a directory of {} bytes; at most {MAX_MEMBERS} are read",
                end.entries, end.size
            ),
        ));
    }
    let section = Section::new(file, end.start, end.size);
    let mut reader = BufReader::with_capacity(
        BLOCK.min(usize::try_from(end.size).unwrap_or(BLOCK)),
        section,
    );
    let mut members = Vec::with_capacity(usize::try_from(end.entries.min(16_384)).unwrap_or(0));
    let mut left = end.size;
    let mut content = 0_u64;
    for _ in 0..end.entries {
        let member = entry(&mut reader, &mut left)?;
        content = content.saturating_add(member.size);
        members.push(member);
    }
    if left != 0 {
        return Err(WheelError::new(
            Fault::EndMismatch,
            "the central directory has more entries than the end record says",
        ));
    }
    if content > FREE_CONTENT && content / MAX_ARCHIVE_RATIO > file_size {
        return Err(WheelError::new(
            Fault::Bomb,
            format!("{content} bytes of content in a file of {file_size}"),
        ));
    }
    Ok(members)
}

fn entry(reader: &mut impl Read, left: &mut u64) -> Result<Member, WheelError> {
    let short = || WheelError::new(Fault::EndMismatch, "the central directory is cut short");
    let mut head = [0; 46];
    *left = left.checked_sub(46).ok_or_else(short)?;
    reader.read_exact(&mut head)?;
    if !head.starts_with(SIGNATURE) {
        return Err(WheelError::new(
            Fault::EndMismatch,
            "the central directory has an entry that is none",
        ));
    }
    let (raw, lengths) = Raw::parse(&head).ok_or_else(short)?;
    let total: usize = lengths.iter().map(|length| usize::from(*length)).sum();
    *left = left.checked_sub(total as u64).ok_or_else(short)?;
    let mut tail = vec![0; total];
    reader.read_exact(&mut tail)?;
    let (name, rest) = tail.split_at(usize::from(lengths[0]));
    let (extra, comment) = rest.split_at(usize::from(lengths[1]));
    let name = check_name(name, raw.flags & FLAG_UTF8 != 0)?;
    if !comment.is_empty() {
        return Err(WheelError::member(
            Fault::MemberComment,
            &name,
            "carries a comment",
        ));
    }
    raw.member(&name, extra)
}

/// The fixed part of an entry (4.3.12).
struct Raw {
    made_by: u16,
    needed: u16,
    flags: u16,
    method: u16,
    time_and_date: u32,
    crc: u32,
    compressed: u32,
    size: u32,
    disk: u16,
    internal: u16,
    external: u32,
    header_at: u32,
}

impl Raw {
    fn parse(head: &[u8; 46]) -> Option<(Self, [u16; 3])> {
        let mut fields = Fields(&head[4..]);
        let (made_by, needed) = (fields.u16()?, fields.u16()?);
        let (flags, method) = (fields.u16()?, fields.u16()?);
        let time_and_date = fields.u32()?;
        let (crc, compressed, size) = (fields.u32()?, fields.u32()?, fields.u32()?);
        let lengths = [fields.u16()?, fields.u16()?, fields.u16()?];
        let raw = Self {
            made_by,
            needed,
            flags,
            method,
            time_and_date,
            crc,
            compressed,
            size,
            disk: fields.u16()?,
            internal: fields.u16()?,
            external: fields.u32()?,
            header_at: fields.u32()?,
        };
        Some((raw, lengths))
    }

    fn member(&self, name: &str, extra: &[u8]) -> Result<Member, WheelError> {
        let refuse = |fault, cause: &str| Err(WheelError::member(fault, name, cause));
        if self.flags & FLAG_ENCRYPTED != 0 {
            return refuse(Fault::Encrypted, "is encrypted");
        }
        if self.flags & FLAG_PATCH != 0 || !matches!(self.method, 0 | 8) {
            return refuse(Fault::Method, "is neither stored nor deflated");
        }
        let extra =
            Extra::parse(extra).map_err(|(fault, cause)| WheelError::member(fault, name, cause))?;
        let mut wide = Fields(extra.zip64.unwrap_or_default());
        let mut widen = |narrow: u32| match narrow {
            u32::MAX => wide.u64(),
            narrow => Some(u64::from(narrow)),
        };
        // The order in the ZIP64 field: size, compressed size, offset, disk (4.5.3).
        let sizes = (|| {
            Some((
                widen(self.size)?,
                widen(self.compressed)?,
                widen(self.header_at)?,
            ))
        })();
        let Some((size, compressed, header_at)) = sizes else {
            return refuse(Fault::ExtraField, "has a ZIP64 field without its sizes");
        };
        if !matches!(self.disk, 0 | u16::MAX) {
            return refuse(Fault::MultiDisk, "is on another volume");
        }
        let stored = self.method == 0;
        if stored && size != compressed {
            return refuse(Fault::LocalMismatch, "is stored and has two sizes");
        }
        if size
            > compressed
                .saturating_mul(MAX_RATIO)
                .saturating_add(MAX_RATIO)
        {
            return refuse(Fault::Bomb, "claims more content than its data can hold");
        }
        let member = Member {
            name: name.into(),
            header_at,
            data_at: 0,
            end: 0,
            compressed,
            size,
            crc: self.crc,
            time_and_date: self.time_and_date,
            external: self.external,
            made_by: self.made_by,
            needed: self.needed,
            flags: self.flags,
            internal: self.internal,
            stored,
            plain: false,
            extra: extra.others.into_boxed_slice(),
        };
        check_type(&member)?;
        Ok(member)
    }
}

/// Only files and directories: installers write anything else as a file with strange content.
fn check_type(member: &Member) -> Result<(), WheelError> {
    const TYPE: u32 = 0o170_000;
    let refuse = |fault, cause: &str| Err(WheelError::member(fault, &member.name, cause));
    match (member.mode() & TYPE, member.is_dir()) {
        (0o120_000, _) => refuse(
            Fault::Symlink,
            "is a symbolic link; pip and uv would write its target's name as a file",
        ),
        (0o040_000, false) => refuse(Fault::SpecialFile, "is a directory without `/` at the end"),
        (0 | 0o100_000 | 0o040_000, true) if member.size > 0 => {
            refuse(Fault::DirectoryWithContent, "is a directory with content")
        }
        (0 | 0o100_000, _) | (0o040_000, true) => Ok(()),
        _ => refuse(Fault::SpecialFile, "is neither a file nor a directory"),
    }
}
