//! No bytes make the scan panic, hang, or hold more than it says.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::*;
use crate::device::rules;

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }
}

fn formats() -> Vec<Vec<u8>> {
    let mut formats = vec![
        gfx942(),
        both(),
        hip_library(&[both(), compressed(3, 1, &one())]),
        pack(&[
            ("k--Arch_gfx1100", code_object(3, 0x41)),
            ("k--Arch_gfx1151", code_object(3, 0x4a)),
        ]),
        archive(&["gfx942", "gfx90a:xnack+"], &[("gfx942", 9)]),
        [b"MZ".to_vec(), both(), wrappers(1)].concat(),
    ];
    for version in 1..=3 {
        for method in 0..=1 {
            formats.push(compressed(version, method, &both()));
        }
    }
    formats
}

#[test]
fn mutated_bytes_of_every_format_are_scanned_to_the_end_and_alike_in_any_chunks() {
    let mut random = Random(7);
    for good in formats() {
        for _ in 0..1500 {
            let mut bytes = good.clone();
            for _ in 0..=random.below(4) {
                let at = random.below(bytes.len());
                match random.below(5) {
                    0 => bytes.truncate(at.max(1)),
                    1 => bytes[at] ^= 1 << random.below(8),
                    2 => bytes[at] = [0, 0x7f, 0x80, 0xff][random.below(4)],
                    3 => {
                        let end = bytes.len().min(at + 8);
                        bytes[at..end].fill([0, 0xff][random.below(2)]);
                    }
                    _ => {
                        let piece = bytes[at..bytes.len().min(at + random.below(200))].to_vec();
                        let to = random.below(bytes.len());
                        bytes.splice(to..to, piece);
                    }
                }
            }
            let whole = scan_in("a", &bytes, bytes.len());
            assert_eq!(scan_in("a", &bytes, 1 + random.below(100)), whole);
        }
    }
}

#[test]
fn a_member_that_lies_about_its_size_is_scanned_to_the_end_and_alike_in_any_chunks() {
    for good in formats() {
        for size in [
            0,
            1,
            64,
            good.len() as u64 / 2,
            good.len() as u64 * 2,
            u64::MAX,
        ] {
            let scan = |chunk| {
                let mut scan = MemberScan::begin("a", size);
                good.chunks(chunk).for_each(|chunk| scan.feed(chunk));
                scan.finish()
            };
            let whole = scan(good.len());
            for chunk in [1, 50, 64, 200] {
                assert_eq!(scan(chunk), whole, "{size} bytes told, chunks of {chunk}");
            }
        }
    }
}

#[test]
fn a_zstd_bomb_is_decoded_no_further_than_a_table_may_go() {
    // 128 KiB of one byte in four bytes, over and over.
    let mut stream = b"\x28\xb5\x2f\xfd\x00\x58".to_vec();
    stream.extend([0x02, 0, 0x10, b'_'].repeat(100_000));
    for version in 1..=3_u16 {
        let mut bomb = compressed(version, 1, &one());
        bomb.truncate([20, 24, 32][usize::from(version) - 1]);
        match version {
            2 => bomb[8..12].copy_from_slice(&(24 + 400_006_u32).to_le_bytes()),
            3 => bomb[8..16].copy_from_slice(&(32 + 400_006_u64).to_le_bytes()),
            _ => {}
        }
        bomb.extend(&stream);
        let found = scan_in("a", &bomb, 4096);
        let note = &found.notes[rules::COMPRESSED].first;
        assert!(
            note.ends_with("it does not hold an offload bundle"),
            "{note}"
        );
    }
}

#[test]
fn a_zlib_bomb_is_inflated_no_further_than_its_header_says() {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&one()).unwrap();
    encoder.write_all(&vec![0; 64 << 20]).unwrap();
    let mut bomb = compressed(1, 0, &one());
    bomb.truncate(20);
    bomb.extend(encoder.finish().unwrap());
    let found = scan_in("a", &bomb, 4096);
    let note = &found.notes[rules::COMPRESSED].first;
    assert!(note.contains("not as long as its header says"), "{note}");
}

