//! A patched member's data put together from the old one: another reader as judge of the result.

use std::io::{Cursor, Read};
use std::ops::Range;

use flate2::read::DeflateDecoder;
use flate2::{Compress, Compression, FlushCompress};
use proptest::prelude::*;
use wheel::{Archive, Seams};

use crate::fixture::{Around, Entry, NAME, on_disk, wheel, zip};

/// Text and noise in turns: blocks of every kind, stored ones among them.
fn content(length: usize, seed: u32) -> Vec<u8> {
    let mut state = seed | 1;
    (0..length)
        .map(|at| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            let noise = (at >> 16).is_multiple_of(3);
            if noise {
                state as u8
            } else {
                b"aabcdefg "[(state % 9) as usize]
            }
        })
        .collect()
}

/// The pages in which two contents differ.
fn changed(old: &[u8], new: &[u8]) -> Vec<Range<u64>> {
    let pages = old.chunks(4096).zip(new.chunks(4096)).enumerate();
    pages
        .filter(|(_, (old, new))| old != new)
        .map(|(number, _)| (number * 4096) as u64..(number * 4096 + 4096) as u64)
        .collect()
}

/// What splicing gives, inflated again, and its compressed length beside that of the old.
fn spliced(old: &[u8], new: &[u8], seams: Option<Seams>) -> (Vec<u8>, usize, usize) {
    spliced_from(Entry::new("demo/a.so", old), old, new, seams)
}

/// The same for a member whose data some other encoder made.
fn spliced_from(
    entry: Entry,
    old: &[u8],
    new: &[u8],
    seams: Option<Seams>,
) -> (Vec<u8>, usize, usize) {
    let file = on_disk(NAME, &zip(&wheel(&[entry]), &Around::default()));
    let archive = Archive::open(&file.path).unwrap();
    let index = archive.index("demo/a.so").unwrap();
    let mut reader = archive.stream_noting_seams(index);
    let mut read = Vec::new();
    reader.read_to_end(&mut read).unwrap();
    assert!(read == old, "the engines inflate differently");
    let seams = seams.unwrap_or(reader.into_seams());
    let mut out = Vec::new();
    let changed = changed(old, new);
    let written = archive
        .splice(index, &seams, &changed, &mut Cursor::new(new), &mut out)
        .unwrap();
    assert_eq!(written, out.len() as u64);
    let mut inflated = Vec::new();
    let mut decoder = DeflateDecoder::new(out.as_slice());
    decoder.read_to_end(&mut inflated).unwrap();
    assert_eq!(
        decoder.total_in(),
        written,
        "the stream ends before its bytes do"
    );
    (
        inflated,
        out.len(),
        usize::try_from(archive.members()[index].compressed_size()).unwrap(),
    )
}

#[test]
fn a_few_changed_bytes_cost_a_few_blocks() {
    let old = content(8 << 20, 1);
    let mut new = old.clone();
    for place in [100, 4 << 20, (8 << 20) - 1] {
        new[place] ^= 0xff;
    }
    new.extend_from_slice(b"a section that was moved to the end");
    let (inflated, length, before) = spliced(&old, &new, None);
    assert!(inflated == new);
    // Nothing is as long as it would be without compression, and nothing was lost at the cuts.
    assert!(length < before + before / 100, "{length} from {before}");
}

/// What encoders write that flush, or write blocks without content; the last block is empty.
fn flushed(content: &[u8], every: usize, flush: FlushCompress, empty: &[u8]) -> Vec<u8> {
    let mut state = Compress::new(Compression::fast(), false);
    let mut data = Vec::new();
    for part in content.chunks(every) {
        let mut out = Vec::with_capacity(part.len() + 4096);
        state.compress_vec(part, &mut out, flush).unwrap();
        data.extend_from_slice(&out);
        data.extend_from_slice(&empty.repeat(50));
    }
    // A fixed block with nothing but its end.
    data.extend_from_slice(&[3, 0]);
    data
}

