//! What the wheels of a set require of one another.

use std::collections::{BTreeMap, BTreeSet};

use wheel::{Environment, Marker, ProjectName, Requirement};

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
        Walk::new(members, &environment).run(&mut counted);
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

/// One environment's way through the set: from what counts anyway to what the extras add that it asks for.
///
/// Each extra of each distribution is looked at once, however long the chain is in which wheels ask for them.
struct Walk<'a, 'm> {
    members: &'a [Member<'a>],
    environment: &'m Environment,
    /// What may still count, under an extra: the places of requirements that name one, by distribution.
    waiting: BTreeMap<&'a ProjectName, Vec<(usize, usize)>>,
    asked: BTreeSet<(&'a ProjectName, &'a ProjectName)>,
    /// Asked for and not yet looked at.
    next: Vec<(&'a ProjectName, &'a ProjectName)>,
}

impl<'a, 'm> Walk<'a, 'm> {
    fn new(members: &'a [Member<'a>], environment: &'m Environment) -> Self {
        Self {
            members,
            environment,
            waiting: BTreeMap::new(),
            asked: BTreeSet::new(),
            next: Vec::new(),
        }
    }

    fn run(mut self, counted: &mut BTreeSet<(usize, usize)>) {
        let members = self.members;
        for (at, member) in members.iter().enumerate() {
            for (index, requirement) in member.requires.iter().enumerate() {
                if holds(requirement, self.environment) {
                    counted.insert((at, index));
                    self.ask(requirement);
                } else if requirement
                    .marker
                    .as_ref()
                    .is_some_and(Marker::mentions_extra)
                {
                    let waiting = self.waiting.entry(&member.name).or_default();
                    waiting.push((at, index));
                }
            }
        }
        while let Some((name, extra)) = self.next.pop() {
            let environment = self.environment.clone().with_extra(extra.as_str());
            let waiting = self.waiting.remove(name).unwrap_or_default();
            let (now, later): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|&place| {
                at_place(members, place).is_some_and(|requirement| holds(requirement, &environment))
            });
            self.waiting.insert(name, later);
            for place in now {
                counted.insert(place);
                if let Some(requirement) = at_place(members, place) {
                    self.ask(requirement);
                }
            }
        }
    }

    fn ask(&mut self, requirement: &'a Requirement) {
        for extra in &requirement.extras {
            if self.asked.insert((&requirement.name, extra)) {
                self.next.push((&requirement.name, extra));
            }
        }
    }
}

fn at_place<'a>(members: &'a [Member<'a>], (at, index): (usize, usize)) -> Option<&'a Requirement> {
    members.get(at)?.requires.get(index)
}

fn holds(requirement: &Requirement, environment: &Environment) -> bool {
    let marker = requirement.marker.as_ref();
    marker.is_none_or(|marker| marker.evaluate(environment).unwrap_or(true))
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
