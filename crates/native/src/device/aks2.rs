//! AOTriton's kernel packs (`AKS2`): an xz stream of a directory and the code objects it names.
//!
//! The directory comes first and its kernel names end in the target they were compiled for, so the first
//! tens of kilobytes tell all of them. The layout was read off published packs.

use std::collections::BTreeMap;
use std::io::Read;

use lzma_rust2::Lzma2Reader;

use super::TargetId;
use super::code_object::{self, CodeObject};
use super::fields::u32_at;

/// The first four bytes.
pub(super) const MAGIC: &[u8] = b"AKS2";
/// Bytes before the xz stream.
pub(super) const HEADER: usize = 16;
/// Compressed bytes that are looked at.
pub(super) const HEAD: u64 = 2 << 20;
/// Bytes of the longest directory that is read; those seen are under 32 KB.
const MAX_DIRECTORY: u32 = 1 << 20;

/// Why a pack tells no targets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unreadable {
    #[error("its header is cut short")]
    Header,
    #[error("its directory of {0} bytes is over the limit of 1 MiB")]
    TooLarge(u32),
    #[error("it is not an xz stream with the one filter LZMA2")]
    NotXz,
    #[error("its compressed data is damaged")]
    Damaged,
    #[error("its directory is damaged at kernel {0}")]
    Directory(u32),
    #[error("kernel `{0}` names no AMD GPU target")]
    NoTarget(String),
    #[error("kernel `{0}` holds code for `{1}`")]
    OtherTarget(String, String),
}

/// The kernels of a pack, counted by target, from the first bytes of the member.
pub(super) fn kernels(bytes: &[u8]) -> Result<BTreeMap<TargetId, u64>, Unreadable> {
    let count = u32_at(bytes, 8).ok_or(Unreadable::Header)?;
    let length = u32_at(bytes, 12).ok_or(Unreadable::Header)?;
    if length > MAX_DIRECTORY {
        return Err(Unreadable::TooLarge(length));
    }
    let (block, _) = xz_block(&bytes[HEADER..]).ok_or(Unreadable::NotXz)?;
    let length = usize::try_from(length).unwrap_or_default();
    let mut raw = vec![0; length + code_object::HEADER];
    // The decoder's memory follows what it decodes, so the window is what we read and not what the stream asks for.
    let window = 2 * MAX_DIRECTORY;
    let mut reader = Lzma2Reader::new(block, window, None);
    let got = fill(&mut reader, &mut raw);
    let directory = raw.get(..length).filter(|_| got >= length);
    let directory = directory.ok_or(Unreadable::Damaged)?;
    let first_image = raw.get(length..got).unwrap_or_default();
    directory_targets(directory, count, first_image)
}

/// Reads until the buffer is full, or the stream ends or breaks; how many bytes came.
fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> usize {
    let mut got = 0;
    while got < buffer.len() {
        // Small reads: a damaged stream gives what comes before the damage.
        let end = buffer.len().min(got + 4096);
        match reader.read(&mut buffer[got..end]) {
            Ok(0) | Err(_) => break,
            Ok(read) => got += read,
        }
    }
    got
}

fn directory_targets(
    directory: &[u8],
    count: u32,
    first_image: &[u8],
) -> Result<BTreeMap<TargetId, u64>, Unreadable> {
    let mut targets = BTreeMap::new();
    let mut at = 0;
    for index in 0..count {
        let damaged = || Unreadable::Directory(index);
        // Shared memory, threads, offset and size of the image, length of the name with its NUL.
        let offset = u32_at(directory, at + 8).ok_or_else(damaged)?;
        let length = u32_at(directory, at + 16).ok_or_else(damaged)?;
        let length = usize::try_from(length).map_err(|_| damaged())?;
        let name = directory.get(at + 20..).and_then(|rest| rest.get(..length));
        let name = name.and_then(|name| name.strip_suffix(b"\0"));
        let name = String::from_utf8_lossy(name.ok_or_else(damaged)?).into_owned();
        at += 20 + length;
        let target = target_of(&name).ok_or_else(|| Unreadable::NoTarget(name.clone()))?;
        if offset == 0
            && let Some(object) = CodeObject::read(first_image)
            && object.target.processor() != target.processor()
        {
            return Err(Unreadable::OtherTarget(name, object.target.to_string()));
        }
        *targets.entry(target).or_insert(0) += 1;
    }
    Ok(targets)
}

/// `…--Arch_gfx1100`
fn target_of(name: &str) -> Option<TargetId> {
    let (_, arch) = name.rsplit_once("--Arch_")?;
    let end = arch.find('_').unwrap_or(arch.len());
    arch[..end].parse().ok()
}

