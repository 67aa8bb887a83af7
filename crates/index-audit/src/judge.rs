//! The judgement of one resolve against one architecture's index.

use pipe::{Architecture, AuditAnswer, AuditCheck, AuditFinding, Evidence};
use wheel::ProjectName;

use crate::metapackage::Pins;
use crate::published::Published;
use crate::resolved::{Client, Resolved};

mod cuda;
mod origins;
mod pins;
mod target;

pub(crate) use origins::shown;

/// What was found so far, of all architectures and resolves.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// What was looked at.
    pub(crate) checks: Vec<AuditCheck>,
    /// What is wrong.
    pub(crate) findings: Vec<AuditFinding>,
    /// What is worth knowing.
    pub(crate) warnings: Vec<AuditFinding>,
    /// What came, and from where.
    pub(crate) evidence: Vec<Evidence>,
}

/// What a resolve is judged by.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    /// Our index.
    pub(crate) published: &'a Published,
    /// What came in.
    pub(crate) resolved: &'a Resolved,
    /// The Python that was asked for: `3.14`.
    pub(crate) python: &'a str,
    /// The metapackage's pins, where it is among what came.
    pub(crate) pins: Option<&'a Pins>,
}

/// Judges a resolve.
pub(crate) fn judge(case: &Case, verdict: &mut Verdict) {
    origins::judge(case, verdict);
    cuda::judge(case, verdict);
    pins::judge(case, verdict);
    target::judge(case, verdict);
}

impl Case<'_> {
    fn client(&self) -> Client {
        self.resolved.client
    }
}

impl Verdict {
    /// Adds all of another one.
    pub(crate) fn append(&mut self, other: Verdict) {
        self.checks.extend(other.checks);
        self.findings.extend(other.findings);
        self.warnings.extend(other.warnings);
        self.evidence.extend(other.evidence);
    }

    /// Whether a link of this architecture's index is not what the page promises.
    pub(crate) fn has_broken_links(&self, arch: &Architecture) -> bool {
        self.findings
            .iter()
            .any(|one| one.rule.starts_with("link.") && one.architecture == arch.as_str())
    }

    /// Adds a check and its findings; any finding makes it a failed one.
    fn add(&mut self, case: &Case, check: &str, detail: String, findings: Vec<Found>) {
        let answer = if findings.is_empty() {
            AuditAnswer::Passed
        } else {
            AuditAnswer::Failed
        };
        self.add_check(case, check, answer, detail);
        self.findings
            .extend(findings.into_iter().map(|found| AuditFinding {
                architecture: case.published.arch.to_string(),
                rule: found.rule.to_owned(),
                name: found.name.to_string(),
                resolver: Some(case.client().to_string()),
                message: found.message,
            }));
    }

    fn add_check(&mut self, case: &Case, check: &str, answer: AuditAnswer, detail: String) {
        self.checks.push(AuditCheck {
            architecture: case.published.arch.to_string(),
            check: check.to_owned(),
            resolver: Some(case.client().to_string()),
            answer,
            detail,
        });
    }
}

/// A finding about one distribution of one resolve.
struct Found {
    rule: &'static str,
    name: ProjectName,
    message: String,
}
