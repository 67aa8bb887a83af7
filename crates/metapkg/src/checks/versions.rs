//! One version of each distribution.

use std::collections::{BTreeMap, BTreeSet};

use super::Findings;
use crate::member::Member;

/// A pin is one version; wheels of one version for several tags are one distribution.
pub(super) fn check(members: &[Member], findings: &mut Findings) {
    let mut versions: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for member in members {
        versions
            .entry(&member.name)
            .or_default()
            .insert(&member.version);
    }
    for (name, versions) in versions {
        if versions.len() > 1 {
            let versions: Vec<String> = versions.iter().map(ToString::to_string).collect();
            findings.error(
                "two-versions",
                format!("{name} is there as {}; keep one", versions.join(" and ")),
            );
        }
    }
}
