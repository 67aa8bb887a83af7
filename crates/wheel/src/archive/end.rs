//! The end of a zip: where its central directory is, and that nothing else is there.
//!
//! Section numbers are those of APPNOTE 6.3.10.

use super::bytes::Fields;
use super::fault::{Fault, WheelError};
use super::source::Source;

const END: &[u8; 4] = b"PK\x05\x06";
const END_SIZE: u64 = 22;
const LOCATOR: &[u8; 4] = b"PK\x06\x07";
const LOCATOR_SIZE: u64 = 20;
const END64: &[u8; 4] = b"PK\x06\x06";
const END64_SIZE: u64 = 56;

/// Where the central directory is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct End {
    /// Offset of the first directory entry.
    pub(super) start: u64,
    /// Bytes of all entries.
    pub(super) size: u64,
    /// How many entries there are.
    pub(super) entries: u64,
    /// The archive's comment.
    pub(super) comment: Vec<u8>,
}

impl End {
    /// Finds the end record (4.3.16), the ZIP64 one before it (4.3.14) where there is one, and checks
    /// that directory and end records lie one behind the other up to the last byte.
    pub(super) fn read(file: &Source, size: u64) -> Result<Self, WheelError> {
        let (at, record) = find(file, size)?;
        let (start, length, entries, comment) = parse(&record)?;
        let mut end = Self {
            start: u64::from(start),
            size: u64::from(length),
            entries: u64::from(entries),
            comment,
        };
        let mut records_from = at;
        if let Some((from, wide)) = zip64(file, at)? {
            for (narrow, limit, wide, what) in [
                (end.entries, u64::from(u16::MAX), wide.entries, "members"),
                (
                    end.size,
                    u64::from(u32::MAX),
                    wide.size,
                    "bytes of directory",
                ),
                (
                    end.start,
                    u64::from(u32::MAX),
                    wide.start,
                    "as the directory's offset",
                ),
            ] {
                if narrow != limit && narrow != wide {
                    return Err(WheelError::new(
                        Fault::EndMismatch,
                        format!("the end record says {narrow} {what}, the ZIP64 one {wide}"),
                    ));
                }
            }
            records_from = from;
            end = Self {
                comment: end.comment,
                ..wide
            };
        }
        end.check_place(file, records_from)?;
        Ok(end)
    }

    /// The directory must end where the end records begin.
    fn check_place(&self, file: &Source, records_from: u64) -> Result<(), WheelError> {
        if self.start.checked_add(self.size) == Some(records_from) {
            return Ok(());
        }
        // A stub in front of the zip moves everything, and only the offsets do not know.
        if let Some(moved) = records_from
            .checked_sub(self.size)
            .filter(|at| *at > self.start)
        {
            let mut signature = [0; 4];
            file.read_exact_at(&mut signature, moved)?;
            if self.entries == 0 || &signature == super::central::SIGNATURE {
                return Err(WheelError::new(
                    Fault::LeadingBytes,
                    format!("{} bytes stand before the zip", moved - self.start),
                ));
            }
        }
        Err(WheelError::new(
            Fault::EndMismatch,
            "the central directory is not where the end record says",
        ))
    }
}

/// Offset and bytes of the end record. Only its comment may follow it.
fn find(file: &Source, size: u64) -> Result<(u64, Vec<u8>), WheelError> {
    let tail_size = size.min(END_SIZE + u64::from(u16::MAX));
    let mut tail = vec![0; usize::try_from(tail_size).unwrap_or(0)];
    let tail_at = size - tail_size;
    file.read_exact_at(&mut tail, tail_at)?;
    let signatures: Vec<usize> = (0..tail.len().saturating_sub(21))
        .filter(|at| tail[*at..].starts_with(END))
        .collect();
    let end_of =
        |at: usize| at + 22 + usize::from(u16::from_le_bytes([tail[at + 20], tail[at + 21]]));
    let whole: Vec<usize> = signatures
        .iter()
        .copied()
        .filter(|at| end_of(*at) == tail.len())
        .collect();
    match (whole.as_slice(), signatures.last()) {
        ([at], Some(last)) if at == last && !tail[at + 22..].windows(4).any(|part| part == END) => {
            Ok((tail_at + *at as u64, tail[*at..].to_vec()))
        }
        ([_, ..], _) => Err(WheelError::new(
            Fault::AmbiguousEnd,
            "the archive comment contains an end record, so that readers disagree where the zip ends",
        )),
        ([], Some(last)) if end_of(*last) < tail.len() => Err(WheelError::new(
            Fault::TrailingBytes,
            format!(
                "{} bytes follow the end of the zip",
                tail.len() - end_of(*last)
            ),
        )),
        ([], _) => Err(no_end(file, size)),
    }
}