#[test]
fn data_of_any_encoder_is_cut_where_it_can_be() {
    let old = content(600_000, 5);
    let mut new = old.clone();
    new[300_000] ^= 0xff;
    new.resize(old.len() + 70_000, 7);
    let stored: &[u8] = &[0, 0, 0, 0xff, 0xff];
    // Eight fixed blocks of ten bits: together whole bytes.
    let fixed: &[u8] = &[0x02, 0x08, 0x20, 0x80, 0, 0x02, 0x08, 0x20, 0x80, 0];
    for (every, flush, empty) in [
        (4096, FlushCompress::Sync, &[][..]),
        (4096, FlushCompress::Full, &[]),
        (100_000, FlushCompress::Full, stored),
        (700, FlushCompress::Sync, fixed),
        (600_000, FlushCompress::Sync, stored),
    ] {
        let data = flushed(&old, every, flush, empty);
        let entry = Entry {
            stored: true,
            method: Some(8),
            crc: Some(crc32fast::hash(&old)),
            size: Some(old.len() as u32),
            local_size: Some(old.len() as u32),
            content: data,
            ..Entry::new("demo/a.so", &old)
        };
        let (inflated, length, before) = spliced_from(entry, &old, &new, None);
        assert!(inflated == new, "{every}");
        assert!(
            length < before + before / 4,
            "{every}: {length} from {before}"
        );
    }
}

#[test]
fn without_a_seam_everything_is_compressed_anew() {
    let (old, new) = (content(300_000, 1), content(200_000, 2));
    assert!(spliced(&old, &new, Some(Seams::default())).0 == new);
}

#[test]
fn a_stored_member_has_no_seams() {
    let mut entry = Entry::new("demo/a.so", &content(300_000, 1));
    entry.stored = true;
    let file = on_disk(NAME, &zip(&wheel(&[entry]), &Around::default()));
    let archive = Archive::open(&file.path).unwrap();
    let mut reader = archive.stream_noting_seams(archive.index("demo/a.so").unwrap());
    std::io::copy(&mut reader, &mut std::io::sink()).unwrap();
    assert_eq!(reader.into_seams(), Seams::default());
}

proptest! {
    #[test]
    fn damaged_data_is_refused_by_both_engines(
        damage in proptest::collection::vec((any::<prop::sample::Index>(), 1u8..), 0..3),
        cut in proptest::option::of(any::<prop::sample::Index>()),
        more in proptest::collection::vec(any::<u8>(), 0..3),
    ) {
        let good = Entry::new("demo/a.so", &content(80_000, 3));
        let mut data = good.compressed();
        for (place, change) in &damage {
            let place = place.index(data.len());
            data[place] ^= change;
        }
        if let Some(cut) = cut {
            data.truncate(cut.index(data.len()));
        }
        data.extend_from_slice(&more);
        let sound = data == good.compressed();
        let entry = Entry {
            stored: true,
            method: Some(8),
            crc: Some(crc32fast::hash(&good.content)),
            size: Some(good.content.len() as u32),
            local_size: Some(good.content.len() as u32),
            content: data,
            ..good.clone()
        };
        let file = on_disk(NAME, &zip(&wheel(&[entry]), &Around::default()));
        let Ok(archive) = Archive::open(&file.path) else {
            // Hardly any data is left of so much content.
            prop_assert!(!sound);
            return Ok(());
        };
        let index = archive.index("demo/a.so").unwrap();
        let read = [archive.stream(index), archive.stream_noting_seams(index)].map(|mut reader| {
            let mut content = Vec::new();
            reader.read_to_end(&mut content).ok().map(|_| content)
        });
        prop_assert!(read[0] == read[1], "one engine takes what the other refuses");
        // The bits behind the last block belong to nothing, so a changed one can be without effect.
        prop_assert!(read[0].as_ref().map_or(!sound, |content| *content == good.content));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn whatever_changed_the_new_content_comes_out(
        seed in any::<u32>(),
        length in 0usize..3_000_000,
        grown in -100_000isize..100_000,
        places in proptest::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let old = content(length, seed);
        let mut new = old.clone();
        new.resize(length.saturating_add_signed(grown), b'x');
        if !new.is_empty() {
            for place in &places {
                let place = place.index(new.len());
                new[place] ^= 0x55;
            }
        }
        prop_assert!(spliced(&old, &new, None).0 == new);
    }
}
