//! goblin reads every ELF member of the real wheels as the second opinion, each as a whole.

use std::collections::BTreeSet;
use std::path::Path;

use goblin::elf::Elf;
use goblin::elf::section_header::SHN_UNDEF;
use goblin::elf::sym::{STB_WEAK, STT_FUNC};
use native::elf::{Facts, Machine, Outcome, Questions, Scan};
use native::policy;
use wheel::Archive;

use crate::support;

/// What both readers can say.
#[derive(Debug, PartialEq, Eq)]
struct Opinion {
    needed: Vec<String>,
    soname: Option<String>,
    rpath: Option<String>,
    runpath: Option<String>,
    interpreter: Option<String>,
    version_needs: BTreeSet<(String, String)>,
    undefined: BTreeSet<String>,
    is_extension: bool,
}

fn ours(facts: &Facts) -> Opinion {
    Opinion {
        needed: facts.needed.clone(),
        soname: facts.soname.clone(),
        rpath: facts.rpath.clone(),
        runpath: facts.runpath.clone(),
        interpreter: facts.interpreter.clone(),
        version_needs: facts
            .version_needs
            .iter()
            .map(|need| (need.library.clone(), need.version.clone()))
            .collect(),
        undefined: facts.undefined.clone(),
        is_extension: facts.extension.is_some(),
    }
}

fn goblins(elf: &Elf<'_>, member: &str) -> Opinion {
    let name = |index: usize| elf.dynstrtab.get_at(index).unwrap_or_default().to_owned();
    let mut version_needs = BTreeSet::new();
    for need in elf.verneed.iter().flatten() {
        for version in &need {
            version_needs.insert((name(need.vn_file), name(version.vna_name)));
        }
    }
    let file = member.rsplit('/').next().unwrap();
    let module = file.split('.').next().unwrap();
    let init: BTreeSet<String> = ["PyInit_", "init", "_cffi_pypyinit_"]
        .into_iter()
        .map(|prefix| format!("{prefix}{module}"))
        .collect();
    let mut undefined = BTreeSet::new();
    let mut is_extension = false;
    for symbol in &elf.dynsyms {
        let name = name(symbol.st_name);
        if symbol.st_shndx == SHN_UNDEF as usize {
            if symbol.st_bind() != STB_WEAK && policy::forbidden_symbols().contains(&name) {
                undefined.insert(name);
            }
        } else if symbol.st_type() == STT_FUNC {
            is_extension |= init.contains(&name);
        }
    }
    Opinion {
        needed: elf.libraries.iter().map(|&name| name.to_owned()).collect(),
        soname: elf.soname.map(str::to_owned),
        rpath: elf.rpaths.last().map(|&path| path.to_owned()),
        runpath: elf.runpaths.last().map(|&path| path.to_owned()),
        interpreter: elf.interpreter.map(str::to_owned),
        version_needs,
        undefined,
        is_extension,
    }
}

fn scan(member: &str, bytes: &[u8]) -> Option<Facts> {
    let questions = Questions {
        member,
        watched: policy::forbidden_symbols(),
        symbols: false,
    };
    let mut scan = Scan::begin(questions, bytes.len() as u64);
    loop {
        for chunk in bytes.chunks(128 << 10) {
            scan.feed(chunk);
        }
        match scan.finish().unwrap() {
            Outcome::Again(again) => scan = *again,
            Outcome::Facts(facts) => return Some(*facts),
            Outcome::NotElf | Outcome::Stub => return None,
        }
    }
}

/// Compares all members up to a size; returns how many ELF files there were.
pub(crate) fn compare(wheel: &Path, most: u64) -> usize {
    let archive = Archive::open(wheel).unwrap();
    let mut compared = 0;
    for (index, member) in archive.members().iter().enumerate() {
        if member.is_dir() || member.size() < 64 || member.size() > most {
            continue;
        }
        let mut reader = archive.stream(index);
        let first = reader.next_chunk().unwrap();
        if !first.starts_with(b"\x7fELF") {
            continue;
        }
        let mut bytes = first.to_vec();
        loop {
            let chunk = reader.next_chunk().unwrap();
            if chunk.is_empty() {
                break;
            }
            bytes.extend_from_slice(chunk);
        }
        let facts = scan(member.name(), &bytes).unwrap();
        if matches!(facts.machine, Machine::Device(_)) {
            continue;
        }
        let elf = Elf::parse(&bytes).unwrap();
        let what = format!("{}: {}", wheel.display(), member.name());
        assert_eq!(ours(&facts), goblins(&elf, member.name()), "{what}");
        compared += 1;
    }
    compared
}

#[test]
fn goblin_reads_the_same_from_every_library() {
    let compared: usize = support::real_wheels(&["demo", "test"])
        .iter()
        .map(|wheel| compare(wheel, 32 << 20))
        .sum();
    assert!(compared > 150, "{compared}");
}
