//! Damaged ELF files, thousands of them from a seed: each is read or refused, in at most three passes.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read its input is to fail"
)]

#[path = "elf/build.rs"]
mod build;

use build::{Elf, Layout};
use native::elf::{Outcome, Questions, Scan};

/// A generator of numbers that are the same in every run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }
}

/// Files of every layout, class and byte order.
fn sound() -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for (machine, bits, little_endian) in [(62, 64, true), (3, 32, true), (22, 64, false)] {
        for layout in [Layout::Linked, Layout::Patched, Layout::PatchedLongAgo] {
            for (sections, hash) in [(true, false), (false, true), (false, false)] {
                let elf = Elf {
                    machine,
                    bits,
                    little_endian,
                    layout,
                    sections,
                    hash,
                    needed: vec!["libz.so.1".to_owned(), "libc.so.6".to_owned()],
                    soname: Some("libt.so".to_owned()),
                    rpath: Some("$ORIGIN".to_owned()),
                    interpreter: Some("/lib/ld.so".to_owned()),
                    versions: vec![
                        ("libc.so.6".to_owned(), "GLIBC_2.38".to_owned()),
                        ("libm.so.6".to_owned(), "GLIBC_2.29".to_owned()),
                    ],
                    undefined: vec![
                        ("inflate_fast".to_owned(), None),
                        ("pow".to_owned(), Some(1)),
                    ],
                    defined: vec!["PyInit_t".to_owned()],
                    isa: Some(7),
                    android: Some(24),
                    // Beyond what is kept whatever the segments say.
                    padding: 300 << 10,
                    ..Elf::default()
                };
                files.push(elf.bytes());
            }
        }
    }
    files
}

/// Reads to the end, however that is; returns the passes and whether it was refused.
fn read(bytes: &[u8], chunk: usize) -> (u32, bool) {
    let watched = ["inflate_fast".to_owned()].into();
    let questions = Questions {
        member: "t.so",
        watched: &watched,
        symbols: true,
    };
    let mut scan = Scan::begin(questions, bytes.len() as u64);
    for pass in 1.. {
        for part in bytes.chunks(chunk) {
            scan.feed(part);
        }
        match scan.finish() {
            Ok(Outcome::Again(again)) => scan = *again,
            Ok(_) => return (pass, false),
            Err(error) => {
                assert!(!error.to_string().is_empty());
                return (pass, true);
            }
        }
    }
    unreachable!("a scan ends")
}

#[test]
fn every_damaged_file_is_read_or_refused_in_three_passes() {
    let files = sound();
    let mut numbers = Numbers(0x00e1_f5ee_d000_0001);
    let mut refused = 0;
    let count = 12_000;
    for _ in 0..count {
        let mut bytes = files[numbers.below(files.len())].clone();
        let tables = bytes.len() - (300 << 10);
        for _ in 0..=numbers.below(3) {
            // Where the tables are, before and behind the padding, and not in it.
            let mut at = numbers.below(tables);
            if at > tables / 2 {
                at += 300 << 10;
            }
            match numbers.below(3) {
                0 => bytes[at] ^= 1 << numbers.below(8),
                1 => bytes[at] = [0, 0x7f, 0x80, 0xff][numbers.below(4)],
                _ => {
                    let end = bytes.len().min(at + 8);
                    bytes[at..end].fill([0, 0xff][numbers.below(2)]);
                }
            }
        }
        let (passes, is_refused) = read(&bytes, [700, 4096, 1 << 17][numbers.below(3)]);
        assert!(passes <= 3);
        refused += usize::from(is_refused);
    }
    assert!(refused > count / 20, "{refused}");
    assert!(refused < count, "{refused}");
}

#[test]
fn a_file_cut_anywhere_in_its_tables_is_refused() {
    for bytes in sound() {
        for end in (64..2000).chain(bytes.len() - 2000..bytes.len()).step_by(7) {
            let (passes, _) = read(&bytes[..end], 4096);
            assert!(passes <= 3, "{end}");
        }
    }
}

#[test]
fn more_needs_than_any_file_has_are_refused() {
    let versions = (0..9000)
        .map(|index| ("libc.so.6".to_owned(), format!("GLIBC_{index}")))
        .collect();
    let many_versions = Elf {
        versions,
        ..Elf::default()
    };
    let many_libraries = Elf {
        needed: (0..5000).map(|index| format!("lib{index}.so")).collect(),
        ..Elf::default()
    };
    for elf in [many_versions, many_libraries] {
        assert_eq!(read(&elf.bytes(), 1 << 17), (1, true));
    }
}

#[test]
fn names_without_an_end_are_not_searched_to_the_end_of_the_file() {
    // 60,000 symbols, each of whose names would be megabytes long.
    let elf = Elf {
        undefined: (0..60_000)
            .map(|index| (format!("{index:050}"), None))
            .collect(),
        ..Elf::default()
    };
    let mut bytes = elf.bytes();
    let from = bytes
        .windows(50)
        .position(|window| window == [b'0'; 50])
        .unwrap();
    let end = from + 60_000 * 51 - 1;
    for byte in &mut bytes[from..end] {
        *byte = b'x';
    }
    assert_eq!(read(&bytes, 1 << 17), (1, false));
}
