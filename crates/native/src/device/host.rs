//! The sections of a host library that matter to its GPU code, found in a stream.
//!
//! Section headers stand at the end of a file and their names somewhere before or behind them, up to
//! megabytes away. So the header table is kept as it passes, which the ELF header allows, and so are the
//! places where the names were seen; a section has the name that stands where its header points.

use std::ops::Range;

use super::fields::{u16_at, u32_at, u64_at};
use super::search::Magic;

/// A section header of ELF64.
const SECTION_HEADER: u64 = 64;
/// Bytes of the longest table that is kept; a linker writes some forty headers.
const MAX_TABLE: u64 = 1 << 20;
/// Places of names that are kept; a file has one of each.
const MAX_NAMES: usize = 256;

/// A 64-bit little-endian ELF file for a host machine, as far as the stream has shown it.
#[derive(Debug)]
pub(super) struct HostElf {
    table: Range<u64>,
    kept: Vec<u8>,
    names_index: usize,
    names: Vec<(u64, Magic)>,
    names_lost: bool,
}

/// The sections that matter: where they stand in the file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sections {
    /// `.hip_fatbin`: bundles.
    pub(super) fatbin: Vec<Range<u64>>,
    /// `.hipFatBinSegment`: wrappers.
    pub(super) segment: Vec<Range<u64>>,
    /// `.rocm_kpack_ref`: the code is in a kernel archive.
    pub(super) kpack: bool,
}

impl HostElf {
    /// Reads the first 64 bytes of a member of `size` bytes.
    pub(super) fn read(header: &[u8], size: u64) -> Option<Self> {
        if !header.starts_with(b"\x7fELF\x02\x01") {
            return None;
        }
        let offset = u64_at(header, 40)?;
        let width = u64::from(u16_at(header, 58)?);
        let length = u64::from(u16_at(header, 60)?) * SECTION_HEADER;
        let end = offset.checked_add(length)?;
        let is_there =
            width == SECTION_HEADER && offset >= 64 && length <= MAX_TABLE && end <= size;
        Some(Self {
            table: if is_there { offset..end } else { 0..0 },
            kept: Vec::new(),
            names_index: usize::from(u16_at(header, 62)?),
            names: Vec::new(),
            names_lost: false,
        })
    }

    /// Keeps what belongs to the section table in a chunk that starts at `base`.
    pub(super) fn feed(&mut self, chunk: &[u8], base: u64) {
        let wanted = self.table.start + self.kept.len() as u64..self.table.end;
        let ends = base.saturating_add(chunk.len() as u64);
        if wanted.is_empty() || ends <= wanted.start || wanted.end <= base {
            return;
        }
        let index = |at: u64| usize::try_from(at.saturating_sub(base)).unwrap_or(usize::MAX);
        let part = index(wanted.start)..index(wanted.end.min(ends));
        self.kept.extend(chunk.get(part).unwrap_or_default());
    }

    /// A section's name was seen.
    pub(super) fn name(&mut self, at: u64, magic: Magic) {
        if self.names.len() < MAX_NAMES {
            self.names.push((at, magic));
        } else {
            self.names_lost = true;
        }
    }

    /// Whether the names stand in more places than are kept, so that a section may have been missed.
    pub(super) fn names_lost(&self) -> bool {
        self.names_lost
    }

    /// The sections, once the whole member has been seen.
    pub(super) fn sections(&self) -> Sections {
        let width = usize::try_from(SECTION_HEADER).unwrap_or(usize::MAX);
        let headers: Vec<&[u8]> = self.kept.chunks_exact(width).collect();
        let mut found = Sections::default();
        let strings = headers.get(self.names_index);
        let Some(strings) = strings.and_then(|header| u64_at(header, 24)) else {
            return found;
        };
        for header in headers {
            let name = u32_at(header, 0).and_then(|name| strings.checked_add(u64::from(name)));
            let (Some(name), Some(kind)) = (name, u32_at(header, 4)) else {
                continue;
            };
            let (Some(offset), Some(length)) = (u64_at(header, 24), u64_at(header, 32)) else {
                continue;
            };
            // Type 8 (NOBITS): stripped into a file of debug information, with nothing in this one.
            let length = if kind == 8 { 0 } else { length };
            let range = offset..offset.saturating_add(length);
            match self.names.iter().find(|(at, _)| *at == name) {
                Some((_, Magic::FatbinName)) => found.fatbin.push(range),
                Some((_, Magic::SegmentName)) => found.segment.push(range),
                Some((_, Magic::KpackName)) => found.kpack = true,
                _ => {}
            }
        }
        found
    }
}

