//! Local headers: each one checked against the directory, and that nothing lies between them.

use super::bytes::Fields;
use super::central::{FLAG_DESCRIPTOR, FLAG_UTF8, Member};
use super::extra::Extra;
use super::fault::{Fault, WheelError};
use super::source::Source;

pub(super) const SIGNATURE: &[u8; 4] = b"PK\x03\x04";
const DESCRIPTOR: &[u8; 4] = b"PK\x07\x08";
/// Bytes of a local header before name and extra field.
pub(super) const HEAD: usize = 30;

/// Walks the members in the order of the file, from the first byte to `directory_at`, and fills in
/// where their data is.
pub(super) fn walk(
    file: &Source,
    members: &mut [Member],
    directory_at: u64,
) -> Result<(), WheelError> {
    let mut order: Vec<usize> = (0..members.len()).collect();
    order.sort_by_key(|index| members[*index].header_at);
    let mut buffer = Vec::new();
    let mut expected = 0;
    for (position, index) in order.iter().enumerate() {
        let member = &mut members[*index];
        if member.header_at != expected {
            return Err(misplaced(file, member, expected));
        }
        read_header(file, member, directory_at, &mut buffer)?;
        let next = order
            .get(position + 1)
            .map_or(directory_at, |next| members[*next].header_at);
        let member = &mut members[*index];
        if member.flags & FLAG_DESCRIPTOR != 0 {
            read_descriptor(file, member, next)?;
        }
        expected = member.end;
    }
    if expected != directory_at {
        return Err(gap(file, expected, directory_at));
    }
    Ok(())
}

fn misplaced(file: &Source, member: &Member, expected: u64) -> WheelError {
    if member.header_at < expected {
        return WheelError::member(
            Fault::Overlap,
            &member.name,
            "shares bytes with another member",
        );
    }
    if expected == 0 {
        return WheelError::new(
            Fault::LeadingBytes,
            format!("{} bytes stand before the first member", member.header_at),
        );
    }
    gap(file, expected, member.header_at)
}

/// Bytes that no member owns. A reader that streams, as uv does over the network, sees them.
fn gap(file: &Source, from: u64, to: u64) -> WheelError {
    let mut signature = [0; 4];
    let hidden = file.read_exact_at(&mut signature, from).is_ok() && &signature == SIGNATURE;
    if to < from {
        WheelError::new(Fault::Overlap, "the last member reaches into the directory")
    } else if hidden {
        WheelError::new(
            Fault::StrayMember,
            format!("a member at byte {from} is not in the central directory"),
        )
    } else {
        WheelError::new(
            Fault::StrayBytes,
            format!("{} bytes at byte {from} belong to no member", to - from),
        )
    }
}

/// Compares the local header with the directory's entry.
fn read_header(
    file: &Source,
    member: &mut Member,
    directory_at: u64,
    buffer: &mut Vec<u8>,
) -> Result<(), WheelError> {
    let name = member.name.clone();
    let refuse = |fault, cause: &str| Err(WheelError::member(fault, &name, cause));
    // Name and extra fields are nearly always within this.
    let first = (HEAD + name.len() + 64) as u64;
    let available = directory_at.saturating_sub(member.header_at);
    buffer.resize(usize::try_from(first.min(available)).unwrap_or(0), 0);
    file.read_exact_at(buffer, member.header_at)?;
    let Some(head) = Head::parse(buffer) else {
        return refuse(
            Fault::LocalMismatch,
            "has no local header where the directory says",
        );
    };
    let length = HEAD + usize::from(head.name) + usize::from(head.extra);
    member.data_at = member.header_at + length as u64;
    member.end = match member.data_at.checked_add(member.compressed) {
        Some(end) if end <= directory_at => end,
        _ => return refuse(Fault::Overlap, "reaches into the central directory"),
    };
    buffer.resize(length, 0);
    file.read_exact_at(buffer, member.header_at)?;
    let (local_name, extra) = buffer[HEAD..].split_at(usize::from(head.name));
    if local_name != name.as_bytes() {
        return refuse(Fault::LocalMismatch, "has another name in its local header");
    }
    let method = if member.stored { 0 } else { 8 };
    let compared = 1 | FLAG_DESCRIPTOR | FLAG_UTF8;
    if head.method != method || (head.flags ^ member.flags) & compared != 0 {
        return refuse(
            Fault::LocalMismatch,
            "has another method or flags in its local header",
        );
    }
    let extra =
        Extra::parse(extra).map_err(|(fault, cause)| WheelError::member(fault, &name, cause))?;
    if !head.sizes_agree(member, extra.zip64) {
        return refuse(Fault::LocalMismatch, "has other sizes in its local header");
    }
    member.plain = member.flags & FLAG_DESCRIPTOR == 0 && extra.zip64.is_none();
    Ok(())
}

