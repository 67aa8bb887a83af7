//! The streaming reader against whole files: every layout, every chunk size, every byte order.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read its input is to fail"
)]

#[path = "elf/build.rs"]
mod build;

use std::collections::BTreeSet;

use build::{Elf, Layout};
use native::elf::{ElfError, Extension, Facts, Machine, Outcome, Questions, Scan, VersionNeed};

/// Feeds a file in chunks, as often as it is asked for; returns the facts and the number of passes.
fn scan(bytes: &[u8], chunk: usize) -> Result<(Option<Facts>, u32), ElfError> {
    let watched: BTreeSet<String> = ["inflate_fast".to_owned()].into();
    let questions = Questions {
        member: "p/t.so",
        watched: &watched,
        symbols: true,
    };
    let mut scan = Scan::begin(questions, bytes.len() as u64);
    for pass in 1.. {
        for part in bytes.chunks(chunk) {
            scan.feed(part);
        }
        match scan.finish()? {
            Outcome::Again(again) => scan = *again,
            Outcome::Facts(facts) => return Ok((Some(*facts), pass)),
            Outcome::NotElf | Outcome::Stub => return Ok((None, pass)),
        }
    }
    unreachable!("a scan ends")
}

fn facts(elf: &Elf) -> Facts {
    scan(&elf.bytes(), 1 << 20).unwrap().0.unwrap()
}

/// A library with a bit of everything.
fn rich() -> Elf {
    Elf {
        needed: vec!["libz.so.1".to_owned(), "libc.so.6".to_owned()],
        soname: Some("libt.so.1".to_owned()),
        rpath: Some("$ORIGIN/../t.libs".to_owned()),
        runpath: Some("$ORIGIN".to_owned()),
        interpreter: Some("/lib64/ld-linux-x86-64.so.2".to_owned()),
        versions: vec![
            ("libc.so.6".to_owned(), "GLIBC_2.38".to_owned()),
            ("libstdc++.so.6".to_owned(), "GLIBCXX_3.4.30".to_owned()),
        ],
        undefined: vec![
            ("strtol".to_owned(), Some(0)),
            ("inflate_fast".to_owned(), None),
            ("_ZNSt4wait".to_owned(), Some(1)),
        ],
        weak: vec!["__gmon_start__".to_owned()],
        defined: vec!["PyInit_t".to_owned(), "helper".to_owned()],
        isa: Some(7),
        ..Elf::default()
    }
}

#[test]
fn everything_is_read_from_every_class_and_byte_order() {
    for (machine, bits, little_endian, flags, word) in [
        (62, 64, true, 0, "x86_64"),
        (3, 32, true, 0, "i686"),
        (183, 64, true, 0, "aarch64"),
        (40, 32, true, 0x0500_0400, "armv7l"),
        (21, 64, true, 2, "ppc64le"),
        (21, 64, false, 1, "ppc64"),
        (22, 64, false, 0, "s390x"),
        (243, 64, true, 5, "riscv64"),
        (258, 64, true, 0x43, "loongarch64"),
        (8, 32, false, 0, "mips"),
    ] {
        let facts = facts(&Elf {
            machine,
            bits,
            little_endian,
            flags,
            ..rich()
        });
        assert_eq!(facts.machine.to_string(), word);
        assert_eq!((facts.bits, facts.little_endian), (bits, little_endian));
        assert_eq!(facts.needed, ["libz.so.1", "libc.so.6"], "{word}");
        assert_eq!(facts.soname.as_deref(), Some("libt.so.1"));
        assert_eq!(facts.rpath.as_deref(), Some("$ORIGIN/../t.libs"));
        assert_eq!(facts.runpath.as_deref(), Some("$ORIGIN"));
        assert_eq!(
            facts.interpreter.as_deref(),
            Some("/lib64/ld-linux-x86-64.so.2")
        );
        let need = |library: &str, version: &str| VersionNeed {
            library: library.to_owned(),
            version: version.to_owned(),
        };
        assert_eq!(
            facts.version_needs,
            [
                need("libc.so.6", "GLIBC_2.38"),
                need("libstdc++.so.6", "GLIBCXX_3.4.30")
            ]
        );
        assert!(facts.views_differ.is_empty());
        assert_eq!(facts.isa_needed, Some(7), "{word}");
        assert_eq!(facts.extension, Some(Extension::Python3));
        assert_eq!(facts.undefined, ["inflate_fast".to_owned()].into());
        assert_eq!(
            facts.symbols[&need("libc.so.6", "GLIBC_2.38")],
            ["strtol".to_owned()].into()
        );
        assert_eq!(
            facts.symbols[&need("libstdc++.so.6", "GLIBCXX_3.4.30")],
            ["_ZNSt4wait".to_owned()].into()
        );
    }
}

#[test]
fn the_size_of_the_chunks_changes_nothing() {
    for layout in [Layout::Linked, Layout::Patched, Layout::PatchedLongAgo] {
        for sections in [true, false] {
            let bytes = Elf {
                layout,
                sections,
                padding: 700_000,
                ..rich()
            }
            .bytes();
            let whole = scan(&bytes, bytes.len()).unwrap();
            for chunk in [63, 4096, 131_072, 300_001] {
                assert_eq!(
                    scan(&bytes, chunk).unwrap(),
                    whole,
                    "{layout:?} {sections} {chunk}"
                );
            }
        }
    }
}

