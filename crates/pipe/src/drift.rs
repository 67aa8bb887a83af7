//! Where two copies of one list differ.

use serde::{Deserialize, Serialize};

/// What `check-defaults` found: the document `drift/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Drift {
    /// Always `drift/1`.
    pub schema: String,
    /// Sorted by file, line and rule.
    pub findings: Vec<DriftFinding>,
    /// What is accepted and worth knowing all the same: an image followed by its tag because nobody has
    /// read its digest yet. Same order; never a reason for exit 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<DriftFinding>,
}

impl Drift {
    /// The value of `schema` that this version writes.
    pub const SCHEMA: &'static str = "drift/1";
}

/// One place where two copies differ, or a rule is broken.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DriftFinding {
    /// The file to look at first.
    pub file: String,
    /// Its line, from 1.
    pub line: u64,
    /// A stable name: `wheel-repos`, `default-value`, …
    pub rule: String,
    /// The other side, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_file: Option<String>,
    /// The other side's line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_line: Option<u64>,
    /// One sentence: what differs.
    pub message: String,
    /// One sentence: what to change.
    pub fix: String,
}
