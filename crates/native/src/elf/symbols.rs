//! The dynamic symbol table: what a file takes from elsewhere, and whether it is a Python extension.

use std::collections::{BTreeMap, BTreeSet};

use object::Endianness;
use object::elf;
use object::read::elf::{FileHeader, Sym};

use super::dynamic::Dynamic;
use super::error::Stop;
use super::facts::{Extension, Questions, VersionNeed};
use super::image::Image;
use super::symbol_table::{Names, place};
use super::version_needs::Numbered;

/// What the symbol table says.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    pub(super) undefined: BTreeSet<String>,
    pub(super) pyfpe: bool,
    pub(super) ucs2: bool,
    pub(super) extension: Option<Extension>,
    pub(super) by_version: BTreeMap<VersionNeed, BTreeSet<String>>,
    pub(super) unread: Option<&'static str>,
}

/// Bytes of a table outside of the kept prefix that are fetched; a larger one is told as unread.
const LARGEST: u64 = 16 << 20;
/// Bytes of the longest name that is looked for; longer ones are C++ and nobody's rule.
const LONGEST_WATCHED: u64 = 127;
/// Bytes of names that are told of one file.
const MOST_TOLD: usize = 8 << 20;

/// Reads the table, as far as the questions ask. `needs` give versions their numbers.
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
    let names = Names::new(image, table.strings);
    let bytes = image.at(table.offset, size, size, "dynamic symbols")?;
    let names = names?;
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
    // By number and not by name: libc.so.6 and libm.so.6 both have a GLIBC_2.27.
    let numbers: BTreeMap<u16, &VersionNeed> = needs
        .iter()
        .map(|numbered| (numbered.number, &numbered.need))
        .collect();
    let module = questions.module().as_bytes();
    let longest = if questions.symbols {
        4096
    } else {
        LONGEST_WATCHED
    };
    let mut told = 0;
    let mut missing = false;
    for (index, symbol) in symbols.iter().enumerate() {
        let place = u64::from(symbol.st_name(image.endian));
        let kind = symbol.st_type();
        if symbol.st_shndx(image.endian) != elf::SHN_UNDEF {
            if kind == elf::STT_FUNC && found.extension.is_none() {
                found.extension = names
                    .tail(place)
                    .and_then(|tail| init_function(tail, module));
            }
            continue;
        }
        let name = match names.get(image, place, longest) {
            Ok(Some(name)) => name,
            Ok(None) => continue,
            Err(Stop::Missing) => {
                missing = true;
                continue;
            }
            Err(_) if table.estimated => continue,
            Err(stop) => return Err(stop),
        };
        found.add_undefined(name, kind, symbol.st_bind(), questions);
        if let Ok(Some(versions)) = versions
            && let Some(number) = version_of(versions, index, image.endian)
            && let Some(need) = numbers.get(&number).copied()
            && told < MOST_TOLD
        {
            told += name.len() + size_of::<String>();
            let name = String::from_utf8_lossy(name).into_owned();
            if let Some(names) = found.by_version.get_mut(need) {
                names.insert(name);
            } else {
                found.by_version.insert(need.clone(), [name].into());
            }
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
fn init_function(names: &[u8], module: &[u8]) -> Option<Extension> {
    [
        (&b"PyInit_"[..], Extension::Python3),
        (b"init", Extension::Python2),
        (b"_cffi_pypyinit_", Extension::Python2),
    ]
    .into_iter()
    .find_map(|(prefix, python)| {
        let rest = names.strip_prefix(prefix)?.strip_prefix(module)?;
        (rest.first() == Some(&0)).then_some(python)
    })
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
