//! The chunks in which bytes come change nothing.

use proptest::prelude::*;

use super::*;

/// Something of everything, small enough to be cut at every byte.
fn mixture() -> Vec<u8> {
    let fatbin = [
        both(),
        compressed(1, 0, &one()),
        compressed(1, 1, &both()),
        compressed(2, 1, &one()),
        compressed(3, 0, &both()),
    ]
    .concat();
    library(&[
        (
            ".rodata",
            [b"__CLANG_OFFLOAD_CCO".to_vec(), gfx950(), b"CCOB".to_vec()].concat(),
        ),
        (".hip_fatbin", fatbin),
        (".hipFatBinSegment", wrappers(5)),
    ])
}

#[test]
fn a_cut_at_any_byte_changes_nothing() {
    let small = [
        both(),
        compressed(1, 1, &one()),
        wrappers(1),
        gfx950(),
        b"__CLANG_OFF".to_vec(),
    ];
    for bytes in [
        small.concat(),
        pack(&[("k--Arch_gfx1100", code_object(3, 0x41))]),
        archive(&["gfx942", "gfx90a"], &[("gfx942", 9)]),
        gfx942(),
        b"MZ".to_vec(),
        Vec::new(),
    ] {
        let whole = scan_in("a", &bytes, bytes.len().max(1));
        for cut in 0..=bytes.len() {
            let mut scan = MemberScan::begin("a", bytes.len() as u64);
            scan.feed(&bytes[..cut]);
            scan.feed(&bytes[cut..]);
            assert_eq!(scan.finish(), whole, "cut at {cut}");
        }
    }
}

#[test]
fn chunks_of_any_size_change_nothing() {
    let bytes = mixture();
    let whole = scan_in("a.so", &bytes, bytes.len());
    assert!(whole.notes.is_empty(), "{:?}", whole.notes);
    for chunk in (1..70).chain([100, 1000, 4095, 4096, 4097, 10_000]) {
        assert_eq!(scan_in("a.so", &bytes, chunk), whole, "chunks of {chunk}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_mixture_in_any_chunks_is_the_same(
        pieces in prop::collection::vec((0..9_usize, 0..200_usize), 0..12),
        cuts in prop::collection::vec(1..5000_usize, 1..20),
    ) {
        let mut bytes = Vec::new();
        for (piece, gap) in pieces {
            bytes.extend(match piece {
                0 => both(),
                1 => compressed(1, 0, &one()),
                2 => compressed(2, 1, &both()),
                3 => gfx950(),
                4 => both()[..150].to_vec(),
                5 => compressed(1, 1, &one())[..60].to_vec(),
                6 => wrappers(2),
                7 => hip_library(&[one()]),
                _ => b"CCOB\x03\0\x01\0\x7fELF\x02\x01\x01\x40__CLANG".to_vec(),
            });
            bytes.resize(bytes.len() + gap, 0);
        }
        let whole = scan_in("a", &bytes, bytes.len().max(1));
        let mut scan = MemberScan::begin("a", bytes.len() as u64);
        let mut rest = bytes.as_slice();
        for cut in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (chunk, more) = rest.split_at(rest.len().min(*cut));
            scan.feed(chunk);
            rest = more;
        }
        prop_assert_eq!(scan.finish(), whole);
    }
}

#[test]
fn program_headers_far_behind_their_header_are_not_read_when_they_happen_to_be_there() {
    let mut object = gfx942();
    object[32..40].copy_from_slice(&5000_u64.to_le_bytes());
    object[56] = 1;
    object.resize(5056, 0);
    object[5032..5040].copy_from_slice(&9000_u64.to_le_bytes());
    let whole = scan_in("a.co", &object, object.len());
    assert!(whole.notes.is_empty());
    assert_eq!(scan_in("a.co", &object, 100), whole);
}
