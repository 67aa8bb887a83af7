//! The first bytes of a file: whether it is ELF, and for which processor.

use super::Machine;

/// Bytes of the largest file header (64-bit).
pub(super) const HEADER: usize = 64;

/// The file header's fields that decide how to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) machine: Machine,
    pub(super) bits: u8,
    pub(super) little_endian: bool,
    pub(super) os_abi: u8,
    /// Where the program headers end; 0 without any.
    pub(super) segments_end: u64,
}

/// What the first bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Head {
    /// Something else.
    NotElf,
    /// The magic bytes, and not a header that means anything.
    Stub,
    /// A header.
    Elf(Header),
}

impl Head {
    /// Reads the first 64 bytes, or fewer where the file is shorter.
    pub(super) fn read(bytes: &[u8]) -> Self {
        if !bytes.starts_with(b"\x7fELF") {
            return Self::NotElf;
        }
        Self::header(bytes).map_or(Self::Stub, Self::Elf)
    }

    fn header(bytes: &[u8]) -> Option<Header> {
        let bits = match bytes.get(4)? {
            1 => 32,
            2 => 64,
            _ => return None,
        };
        let little_endian = match bytes.get(5)? {
            1 => true,
            2 => false,
            _ => return None,
        };
        // The version, and a whole header of the class.
        let length = if bits == 64 { HEADER } else { 52 };
        if *bytes.get(6)? != 1 || bytes.len() < length {
            return None;
        }
        let half = |at: usize| -> Option<u16> {
            let bytes = *bytes.get(at..)?.first_chunk::<2>()?;
            Some(if little_endian {
                u16::from_le_bytes(bytes)
            } else {
                u16::from_be_bytes(bytes)
            })
        };
        let word = |at: usize| -> Option<u32> {
            let bytes = *bytes.get(at..)?.first_chunk::<4>()?;
            Some(if little_endian {
                u32::from_le_bytes(bytes)
            } else {
                u32::from_be_bytes(bytes)
            })
        };
        let long = |at: usize| -> Option<u64> {
            let bytes = *bytes.get(at..)?.first_chunk::<8>()?;
            Some(if little_endian {
                u64::from_le_bytes(bytes)
            } else {
                u64::from_be_bytes(bytes)
            })
        };
        let (offset, flags, entry_size, count) = if bits == 64 {
            (long(32)?, word(48)?, half(54)?, half(56)?)
        } else {
            (u64::from(word(28)?), word(36)?, half(42)?, half(44)?)
        };
        Some(Header {
            machine: Machine::new(half(18)?, bits, little_endian, flags),
            bits,
            little_endian,
            os_abi: *bytes.get(7)?,
            segments_end: if offset == 0 {
                0
            } else {
                offset.saturating_add(u64::from(entry_size) * u64::from(count))
            },
        })
    }

    /// Where the first loadable segment ends in the file, read from program headers that are at hand.
    pub(super) fn first_load_end(bytes: &[u8], header: Header) -> Option<u64> {
        use object::Endianness;
        use object::elf::{FileHeader32, FileHeader64, PT_LOAD};
        use object::read::elf::{FileHeader, ProgramHeader};
        fn end<Elf: FileHeader<Endian = Endianness>>(bytes: &[u8]) -> Option<u64> {
            let header = Elf::parse(bytes).ok()?;
            let endian = header.endian().ok()?;
            header
                .program_headers(endian, bytes)
                .ok()?
                .iter()
                .find(|segment| segment.p_type(endian) == PT_LOAD)
                .map(|segment| {
                    let (offset, size) = segment.file_range(endian);
                    offset.saturating_add(size)
                })
        }
        if header.bits == 64 {
            end::<FileHeader64<Endianness>>(bytes)
        } else {
            end::<FileHeader32<Endianness>>(bytes)
        }
    }
}
