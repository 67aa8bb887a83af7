//! The dynamic symbol table: what a file takes from elsewhere, and whether it is a Python extension.

use std::collections::{BTreeMap, BTreeSet};

use object::Endianness;
use object::elf;
use object::read::elf::{FileHeader, SectionHeader, Sym};

use super::dynamic::Dynamic;
use super::error::Stop;
use super::facts::{Extension, Questions};
use super::image::{Image, LARGEST_TABLE, Strings};
use super::version_needs::Numbered;

/// What the symbol table says.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    pub(super) undefined: BTreeSet<String>,
    pub(super) pyfpe: bool,
    pub(super) ucs2: bool,
    pub(super) extension: Option<Extension>,
    pub(super) by_version: BTreeMap<String, BTreeSet<String>>,
    pub(super) unread: Option<&'static str>,
}

/// Where the symbol table and its names are.
#[derive(Debug, Clone, Copy)]
struct Table {
    offset: u64,
    /// Bytes.
    size: u64,
    strings: Strings,
}

/// Bytes of a table outside of the kept prefix that are fetched; a larger one is told as unread.
const LARGEST: u64 = 16 << 20;

pub(super) fn read<Elf: FileHeader<Endian = Endianness>>(
    image: &Image<'_, Elf>,
    dynamic: Option<&Dynamic>,
    needs: &[Numbered],
    questions: &Questions<'_>,
) -> Result<Symbols, Stop> {
    let mut found = Symbols::default();
    let Some(table) = place(image, dynamic)? else {
        return Ok(found);
    };
    let entry = size_of::<Elf::Sym>() as u64;
    let size = table.size / entry * entry;
    let end = table.offset.saturating_add(size);
    if !image.bytes.holds(&(table.offset..end)) && size > LARGEST {
        found.unread = Some("its dynamic symbol table is larger than 16 MiB and far into the file");
        return Ok(found);
    }
    let strings = whole(image, table.strings);
    let bytes = image.at(table.offset, size, size, "dynamic symbols")?;
    let names = Names {
        whole: strings?,
        table: table.strings,
    };
    let Ok(symbols) = object::pod::slice_from_all_bytes::<Elf::Sym>(bytes) else {
        return Ok(found);
    };
    let versions = match dynamic.and_then(|dynamic| dynamic.versym) {
        Some(offset) if questions.symbols => {
            let size = symbols.len() as u64 * 2;
            image.at(offset, size, size, "symbol versions").map(Some)
        }
        _ => Ok(None),
    };
    let numbers: BTreeMap<u16, &str> = needs
        .iter()
        .map(|numbered| (numbered.number, numbered.need.version.as_str()))
        .collect();
    let module = questions.module().as_bytes();
    let mut missing = false;
    for (index, symbol) in symbols.iter().enumerate() {
        let undefined = symbol.st_shndx(image.endian) == elf::SHN_UNDEF;
        let kind = symbol.st_type();
        if !undefined && (kind != elf::STT_FUNC || found.extension.is_some()) {
            continue;
        }
        let name = match names.get(image, u64::from(symbol.st_name(image.endian)), undefined) {
            Ok(Some(name)) => name,
            Ok(None) => continue,
            Err(Stop::Missing) => {
                missing = true;
                continue;
            }
            Err(stop) => return Err(stop),
        };
        if undefined {
            found.add_undefined(name, kind, symbol.st_bind(), questions);
            if let Ok(Some(versions)) = versions
                && let Some(version) = version_of(versions, index, image.endian)
                && let Some(version) = numbers.get(&version)
            {
                found
                    .by_version
                    .entry((*version).to_owned())
                    .or_default()
                    .insert(String::from_utf8_lossy(name).into_owned());
            }
        } else {
            found.extension = init_function(name, module);
        }
    }
    versions?;
    if missing {
        return Err(Stop::Missing);
    }
    Ok(found)
}

