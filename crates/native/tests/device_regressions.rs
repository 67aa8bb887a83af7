//! What the fuzzers found once: `fuzz/regressions/<fuzzer>/`, each named for what went wrong. The first byte
//! chose chunks and a size for the fuzzer; here every input is read in many ways.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read its input is to fail"
)]

use std::collections::BTreeSet;
use std::path::Path;

use native::device::MemberScan;
use native::elf::{Outcome, Questions, Scan};

fn inputs(fuzzer: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/regressions");
    let mut inputs = Vec::new();
    for entry in std::fs::read_dir(folder.join(fuzzer)).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        inputs.push((name, std::fs::read(path).unwrap().split_off(1)));
    }
    assert!(!inputs.is_empty());
    inputs
}

#[test]
fn gpu_code_that_was_once_read_in_two_ways_is_read_in_one() {
    for (name, bytes) in inputs("device") {
        let length = bytes.len() as u64;
        for size in [length / 2, length, u64::MAX] {
            let scan = |chunk| {
                let mut scan = MemberScan::begin("a.so", size);
                for chunk in bytes.chunks(chunk) {
                    scan.feed(chunk);
                }
                scan.finish()
            };
            let whole = scan(bytes.len());
            for chunk in 1..=64 {
                assert_eq!(scan(chunk), whole, "{name}: chunks of {chunk}, size {size}");
            }
        }
    }
}

fn read_elf(bytes: &[u8], chunk: usize) -> String {
    let watched = BTreeSet::from(["deflateInit_".to_owned()]);
    let questions = Questions {
        member: "demo/native.so",
        watched: &watched,
        symbols: true,
    };
    let mut scan = Scan::begin(questions, bytes.len() as u64);
    for _ in 0..3 {
        for chunk in bytes.chunks(chunk) {
            scan.feed(chunk);
        }
        match scan.finish() {
            Ok(Outcome::Again(next)) => scan = *next,
            other => return format!("{other:?}"),
        }
    }
    panic!("a fourth pass")
}

#[test]
fn elf_files_that_once_broke_the_reader_do_not() {
    for (name, bytes) in inputs("elf") {
        let whole = read_elf(&bytes, bytes.len());
        for chunk in [1, 64, 100] {
            assert_eq!(read_elf(&bytes, chunk), whole, "{name}: chunks of {chunk}");
        }
    }
}
