//! From the kept bytes to the facts.

use std::collections::BTreeSet;
use std::ops::Range;

use object::Endianness;
use object::elf::{self, FileHeader32, FileHeader64};
use object::read::elf::FileHeader;

use super::captured::Captured;
use super::dynamic::{self, Dynamic};
use super::error::{ElfError, Stop};
use super::facts::{Facts, Questions, VersionNeed};
use super::header::Header;
use super::image::{Image, LONGEST_NAME, LONGEST_PATH};
use super::version_needs::Views;
use super::{notes, symbols, version_needs};

/// What became of an attempt to read.
#[derive(Debug)]
pub(super) enum Attempt {
    /// All is known.
    Facts(Box<Facts>),
    /// These ranges have to be kept first.
    Missing(Vec<Range<u64>>),
}

/// Reads everything that can be read; what is not kept yet is asked for, as much as possible at once.
pub(super) fn attempt(
    bytes: &Captured,
    header: Header,
    questions: &Questions<'_>,
) -> Result<Attempt, ElfError> {
    let facts = if header.bits == 64 {
        read::<FileHeader64<Endianness>>(bytes, header, questions)
    } else {
        read::<FileHeader32<Endianness>>(bytes, header, questions)
    };
    let missing = bytes.take_missing();
    match facts {
        Ok(facts) => Ok(Attempt::Facts(Box::new(facts))),
        Err(Stop::Missing) => Ok(Attempt::Missing(missing)),
        Err(Stop::Damaged(error)) => Err(error),
    }
}

fn read<Elf: FileHeader<Endian = Endianness>>(
    bytes: &Captured,
    header: Header,
    questions: &Questions<'_>,
) -> Result<Facts, Stop> {
    let image = match Image::<Elf>::read(bytes) {
        Ok(image) => image,
        // The section headers stand at the end of most files; what the segments point at comes before.
        // What is found out is asked for; what is found is read again when all is there.
        Err(Stop::Missing) => {
            if let Some(early) = Image::<Elf>::without_sections(bytes) {
                let _later = facts(&early, header, questions);
            }
            return Err(Stop::Missing);
        }
        Err(stop) => return Err(stop),
    };
    let facts = facts(&image, header, questions);
    if matches!(facts, Err(Stop::Missing)) {
        image.ask_for_tables(questions.symbols);
    }
    facts
}

/// Reads all parts before it stops at what one of them misses.
fn facts<Elf: FileHeader<Endian = Endianness>>(
    image: &Image<'_, Elf>,
    header: Header,
    questions: &Questions<'_>,
) -> Result<Facts, Stop> {
    let notes = notes::read(image);
    let interpreter = interpreter(image);
    let dynamic = dynamic::read(image)?;
    let names = names(image, dynamic.as_ref());
    let views = version_needs::read(image, dynamic.as_ref());
    let needs = views.as_ref().map_or(&[][..], |views| &views.loader);
    let symbols = symbols::read(image, dynamic.as_ref(), needs, questions);
    let (notes, names, symbols) = (notes?, names?, symbols?);
    let (version_needs, views_differ) = together(views?);
    Ok(Facts {
        machine: header.machine,
        bits: header.bits,
        little_endian: header.little_endian,
        os_abi: header.os_abi,
        interpreter: interpreter?,
        needed: names.needed,
        soname: names.soname,
        rpath: names.rpath,
        runpath: names.runpath,
        version_needs,
        views_differ,
        has_sections: !image.sections.is_empty(),
        is_dynamic: dynamic.is_some(),
        android_api: notes.android_api,
        isa_needed: notes.isa_needed,
        undefined: symbols.undefined,
        pyfpe: symbols.pyfpe,
        ucs2: symbols.ucs2,
        extension: symbols.extension,
        symbols: symbols.by_version,
        symbols_unread: symbols.unread,
    })
}

/// The strings of the dynamic table.
#[derive(Debug)]
struct Names {
    needed: Vec<String>,
    soname: Option<String>,
    rpath: Option<String>,
    runpath: Option<String>,
}

fn names<Elf: FileHeader<Endian = Endianness>>(
    image: &Image<'_, Elf>,
    dynamic: Option<&Dynamic>,
) -> Result<Names, Stop> {
    let strings = dynamic.and_then(|dynamic| dynamic.strings);
    let name = |index: u64, longest: u64| -> Result<String, Stop> {
        let strings = strings.ok_or(ElfError::Invalid("dynamic strings"))?;
        let bytes = image.name(strings, index, longest, "dynamic strings")?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    };
    let empty = Dynamic::default();
    let table = dynamic.unwrap_or(&empty);
    let needed: Vec<_> = table
        .needed
        .iter()
        .map(|index| name(*index, LONGEST_NAME))
        .collect();
    let soname = table.soname.map(|index| name(index, LONGEST_NAME));
    let [rpath, runpath] =
        [table.rpath, table.runpath].map(|index| index.map(|index| name(index, LONGEST_PATH)));
    Ok(Names {
        needed: needed.into_iter().collect::<Result<_, _>>()?,
        soname: soname.transpose()?,
        rpath: rpath.transpose()?,
        runpath: runpath.transpose()?,
    })
}

fn interpreter<Elf: FileHeader<Endian = Endianness>>(
    image: &Image<'_, Elf>,
) -> Result<Option<String>, Stop> {
    const WHAT: &str = "interpreter's name";
    let Some((offset, size)) = image.segment(elf::PT_INTERP) else {
        return Ok(None);
    };
    if size == 0 {
        return Ok(None);
    }
    if size > LONGEST_PATH {
        return Err(ElfError::Invalid(WHAT).into());
    }
    let bytes = image.at(offset, size, size, WHAT)?;
    let name = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    Ok(Some(String::from_utf8_lossy(name).into_owned()))
}

/// The needs of both views, each once in the file's order, and those that only one view shows.
fn together(views: Views) -> (Vec<VersionNeed>, Vec<VersionNeed>) {
    let loader: BTreeSet<VersionNeed> = set(&views.loader);
    let sections = views.sections.as_ref().map(|needs| set(needs));
    let differ = match &sections {
        Some(sections) => loader.symmetric_difference(sections).cloned().collect(),
        None => Vec::new(),
    };
    let mut seen = BTreeSet::new();
    let needs = views
        .loader
        .into_iter()
        .chain(views.sections.into_iter().flatten())
        .map(|numbered| numbered.need)
        .filter(|need| seen.insert(need.clone()))
        .collect();
    (needs, differ)
}

fn set(needs: &[version_needs::Numbered]) -> BTreeSet<VersionNeed> {
    needs.iter().map(|numbered| numbered.need.clone()).collect()
}