impl Symbols {
    fn add_undefined(
        &mut self,
        name: &[u8],
        kind: elf::SymbolType,
        bind: elf::SymbolBind,
        questions: &Questions<'_>,
    ) {
        let Ok(text) = std::str::from_utf8(name) else {
            return;
        };
        if bind != elf::STB_WEAK && questions.watched.contains(text) {
            self.undefined.insert(text.to_owned());
        }
        if text.starts_with("PyFPE_") && (kind == elf::STT_FUNC || kind == elf::STT_NOTYPE) {
            self.pyfpe |= matches!(text, "PyFPE_jbuf" | "PyFPE_dummy" | "PyFPE_counter");
        }
        self.ucs2 |= kind == elf::STT_FUNC && text.contains("PyUnicodeUCS2_");
    }
}

/// The init function of a module tells a Python extension (PEP 489; `PyPy`'s cffi has its own name).
fn init_function(name: &[u8], module: &[u8]) -> Option<Extension> {
    [
        (&b"PyInit_"[..], Extension::Python3),
        (b"init", Extension::Python2),
        (b"_cffi_pypyinit_", Extension::Python2),
    ]
    .into_iter()
    .find_map(|(prefix, python)| (name.strip_prefix(prefix)? == module).then_some(python))
}

/// The version number of a symbol, without the bit that hides it.
fn version_of(versions: &[u8], index: usize, endian: Endianness) -> Option<u16> {
    let bytes = versions.get(index * 2..)?.first_chunk::<2>()?;
    let number = match endian {
        Endianness::Little => u16::from_le_bytes(*bytes),
        Endianness::Big => u16::from_be_bytes(*bytes),
    };
    Some(number & 0x7fff)
}

/// Finds the table: by its section where there is one, else by `DT_SYMTAB` up to its end.
fn place<Elf: FileHeader<Endian = Endianness>>(
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
    let size = match (dynamic.hash, dynamic.behind_symbols) {
        // `nchain` of the hash table is the number of symbols (System V ABI, "Hash Table").
        (Some(hash), _) if image.segments.len() < usize::MAX => {
            let bytes = image.at(hash, 8, 8, "hash table")?;
            let count = bytes
                .last_chunk::<4>()
                .map_or(0, |bytes| match image.endian {
                    Endianness::Little => u32::from_le_bytes(*bytes),
                    Endianness::Big => u32::from_be_bytes(*bytes),
                });
            u64::from(count) * size_of::<Elf::Sym>() as u64
        }
        (_, Some(end)) => end.saturating_sub(offset),
        _ => return Ok(section),
    };
    Ok(Some(Table {
        offset,
        size,
        strings,
    }))
}

/// The names of symbols.
#[derive(Debug)]
struct Names<'a> {
    whole: Option<&'a [u8]>,
    table: Strings,
}

/// The whole string table, where it is small enough to be kept or is kept anyway.
fn whole<'a, Elf: FileHeader<Endian = Endianness>>(
    image: &Image<'a, Elf>,
    strings: Strings,
) -> Result<Option<&'a [u8]>, Stop> {
    let end = strings.offset.saturating_add(strings.size);
    if strings.size > LARGEST_TABLE && !image.bytes.holds(&(strings.offset..end)) {
        return Ok(None);
    }
    image
        .at(strings.offset, strings.size, strings.size, "symbol names")
        .map(Some)
}

impl<'a> Names<'a> {
    /// A name, or `None` for one that is not worth fetching: of a table that is not kept as a whole
    /// only undefined symbols' names are read.
    fn get<Elf: FileHeader<Endian = Endianness>>(
        &self,
        image: &Image<'a, Elf>,
        index: u64,
        undefined: bool,
    ) -> Result<Option<&'a [u8]>, Stop> {
        let Some(whole) = self.whole else {
            return if undefined {
                image.name(self.table, index, "symbol names").map(Some)
            } else {
                Ok(None)
            };
        };
        let name = usize::try_from(index)
            .ok()
            .and_then(|index| whole.get(index..))
            .map(|tail| {
                let end = tail.iter().position(|byte| *byte == 0);
                tail.get(..end.unwrap_or(tail.len())).unwrap_or_default()
            });
        Ok(name)
    }
}
