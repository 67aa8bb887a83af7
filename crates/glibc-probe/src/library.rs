//! A bare shared library, for somebody who debugs one.

use std::io::Read;
use std::path::Path;

use anyhow::Context;
use native::elf::{Outcome, Questions, Scan};
use native::exclude::Excludes;
use native::policy;
use native::verdict::{Code, Member, Verdict, judge};

/// How much is read at once.
const BLOCK: usize = 256 * 1024;

/// Whether a file begins as an ELF file does. What cannot be read is left to whoever opens it.
pub(crate) fn is_elf(path: &Path) -> bool {
    let mut magic = [0; 4];
    wheel::open_regular(path).is_ok_and(|mut file| file.read_exact(&mut magic).is_ok())
        && magic == *b"\x7fELF"
}

/// Judges one library as if it were alone in a wheel.
pub(crate) fn judge_file(path: &Path, excludes: &Excludes) -> anyhow::Result<Verdict> {
    let name = path.display().to_string();
    let mut code = Code::default();
    match scan(path, &name).with_context(|| name.clone())? {
        Outcome::Facts(facts) => code.members.push(Member {
            name,
            facts: *facts,
        }),
        _ => code.stubs.push(name),
    }
    Ok(judge(&code, excludes))
}

fn scan<'a>(path: &Path, name: &'a str) -> anyhow::Result<Outcome<'a>> {
    let size = std::fs::metadata(path)?.len();
    let questions = Questions {
        member: name,
        watched: policy::forbidden_symbols(),
        symbols: true,
    };
    let mut scan = Scan::begin(questions, size);
    let mut block = vec![0; BLOCK];
    loop {
        let mut file = wheel::open_regular(path)?;
        while !scan.is_done() {
            let length = file.read(&mut block)?;
            if length == 0 {
                break;
            }
            scan.feed(block.get(..length).unwrap_or_default());
        }
        match scan.finish()? {
            Outcome::Again(again) => scan = *again,
            outcome => return Ok(outcome),
        }
    }
}
