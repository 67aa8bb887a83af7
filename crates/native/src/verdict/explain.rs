//! What would have to go for a better tag.

use std::collections::BTreeSet;

use pipe::Finding;

use crate::policy::Policy;

use super::limits::Limits;
use super::subject::Subject;

/// One thing in one member that a policy refuses.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Obstacle {
    /// One of [`crate::policy::LIMITS`].
    pub rule: &'static str,
    /// The member.
    pub member: String,
    /// The library that is asked, where the rule is about one.
    pub library: Option<String>,
    /// The version that is asked for, where the rule is about one.
    pub version: Option<String>,
    /// The symbols behind it: those that use the version, as far as they were asked for, or those
    /// that are forbidden.
    pub symbols: BTreeSet<String>,
}

/// A policy that is more portable than the verdict, and what it refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upgrade {
    /// The tag that would be possible.
    pub tag: String,
    /// What would have to go, sorted.
    pub obstacles: Vec<Obstacle>,
}

impl Obstacle {
    pub(super) fn new(rule: &'static str, member: &str) -> Self {
        Self {
            rule,
            member: member.to_owned(),
            library: None,
            version: None,
            symbols: BTreeSet::new(),
        }
    }

    pub(super) fn library(self, library: &str) -> Self {
        Self {
            library: Some(library.to_owned()),
            ..self
        }
    }

    pub(super) fn version(self, version: &str) -> Self {
        Self {
            version: Some(version.to_owned()),
            ..self
        }
    }

    pub(super) fn finding(&self) -> Finding {
        let message = match self.rule {
            "forbidden-symbol" => {
                let symbols: Vec<&str> = self.symbols.iter().map(String::as_str).collect();
                Some(format!(
                    "takes {} from it, which not every system has",
                    symbols.join(", ")
                ))
            }
            "pyfpe" => Some("uses Python's PyFPE, which newer Pythons do not have".to_owned()),
            "ucs2" => Some("is built for a narrow Python 2 (UCS-2)".to_owned()),
            _ => None,
        };
        Finding {
            rule: self.rule.to_owned(),
            member: Some(self.member.clone()),
            library: self.library.clone(),
            version: self.version.clone(),
            message,
        }
    }
}

/// The policies before `verdict`, nearest first.
pub(super) fn upgrades(
    verdict: usize,
    policies: &[&Policy],
    limits: &[Limits],
    everywhere: &[Obstacle],
    subject: &Subject<'_>,
) -> Vec<Upgrade> {
    policies
        .iter()
        .zip(limits)
        .take(verdict)
        .rev()
        .map(|(policy, limit)| {
            let obstacles: BTreeSet<Obstacle> = limit.all().chain(everywhere).cloned().collect();
            Upgrade {
                tag: subject.tag(policy),
                obstacles: obstacles.into_iter().collect(),
            }
        })
        .collect()
}
