//! An ELF file's headers, and the bytes that they point at.

use std::ops::Range;

use object::Endianness;
use object::elf;
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};

use super::captured::Captured;
use super::error::{ElfError, Stop};

/// Bytes of the longest name of a library or a version that is read; file names end at 255.
pub(super) const LONGEST_NAME: u64 = 255;
/// Bytes of the longest search path that is read; jax-rocm10-plugin has one of 5,400.
pub(super) const LONGEST_PATH: u64 = 64 << 10;

/// Bytes of the largest table that is fetched as a whole.
pub(super) const LARGEST_TABLE: u64 = 8 << 20;

/// A file with its headers read.
#[derive(Debug)]
pub(super) struct Image<'a, Elf: FileHeader<Endian = Endianness>> {
    pub(super) bytes: &'a Captured,
    pub(super) endian: Endianness,
    pub(super) segments: &'a [Elf::ProgramHeader],
    pub(super) sections: &'a [Elf::SectionHeader],
}

/// A string table: where it begins and how long it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Strings {
    pub(super) offset: u64,
    pub(super) size: u64,
}

impl<'a, Elf: FileHeader<Endian = Endianness>> Image<'a, Elf> {
    pub(super) fn read(bytes: &'a Captured) -> Result<Self, Stop> {
        let header = Elf::parse(bytes).map_err(|_| ElfError::Invalid("headers"))?;
        let endian = header.endian().map_err(|_| ElfError::Invalid("headers"))?;
        // Both are asked for before either is missed.
        let segments = header.program_headers(endian, bytes);
        let sections = header.section_headers(endian, bytes);
        let end = |offset: Elf::Word, entry: u16, count: u16| {
            Into::<u64>::into(offset).saturating_add(u64::from(entry) * u64::from(count))
        };
        let segments_end = end(
            header.e_phoff(endian),
            header.e_phentsize(endian),
            header.e_phnum(endian),
        );
        let sections_end = end(
            header.e_shoff(endian),
            header.e_shentsize(endian),
            header.e_shnum(endian).max(1),
        );
        Ok(Self {
            bytes,
            endian,
            segments: segments.map_err(|_| damaged(bytes, "program headers", segments_end))?,
            sections: sections.map_err(|_| damaged(bytes, "section headers", sections_end))?,
        })
    }

    /// Asks for the tables that will be looked at and are not kept, by their section headers.
    ///
    /// Without this, one table would be asked for after the other, and a file whose program headers
    /// stand at its end (patchelf of 2016 wrote such) would need a pass for each.
    pub(super) fn ask_for_tables(&self, symbol_versions: bool) {
        for section in self.sections {
            let kind = section.sh_type(self.endian);
            let wanted = kind == elf::SHT_DYNSYM
                || kind == elf::SHT_GNU_VERNEED
                || kind == elf::SHT_DYNAMIC
                || (symbol_versions && kind == elf::SHT_GNU_VERSYM);
            if !wanted {
                continue;
            }
            let strings = self.linked_strings(section);
            let places = section.file_range(self.endian).into_iter().chain(
                strings
                    .filter(|_| kind != elf::SHT_GNU_VERSYM)
                    .map(|strings| (strings.offset, strings.size)),
            );
            for (offset, size) in places.filter(|(_, size)| *size <= LARGEST_TABLE) {
                let range = offset..offset.saturating_add(size);
                if !self.bytes.holds(&range) {
                    self.bytes.ask(range);
                }
            }
        }
    }

    /// The file as its segments alone show it, when those are kept.
    pub(super) fn without_sections(bytes: &'a Captured) -> Option<Self> {
        let header = Elf::parse(bytes).ok()?;
        let endian = header.endian().ok()?;
        Some(Self {
            bytes,
            endian,
            segments: header.program_headers(endian, bytes).ok()?,
            sections: &[],
        })
    }

