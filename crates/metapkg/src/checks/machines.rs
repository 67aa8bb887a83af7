//! One kind of machine.

use std::collections::{BTreeMap, BTreeSet};

use super::Findings;
use crate::member::Member;

/// Machines in the words of platform tags.
const MACHINES: &[&str] = &[
    "x86_64",
    "aarch64",
    "ppc64le",
    "s390x",
    "riscv64",
    "loongarch64",
    "armv7l",
    "i686",
];

/// The machines that a wheel's platform tags name; empty when it runs on any.
pub(super) fn of(member: &Member) -> BTreeSet<&'static str> {
    let platforms = member
        .wheel
        .tags
        .iter()
        .filter_map(|tag| tag.rsplit_once('-'));
    platforms
        .filter_map(|(_, platform)| {
            MACHINES
                .iter()
                .find(|machine| platform.ends_with(&format!("_{machine}")))
        })
        .copied()
        .collect()
}

/// Every wheel that names machines must share one with every other that does.
pub(super) fn check(members: &[Member], findings: &mut Findings) {
    let mut first_of: BTreeMap<BTreeSet<&str>, &Member> = BTreeMap::new();
    for member in members {
        let machines = of(member);
        if !machines.is_empty() {
            first_of.entry(machines).or_insert(member);
        }
    }
    let kinds: Vec<_> = first_of.iter().collect();
    for (at, (machines, member)) in kinds.iter().enumerate() {
        for (others, other) in &kinds[at + 1..] {
            if machines.is_disjoint(others) {
                findings.error(
                    "machine",
                    format!(
                        "{} is for {} and {} for {}; no machine takes both",
                        member.called(),
                        list(machines),
                        other.called(),
                        list(others)
                    ),
                );
            }
        }
    }
}

fn list(machines: &BTreeSet<&str>) -> String {
    machines.iter().copied().collect::<Vec<_>>().join(" or ")
}
