//! What a resolve brought in, and what of it is foreign.

use serde::{Deserialize, Serialize};

use crate::More;

/// The judgement of a published index: the document `index-audit/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditReport {
    /// Always `index-audit/1`.
    pub schema: String,
    /// The root of the index as it was given: it holds a folder per architecture.
    pub index: String,
    /// The Python that the resolve is for: `3.14`.
    pub python: String,
    /// What was looked at, in the order of work.
    pub checks: Vec<AuditCheck>,
    /// What is wrong, sorted; empty when the index is clean.
    pub findings: Vec<AuditFinding>,
    /// What is worth knowing and makes nothing unclean, sorted.
    pub warnings: Vec<AuditFinding>,
    /// Every distribution that came, sorted by architecture, name and resolver.
    pub evidence: Vec<Evidence>,
    /// Where our names come from when a user types them without the metapackage.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bare: Vec<BareName>,
    /// Our names on the public index.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<PublicName>,
    /// Unknown fields, passed on.
    #[serde(flatten)]
    pub more: More,
}

impl AuditReport {
    /// The value of `schema` that this version writes.
    pub const SCHEMA: &'static str = "index-audit/1";
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditCheck {
    /// The architecture whose index was looked at.
    pub architecture: String,
    /// A stable name: `links`, `resolve`, `origin`, `cuda`, `pins`, `target`, `bare`, `names`.
    pub check: String,
    /// `pip` or `uv`, where one of them was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolver: Option<String>,
    /// What came of it.
    pub answer: AuditAnswer,
    /// One sentence: what was counted, or why it was not looked at.
    pub detail: String,
}

/// What came of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AuditAnswer {
    /// Nothing was wrong.
    Passed,
    /// The findings say what was wrong.
    Failed,
    /// It could not be judged from what was given; the detail says why.
    NotJudged,
}

/// One thing wrong with an index or a resolve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditFinding {
    /// The architecture whose index it is about.
    pub architecture: String,
    /// A stable name: `foreign`, `cuda`, `pin.missing`, …
    pub rule: String,
    /// Canonical name of the distribution that it is about.
    pub name: String,
    /// `pip` or `uv`, where it is about what one of them resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolver: Option<String>,
    /// One sentence: what is wrong and what to do.
    pub message: String,
}

/// Where one distribution came from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// The architecture whose index was resolved against.
    pub architecture: String,
    /// Canonical name.
    pub name: String,
    /// `pip` or `uv`.
    pub resolver: String,
    /// Full version.
    pub version: String,
    /// The exact address of the file.
    pub url: String,
    /// Its sha256, where the resolver told it.
    pub sha256: Option<String>,
    /// Whether the file is one of our index: same address and same sha256.
    pub ours: bool,
}

/// Where one of our names comes from when a user types it alone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BareName {
    /// The architecture whose index was resolved against.
    pub architecture: String,
    /// Canonical name.
    pub name: String,
    /// `pip` or `uv`.
    pub resolver: String,
    /// The flags that put the two indexes in order: `--extra-index-url OURS`.
    pub order: String,
    /// What it resolved to; null when nothing fitted.
    pub version: Option<String>,
    /// The exact address of the file; null when nothing fitted.
    pub url: Option<String>,
    /// Whether that file is ours.
    pub ours: bool,
}

/// One of our names on the public index.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PublicName {
    /// Canonical name.
    pub name: String,
    /// Whether somebody has registered it there.
    pub registered: bool,
    /// Whether that is so only since the report that `--previous` named.
    pub new: bool,
}