/// The LZMA2 data of the first block of an xz stream, with the size of its window. None where there is
/// another filter. Format: <https://tukaani.org/xz/xz-file-format.txt>, sections 2.1.1 and 3.1.
fn xz_block(bytes: &[u8]) -> Option<(&[u8], u8)> {
    let block = bytes.strip_prefix(b"\xfd7zXZ\0")?.get(6..)?;
    let length = 4 * (usize::from(*block.first()?) + 1);
    let (header, data) = (block.get(1..length)?, block.get(length..)?);
    let flags = *header.first()?;
    let mut at = 1;
    for present in [0x40, 0x80] {
        if flags & present != 0 {
            let more = header.get(at..)?.iter().take(9);
            at += more.take_while(|byte| *byte & 0x80 != 0).count() + 1;
        }
    }
    let filter = header.get(at..at + 3)?;
    // One filter, LZMA2, with one byte of properties; block header size 0 is the index.
    (length > 4 && flags.trailing_zeros() >= 6 && filter[..2] == [0x21, 1])
        .then_some((data, filter[2]))
}

#[cfg(test)]
#[expect(clippy::cast_possible_truncation, reason = "fixtures are small")]
pub(super) mod tests {
    use super::super::code_object::tests::code_object;
    use super::*;

    /// A pack of kernels, stored in xz without being compressed.
    pub(in super::super) fn pack(kernels: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let (mut directory, mut images) = (Vec::new(), Vec::new());
        for (name, image) in kernels {
            directory.extend([0; 8]);
            directory.extend((images.len() as u32).to_le_bytes());
            directory.extend((image.len() as u32).to_le_bytes());
            directory.extend((name.len() as u32 + 1).to_le_bytes());
            directory.extend(name.as_bytes());
            directory.push(0);
            images.extend(image);
        }
        let length = directory.len() as u32;
        let raw = [directory, images].concat();
        let mut out = MAGIC.to_vec();
        out.extend((raw.len() as u32).to_le_bytes());
        out.extend((kernels.len() as u32).to_le_bytes());
        out.extend(length.to_le_bytes());
        out.extend(b"\xfd7zXZ\0\x00\x01....\x02\x00\x21\x01\x16\0\0\0....");
        for (index, chunk) in raw.chunks(1 << 16).enumerate() {
            out.push(if index == 0 { 1 } else { 2 });
            out.extend((chunk.len() as u16).wrapping_sub(1).to_be_bytes());
            out.extend(chunk);
        }
        out.push(0);
        out
    }

    fn sample() -> Vec<u8> {
        pack(&[
            ("attn_fwd__P__0--Arch_gfx1100", code_object(3, 0x41)),
            ("attn_fwd__P__1--Arch_gfx1100", code_object(3, 0x41)),
            ("attn_fwd__P__0--Arch_gfx1151_mod0", code_object(3, 0x4a)),
        ])
    }

    #[test]
    fn the_directory_names_every_target() {
        let printed: Vec<String> = kernels(&sample())
            .unwrap()
            .iter()
            .map(|(target, count)| format!("{target} {count}"))
            .collect();
        assert_eq!(printed, ["gfx1100 2", "gfx1151 1"]);
    }

    #[test]
    fn a_damaged_pack_says_where() {
        let with = |at: usize, bytes: &[u8]| {
            let mut pack = sample();
            pack[at..at + bytes.len()].copy_from_slice(bytes);
            kernels(&pack).unwrap_err()
        };
        assert_eq!(with(12, &[0xff; 4]), Unreadable::TooLarge(u32::MAX));
        assert_eq!(with(8, &[9]), Unreadable::Directory(3));
        assert_eq!(with(16, b"BZ"), Unreadable::NotXz);
        assert_eq!(with(30, &[0x03]), Unreadable::NotXz, "a filter more");
        assert_eq!(with(40, &[0x80]), Unreadable::Damaged);
        assert_eq!(kernels(b"AKS2"), Err(Unreadable::Header));
        let cut = sample();
        assert_eq!(kernels(&cut[..60]), Err(Unreadable::Damaged));
    }

    #[test]
    fn a_kernel_for_another_target_than_its_name_says_is_told() {
        let other = pack(&[("k--Arch_gfx1100", code_object(3, 0x4f))]);
        assert_eq!(
            kernels(&other),
            Err(Unreadable::OtherTarget(
                "k--Arch_gfx1100".into(),
                "gfx950".into()
            ))
        );
        let none = pack(&[("kernel", code_object(3, 0x4f))]);
        assert_eq!(kernels(&none), Err(Unreadable::NoTarget("kernel".into())));
    }
}
