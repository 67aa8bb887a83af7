//! What a wheel's compiled host code allows it to promise.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::More;

/// The platform verdict, measured from the bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Platform {
    /// The best platform tag that the wheel may carry: libraries counted, excluded ones left out.
    pub tag: String,
    /// The best platform tag that its symbol versions alone allow.
    pub symbols_tag: String,
    /// Machine in the words of platform tags (`x86_64`, `aarch64`); null without host code.
    pub machine: Option<String>,
    /// `glibc`, `musl` or `android`; null without host code.
    pub libc: Option<String>,
    /// The newest version required, per known prefix (`GLIBC`, `GLIBCXX`, `CXXABI`, …).
    pub required: BTreeMap<String, String>,
    /// Libraries that the policy of `symbols_tag` does not grant and the wheel does not bring.
    pub external: Vec<External>,
    /// Libraries left out of the verdict on purpose.
    pub excluded: Vec<Excluded>,
    /// What limits the verdict and what else was noticed, sorted.
    pub findings: Vec<Finding>,
    /// Unknown fields, passed on.
    #[serde(flatten)]
    pub more: More,
}

/// A library that must come from outside the wheel.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct External {
    /// Its `DT_NEEDED` name.
    pub library: String,
    /// The members that need it, sorted.
    pub needed_by: Vec<String>,
}

/// A library that was left out of the verdict on purpose.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Excluded {
    /// Its `DT_NEEDED` name.
    pub library: String,
    /// The pattern that left it out.
    pub pattern: String,
    /// Why the pattern is there, in a few words; for a built-in list its name comes first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The members that need it, sorted.
    pub needed_by: Vec<String>,
}

/// One reason behind a verdict, or one thing worth knowing. A finding is not an error.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// A stable name: `symbol-version`, `external-library`, `record.hash-mismatch`, …
    pub rule: String,
    /// The member of the wheel that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    /// The library that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<String>,
    /// The version that it is about: `GLIBC_2.38`, `x86-64-v3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// One sentence for a person, where the fields above do not say it all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}
