//! Notes: the instruction set that a file needs, and Android's mark.

use object::Endianness;
use object::elf;
use object::read::elf::{FileHeader, NoteIterator, ProgramHeader, SectionHeader};

use super::error::Stop;
use super::image::Image;

/// What the notes say.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Notes {
    /// Bits of `GNU_PROPERTY_X86_ISA_1_NEEDED`, those of several notes together.
    pub(super) isa_needed: Option<u32>,
    /// The API level of an `Android` note of type 1.
    pub(super) android_api: Option<u32>,
}

/// Bytes of the largest note segment that is read; real ones have some hundred.
const LARGEST: u64 = 1 << 20;

/// Reads the note segments and the note sections that are loaded, or all of an object file's. A note
/// that does not parse says nothing.
///
/// Notes that are not loaded are for tools (probes, build attributes), and stand where a second pass
/// over the file would have to fetch them.
pub(super) fn read<Elf: FileHeader<Endian = Endianness>>(
    image: &Image<'_, Elf>,
) -> Result<Notes, Stop> {
    let endian = image.endian;
    let segments = image
        .segments
        .iter()
        .filter(|segment| {
            let kind = segment.p_type(endian);
            kind == elf::PT_NOTE || kind == elf::PT_GNU_PROPERTY
        })
        .map(|segment| (segment.file_range(endian), segment.p_align(endian)));
    let sections = image
        .sections
        .iter()
        .filter(|section| {
            let loaded = section.sh_flags(endian).contains(elf::SHF_ALLOC);
            section.sh_type(endian) == elf::SHT_NOTE && (loaded || image.segments.is_empty())
        })
        .filter_map(|section| Some((section.file_range(endian)?, section.sh_addralign(endian))));
    let mut places: Vec<((u64, u64), Elf::Word)> = segments.chain(sections).collect();
    places.sort_by_key(|(range, align)| (*range, Into::<u64>::into(*align)));
    places.dedup_by_key(|(range, _)| *range);
    let read: Vec<_> = places
        .into_iter()
        .filter(|((_, size), _)| (1..=LARGEST).contains(size))
        .map(|((offset, size), align)| (image.at(offset, size, size, "notes"), align))
        .collect();
    let mut notes = Notes::default();
    for (bytes, align) in read {
        match bytes {
            Ok(bytes) => notes.add::<Elf>(endian, align, bytes),
            Err(Stop::Missing) => return Err(Stop::Missing),
            Err(Stop::Damaged(_)) => {}
        }
    }
    Ok(notes)
}

impl Notes {
    fn add<Elf: FileHeader<Endian = Endianness>>(
        &mut self,
        endian: Endianness,
        align: Elf::Word,
        bytes: &[u8],
    ) {
        let Ok(notes) = NoteIterator::<Elf>::new(endian, align, bytes) else {
            return;
        };
        for note in notes.map_while(Result::ok) {
            if note.name() == b"Android" && note.n_type(endian) == elf::NoteType(1) {
                let level = note.desc().first_chunk::<4>().map(|bytes| {
                    if endian == Endianness::Little {
                        u32::from_le_bytes(*bytes)
                    } else {
                        u32::from_be_bytes(*bytes)
                    }
                });
                self.android_api = level.or(self.android_api);
            }
            let Some(mut properties) = note.gnu_properties(endian) else {
                continue;
            };
            while let Ok(Some(property)) = properties.next() {
                if property.pr_type() == elf::GNU_PROPERTY_X86_ISA_1_NEEDED
                    && let Ok(bits) = property.data_u32(endian)
                {
                    self.isa_needed = Some(self.isa_needed.unwrap_or(0) | bits);
                }
            }
        }
    }
}
