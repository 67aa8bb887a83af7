//! The parts of an ELF file that say what it is, without its code and data, which are nearly all of a large library.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use anyhow::{Context, anyhow, ensure};
use goblin::container::Ctx;
use goblin::elf::dynamic::{
    DT_GNU_HASH, DT_HASH, DT_JMPREL, DT_REL, DT_RELA, DT_STRTAB, DT_SYMTAB, DT_VERDEF, DT_VERNEED,
    DT_VERSYM, Dynamic,
};
use goblin::elf::program_header::{PT_DYNAMIC, PT_LOAD};
use goblin::elf::section_header::{SHT_NOBITS, SHT_PROGBITS};
use goblin::elf::{Elf, ProgramHeader, SectionHeader};

use crate::elf_file::LARGEST;

/// Bytes of the largest file header (ELF64).
const HEADER: u64 = 64;

/// The file's bytes, all at their places, with zeros where there is neither a header nor a section of a table's type.
///
/// Memory that was never written to is not held, so this costs what the tables have. A file is read whole when it has no
/// section headers, or when its sections do not tell of a table that its dynamic section has.
///
/// # Errors
/// When the file cannot be read, or its headers are damaged.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    ensure!(size <= LARGEST, "it is larger than 16 GiB; make it smaller");
    let length = usize::try_from(size)?;
    // Asked before, since a refusal would end the program.
    let room = Vec::<u8>::new().try_reserve_exact(length);
    room.context("it does not fit into the memory; run this on a larger machine")?;
    let mut tables = Tables {
        bytes: vec![0; length],
        file,
    };
    tables.load(0..HEADER)?;
    let header = Elf::parse_header(&tables.bytes).map_err(|error| plain(&error))?;
    let context = Ctx::new(
        header.container().map_err(|error| plain(&error))?,
        header.endianness().map_err(|error| plain(&error))?,
    );
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
    let segments = ProgramHeader::parse(&tables.bytes, segments_at, segments, context)
        .map_err(|error| plain(&error))?;
    // Zero sections can also be too many for the header: they are counted elsewhere then.
    if sections == 0 {
        tables.load(0..size)?;
        return Ok(tables.bytes);
    }
    let sections = SectionHeader::parse(&tables.bytes, sections_at, sections, context)
        .map_err(|error| plain(&error))?;
    let mut parts: Vec<Range<u64>> = Vec::new();
    for segment in segments.iter().filter(|one| one.p_type == PT_DYNAMIC) {
        parts.push(segment.p_offset..segment.p_offset.saturating_add(segment.p_filesz));
    }
    for section in &sections {
        if section.sh_type != SHT_PROGBITS && section.sh_type != SHT_NOBITS {
            parts.push(section.sh_offset..section.sh_offset.saturating_add(section.sh_size));
        }
    }
    let parts = apart(parts);
    for part in &parts {
        tables.load(part.clone())?;
    }
    let segments = &segments[..];
    let dynamic =
        Dynamic::parse(&tables.bytes, segments, context).map_err(|error| plain(&error))?;
    let entries = dynamic.map_or(Vec::new(), |dynamic| dynamic.dyns);
    let places = entries
        .iter()
        .filter(|entry| TABLES.contains(&entry.d_tag))
        .filter_map(|entry| in_file(segments, entry.d_val));
    let mut hidden = places.filter(|at| !parts.iter().any(|part| part.contains(at)));
    if hidden.next().is_some() {
        tables.load(0..size)?;
    }
    Ok(tables.bytes)
}

/// The entries of a dynamic section that say where a table is which goblin reads.
const TABLES: [u64; 10] = [
    DT_HASH,
    DT_GNU_HASH,
    DT_STRTAB,
    DT_SYMTAB,
    DT_VERSYM,
    DT_VERNEED,
    DT_VERDEF,
    DT_RELA,
    DT_REL,
    DT_JMPREL,
];

/// Where in the file an address is.
fn in_file(segments: &[ProgramHeader], address: u64) -> Option<u64> {
    let mut loads = segments.iter().filter(|one| one.p_type == PT_LOAD);
    loads.find_map(|load| {
        let within = address.checked_sub(load.p_vaddr)?;
        (within < load.p_filesz).then(|| load.p_offset.checked_add(within))?
    })
}

/// goblin's errors repeat themselves in their cause.
fn plain(error: &goblin::error::Error) -> anyhow::Error {
    anyhow!("{error}; link it again")
}

/// Reads the parts that [`read`] left.
///
/// # Errors
/// When goblin cannot.
pub(crate) fn parse(bytes: &[u8]) -> anyhow::Result<Elf<'_>> {
    Elf::parse(bytes).map_err(|error| plain(&error))
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