#[cfg(test)]
#[expect(clippy::cast_possible_truncation, reason = "fixtures are small")]
#[expect(
    clippy::single_range_in_vec_init,
    reason = "a list of one range is meant"
)]
pub(super) mod tests {
    use super::*;

    /// A host library of these sections, names before the headers and both at the end.
    pub(in super::super) fn library(sections: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let mut elf = b"\x7fELF\x02\x01\x01\0".to_vec();
        elf.resize(16, 0);
        elf.extend([3, 0, 62, 0, 1, 0, 0, 0]);
        elf.resize(64, 0);
        let (mut names, mut headers) = (vec![0], vec![0; 64]);
        let mut header = |name: usize, offset: usize, length: usize| {
            let mut header = vec![0; 64];
            header[..4].copy_from_slice(&(name as u32).to_le_bytes());
            header[4] = 1;
            header[24..32].copy_from_slice(&(offset as u64).to_le_bytes());
            header[32..40].copy_from_slice(&(length as u64).to_le_bytes());
            headers.extend(header);
        };
        for (name, bytes) in sections {
            elf.resize(elf.len().next_multiple_of(4096), 0);
            header(names.len(), elf.len(), bytes.len());
            names.extend(name.as_bytes());
            names.push(0);
            elf.extend(bytes);
        }
        header(names.len(), elf.len(), names.len() + 10);
        names.extend(b".shstrtab\0");
        elf.extend(names);
        elf.resize(elf.len().next_multiple_of(8), 0);
        let table = elf.len() as u64;
        elf[40..48].copy_from_slice(&table.to_le_bytes());
        elf[58] = 64;
        elf[60] = sections.len() as u8 + 2;
        elf[62] = sections.len() as u8 + 1;
        elf.extend(headers);
        elf
    }

    fn scan(elf: &[u8], chunk: usize) -> Sections {
        let mut host = HostElf::read(&elf[..64], elf.len() as u64).unwrap();
        for (index, part) in elf.chunks(chunk).enumerate() {
            host.feed(part, (index * chunk) as u64);
        }
        let mut at = 0;
        while let Some((next, magic)) = super::super::search::find(&elf[at..]) {
            host.name((at + next) as u64, magic);
            at += next + 1;
        }
        host.sections()
    }

    #[test]
    fn sections_are_named_by_what_stands_where_their_header_points() {
        let elf = library(&[
            (".hip_fatbin", vec![1; 5000]),
            (".data", vec![2; 10]),
            (".hipFatBinSegment", vec![3; 48]),
            (".rocm_kpack_ref", vec![4; 20]),
        ]);
        let expected = Sections {
            fatbin: vec![4096..9096],
            segment: vec![16384..16432],
            kpack: true,
        };
        for chunk in [1, 7, 64, 4096, elf.len()] {
            assert_eq!(scan(&elf, chunk), expected, "chunks of {chunk}");
        }
        let plain = library(&[(".data", b".hip_fatbin\0.rocm_kpack_ref\0".to_vec())]);
        assert_eq!(scan(&plain, 100), Sections::default());
    }

    #[test]
    fn an_absurd_section_table_is_left_alone() {
        let good = library(&[(".hip_fatbin", vec![1; 5000])]);
        for (at, bytes) in [
            (40, &[0xff; 8][..]),
            (58, &[40]),
            (60, &[0xff, 0xff]),
            (62, &[9]),
        ] {
            let mut elf = good.clone();
            elf[at..at + bytes.len()].copy_from_slice(bytes);
            if let Some(host) = HostElf::read(&elf[..64], elf.len() as u64) {
                assert_eq!(host.sections(), Sections::default(), "byte {at}");
                assert_eq!(scan(&elf, 1000), Sections::default(), "byte {at}");
            }
        }
        assert!(HostElf::read(b"\x7fELF\x01\x01", 6).is_none());
    }
}