/// The fixed part of a local header (APPNOTE 4.3.7).
struct Head {
    flags: u16,
    method: u16,
    crc: u32,
    compressed: u32,
    size: u32,
    name: u16,
    extra: u16,
}

impl Head {
    fn parse(buffer: &[u8]) -> Option<Self> {
        let mut fields = Fields(buffer.strip_prefix(SIGNATURE)?);
        fields.u16()?;
        let (flags, method) = (fields.u16()?, fields.u16()?);
        fields.u32()?;
        Some(Self {
            flags,
            method,
            crc: fields.u32()?,
            compressed: fields.u32()?,
            size: fields.u32()?,
            name: fields.u16()?,
            extra: fields.u16()?,
        })
    }

    /// A member with a descriptor may leave all three at zero. A ZIP64 field beside real sizes is
    /// wrong and not looked at: torch wheels of 5.8 GB were published with it, and it is mended
    /// when the header is written anew.
    fn sizes_agree(&self, member: &Member, zip64: Option<&[u8]>) -> bool {
        let mut wide = Fields(zip64.unwrap_or_default());
        let mut widen = |narrow: u32| match narrow {
            u32::MAX => wide.u64(),
            narrow => Some(u64::from(narrow)),
        };
        let size = widen(self.size);
        let compressed = widen(self.compressed);
        if member.flags & FLAG_DESCRIPTOR != 0 {
            return (self.crc == 0 || self.crc == member.crc)
                && size.is_some_and(|size| size == 0 || size == member.size)
                && compressed.is_some_and(|size| size == 0 || size == member.compressed);
        }
        self.crc == member.crc && size == Some(member.size) && compressed == Some(member.compressed)
    }
}

/// The descriptor behind the data: with or without signature, sizes of 4 or 8 bytes (4.3.9).
fn read_descriptor(file: &Source, member: &mut Member, next: u64) -> Result<(), WheelError> {
    let wrong = || {
        WheelError::member(
            Fault::Descriptor,
            &member.name,
            "has a data descriptor that does not agree with the directory",
        )
    };
    let length = next
        .checked_sub(member.end)
        .filter(|length| matches!(length, 12 | 16 | 20 | 24))
        .ok_or_else(wrong)?;
    let mut buffer = [0; 24];
    let buffer = &mut buffer[..usize::try_from(length).unwrap_or(0)];
    file.read_exact_at(buffer, member.end)?;
    let signed = matches!(length, 16 | 24);
    let mut fields = match (signed, buffer.strip_prefix(DESCRIPTOR)) {
        (true, Some(rest)) => Fields(rest),
        (false, _) => Fields(buffer),
        (true, None) => return Err(wrong()),
    };
    let crc = fields.u32();
    let (compressed, size) = if length < 20 {
        (fields.u32().map(u64::from), fields.u32().map(u64::from))
    } else {
        (fields.u64(), fields.u64())
    };
    if (crc, compressed, size) != (Some(member.crc), Some(member.compressed), Some(member.size)) {
        return Err(wrong());
    }
    member.end = next;
    Ok(())
}
