//! The dynamic table: what a loader is told.

use object::Endianness;
use object::elf;
use object::read::elf::{Dyn, FileHeader, SectionHeader};

use super::error::{ElfError, Stop};
use super::image::{Image, Strings};

/// The dynamic table's entries that matter here, addresses already turned into places in the file.
#[derive(Debug, Default)]
pub(super) struct Dynamic {
    pub(super) strings: Option<Strings>,
    /// Offsets into the string table.
    pub(super) needed: Vec<u64>,
    pub(super) soname: Option<u64>,
    pub(super) rpath: Option<u64>,
    pub(super) runpath: Option<u64>,
    pub(super) symbols: Option<u64>,
    pub(super) versym: Option<u64>,
    pub(super) version_needs: Option<u64>,
    pub(super) version_needs_count: Option<u64>,
    pub(super) hash: Option<u64>,
    /// The first table behind the symbol table, and behind the symbols' versions: where they end at
    /// the latest.
    pub(super) behind_symbols: Option<u64>,
    pub(super) behind_versym: Option<u64>,
}

/// Bytes of the largest dynamic table that is read; real ones have at most some hundred entries.
const LARGEST: u64 = 1 << 20;
/// The most libraries that one file may need; the most seen is 60.
const MOST_NEEDED: usize = 4096;

/// The dynamic table of a file; `None` without one, as in an object file or a static executable.
///
/// It is found by `PT_DYNAMIC`, as a loader does. A file that keeps only debug information has the
/// segment's place without its bytes, which its section header tells.
pub(super) fn read<Elf: FileHeader<Endian = Endianness>>(
    image: &Image<'_, Elf>,
) -> Result<Option<Dynamic>, Stop> {
    const WHAT: &str = "dynamic table";
    let Some((offset, size)) = image.segment(elf::PT_DYNAMIC) else {
        return Ok(None);
    };
    let endian = image.endian;
    let hollow = image.sections.iter().any(|section| {
        section.sh_type(endian) == elf::SHT_NOBITS
            && Into::<u64>::into(section.sh_offset(endian)) == offset
            && Into::<u64>::into(section.sh_size(endian)) == size
    });
    if size == 0 || hollow {
        return Ok(None);
    }
    if size > LARGEST {
        return Err(ElfError::Absurd("dynamic tables").into());
    }
    // patchelf puts the symbols in front of this table, into a segment of their own.
    if !image.bytes.holds(&(offset..offset.saturating_add(size)))
        && let Some(segment) = image.loaded_with(offset)
        && segment.end - segment.start <= LARGEST
    {
        image.bytes.ask(segment);
    }
    let bytes = image.at(offset, size, size, WHAT)?;
    let entries = object::pod::slice_from_all_bytes::<Elf::Dyn>(whole_entries::<Elf>(bytes))
        .map_err(|()| ElfError::Invalid("dynamic tables"))?;
    let mut table = Dynamic::default();
    let mut string_address = None;
    let mut string_size = 0;
    let mut tables = Vec::new();
    for entry in entries {
        let value = entry.val(endian);
        match entry.tag(endian) {
            elf::DT_NULL => break,
            elf::DT_NEEDED if table.needed.len() == MOST_NEEDED => {
                return Err(ElfError::Absurd("needs of libraries").into());
            }
            elf::DT_NEEDED => table.needed.push(value),
            elf::DT_SONAME => table.soname = Some(value),
            elf::DT_RPATH => table.rpath = Some(value),
            elf::DT_RUNPATH => table.runpath = Some(value),
            elf::DT_STRTAB => string_address = Some(value),
            elf::DT_STRSZ => string_size = value,
            elf::DT_SYMTAB => table.symbols = image.offset_of(value),
            elf::DT_VERSYM => table.versym = image.offset_of(value),
            elf::DT_VERNEED => {
                let place = image.offset_of(value);
                table.version_needs = Some(place.ok_or(ElfError::Invalid("version needs"))?);
            }
            elf::DT_VERNEEDNUM => table.version_needs_count = Some(value),
            elf::DT_HASH => table.hash = image.offset_of(value),
            _ => {}
        }
        if entry.is_address(endian) {
            tables.extend(image.offset_of(value));
        }
    }
    if let Some(address) = string_address {
        let offset = image
            .offset_of(address)
            .ok_or(ElfError::Invalid("dynamic strings"))?;
        if offset
            .checked_add(string_size)
            .is_none_or(|end| end > image.bytes.size())
        {
            return Err(ElfError::PastEnd("dynamic strings").into());
        }
        table.strings = Some(Strings {
            offset,
            size: string_size,
        });
    }
    let behind = |place: Option<u64>| -> Option<u64> {
        let place = place?;
        tables.iter().copied().filter(|table| *table > place).min()
    };
    table.behind_symbols = behind(table.symbols);
    table.behind_versym = behind(table.versym);
    Ok(Some(table))
}

/// Cuts off the odd bytes at the end of a table.
fn whole_entries<Elf: FileHeader<Endian = Endianness>>(bytes: &[u8]) -> &[u8] {
    let entry = size_of::<Elf::Dyn>();
    bytes.get(..bytes.len() / entry * entry).unwrap_or_default()
}
