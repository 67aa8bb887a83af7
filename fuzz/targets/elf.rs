//! The ELF reader: no bytes make it panic or ask for more than three passes, and the chunks in which they
//! come change nothing.
#![no_main]

use std::collections::BTreeSet;

use libfuzzer_sys::fuzz_target;
use native::elf::{Outcome, Questions, Scan};

fn read(bytes: &[u8], chunk: usize) -> String {
    let watched = BTreeSet::from(["deflateInit_".to_owned()]);
    let questions = Questions {
        member: "demo/native.so",
        watched: &watched,
        symbols: true,
    };
    let mut scan = Scan::begin(questions, bytes.len() as u64);
    for _ in 0..3 {
        for chunk in bytes.chunks(chunk) {
            if scan.is_done() {
                break;
            }
            scan.feed(chunk);
        }
        match scan.finish() {
            Ok(Outcome::Again(next)) => scan = *next,
            other => return format!("{other:?}"),
        }
    }
    panic!("a fourth pass");
}

// The first byte chooses chunks, the rest is the member.
fuzz_target!(|data: &[u8]| {
    let Some((choice, bytes)) = data.split_first() else {
        return;
    };
    let whole = read(bytes, bytes.len().max(1));
    assert_eq!(read(bytes, usize::from(*choice) + 1), whole);
});