/// What the file is instead of a whole zip.
fn no_end(file: &Source, size: u64) -> WheelError {
    let mut head = [0; 64];
    let length = usize::try_from(size.min(64)).unwrap_or(64);
    let head = match file.read_exact_at(&mut head[..length], 0) {
        Ok(()) => &head[..length],
        Err(error) => return error.into(),
    };
    if head.is_empty() {
        return WheelError::new(Fault::NotAZip, "the file is empty; fetch or build it again");
    }
    if head.starts_with(super::local::SIGNATURE) {
        return WheelError::new(
            Fault::Truncated,
            "the end of the zip is missing; fetch or build it again",
        );
    }
    if head.trim_ascii_start().starts_with(b"<") {
        return WheelError::new(
            Fault::NotAZip,
            "this is a web page and not a wheel; the download went wrong",
        );
    }
    WheelError::new(Fault::NotAZip, "this is not a zip file")
}

fn parse(record: &[u8]) -> Result<(u32, u32, u16, Vec<u8>), WheelError> {
    let read = || {
        let mut fields = Fields(record.get(4..)?);
        let disks = [fields.u16()?, fields.u16()?];
        let (here, entries) = (fields.u16()?, fields.u16()?);
        let (size, start) = (fields.u32()?, fields.u32()?);
        fields.u16()?;
        Some((disks, here, entries, size, start, fields.0.to_vec()))
    };
    let (disks, here, entries, size, start, comment) = read().ok_or_else(truncated)?;
    if disks != [0, 0] || here != entries {
        return Err(WheelError::new(
            Fault::MultiDisk,
            "the zip has several volumes",
        ));
    }
    Ok((start, size, entries, comment))
}

/// The ZIP64 end record, when a locator stands before the end record, and where it starts.
fn zip64(file: &Source, end_at: u64) -> Result<Option<(u64, End)>, WheelError> {
    let Some(locator_at) = end_at.checked_sub(LOCATOR_SIZE) else {
        return Ok(None);
    };
    let mut locator = [0; 20];
    file.read_exact_at(&mut locator, locator_at)?;
    if !locator.starts_with(LOCATOR) {
        return Ok(None);
    }
    let mut fields = Fields(&locator[4..]);
    let mut read = || Some((fields.u32()?, fields.u64()?, fields.u32()?));
    let (disk, at, disks) = read().ok_or_else(truncated)?;
    if disk != 0 || disks > 1 {
        return Err(WheelError::new(
            Fault::MultiDisk,
            "the zip has several volumes",
        ));
    }
    let mut record = [0; 56];
    let expected_at = locator_at.checked_sub(END64_SIZE);
    let found = file.read_exact_at(&mut record, at).is_ok() && record.starts_with(END64);
    if !found {
        // With a stub in front the record is further back than its locator says.
        if let Some(moved) = expected_at.filter(|moved| *moved > at) {
            file.read_exact_at(&mut record, moved)?;
            if record.starts_with(END64) {
                return Err(WheelError::new(
                    Fault::LeadingBytes,
                    format!("{} bytes stand before the zip", moved - at),
                ));
            }
        }
        return Err(WheelError::new(
            Fault::EndMismatch,
            "the ZIP64 end record is not where its locator says",
        ));
    }
    let mut fields = Fields(&record[4..]);
    let mut read = || {
        let size = fields.u64()?;
        fields.take(4)?;
        let disks = [fields.u32()?, fields.u32()?];
        let (here, entries) = (fields.u64()?, fields.u64()?);
        let (length, start) = (fields.u64()?, fields.u64()?);
        Some((size, disks, here, entries, length, start))
    };
    let (size, disks, here, entries, length, start) = read().ok_or_else(truncated)?;
    if disks != [0, 0] || here != entries {
        return Err(WheelError::new(
            Fault::MultiDisk,
            "the zip has several volumes",
        ));
    }
    if size != END64_SIZE - 12 || expected_at != Some(at) {
        return Err(WheelError::new(
            Fault::ExtensibleData,
            "the ZIP64 end record has data behind it that nobody reads",
        ));
    }
    let end = End {
        start,
        size: length,
        entries,
        comment: Vec::new(),
    };
    Ok(Some((at, end)))
}

fn truncated() -> WheelError {
    WheelError::new(Fault::Truncated, "the end record is cut short")
}