    /// The place in the file of a virtual address, by the loadable segment that holds it.
    pub(super) fn offset_of(&self, address: u64) -> Option<u64> {
        self.segments
            .iter()
            .filter(|segment| segment.p_type(self.endian) == elf::PT_LOAD)
            .find_map(|segment| {
                let start: u64 = segment.p_vaddr(self.endian).into();
                let (offset, size) = segment.file_range(self.endian);
                let within = address.checked_sub(start)?;
                (within < size).then(|| offset.checked_add(within))?
            })
    }

    /// The loadable segment that holds a place in the file.
    pub(super) fn loaded_with(&self, offset: u64) -> Option<Range<u64>> {
        self.segments
            .iter()
            .filter(|segment| segment.p_type(self.endian) == elf::PT_LOAD)
            .map(|segment| segment.file_range(self.endian))
            .map(|(start, size)| start..start.saturating_add(size))
            .find(|segment| segment.contains(&offset))
    }

    /// The only segment of a type, as a place in the file.
    pub(super) fn segment(&self, kind: elf::ProgramType) -> Option<(u64, u64)> {
        self.segments
            .iter()
            .find(|segment| segment.p_type(self.endian) == kind)
            .map(|segment| segment.file_range(self.endian))
    }

    /// The first section of a type.
    pub(super) fn section(&self, kind: elf::SectionType) -> Option<&'a Elf::SectionHeader> {
        self.sections
            .iter()
            .find(|section| section.sh_type(self.endian) == kind)
    }

    /// The string table that a section links to.
    pub(super) fn linked_strings(&self, section: &Elf::SectionHeader) -> Option<Strings> {
        let index = usize::try_from(section.sh_link(self.endian)).ok()?;
        let (offset, size) = self.sections.get(index)?.file_range(self.endian)?;
        Some(Strings { offset, size })
    }

    /// `size` bytes at `offset`; when they were not kept, `hint` bytes are asked for.
    pub(super) fn at(
        &self,
        offset: u64,
        size: u64,
        hint: u64,
        what: &'static str,
    ) -> Result<&'a [u8], Stop> {
        match self.bytes.bytes(offset, size, hint) {
            Some(bytes) => Ok(bytes),
            None if offset
                .checked_add(size)
                .is_none_or(|end| end > self.bytes.size()) =>
            {
                Err(ElfError::PastEnd(what).into())
            }
            None => Err(Stop::Missing),
        }
    }

    /// A name of at most `longest` bytes in a string table.
    pub(super) fn name(
        &self,
        strings: Strings,
        index: u64,
        longest: u64,
        what: &'static str,
    ) -> Result<&'a [u8], Stop> {
        let left = strings
            .size
            .checked_sub(index)
            .filter(|left| *left > 0)
            .ok_or(ElfError::Invalid(what))?;
        let offset = strings
            .offset
            .checked_add(index)
            .ok_or(ElfError::Invalid(what))?;
        if offset
            .checked_add(left)
            .is_none_or(|end| end > self.bytes.size())
        {
            return Err(ElfError::PastEnd(what).into());
        }
        let longest = left.min(longest + 1);
        let mut window = longest.min(256);
        loop {
            // One range instead of hundreds.
            if strings.size <= LARGEST_TABLE && !self.bytes.holds(&(offset..offset + window)) {
                let end = strings.offset.saturating_add(strings.size);
                self.bytes.ask(strings.offset..end);
            }
            let bytes = self.at(offset, window, longest.min(512), what)?;
            if let Some(end) = bytes.iter().position(|byte| *byte == 0) {
                return Ok(bytes.get(..end).unwrap_or_default());
            }
            if window == longest {
                return Err(ElfError::Invalid(what).into());
            }
            window = longest.min(window * 4);
        }
    }
}

/// Why the parser did not read a table that ends at `end`.
fn damaged(bytes: &Captured, what: &'static str, end: u64) -> Stop {
    if end > bytes.size() {
        ElfError::PastEnd(what).into()
    } else if bytes.is_asked() {
        Stop::Missing
    } else {
        ElfError::Invalid(what).into()
    }
}
