//! Local headers, directory entries and end records, written afresh.

use super::central::{FLAG_DESCRIPTOR, FLAG_UTF8, Member};
use super::extra::ZIP64;

/// Zip version that a reader needs for deflate and directories, and for ZIP64 (APPNOTE 4.4.3).
pub(super) const NEEDS_DEFLATE: u16 = 20;
const NEEDS_ZIP64: u16 = 45;
/// A value that does not fit stands in the ZIP64 field instead.
const WIDE: u32 = u32::MAX;

impl Member {
    /// A member with this content and the time, mode and origin of the old one; a text of
    /// `.dist-info` is no program, whatever its old mode says.
    pub(super) fn with_content(&self, size: u64, compressed: u64, crc: u32) -> Self {
        Self {
            size,
            compressed,
            crc,
            flags: self.flags & FLAG_UTF8,
            external: self.external & !(0o111 << 16),
            extra: Box::default(),
            ..self.clone()
        }
    }

    fn needed(&self, wide: bool) -> u16 {
        match (wide, self.needed & 0xFF) {
            (true, _) => NEEDS_ZIP64,
            // It asked for ZIP64 that is no longer there.
            (false, NEEDS_ZIP64) => NEEDS_DEFLATE,
            (false, needed) => needed,
        }
    }

    fn flags_for(&self, name: &str) -> u16 {
        let flags = self.flags & !FLAG_DESCRIPTOR;
        if name.is_ascii() {
            flags
        } else {
            flags | FLAG_UTF8
        }
    }
}

/// A local header with real sizes; `others` are extra fields to keep.
pub(super) fn local(member: &Member, name: &str, others: &[u8]) -> Vec<u8> {
    let wide = member.size >= u64::from(WIDE) || member.compressed >= u64::from(WIDE);
    let mut extra = Vec::new();
    if wide {
        // In a local header both sizes must be there (4.5.3).
        field(&mut extra, &[member.size, member.compressed]);
    }
    extra.extend_from_slice(others);
    let mut head = Vec::with_capacity(30 + name.len() + extra.len());
    head.extend_from_slice(super::local::SIGNATURE);
    put16(&mut head, member.needed(wide));
    common(&mut head, member, name);
    let narrow = |value: u64| if wide { WIDE } else { narrow(value) };
    put32(&mut head, narrow(member.compressed));
    put32(&mut head, narrow(member.size));
    put16(&mut head, length16(name.len()));
    put16(&mut head, length16(extra.len()));
    head.extend_from_slice(name.as_bytes());
    head.extend_from_slice(&extra);
    head
}

/// A directory entry for a member whose local header is at `at`.
pub(super) fn central(member: &Member, name: &str, at: u64) -> Vec<u8> {
    let wide: Vec<u64> = [member.size, member.compressed, at]
        .into_iter()
        .filter(|value| *value >= u64::from(WIDE))
        .collect();
    let mut extra = Vec::new();
    if !wide.is_empty() {
        field(&mut extra, &wide);
    }
    extra.extend_from_slice(&member.extra);
    let mut entry = Vec::with_capacity(46 + name.len() + extra.len());
    entry.extend_from_slice(super::central::SIGNATURE);
    put16(&mut entry, member.made_by);
    put16(&mut entry, member.needed(!wide.is_empty()));
    common(&mut entry, member, name);
    put32(&mut entry, narrow(member.compressed));
    put32(&mut entry, narrow(member.size));
    put16(&mut entry, length16(name.len()));
    put16(&mut entry, length16(extra.len()));
    put16(&mut entry, 0); // comment
    put16(&mut entry, 0); // volume
    put16(&mut entry, member.internal);
    put32(&mut entry, member.external);
    put32(&mut entry, narrow(at));
    entry.extend_from_slice(name.as_bytes());
    entry.extend_from_slice(&extra);
    entry
}

/// The end record with the comment; the ZIP64 records before it where a number does not fit.
pub(super) fn end(entries: u64, start: u64, size: u64, comment: &[u8]) -> Vec<u8> {
    let mut end = Vec::new();
    let many = entries >= u64::from(u16::MAX);
    if many || start >= u64::from(WIDE) || size >= u64::from(WIDE) {
        end.extend_from_slice(b"PK\x06\x06");
        put64(&mut end, 44);
        put16(&mut end, 3 << 8 | NEEDS_ZIP64); // made on Unix
        put16(&mut end, NEEDS_ZIP64);
        put32(&mut end, 0);
        put32(&mut end, 0);
        for value in [entries, entries, size, start] {
            put64(&mut end, value);
        }
        end.extend_from_slice(b"PK\x06\x07");
        put32(&mut end, 0);
        put64(&mut end, start + size);
        put32(&mut end, 1);
    }
    end.extend_from_slice(b"PK\x05\x06");
    put32(&mut end, 0); // volumes
    let count = u16::try_from(entries).unwrap_or(u16::MAX);
    put16(&mut end, count);
    put16(&mut end, count);
    put32(&mut end, narrow(size));
    put32(&mut end, narrow(start));
    put16(&mut end, length16(comment.len()));
    end.extend_from_slice(comment);
    end
}

