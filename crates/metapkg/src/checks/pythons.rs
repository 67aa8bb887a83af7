//! A Python that takes every wheel.

use std::collections::BTreeSet;

use super::Findings;
use crate::interpreter::Interpreter;
use crate::member::Member;

/// The interpreters that take every wheel of the set.
pub(crate) fn joint(members: &[Member]) -> BTreeSet<Interpreter> {
    // Wheels of one distribution for several Pythons are alternatives.
    let mut by_name = std::collections::BTreeMap::<_, BTreeSet<Interpreter>>::new();
    for member in members {
        by_name
            .entry(&member.name)
            .or_default()
            .extend(&member.interpreters);
    }
    by_name
        .into_values()
        .reduce(|joint, one| joint.intersection(&one).copied().collect())
        .unwrap_or_default()
}

/// Names two wheels that no Python takes together, or, where it takes three, says so.
pub(super) fn check(members: &[Member], findings: &mut Findings) {
    for member in members
        .iter()
        .filter(|member| member.requires_python.is_none())
    {
        if let Some(text) = &member.wheel.requires_python {
            findings.warning(
                "requires-python",
                format!(
                    "the Requires-Python `{text}` of {} cannot be read, so installers ignore it",
                    member.called()
                ),
            );
        }
    }
    let mut told = false;
    for member in members
        .iter()
        .filter(|member| member.interpreters.is_empty())
    {
        told = true;
        findings.error(
            "python",
            format!(
                "{} installs on no CPython 3 ({})",
                member.called(),
                member.python()
            ),
        );
    }
    if told || !joint(members).is_empty() {
        return;
    }
    for (at, member) in members.iter().enumerate() {
        for other in &members[at + 1..] {
            if member.name != other.name && member.interpreters.is_disjoint(&other.interpreters) {
                told = true;
                findings.error(
                    "python",
                    format!(
                        "no Python takes both {} ({}) and {} ({})",
                        member.called(),
                        member.python(),
                        other.called(),
                        other.python()
                    ),
                );
            }
        }
    }
    if !told {
        let all: Vec<String> = members
            .iter()
            .map(|member| format!("{} ({})", member.called(), member.python()))
            .collect();
        findings.error(
            "python",
            format!("no Python takes all of {}", all.join(", ")),
        );
    }
}
