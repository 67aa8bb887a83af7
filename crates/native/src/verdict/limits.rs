//! What stands between a wheel and one policy.

use std::collections::{BTreeSet, HashSet};

use pipe::Finding;

use crate::elf::Extension;
use crate::policy::{Libc, Policy, SymbolVersion};

use super::explain::Obstacle;
use super::is_loader;
use super::subject::Subject;
use super::tree::{Tree, is_libpython};

/// What one policy refuses.
#[derive(Debug)]
pub(super) struct Limits {
    /// Symbol versions that it does not have.
    pub(super) symbols: Vec<Obstacle>,
    /// Libraries that it does not have and the wheel does not bring.
    pub(super) libraries: Vec<Obstacle>,
    /// Symbols that it forbids to take from a library.
    pub(super) forbidden: Vec<Obstacle>,
}

impl Limits {
    /// What each of the policies refuses.
    pub(super) fn of_each(
        policies: &[&Policy],
        subject: &Subject<'_>,
        tree: &Tree<'_>,
    ) -> Vec<Self> {
        let mut limits: Vec<Self> = Vec::with_capacity(policies.len());
        for (index, policy) in policies.iter().enumerate() {
            // Most policies grant the libraries of the one before.
            let before = index.checked_sub(1).filter(|before| {
                policies
                    .get(*before)
                    .is_some_and(|before| before.libraries == policy.libraries)
            });
            let libraries = match before.and_then(|before| limits.get(before)) {
                Some(before) => before.libraries.clone(),
                None => libraries(policy, subject, tree),
            };
            limits.push(Self {
                symbols: symbols(policy, subject),
                libraries,
                forbidden: forbidden(policy, tree),
            });
        }
        limits
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Obstacle> {
        self.symbols
            .iter()
            .chain(&self.libraries)
            .chain(&self.forbidden)
    }
}

fn symbols(policy: &Policy, subject: &Subject<'_>) -> Vec<Obstacle> {
    subject
        .needs()
        .filter(|(_, need)| !policy.grants(&subject.machine, &SymbolVersion::new(&need.version)))
        .map(|(member, need)| Obstacle {
            symbols: member.facts.symbols.get(need).cloned().unwrap_or_default(),
            ..Obstacle::new("symbol-version", &member.name)
                .library(&need.library)
                .version(&need.version)
        })
        .collect()
}

fn libraries(policy: &Policy, subject: &Subject<'_>, tree: &Tree<'_>) -> Vec<Obstacle> {
    let granted = |library: &str| {
        is_loader(library)
            || (subject.libc == Libc::Android && is_libpython(library))
            || policy.grants_library(&subject.machine, library)
    };
    let mut found: BTreeSet<(&str, &str)> = BTreeSet::new();
    for root in &tree.roots {
        for (library, members) in root.external(granted) {
            found.extend(members.into_iter().map(|member| (library, member)));
        }
    }
    found
        .into_iter()
        .map(|(library, member)| Obstacle::new("external-library", member).library(library))
        .collect()
}

fn forbidden(policy: &Policy, tree: &Tree<'_>) -> Vec<Obstacle> {
    let mut obstacles = Vec::new();
    for root in &tree.roots {
        let facts = &root.member.facts;
        for (library, symbols) in &policy.forbidden {
            // An excluded library is not asked.
            if !facts.needed.contains(library) || !root.libraries.contains_key(library.as_str()) {
                continue;
            }
            let taken: BTreeSet<String> = symbols.intersection(&facts.undefined).cloned().collect();
            if !taken.is_empty() {
                obstacles.push(Obstacle {
                    symbols: taken,
                    ..Obstacle::new("forbidden-symbol", &root.member.name).library(library)
                });
            }
        }
    }
    obstacles
}

/// What no policy takes: instructions beyond the baseline, and two relics of old Pythons.
pub(super) fn everywhere(subject: &Subject<'_>, tree: &Tree<'_>) -> Vec<Obstacle> {
    let mut obstacles = Vec::new();
    for root in &tree.roots {
        let facts = &root.member.facts;
        let name = &root.member.name;
        if subject.machine == "x86_64"
            && let Some(level) = facts.isa_needed.and_then(isa_level)
        {
            obstacles.push(Obstacle::new("instruction-set", name).version(&level));
        }
        if facts.pyfpe && facts.extension.is_some() {
            obstacles.push(Obstacle::new("pyfpe", name));
        }
        if facts.ucs2 && facts.extension == Some(Extension::Python2) {
            obstacles.push(Obstacle::new("ucs2", name));
        }
    }
    obstacles
}

/// Libraries of the wheel that need more than the baseline. auditwheel looks at the roots only, and so
/// does the verdict; a loader refuses these libraries on older processors all the same.
pub(super) fn vendored_instructions(subject: &Subject<'_>, tree: &Tree<'_>) -> Vec<Finding> {
    let roots: HashSet<&str> = tree
        .roots
        .iter()
        .map(|root| root.member.name.as_str())
        .collect();
    if subject.machine != "x86_64" {
        return Vec::new();
    }
    subject
        .members
        .iter()
        .filter_map(|member| Some((member, member.facts.isa_needed.and_then(isa_level)?)))
        .filter(|(member, _)| !roots.contains(member.name.as_str()))
        .map(|(member, level)| Finding {
            rule: "vendored-instruction-set".to_owned(),
            member: Some(member.name.clone()),
            message: Some(format!(
                "needs {level}: loaders refuse it on older processors, and with it whatever needs it"
            )),
            version: Some(level),
            library: None,
        })
        .collect()
}

/// The level above the baseline that `GNU_PROPERTY_X86_ISA_1_NEEDED` asks for, as the x86-64 psABI
/// names it; the first bit is the baseline. Levels that are not defined yet are told by their bits.
pub(super) fn isa_level(bits: u32) -> Option<String> {
    match bits & !1 {
        0 => None,
        known if known & !0xe != 0 => Some(format!("unknown instruction set {:#x}", known & !0xe)),
        known if known & 8 != 0 => Some("x86-64-v4".to_owned()),
        known if known & 4 != 0 => Some("x86-64-v3".to_owned()),
        _ => Some("x86-64-v2".to_owned()),
    }
}
