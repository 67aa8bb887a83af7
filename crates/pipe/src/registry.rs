//! What a registry holds, and how that differs from the plan.

use serde::{Deserialize, Serialize};

/// The published tags of one repository: the document `registry-tags/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RegistryTags {
    /// Always `registry-tags/1`.
    pub schema: String,
    /// The repository, without the registry's host.
    pub repository: String,
    /// Sorted by what the tags mean: version, ROCm, architecture.
    pub tags: Vec<TagEntry>,
}

impl RegistryTags {
    /// The value of `schema` that this version writes.
    pub const SCHEMA: &'static str = "registry-tags/1";
}

/// One published tag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TagEntry {
    /// The tag.
    pub tag: String,
    /// `sha256:` digest of its manifest; only with `--long`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Bytes of its layers as they are stored; only with `--long`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Creation time as the image's config tells it (RFC 3339); only with `--long`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
}

/// Plan against registry: the document `registry-diff/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RegistryDiff {
    /// Always `registry-diff/1`.
    pub schema: String,
    /// Planned and not published, sorted.
    pub missing: Vec<String>,
    /// Published in a planned repository and known to no plan, sorted.
    pub stale: Vec<String>,
    /// Images that targets of the group `wheels` are built FROM and that are not published, sorted.
    #[serde(default)]
    pub needed: Vec<NeededImage>,
}

/// An image that has to be published before others can be built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NeededImage {
    /// `host:8080/rocm-pytorch/pytorch:2.15.0-10.1.0-full-gfx950`.
    pub reference: String,
    /// The targets that are built FROM it, sorted.
    pub needed_by: Vec<String>,
}

impl RegistryDiff {
    /// The value of `schema` that this version writes.
    pub const SCHEMA: &'static str = "registry-diff/1";
}
