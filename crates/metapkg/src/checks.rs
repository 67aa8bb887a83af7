//! Whether a set holds together: what would break, or let something foreign in, once it is pinned.

use std::collections::BTreeSet;

use wheel::{ProjectName, RocmVersion};

use crate::member::Member;

mod cuda;
mod libraries;
mod machines;
mod marks;
mod pythons;
mod releases;
mod requirements;
mod versions;

pub(crate) use pythons::joint as joint_pythons;

/// One thing that is wrong with a set, with both sides named.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// A stable name: `two-versions`, `requirement`, …
    pub(crate) rule: &'static str,
    /// One sentence: what is wrong and what to do.
    pub(crate) message: String,
}

/// What the checks found.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// What makes the set unfit to be pinned.
    pub(crate) errors: BTreeSet<Finding>,
    /// What is worth knowing; `--strict` makes errors of these.
    pub(crate) warnings: BTreeSet<Finding>,
}

impl Findings {
    fn error(&mut self, rule: &'static str, message: String) {
        self.errors.insert(Finding { rule, message });
    }

    fn warning(&mut self, rule: &'static str, message: String) {
        self.warnings.insert(Finding { rule, message });
    }
}

/// Checks a set against itself, and its marks against the release; `metapackage` is the name that will pin it.
pub(crate) fn check(members: &[Member], metapackage: &ProjectName, rocm: &RocmVersion) -> Findings {
    let mut findings = Findings::default();
    versions::check(members, &mut findings);
    machines::check(members, &mut findings);
    pythons::check(members, &mut findings);
    let applied = requirements::applied(members);
    requirements::check(members, metapackage, &applied, &mut findings);
    cuda::check(members, &applied, &mut findings);
    libraries::check(members, &mut findings);
    marks::check(members, &mut findings);
    releases::check(members, rocm, &mut findings);
    findings
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.rule, self.message)
    }
}
