//! `TheRock`'s kernel archives (`KPAK`): code objects of many libraries for one GPU family, kept apart from the
//! libraries. The table of contents at the end names the targets.
//!
//! Format as the public sources have it (`shared/kpack` of ROCm's systems repository); no published wheel
//! that carries one had been seen when this was written.

use std::collections::{BTreeMap, BTreeSet};

use super::TargetId;
use super::fields::{u32_at, u64_at};
use super::msgpack::{Item, Reader};

/// The first four bytes.
pub(super) const MAGIC: &[u8] = b"KPAK";
/// Bytes of the header: magic, version, offset of the table.
pub(super) const HEADER: usize = 16;
/// Bytes of the longest table that is kept.
pub(super) const MAX_TABLE: u64 = 4 << 20;
/// Targets with and without features that one archive may name.
const MAX_TARGETS: usize = 512;

/// Why an archive tells no targets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unreadable {
    #[error("its version is {0}, and 1 is known")]
    Version(u32),
    #[error("its table of contents at offset {0} is not inside the file")]
    Offset(u64),
    #[error("its table of contents of {0} bytes is over the limit of 4 MiB")]
    TooLarge(u64),
    #[error("its table of contents is damaged")]
    Damaged,
    #[error("`{0}` in its table of contents names no AMD GPU target")]
    NoTarget(String),
    #[error("it names more than {MAX_TARGETS} targets")]
    TooMany,
}

/// What the table of contents says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Contents {
    /// Kernels by target, over all libraries.
    pub(super) kernels: BTreeMap<TargetId, u64>,
    /// Targets that the archive names and has nothing for.
    pub(super) empty: BTreeSet<TargetId>,
}

/// Where the table stands in a file of `size` bytes that starts with these.
pub(super) fn table_offset(header: &[u8], size: u64) -> Result<u64, Unreadable> {
    let version = u32_at(header, 4).ok_or(Unreadable::Damaged)?;
    let offset = u64_at(header, 8).ok_or(Unreadable::Damaged)?;
    if version != 1 {
        return Err(Unreadable::Version(version));
    }
    if offset < HEADER as u64 || offset >= size {
        return Err(Unreadable::Offset(offset));
    }
    if size - offset > MAX_TABLE {
        return Err(Unreadable::TooLarge(size - offset));
    }
    Ok(offset)
}

/// Reads the table of contents.
pub(super) fn contents(table: &[u8]) -> Result<Contents, Unreadable> {
    let mut reader = Reader::new(table);
    let Some(Item::Map(pairs)) = reader.next() else {
        return Err(Unreadable::Damaged);
    };
    let mut found = Contents::default();
    for _ in 0..pairs {
        let key = text(&mut reader)?;
        match key {
            "gfx_arches" => read_arches(&mut reader, &mut found)?,
            "toc" => read_toc(&mut reader, &mut found)?,
            _ => reader.skip_value().ok_or(Unreadable::Damaged)?,
        }
    }
    let kernels = &found.kernels;
    found.empty.retain(|target| !kernels.contains_key(target));
    Ok(found)
}

/// `["gfx942", …]`
fn read_arches(reader: &mut Reader<'_>, found: &mut Contents) -> Result<(), Unreadable> {
    let Some(Item::Array(length)) = reader.next() else {
        return Err(Unreadable::Damaged);
    };
    for _ in 0..length {
        found.empty.insert(target(text(reader)?)?);
        bounded(found)?;
    }
    Ok(())
}

/// `{library: {target: {type, ordinal, original_size}}}`.
fn read_toc(reader: &mut Reader<'_>, found: &mut Contents) -> Result<(), Unreadable> {
    let Some(Item::Map(libraries)) = reader.next() else {
        return Err(Unreadable::Damaged);
    };
    for _ in 0..libraries {
        text(reader)?;
        let Some(Item::Map(targets)) = reader.next() else {
            return Err(Unreadable::Damaged);
        };
        for _ in 0..targets {
            let target = target(text(reader)?)?;
            let size = original_size(reader).ok_or(Unreadable::Damaged)?;
            if size == Some(0) {
                found.empty.insert(target);
            } else {
                *found.kernels.entry(target).or_insert(0) += 1;
            }
            bounded(found)?;
        }
    }
    Ok(())
}

fn bounded(found: &Contents) -> Result<(), Unreadable> {
    let named = found.empty.len().max(found.kernels.len());
    if named > MAX_TARGETS {
        return Err(Unreadable::TooMany);
    }
    Ok(())
}

