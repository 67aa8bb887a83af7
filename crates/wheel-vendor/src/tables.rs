//! The parts of an ELF file that say what it is, without its code and data, which are nearly all of a large library.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use anyhow::Context;
use goblin::container::Ctx;
use goblin::elf::program_header::PT_DYNAMIC;
use goblin::elf::section_header::{SHT_NOBITS, SHT_PROGBITS};
use goblin::elf::{Elf, ProgramHeader, SectionHeader};

/// Bytes of the largest file header (ELF64).
const HEADER: u64 = 64;

/// The file's bytes, all at their places, with zeros where there is neither a header nor a section of a table's type.
///
/// Memory that was never written to is not held, so this costs what the tables have. A file without section headers is read
/// whole. A table that hides in a section of code reads as zeros, and what is found then is not what the other reader finds.
///
/// # Errors
/// When the file cannot be read, or its headers are damaged.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut tables = Tables {
        bytes: vec![0; usize::try_from(size)?],
        file,
    };
    tables.load(0..HEADER)?;
    let header = Elf::parse_header(&tables.bytes)?;
    let context = Ctx::new(header.container()?, header.endianness()?);
    let (segments, sections) = (usize::from(header.e_phnum), usize::from(header.e_shnum));
    let segments_at = usize::try_from(header.e_phoff)?;
    let sections_at = usize::try_from(header.e_shoff)?;
    tables.load(after(
        header.e_phoff,
        segments * ProgramHeader::size(context),
    ))?;
    tables.load(after(
        header.e_shoff,
        sections * SectionHeader::size(context),
    ))?;
    let segments = ProgramHeader::parse(&tables.bytes, segments_at, segments, context)?;
    // Zero sections can also be too many for the header: they are counted elsewhere then.
    if sections == 0 {
        tables.load(0..size)?;
        return Ok(tables.bytes);
    }
    let sections = SectionHeader::parse(&tables.bytes, sections_at, sections, context)?;
    let mut parts: Vec<Range<u64>> = Vec::new();
    for segment in segments.iter().filter(|one| one.p_type == PT_DYNAMIC) {
        parts.push(segment.p_offset..segment.p_offset.saturating_add(segment.p_filesz));
    }
    for section in &sections {
        if section.sh_type != SHT_PROGBITS && section.sh_type != SHT_NOBITS {
            parts.push(section.sh_offset..section.sh_offset.saturating_add(section.sh_size));
        }
    }
    for part in apart(parts) {
        tables.load(part)?;
    }
    Ok(tables.bytes)
}

struct Tables {
    file: File,
    bytes: Vec<u8>,
}

impl Tables {
    /// Reads a part of the file to its place, as far as the file goes.
    fn load(&mut self, part: Range<u64>) -> anyhow::Result<()> {
        let place =
            |at: u64| usize::try_from(at).map_or(self.bytes.len(), |at| at.min(self.bytes.len()));
        let (start, end) = (place(part.start), place(part.end));
        if start < end {
            self.file
                .read_exact_at(&mut self.bytes[start..end], start as u64)
                .context("it became shorter")?;
        }
        Ok(())
    }
}

fn after(start: u64, length: usize) -> Range<u64> {
    start..start.saturating_add(length as u64)
}

/// The same bytes in parts that do not overlap: damaged headers can name one part many times.
fn apart(mut parts: Vec<Range<u64>>) -> Vec<Range<u64>> {
    parts.sort_by_key(|part| part.start);
    let mut apart: Vec<Range<u64>> = Vec::new();
    for part in parts {
        match apart.last_mut() {
            Some(last) if part.start <= last.end => last.end = last.end.max(part.end),
            _ => apart.push(part),
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_overlap_or_touch_are_read_once() {
        assert_eq!(
            apart(vec![5..9, 0..3, 2..4, 4..5, 20..30, 21..22]),
            [0..9, 20..30]
        );
    }

    #[test]
    fn a_library_reads_as_if_it_had_been_read_whole() {
        let path = std::env::current_exe().unwrap();
        let whole = std::fs::read(&path).unwrap();
        let tables = read(&path).unwrap();
        assert_eq!(tables.len(), whole.len());
        assert_ne!(tables, whole, "nothing was left out");
        let [whole, tables] = [&whole, &tables].map(|bytes| Elf::parse(bytes).unwrap());
        assert_eq!(whole.libraries, tables.libraries);
        assert_eq!(whole.dynsyms.to_vec(), tables.dynsyms.to_vec());
        assert_eq!(whole.program_headers, tables.program_headers);
        let needs = |elf: &Elf<'_>| format!("{:?}", elf.verneed);
        assert_eq!(needs(&whole), needs(&tables));
    }
}
