//! Which C library the code of a wheel is linked against.

use pipe::Finding;

use crate::elf::Facts;
use crate::policy::Libc;

use super::Member;
use super::subject::remark;

/// Picks the C library of members of one machine.
pub(super) fn choose(
    members: &[&Member],
    platforms: &[String],
    findings: &mut Vec<Finding>,
) -> Libc {
    let mut hints: Vec<Libc> = Vec::new();
    for member in members {
        if let Some(libc) = hint(&member.facts)
            && !hints.contains(&libc)
        {
            hints.push(libc);
        }
    }
    let mut named: Vec<Libc> = platforms
        .iter()
        .filter_map(|tag| Libc::of_tag(tag))
        .collect();
    named.sort();
    named.dedup();
    let chosen = named
        .iter()
        .find(|libc| hints.contains(libc))
        .or(hints.first());
    if let Some(chosen) = chosen {
        if !named.is_empty() && !named.contains(chosen) {
            let words: Vec<&str> = named.iter().map(|libc| libc.word()).collect();
            findings.push(remark(
                "libc-name",
                format!(
                    "the file name says {}, the code is linked against {}",
                    words.join(" and "),
                    chosen.word()
                ),
            ));
        }
        return *chosen;
    }
    if let [libc] = named.as_slice() {
        findings.push(remark(
            "libc-from-name",
            format!(
                "nothing in the code tells its C library (it is linked statically, or needs none); {} is taken from the file name",
                libc.word()
            ),
        ));
        return *libc;
    }
    let by_file = members
        .iter()
        .find_map(|member| libc_of_file_name(&member.name));
    findings.push(remark(
        "libc-from-name",
        match by_file {
            Some(libc) => format!(
                "nothing in the code tells its C library; {} is taken from the names of its members",
                libc.word()
            ),
            None => "nothing in the code or the file name tells its C library; glibc is assumed".to_owned(),
        },
    ));
    by_file.unwrap_or(Libc::Glibc)
}

/// What an ELF file says about its C library: Android's note, its loader, its needs.
pub(super) fn hint(facts: &Facts) -> Option<Libc> {
    if facts.android_api.is_some() {
        return Some(Libc::Android);
    }
    if let Some(interpreter) = &facts.interpreter {
        let file = interpreter.rsplit('/').next().unwrap_or_default();
        return Some(match file {
            "linker" | "linker64" => Libc::Android,
            _ if file.starts_with("ld-musl-") => Libc::Musl,
            _ => Libc::Glibc,
        });
    }
    let needed = facts.needed.iter().find_map(|library| {
        if library.starts_with("libc.musl-") || library.starts_with("ld-musl-") {
            Some(Libc::Musl)
        } else if library == "libc.so.6"
            || library.starts_with("ld-linux-")
            || library.starts_with("ld64.so.")
        {
            Some(Libc::Glibc)
        } else {
            None
        }
    });
    needed.or_else(|| {
        facts
            .version_needs
            .iter()
            .any(|need| need.library == "libc.so.6")
            .then_some(Libc::Glibc)
    })
}

/// The end of an extension module's file name (PEP 3149): `t.cpython-312-x86_64-linux-musl.so`.
fn libc_of_file_name(member: &str) -> Option<Libc> {
    let ends = |endings: [&str; 2]| endings.iter().any(|ending| member.ends_with(ending));
    if ends(["-linux-musl.so", "-linux-musleabihf.so"]) {
        Some(Libc::Musl)
    } else if ends(["-linux-gnu.so", "-linux-gnueabihf.so"]) {
        Some(Libc::Glibc)
    } else {
        None
    }
}
