//! Version needs: which versions of which libraries a file asks for.
//!
//! The records are described in the Linux Standard Base, *Symbol Versioning*, section "Version
//! Requirements".

use object::Endianness;
use object::elf::{Vernaux, Verneed};
use object::read::elf::{FileHeader, SectionHeader};

use super::dynamic::Dynamic;
use super::error::{ElfError, Stop};
use super::facts::VersionNeed;
use super::image::{Image, LONGEST_NAME, Strings};

/// One version need with the number by which symbols refer to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Numbered {
    pub(super) need: VersionNeed,
    pub(super) number: u16,
}

/// The two views of a file on its version needs.
#[derive(Debug, Default)]
pub(super) struct Views {
    /// What a loader reads, by `PT_DYNAMIC`.
    pub(super) loader: Vec<Numbered>,
    /// What the section header shows; `None` without such a section.
    pub(super) sections: Option<Vec<Numbered>>,
}

/// The most libraries, and the most versions, that are read; glibc and libstdc++ together have some two
/// hundred versions.
const MOST: usize = 1 << 13;
const RECORD: u64 = 16;
const WHAT: &str = "version needs";

pub(super) fn read<Elf: FileHeader<Endian = Endianness>>(
    image: &Image<'_, Elf>,
    dynamic: Option<&Dynamic>,
) -> Result<Views, Stop> {
    let loader = dynamic.and_then(|dynamic| {
        let count = dynamic.version_needs_count.unwrap_or(u64::MAX);
        Some((dynamic.version_needs?, count, dynamic.strings?))
    });
    let section = image
        .section(object::elf::SHT_GNU_VERNEED)
        .and_then(|section| {
            let (offset, _) = section.file_range(image.endian)?;
            let count = u64::from(section.sh_info(image.endian));
            Some((offset, count, image.linked_strings(section)?))
        });
    let loader_needs = loader.map(|(offset, count, strings)| walk(image, offset, count, strings));
    let section_needs = if section == loader {
        loader_needs.clone()
    } else {
        section.map(|(offset, count, strings)| walk(image, offset, count, strings))
    };
    Ok(Views {
        loader: loader_needs.transpose()?.unwrap_or_default(),
        sections: section_needs.transpose()?,
    })
}

fn walk<Elf: FileHeader<Endian = Endianness>>(
    image: &Image<'_, Elf>,
    offset: u64,
    count: u64,
    strings: Strings,
) -> Result<Vec<Numbered>, Stop> {
    let endian = image.endian;
    let mut places = Vec::new();
    let mut record_at = offset;
    for number in 0..count {
        if number == MOST as u64 {
            return Err(ElfError::Absurd(WHAT).into());
        }
        let record: &Verneed<Endianness> = record_at_place(image, record_at)?;
        let mut entry_at = forward(record_at, record.vn_aux.get(endian))?;
        for _ in 0..record.vn_cnt.get(endian) {
            let entry: &Vernaux<Endianness> = record_at_place(image, entry_at)?;
            if places.len() == MOST {
                return Err(ElfError::Absurd(WHAT).into());
            }
            places.push((
                u64::from(record.vn_file.get(endian)),
                u64::from(entry.vna_name.get(endian)),
                entry.vna_other.get(endian).0,
            ));
            match entry.vna_next.get(endian) {
                0 => break,
                next => entry_at = forward(entry_at, next)?,
            }
        }
        match record.vn_next.get(endian) {
            0 => break,
            next => record_at = forward(record_at, next)?,
        }
    }
    // Every name is asked for before the first missing one stops the reading.
    let names: Vec<_> = places
        .iter()
        .map(|(library, version, number)| {
            let library = image.name(strings, *library, LONGEST_NAME, WHAT);
            let version = image.name(strings, *version, LONGEST_NAME, WHAT);
            (library, version, *number)
        })
        .collect();
    names
        .into_iter()
        .map(|(library, version, number)| {
            Ok(Numbered {
                need: VersionNeed {
                    library: String::from_utf8_lossy(library?).into_owned(),
                    version: String::from_utf8_lossy(version?).into_owned(),
                },
                number,
            })
        })
        .collect()
}

fn record_at_place<'a, T: object::Pod, Elf: FileHeader<Endian = Endianness>>(
    image: &Image<'a, Elf>,
    offset: u64,
) -> Result<&'a T, Stop> {
    /// The records stand together: one missed record brings its neighbours.
    const NEIGHBOURS: u64 = 16 << 10;
    let bytes = image.at(offset, RECORD, NEIGHBOURS, WHAT)?;
    let (record, _) = object::pod::from_bytes::<T>(bytes).map_err(|()| ElfError::Invalid(WHAT))?;
    Ok(record)
}

/// Records point forward only, so that a walk ends.
fn forward(from: u64, by: u32) -> Result<u64, Stop> {
    from.checked_add(u64::from(by))
        .ok_or(Stop::Damaged(ElfError::Invalid(WHAT)))
}
