//! What a resolve brought in, and what of it is foreign.

use serde::{Deserialize, Serialize};

use crate::More;

/// The judgement of a resolve: the document `index-audit/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditReport {
    /// Always `index-audit/1`.
    pub schema: String,
    /// What is wrong, sorted; empty when the resolve is clean.
    pub findings: Vec<AuditFinding>,
    /// Every distribution that came, sorted by name and resolver.
    pub evidence: Vec<Evidence>,
    /// Unknown fields, passed on.
    #[serde(flatten)]
    pub more: More,
}

impl AuditReport {
    /// The value of `schema` that this version writes.
    pub const SCHEMA: &'static str = "index-audit/1";
}

/// One thing wrong with a resolve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditFinding {
    /// A stable name: `foreign`, `cuda`, `pin.missing`, …
    pub rule: String,
    /// Canonical name of the distribution that it is about.
    pub name: String,
    /// One sentence: what is wrong and what to do.
    pub message: String,
    /// Unknown fields, passed on.
    #[serde(flatten)]
    pub more: std::collections::BTreeMap<String, String>,
}

/// Where one distribution came from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// Canonical name.
    pub name: String,
    /// Full version.
    pub version: String,
    /// The exact address of the file.
    pub url: String,
    /// Its sha256, where the resolver told it.
    pub sha256: Option<String>,
    /// Whether the file is one of our index: same address and same sha256.
    pub ours: bool,
    /// `pip` or `uv`.
    pub resolver: String,
    /// Unknown fields, passed on.
    #[serde(flatten)]
    pub more: std::collections::BTreeMap<String, String>,
}