#[test]
fn many_bombs_stop_at_a_budget_for_the_member() {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let mut raw = bundle(&[(GFX942, &gfx942())], 1);
    raw.resize(16 << 20, 0);
    encoder.write_all(&raw).unwrap();
    let mut bomb = compressed(1, 0, &one());
    bomb.truncate(20);
    bomb[8..12].copy_from_slice(&(16_u32 << 20).to_le_bytes());
    bomb.extend(encoder.finish().unwrap());
    let found = scan_in("a", &bomb.repeat(50), 1 << 20);
    let note = &found.notes[rules::COMPRESSED].first;
    let told = "cannot be found; what follows was not searched";
    assert!(note.ends_with(told), "{note}");
}

#[test]
fn tables_inside_one_another_are_none_and_take_no_time() {
    // Each id ends in a magic string, so that a table seems to begin in every entry of the first one.
    let id = format!("hip-amdgcn-{}", "__CLANG_OFFLOAD_BUNDLE__");
    let mut bytes = Vec::new();
    for _ in 0..200_000 {
        bytes.extend(500_u64.to_le_bytes());
        bytes.extend(1_u64.to_le_bytes());
        bytes.extend((id.len() as u64).to_le_bytes());
        bytes.extend(id.as_bytes());
    }
    assert!(scan_in("a", &bytes, 5000).is_empty());
}

#[test]
fn more_targets_than_there_are_gpus_are_told_and_bounded() {
    let mut bytes = Vec::new();
    for number in 0..2000 {
        let id = format!("hip-amdgcn-amd-amdhsa--gfx{:x}", 0x20_0000 + number);
        bytes.extend(bundle(&[(&id, &code_object(4, 0x66))], 1));
    }
    let found = scan_in("a", &bytes, 4096);
    assert_eq!(found.carried.values().next().unwrap().objects.len(), 512);
    assert_eq!(found.carried.values().next().unwrap().sets.len(), 512);
    assert!(found.notes.contains_key(rules::LIMIT));
}

#[test]
fn no_more_is_held_than_one_decision_takes() {
    let large = |head: &[u8]| [head, &vec![0x5a; 9 << 20]].concat();
    let mut table = compressed(3, 1, &one());
    table[8..16].copy_from_slice(&(9_u64 << 20).to_le_bytes());
    let packed = pack(&[("k--Arch_gfx1100", vec![0; 100])]);
    let mut kpack = archive(&["gfx942"], &[("gfx942", 9)]);
    let offset = (kpack.len() + (5 << 20)) as u64;
    kpack[8..16].copy_from_slice(&offset.to_le_bytes());
    let endless = [crate::device::bundle::MAGIC, &512_u64.to_le_bytes()].concat();
    for bytes in [
        large(&table),
        large(&packed),
        large(&kpack),
        large(&endless),
    ] {
        let mut scan = MemberScan::begin("a", bytes.len() as u64);
        for chunk in bytes.chunks(10_000) {
            scan.feed(chunk);
            assert!(scan.held() <= 8 << 20, "{}", scan.held());
        }
    }
}

#[test]
fn a_member_that_ends_anywhere_before_its_size_is_scanned_alike_in_any_chunks() {
    for good in [
        both(),
        compressed(1, 0, &both()),
        archive(&["gfx942"], &[("gfx942", 9)]),
    ] {
        for end in 0..good.len() {
            let scan = |chunk| {
                let mut scan = MemberScan::begin("a", u64::MAX);
                for chunk in good[..end].chunks(chunk) {
                    scan.feed(chunk);
                }
                scan.finish()
            };
            assert_eq!(scan(1), scan(good.len()), "{end}");
        }
    }
}