/// What local header and directory entry share: flags, method, time, date, CRC.
fn common(head: &mut Vec<u8>, member: &Member, name: &str) {
    put16(head, member.flags_for(name));
    put16(head, if member.stored { 0 } else { 8 });
    put32(head, member.time_and_date);
    put32(head, member.crc);
}

fn field(extra: &mut Vec<u8>, values: &[u64]) {
    put16(extra, ZIP64);
    put16(extra, length16(values.len() * 8));
    for value in values {
        put64(extra, *value);
    }
}

fn narrow(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(WIDE)
}

/// Names, extra fields and comments were read from 16-bit lengths, and a name grows by a mark only;
/// the rewriter refuses one that would not fit.
fn length16(length: usize) -> u16 {
    u16::try_from(length).unwrap_or(u16::MAX)
}

fn put16(out: &mut Vec<u8>, value: u16) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn put32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn put64(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    fn member(size: u64, compressed: u64) -> Member {
        Member {
            name: "a".into(),
            header_at: 0,
            data_at: 0,
            end: 0,
            compressed,
            size,
            crc: 0x0403_0201,
            time_and_date: 0x5D7E_6000,
            external: 0o100_644 << 16,
            made_by: 0x0314,
            needed: 20,
            flags: 0,
            internal: 0,
            stored: false,
            plain: true,
            extra: Box::default(),
        }
    }

    fn field_of(record: &[u8], at: usize) -> Vec<u64> {
        let field = &record[at..];
        assert_eq!(&field[..2], &ZIP64.to_le_bytes());
        assert_eq!(
            usize::from(u16::from_le_bytes([field[2], field[3]])),
            field.len() - 4
        );
        field[4..]
            .chunks(8)
            .map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap()))
            .collect()
    }

    #[test]
    fn a_local_header_has_both_sizes_wide_or_neither() {
        let narrow = local(&member(7, 5), "a", &[]);
        assert_eq!(narrow.len(), 31);
        assert_eq!(narrow[4], 20);
        assert_eq!(&narrow[18..26], &[5, 0, 0, 0, 7, 0, 0, 0]);
        for (size, compressed) in [(5 * GIB, 9), (5 * GIB, 4 * GIB), (u64::from(WIDE), 9)] {
            let wide = local(&member(size, compressed), "a", &[]);
            assert_eq!(wide[4], 45);
            assert_eq!(&wide[18..26], &[0xFF; 8]);
            assert_eq!(field_of(&wide, 31), [size, compressed]);
        }
    }

    #[test]
    fn a_directory_entry_has_wide_what_does_not_fit() {
        for (size, compressed, at, expected) in [
            (7, 5, 9, vec![]),
            (7, 5, 5 * GIB, vec![5 * GIB]),
            (5 * GIB, 5, 9, vec![5 * GIB]),
            (6 * GIB, 5 * GIB, 7 * GIB, vec![6 * GIB, 5 * GIB, 7 * GIB]),
        ] {
            let entry = central(&member(size, compressed), "a", at);
            if expected.is_empty() {
                assert_eq!(entry.len(), 47);
            } else {
                assert_eq!(field_of(&entry, 47), expected);
                assert_eq!(entry[6], 45);
            }
        }
    }

    #[test]
    fn the_end_is_wide_for_many_members_and_far_directories() {
        assert_eq!(end(3, 100, 50, b"note").len(), 22 + 4);
        for (entries, start, size) in [(65_535, 100, 50), (3, 5 * GIB, 50), (3, 100, 5 * GIB)] {
            let records = end(entries, start, size, b"");
            assert_eq!(records.len(), 56 + 20 + 22);
            assert_eq!(&records[56 + 8..56 + 16], &(start + size).to_le_bytes());
        }
    }

    #[test]
    fn a_zip64_version_goes_with_its_field() {
        let old = Member {
            needed: NEEDS_ZIP64,
            ..member(7, 5)
        };
        assert_eq!(local(&old, "a", &[])[4], 20);
        assert_eq!(central(&old, "a", 0)[6], 20);
    }
}
