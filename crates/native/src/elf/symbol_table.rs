//! Where the dynamic symbol table and its names are.

use object::Endianness;
use object::elf;
use object::read::elf::{FileHeader, SectionHeader};

use super::dynamic::Dynamic;
use super::error::{ElfError, Stop};
use super::image::{Image, LARGEST_TABLE, Strings};

/// The dynamic symbol table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table {
    pub(super) offset: u64,
    /// Bytes.
    pub(super) size: u64,
    pub(super) strings: Strings,
    /// Nothing tells the exact size: what is behind the last symbol may be read as some more.
    pub(super) estimated: bool,
}

/// Finds the table: by its section where there is one, else by `DT_SYMTAB` up to its end.
pub(super) fn place<Elf: FileHeader<Endian = Endianness>>(
    image: &Image<'_, Elf>,
    dynamic: Option<&Dynamic>,
) -> Result<Option<Table>, Stop> {
    let section = image.section(elf::SHT_DYNSYM).and_then(|section| {
        let (offset, size) = section.file_range(image.endian)?;
        let strings = image.linked_strings(section)?;
        Some(Table {
            offset,
            size,
            strings,
            estimated: false,
        })
    });
    let Some((dynamic, offset, strings)) =
        dynamic.and_then(|dynamic| Some((dynamic, dynamic.symbols?, dynamic.strings?)))
    else {
        return Ok(section);
    };
    if let Some(section) = section.filter(|table| table.offset == offset) {
        return Ok(Some(section));
    }
    let entry = size_of::<Elf::Sym>() as u64;
    let (size, estimated) = if let Some(hash) = dynamic.hash {
        (hashed_symbols(image, hash)? * entry, false)
    } else if let (Some(versym), Some(end)) = (dynamic.versym, dynamic.behind_versym) {
        // Each symbol has a version of two bytes; the next table is aligned.
        (((end - versym) / 2).saturating_mul(entry), true)
    } else if let Some(end) = dynamic.behind_symbols {
        (end - offset, true)
    } else {
        return Ok(section);
    };
    let end = dynamic.behind_symbols.unwrap_or(image.bytes.size());
    Ok(Some(Table {
        offset,
        size: size.min(end.saturating_sub(offset)),
        strings,
        estimated,
    }))
}

/// `nchain` of the hash table is the number of symbols (System V ABI, "Hash Table").
fn hashed_symbols<Elf: FileHeader<Endian = Endianness>>(
    image: &Image<'_, Elf>,
    hash: u64,
) -> Result<u64, Stop> {
    let bytes = image.at(hash, 8, 8, "hash table")?;
    let count = bytes
        .last_chunk::<4>()
        .map_or(0, |bytes| match image.endian {
            Endianness::Little => u32::from_le_bytes(*bytes),
            Endianness::Big => u32::from_be_bytes(*bytes),
        });
    Ok(u64::from(count))
}

/// The names of symbols.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names<'a> {
    whole: Option<&'a [u8]>,
    table: Strings,
}

impl<'a> Names<'a> {
    /// The string table as a whole, where it is small enough to be kept or is kept anyway.
    pub(super) fn new<Elf: FileHeader<Endian = Endianness>>(
        image: &Image<'a, Elf>,
        table: Strings,
    ) -> Result<Self, Stop> {
        let end = table.offset.saturating_add(table.size);
        let fetched = table.size <= LARGEST_TABLE || image.bytes.holds(&(table.offset..end));
        let whole = fetched
            .then(|| image.at(table.offset, table.size, table.size, "symbol names"))
            .transpose()?;
        Ok(Self { whole, table })
    }

    /// A name, or `None` for one of more than `longest` bytes; of a table that is not kept as a whole
    /// it is fetched alone.
    pub(super) fn get<Elf: FileHeader<Endian = Endianness>>(
        &self,
        image: &Image<'a, Elf>,
        index: u64,
        longest: u64,
    ) -> Result<Option<&'a [u8]>, Stop> {
        let Some(tail) = self.tail(index) else {
            return match image.name(self.table, index, longest, "symbol names") {
                Ok(name) => Ok(Some(name)),
                Err(Stop::Damaged(ElfError::Invalid(_))) if index < self.table.size => Ok(None),
                Err(stop) => Err(stop),
            };
        };
        let limit = usize::try_from(longest).unwrap_or(usize::MAX);
        let end = tail.iter().take(limit + 1).position(|byte| *byte == 0);
        Ok(end.and_then(|end| tail.get(..end)))
    }

    /// The table from a name on, when it is kept as a whole: enough to compare with, and cheaper than
    /// looking for the name's end a hundred thousand times.
    pub(super) fn tail(&self, index: u64) -> Option<&'a [u8]> {
        self.whole?.get(usize::try_from(index).ok()?..)
    }
}