/// The value under `original_size` of the map that follows; any other value has none.
#[expect(
    clippy::option_option,
    reason = "the outer one is damage, the inner one a field that is not there"
)]
fn original_size(reader: &mut Reader<'_>) -> Option<Option<u64>> {
    let mut ahead = reader.clone();
    let Item::Map(pairs) = ahead.next()? else {
        reader.skip_value()?;
        return Some(None);
    };
    *reader = ahead;
    let mut size = None;
    for _ in 0..pairs {
        let key = reader.next()?;
        let mut value = reader.clone();
        reader.skip_value()?;
        if key == Item::Text("original_size")
            && let Some(Item::Number(number)) = value.next()
        {
            size = Some(number);
        }
    }
    Some(size)
}

fn text<'a>(reader: &mut Reader<'a>) -> Result<&'a str, Unreadable> {
    match reader.next() {
        Some(Item::Text(text)) => Ok(text),
        _ => Err(Unreadable::Damaged),
    }
}

fn target(text: &str) -> Result<TargetId, Unreadable> {
    let no_target = |_| Unreadable::NoTarget(text.to_owned());
    text.parse().map_err(no_target)
}

#[cfg(test)]
#[expect(clippy::cast_possible_truncation, reason = "fixtures are small")]
pub(super) mod tests {
    use super::*;

    fn string(text: &str) -> Vec<u8> {
        [&[0xa0 | text.len() as u8], text.as_bytes()].concat()
    }

    /// An archive that names targets and has kernels of the given sizes.
    pub(in super::super) fn archive(arches: &[&str], kernels: &[(&str, u8)]) -> Vec<u8> {
        let mut toc = vec![0x83];
        toc.extend(string("group_name"));
        toc.extend(string("torch"));
        toc.extend(string("gfx_arches"));
        toc.push(0x90 | arches.len() as u8);
        for arch in arches {
            toc.extend(string(arch));
        }
        toc.extend(string("toc"));
        toc.push(0x81);
        toc.extend(string("lib/libtorch_hip.so"));
        toc.push(0x80 | kernels.len() as u8);
        for (arch, size) in kernels {
            toc.extend(string(arch));
            toc.push(0x83);
            toc.extend(string("type"));
            toc.extend(string("hsaco"));
            toc.extend(string("ordinal"));
            toc.push(0);
            toc.extend(string("original_size"));
            toc.push(*size);
        }
        let blobs = [0x5a; 64];
        let offset = 64 + blobs.len() as u64;
        let mut out = MAGIC.to_vec();
        out.extend(1_u32.to_le_bytes());
        out.extend(offset.to_le_bytes());
        out.resize(64, 0);
        [out, blobs.to_vec(), toc].concat()
    }

    fn read(bytes: &[u8]) -> Result<Contents, Unreadable> {
        let offset = table_offset(bytes, bytes.len() as u64)?;
        contents(&bytes[offset as usize..])
    }

    #[test]
    fn the_table_of_contents_names_what_is_there_and_what_is_not() {
        let bytes = archive(
            &["gfx90a", "gfx90a:xnack+", "gfx942"],
            &[("gfx90a", 9), ("gfx942", 9), ("gfx942:xnack-", 0)],
        );
        let found = read(&bytes).unwrap();
        let printed: Vec<String> = found.kernels.keys().map(ToString::to_string).collect();
        assert_eq!(printed, ["gfx90a", "gfx942"]);
        let printed: Vec<String> = found.empty.iter().map(ToString::to_string).collect();
        assert_eq!(printed, ["gfx90a:xnack+", "gfx942:xnack-"]);
    }

    #[test]
    fn a_damaged_archive_says_what_is_wrong() {
        let good = archive(&["gfx942"], &[("gfx942", 9)]);
        let with = |at: usize, bytes: &[u8]| {
            let mut archive = good.clone();
            archive[at..at + bytes.len()].copy_from_slice(bytes);
            read(&archive).unwrap_err()
        };
        assert_eq!(with(4, &[2]), Unreadable::Version(2));
        assert_eq!(with(8, &[8]), Unreadable::Offset(8));
        assert_eq!(with(8, &[0xff; 8]), Unreadable::Offset(u64::MAX));
        assert_eq!(with(128, &[0x93]), Unreadable::Damaged);
        let large = table_offset(&good[..16], 5 << 20);
        assert_eq!(large, Err(Unreadable::TooLarge((5 << 20) - 128)));
        for end in 129..good.len() {
            assert_eq!(contents(&good[128..end]), Err(Unreadable::Damaged));
        }
        let other = archive(&["sm_90"], &[]);
        assert_eq!(read(&other), Err(Unreadable::NoTarget("sm_90".into())));
    }
}
