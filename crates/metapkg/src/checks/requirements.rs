//! What the wheels of a set require of one another.

use std::collections::{BTreeMap, BTreeSet};

use wheel::{Environment, ProjectName, Requirement};

use super::{Findings, machines, pythons};
use crate::member::Member;

/// The newest `CPython` minor release for which markers are evaluated, though a pure set may allow later ones.
const NEWEST_MINOR: u64 = 20;

/// A requirement that counts when the set is installed, and whose it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Applied<'a> {
    pub(super) member: &'a Member<'a>,
    pub(super) requirement: &'a Requirement,
}

/// The requirements that count on at least one Python that takes the whole set.
///
/// Extras count when some wheel of the set asks for them, directly or through others; the metapackage
/// itself asks for none. A marker that hangs on something unknown, such as the kernel's release, counts.
pub(super) fn applied<'a>(members: &'a [Member<'a>]) -> Vec<Applied<'a>> {
    let mut counted = BTreeSet::new();
    for environment in environments(members) {
        let mut asked: BTreeMap<&ProjectName, BTreeSet<&ProjectName>> = BTreeMap::new();
        loop {
            let before: usize = asked.values().map(BTreeSet::len).sum();
            for (at, member) in members.iter().enumerate() {
                let extras: Vec<&ProjectName> = asked
                    .get(&member.name)
                    .into_iter()
                    .flatten()
                    .copied()
                    .collect();
                for (index, requirement) in member.requires.iter().enumerate() {
                    if counts(requirement, &environment, &extras) {
                        counted.insert((at, index));
                        asked
                            .entry(&requirement.name)
                            .or_default()
                            .extend(&requirement.extras);
                    }
                }
            }
            if asked.values().map(BTreeSet::len).sum::<usize>() == before {
                break;
            }
        }
    }
    counted
        .into_iter()
        .filter_map(|(at, index)| {
            let member = members.get(at)?;
            let requirement = member.requires.get(index)?;
            Some(Applied {
                member,
                requirement,
            })
        })
        .collect()
}

fn counts(requirement: &Requirement, environment: &Environment, extras: &[&ProjectName]) -> bool {
    let Some(marker) = &requirement.marker else {
        return true;
    };
    let holds = |environment: &Environment| marker.evaluate(environment).unwrap_or(true);
    holds(environment)
        || extras
            .iter()
            .any(|extra| holds(&environment.clone().with_extra(extra.as_str())))
}

/// One environment per minor release that takes the set, at the oldest patch release that does.
fn environments(members: &[Member]) -> Vec<Environment> {
    let machine = members
        .iter()
        .find_map(|member| machines::of(member).pop_first())
        .unwrap_or("x86_64");
    let mut joint = pythons::joint(members);
    if joint.is_empty() {
        // No Python takes all of it, which is told elsewhere; the others' requirements still are.
        joint = members
            .iter()
            .filter_map(|member| member.interpreters.first().copied())
            .collect();
    }
    let mut minors = BTreeSet::new();
    joint
        .iter()
        .filter(|python| python.minor <= NEWEST_MINOR && minors.insert(python.minor))
        .map(|python| Environment::linux_cpython(&python.version().to_string(), machine))
        .collect()
}

/// Names every requirement of one member that no version in the set meets.
pub(super) fn check(
    members: &[Member],
    metapackage: &ProjectName,
    applied: &[Applied],
    findings: &mut Findings,
) {
    for Applied {
        member,
        requirement,
    } in applied
    {
        let there: Vec<&Member> = members
            .iter()
            .filter(|other| other.name == requirement.name && other.name != *metapackage)
            .collect();
        let Some(first) = there.first() else {
            continue;
        };
        if let Some(url) = &requirement.url {
            findings.error(
                "requirement",
                format!(
                    "{} requires `{} @ {url}`, and the set pins {}; no installer takes both",
                    member.called(),
                    requirement.name,
                    first.called()
                ),
            );
        } else if !there.iter().any(|other| requirement.allows(&other.version)) {
            findings.error(
                "requirement",
                format!(
                    "{} requires `{}{}`, and the set has {}; {}",
                    member.called(),
                    requirement.name,
                    requirement.version_specifiers(),
                    first.called(),
                    advice(requirement, first)
                ),
            );
        }
        for extra in &requirement.extras {
            if !there.iter().any(|other| other.extras.contains(extra)) {
                findings.warning(
                    "extra",
                    format!(
                        "{} requires `{}[{extra}]`, and {} provides no such extra",
                        member.called(),
                        requirement.name,
                        first.called()
                    ),
                );
            }
        }
    }
}

/// A pin that only the mark separates from what is there is left over from tagging wheels one by one.
fn advice(requirement: &Requirement, there: &Member) -> &'static str {
    let public = there.version.clone().without_local();
    let differs_in_mark_only = requirement
        .pinned()
        .is_some_and(|pinned| pinned.is_local() && pinned.clone().without_local() == public);
    if differs_in_mark_only {
        "tag the whole set in one run, which rewrites such pins"
    } else {
        "build the two against each other"
    }
}