#[test]
fn a_linked_and_a_patched_file_need_one_pass() {
    for layout in [Layout::Linked, Layout::Patched] {
        let bytes = Elf {
            layout,
            padding: 40 << 20,
            ..rich()
        }
        .bytes();
        let (facts, passes) = scan(&bytes, 1 << 17).unwrap();
        assert_eq!(facts.unwrap().version_needs.len(), 2);
        assert_eq!(passes, 1, "{layout:?}");
    }
}

#[test]
fn tables_that_passed_unseen_are_fetched_by_another_pass() {
    // 30 MiB of text stand before the tables, and the program headers tell of it at the end only.
    let mut bytes = Elf {
        layout: Layout::PatchedLongAgo,
        padding: 1000,
        ..rich()
    }
    .bytes();
    let expected = scan(&bytes, 1 << 17).unwrap().0;
    shift(&mut bytes, 30 << 20);
    let (facts, passes) = scan(&bytes, 1 << 17).unwrap();
    assert_eq!(facts, expected);
    assert_eq!(passes, 2);
}

/// Moves everything behind the file header by `by` bytes, program and section headers' places included.
fn shift(bytes: &mut Vec<u8>, by: usize) {
    let long = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let half = |bytes: &[u8], at: usize| u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap());
    let add = |bytes: &mut [u8], at: usize| {
        let value = long(bytes, at) + by as u64;
        bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
    };
    let segments = usize::try_from(long(bytes, 32)).unwrap();
    for index in 0..usize::from(half(bytes, 56)) {
        add(bytes, segments + index * 56 + 8);
    }
    let sections = usize::try_from(long(bytes, 40)).unwrap();
    for index in 1..usize::from(half(bytes, 60)) {
        add(bytes, sections + index * 64 + 24);
    }
    add(bytes, 32);
    add(bytes, 40);
    bytes.splice(64..64, vec![0; by]);
}

#[test]
fn a_file_without_section_headers_does_not_look_free_of_needs() {
    for hash in [true, false] {
        let facts = facts(&Elf {
            sections: false,
            hash,
            ..rich()
        });
        assert!(!facts.has_sections);
        assert_eq!(facts.version_needs.len(), 2);
        assert_eq!(facts.undefined, ["inflate_fast".to_owned()].into());
        assert_eq!(facts.extension, Some(Extension::Python3));
    }
}

#[test]
fn two_views_that_disagree_are_both_counted() {
    let mut bytes = rich().bytes();
    // The section's count of records says one less than the loader's.
    let sections = usize::try_from(u64::from_le_bytes(bytes[40..48].try_into().unwrap())).unwrap();
    let count = usize::from(u16::from_le_bytes(bytes[60..62].try_into().unwrap()));
    let at = (0..count)
        .map(|index| sections + index * 64)
        .find(|at| bytes[at + 4..at + 8] == 0x6fff_fffe_u32.to_le_bytes())
        .unwrap();
    bytes[at + 44..at + 48].copy_from_slice(&1_u32.to_le_bytes());
    let facts = scan(&bytes, bytes.len()).unwrap().0.unwrap();
    assert_eq!(facts.version_needs.len(), 2);
    assert_eq!(
        facts.views_differ,
        [VersionNeed {
            library: "libstdc++.so.6".to_owned(),
            version: "GLIBCXX_3.4.30".to_owned()
        }]
    );
}

#[test]
fn android_is_told_by_its_note() {
    let facts = facts(&Elf {
        android: Some(24),
        ..Elf::default()
    });
    assert_eq!(facts.android_api, Some(24));
}

#[test]
fn a_gpu_file_is_known_after_its_header() {
    let bytes = Elf {
        machine: 224,
        os_abi: 64,
        ..Elf::default()
    }
    .bytes();
    let facts = scan(&bytes, 64).unwrap().0.unwrap();
    assert_eq!(facts.machine, Machine::Device(224));
}

#[test]
fn a_stub_is_no_file_and_a_cut_file_is_an_error() {
    let bytes = rich().bytes();
    for end in [4, 16, 52, 63] {
        assert_eq!(scan(&bytes[..end], 4096).unwrap(), (None, 1), "{end}");
    }
    for end in 64..bytes.len() {
        let error = scan(&bytes[..end], 4096).unwrap_err();
        assert!(matches!(error, ElfError::PastEnd(_)), "{end}: {error}");
    }
    assert!(scan(b"MZ", 4096).unwrap().0.is_none());
}

#[test]
fn tables_of_absurd_size_are_refused_at_once() {
    let bytes = rich().bytes();
    let fields = [
        (56, 2, "segment count"),
        (60, 2, "section count"),
        (32, 8, "program headers' place"),
        (40, 8, "section headers' place"),
    ];
    for (at, size, what) in fields {
        let mut damaged = bytes.clone();
        damaged[at..at + size].fill(0xfe);
        let answer = scan(&damaged, 4096);
        assert!(answer.is_err(), "{what}: {answer:?}");
    }
}
