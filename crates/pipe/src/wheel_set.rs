//! The wheel set: the document of every stage from `wheelhouse` to `index-gen`.

use serde::{Deserialize, Serialize};

use crate::{Device, More, Platform};

/// A set of wheels and what is known about each: the document `wheel-set/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WheelSet {
    /// Always `wheel-set/1`.
    pub schema: String,
    /// Sorted by file name, so that equal sets are equal bytes.
    pub wheels: Vec<Wheel>,
    /// Unknown fields, passed on.
    #[serde(flatten)]
    pub more: More,
}

impl WheelSet {
    /// The value of `schema` that this version reads and writes.
    pub const SCHEMA: &'static str = "wheel-set/1";

    /// A set of these wheels, sorted by file name and then by path.
    #[must_use]
    pub fn new(mut wheels: Vec<Wheel>) -> Self {
        wheels.sort_by(|a, b| (&a.filename, &a.path).cmp(&(&b.filename, &b.path)));
        Self {
            schema: Self::SCHEMA.to_owned(),
            wheels,
            more: More::new(),
        }
    }
}

/// One wheel file and the facts that the stages so far found out about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Wheel {
    /// Where the file is, as it was given: relative to the working directory, or absolute.
    pub path: String,
    /// The file's name: the last segment of `path`.
    pub filename: String,
    /// The canonical project name: lower case, runs of `-`, `_` and `.` as one `-`.
    pub name: String,
    /// The full version in PEP 440 normal form, local version included.
    pub version: String,
    /// The file name's tags, expanded: one `python-abi-platform` each.
    pub tags: Vec<String>,
    /// Bytes of the file.
    pub size: u64,
    /// 64 lower-case hex digits: the sha256 of the file.
    pub sha256: String,
    /// METADATA's `Requires-Python`, absent when it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires_python: Option<String>,
    /// Whether RECORD told the truth; absent when it was not checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<Record>,
    /// What the compiled host code allows us to promise; absent until measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<Platform>,
    /// Which GPUs the wheel carries code for; absent until measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<Device>,
    /// The file as it first came in, once a stage has rewritten it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The registry image that the wheel was pulled from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Unknown fields, passed on.
    #[serde(flatten)]
    pub more: More,
}

/// What the comparison of RECORD with the members said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Record {
    /// Every member is listed with its true hash and size, and nothing else is listed.
    Verified,
    /// At least one row or member is wrong; the findings name them.
    Mismatch,
    /// The wheel has no RECORD.
    Missing,
}

/// A wheel before a stage rewrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Origin {
    /// Its file name then.
    pub filename: String,
    /// Its version then, in normal form.
    pub version: String,
    /// Its expanded tags then.
    pub tags: Vec<String>,
    /// Its sha256 then.
    pub sha256: String,
    /// Unknown fields, passed on.
    #[serde(flatten)]
    pub more: More,
}

/// The registry image that a wheel came out of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Source {
    /// Repository with registry and path.
    pub repository: String,
    /// The tag that was asked for.
    pub tag: String,
    /// `sha256:` digest of the image manifest.
    pub manifest: String,
    /// `sha256:` digest of the layer that holds the wheel.
    pub layer: String,
    /// Unknown fields, passed on.
    #[serde(flatten)]
    pub more: More,
}
