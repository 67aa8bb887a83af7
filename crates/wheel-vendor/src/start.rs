//! Where the walk begins: the members of a wheel that need something from outside, and what the wheel brings itself.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use anyhow::Context;
use native::elf::Facts;
use native::policy::Policy;
use pipe::Platform;
use wheel::Archive;

use crate::bench::Bench;
use crate::elf_file::facts;
use crate::graft::installed;

/// Bytes of members that may lie on the bench together, where the largest does not have more.
const ROOM: u64 = 256 << 20;

const AGAIN: &str = "measure it again";

/// One member and the libraries that it needs from outside.
#[derive(Debug)]
pub(crate) struct Start {
    /// Its path in the wheel.
    pub(crate) member: String,
    /// What it says about itself.
    pub(crate) facts: Facts,
    /// `DT_NEEDED` names that neither the policy grants nor the wheel brings.
    pub(crate) libraries: Vec<String>,
}

/// The members with needs from outside, in the archive's order. The measured document names those that the policy of the
/// symbols leaves open; an older policy that was asked for may grant less, and then every member is read. With a bench, the
/// members that the document names are unpacked on it as far as there is room: a wheel is never unpacked whole.
///
/// # Errors
/// When a member that was measured is not there, or its tables are damaged.
pub(crate) fn starts(
    archive: &Archive,
    platform: &Platform,
    policy: &Policy,
    asked_for: bool,
    mut bench: Option<&mut Bench>,
) -> anyhow::Result<Vec<Start>> {
    let mut libraries: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for external in &platform.external {
        for member in &external.needed_by {
            libraries
                .entry(member)
                .or_default()
                .insert(&external.library);
        }
    }
    let granted_later: BTreeSet<&str> = native::policy::all()
        .filter(|one| asked_for && one.libc == policy.libc)
        .flat_map(|one| one.libraries.iter().map(String::as_str))
        .filter(|library| !policy.libraries.contains(*library))
        .collect();
    // Lies on the bench until it is edited; what finds no room is inflated twice.
    let sizes = libraries.keys().filter_map(|name| archive.index(name));
    let largest = sizes.map(|index| archive.members()[index].size()).max();
    let mut room = largest.unwrap_or(0).max(ROOM);
    let mut starts = Vec::new();
    for (index, member) in archive.members().iter().enumerate() {
        let name = member.name();
        let open = libraries.remove(name).unwrap_or_default();
        if open.is_empty() && granted_later.is_empty() {
            continue;
        }
        let found = match &mut bench {
            Some(bench) if !open.is_empty() && member.size() <= room => {
                room -= member.size();
                bench.unpack(archive, index).map(Option::<&Facts>::cloned)
            }
            _ => facts(name, member.size(), || Ok(Box::new(archive.stream(index)))),
        }
        .with_context(|| name.to_owned())?;
        let needed = found.as_ref().map_or(&[][..], |facts| &facts.needed);
        let says = |library: &str| needed.iter().any(|one| one == library);
        if let Some(library) = open.iter().find(|library| !says(library)) {
            anyhow::bail!("{name}: does not need {library}, as the document says; {AGAIN}");
        }
        let Some(facts) = found else { continue };
        let wanted: Vec<String> = facts
            .needed
            .iter()
            .filter(|library| {
                open.contains(library.as_str()) || granted_later.contains(library.as_str())
            })
            .cloned()
            .collect();
        if !wanted.is_empty() {
            starts.push(Start {
                member: name.to_owned(),
                facts,
                libraries: wanted,
            });
        }
    }
    anyhow::ensure!(
        libraries.is_empty(),
        "is not the wheel that was measured: {} is not in it; {AGAIN}",
        libraries.into_keys().collect::<Vec<_>>().join(", ")
    );
    Ok(starts)
}

/// File name to member, for the libraries of a wheel to which a fixed way leads from its other members, and which a member
/// with needs could load. Where two have one name, the first counts.
///
/// # Errors
/// When a member cannot be read.
pub(crate) fn in_wheel(
    archive: &Archive,
    starts: &[Start],
    data: &str,
) -> anyhow::Result<BTreeMap<String, String>> {
    let mut kinds: BTreeSet<Kind> = BTreeSet::new();
    for start in starts {
        let index = archive.index(&start.member);
        kinds.extend(
            index
                .map(|index| kind(archive, index))
                .transpose()?
                .flatten(),
        );
    }
    let mut members = BTreeMap::new();
    for (index, member) in archive.members().iter().enumerate() {
        let name = member.name();
        let file = name.rsplit('/').next().unwrap_or_default();
        if !file.contains(".so") || members.contains_key(file) || installed(name, data).is_none() {
            continue;
        }
        let kind = kind(archive, index).with_context(|| name.to_owned())?;
        if kind.is_some_and(|kind| kinds.contains(&kind)) {
            members.insert(file.to_owned(), name.to_owned());
        }
    }
    Ok(members)
}

/// `EI_CLASS`, `EI_DATA` and `e_machine`: what a loader compares before it takes a library.
type Kind = [u8; 4];

/// The kind of a member; `None` when it is no ELF file.
fn kind(archive: &Archive, index: usize) -> anyhow::Result<Option<Kind>> {
    let mut head = Vec::with_capacity(20);
    archive.stream(index).take(20).read_to_end(&mut head)?;
    Ok(match head[..] {
        [0x7f, b'E', b'L', b'F', class, order, .., low, high] if head.len() == 20 => {
            Some([class, order, low, high])
        }
        _ => None,
    })
}
