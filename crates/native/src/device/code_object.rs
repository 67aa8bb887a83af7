//! AMDGPU code objects: ELF files of machine 224. The first 52 bytes name the target.
//!
//! Layout and flags: <https://llvm.org/docs/AMDGPUUsage.html#elf-code-object>. The ELF header is the only
//! complete source: the target name in the metadata note is optional, and most code objects of published
//! wheels do without it.

use std::collections::BTreeMap;

use super::TargetId;
use super::fields::{u16_at, u32_at, u64_at};

/// `EM_AMDGPU`.
const MACHINE: u16 = 224;
/// `ELFOSABI_AMDGPU_HSA`.
const OSABI_HSA: u8 = 64;
/// Bytes of an ELF64 header.
pub(super) const HEADER: usize = 64;
/// A program header of ELF64, and how many are looked at; a linker writes fewer than ten.
const PROGRAM_HEADER: usize = 56;
const PROGRAM_HEADERS: usize = 64;

/// What the ELF header of a code object says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CodeObject {
    pub(super) target: TargetId,
}

impl CodeObject {
    /// The code object whose header these bytes start with, or none: another file, another machine.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let header = bytes.get(..HEADER)?;
        // 64 bits, little endian, version 1.
        if !header.starts_with(b"\x7fELF\x02\x01\x01") || u16_at(header, 18)? != MACHINE {
            return None;
        }
        let flags = u32_at(header, 48)?;
        let features = match (header[7], header[8]) {
            (OSABI_HSA, 1) => features_v3(flags),
            (OSABI_HSA, 2..) => features_v4(flags),
            _ => BTreeMap::new(),
        };
        Some(Self {
            target: TargetId::of_machine(flags.to_le_bytes()[0], features),
        })
    }

    /// Whether the rest of the header is an ELF header's too. The short magic string alone turns up in
    /// programs that write such files.
    pub(super) fn is_plausible(bytes: &[u8]) -> bool {
        let is_type = u16_at(bytes, 16).is_some_and(|kind| (1..=3).contains(&kind));
        is_type && u32_at(bytes, 20) == Some(1) && u16_at(bytes, 52) == Some(64)
    }

    /// Bytes that [`Self::extent`] wants to see.
    pub(super) fn headers_end(bytes: &[u8]) -> usize {
        let offset = u64_at(bytes, 32).unwrap_or(0);
        let count = usize::from(u16_at(bytes, 56).unwrap_or(0)).min(PROGRAM_HEADERS);
        // Program headers follow the header; elsewhere they are not worth a search.
        match usize::try_from(offset) {
            Ok(offset) if offset <= 4096 => HEADER.max(offset + count * PROGRAM_HEADER),
            _ => HEADER,
        }
    }

    /// Bytes of the file, as its section table and its segments have it.
    pub(super) fn extent(bytes: &[u8]) -> u64 {
        let sections = u64_at(bytes, 40).unwrap_or(0);
        let entry = u64::from(u16_at(bytes, 58).unwrap_or(0));
        let count = u64::from(u16_at(bytes, 60).unwrap_or(0));
        let mut end = sections.saturating_add(entry * count).max(HEADER as u64);
        let first = usize::try_from(u64_at(bytes, 32).unwrap_or(0)).unwrap_or(usize::MAX);
        let segments = usize::from(u16_at(bytes, 56).unwrap_or(0)).min(PROGRAM_HEADERS);
        for index in 0..segments {
            let at = first.saturating_add(index * PROGRAM_HEADER);
            let offset = u64_at(bytes, at.saturating_add(8));
            let length = u64_at(bytes, at.saturating_add(32));
            if let (Some(offset), Some(length)) = (offset, length) {
                end = end.max(offset.saturating_add(length));
            }
        }
        end
    }
}

/// Code object version 3 (`EI_ABIVERSION` 1): one bit each, set when the feature is on.
fn features_v3(flags: u32) -> BTreeMap<String, bool> {
    let bits = [("xnack", 0x100), ("sramecc", 0x200)];
    let on = bits.into_iter().filter(|(_, bit)| flags & bit != 0);
    on.map(|(name, _)| (name.to_owned(), true)).collect()
}

/// Versions 4 to 6 (`EI_ABIVERSION` 2 to 4): two bits each; 0 unsupported, 1 any, 2 off, 3 on.
fn features_v4(flags: u32) -> BTreeMap<String, bool> {
    let fields = [("xnack", flags >> 8 & 3), ("sramecc", flags >> 10 & 3)];
    let set = fields.into_iter().filter(|(_, state)| *state >= 2);
    set.map(|(name, state)| (name.to_owned(), state == 3))
        .collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The smallest code object: an ELF header and nothing else.
    pub(in super::super) fn code_object(abi_version: u8, flags: u32) -> Vec<u8> {
        let mut elf = b"\x7fELF\x02\x01\x01\x40".to_vec();
        elf.push(abi_version);
        elf.resize(16, 0);
        elf.extend(3_u16.to_le_bytes()); // ET_DYN
        elf.extend(224_u16.to_le_bytes());
        elf.extend(1_u32.to_le_bytes());
        elf.extend([0; 24]); // entry, program headers, section table
        elf.extend(flags.to_le_bytes());
        elf.extend(64_u16.to_le_bytes());
        elf.resize(64, 0);
        elf
    }

    fn target(abi_version: u8, flags: u32) -> String {
        let elf = code_object(abi_version, flags);
        CodeObject::read(&elf).unwrap().target.to_string()
    }

    #[test]
    fn the_flags_name_processor_and_features_as_each_version_writes_them() {
        assert_eq!(target(0, 0x32c), "gfx900", "version 2 has no feature bits");
        assert_eq!(target(1, 0x03f), "gfx90a");
        assert_eq!(target(1, 0x33f), "gfx90a:sramecc+:xnack+");
        assert_eq!(target(2, 0x54c), "gfx942", "any and any");
        assert_eq!(target(3, 0x04f), "gfx950", "unsupported");
        assert_eq!(target(2, 0xa3f), "gfx90a:sramecc-:xnack-");
        assert_eq!(target(2, 0xd3f), "gfx90a:sramecc+");
        assert_eq!(target(4, 0x0100_0054), "gfx11-generic", "generic version 1");
        assert_eq!(target(3, 0x66), "mach-0x66");
    }

    #[test]
    fn another_file_or_another_machine_is_not_a_code_object() {
        let elf = code_object(2, 0x54c);
        assert_eq!(CodeObject::read(&elf[..63]), None);
        for (at, byte) in [(0, 0), (4, 1), (5, 2), (18, 62)] {
            let mut other = elf.clone();
            other[at] = byte;
            assert_eq!(CodeObject::read(&other), None, "byte {at}");
        }
    }

    #[test]
    fn the_extent_covers_section_table_and_segments_and_cannot_overflow() {
        let mut elf = code_object(2, 0x54c);
        assert_eq!(CodeObject::extent(&elf), 64);
        elf[40..48].copy_from_slice(&1000_u64.to_le_bytes());
        elf[58..62].copy_from_slice(&[64, 0, 3, 0]);
        assert_eq!(CodeObject::extent(&elf), 1192);
        elf[32] = 64;
        elf[56] = 1;
        assert_eq!(CodeObject::headers_end(&elf), 120);
        elf.resize(120, 0);
        elf[72..80].copy_from_slice(&2000_u64.to_le_bytes());
        elf[96..104].copy_from_slice(&48_u64.to_le_bytes());
        assert_eq!(CodeObject::extent(&elf), 2048);
        elf[96..104].fill(0xff);
        assert_eq!(CodeObject::extent(&elf), u64::MAX);
    }
}
