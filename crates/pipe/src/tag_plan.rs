//! The tag plan: what a bake file will publish.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::More;

/// Every tag of every target: the document `tag-plan/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TagPlan {
    /// Always `tag-plan/1`.
    pub schema: String,
    /// Registry host with the path that all repositories share: `host:8080/rocm-pytorch`.
    pub registry: String,
    /// One entry per target and architecture, in build order.
    pub targets: Vec<Target>,
    /// Group name to target names, in the bake file's order.
    pub groups: BTreeMap<String, Vec<String>>,
    /// For each group, the images of this registry that must be there before it is built: what its
    /// members are built FROM and no earlier step of the group publishes. Without any, the group can be
    /// built against an empty registry.
    #[serde(default)]
    pub needs_published: BTreeMap<String, Vec<String>>,
    /// What is wrong with the plan, sorted.
    pub findings: Vec<PlanFinding>,
    /// Unknown fields, passed on.
    #[serde(flatten)]
    pub more: More,
}

impl TagPlan {
    /// The value of `schema` that this version reads and writes.
    pub const SCHEMA: &'static str = "tag-plan/1";
}

/// One bake target for one architecture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Target {
    /// The target's name in the bake file.
    pub name: String,
    /// Its repository below the plan's registry: `pytorch-wheel`.
    pub repository: String,
    /// The Dockerfile, relative to the build context; null for an inline one.
    pub dockerfile: Option<String>,
    /// The stage that is built; null for the last one.
    pub stage: Option<String>,
    /// `gfx950`, …; null for a target that is declared noarch.
    pub architecture: Option<String>,
    /// The groups that hold it, sorted.
    pub groups: Vec<String>,
    /// When it is built, from 1: after the targets of every earlier step, beside those of its own.
    #[serde(default)]
    pub step: u64,
    /// What it is built FROM, sorted: images, `target:name` for a linked target, and `stage:name` for a
    /// target whose stage of the same Dockerfile it goes through.
    #[serde(default)]
    pub from: Vec<String>,
    /// Build arguments.
    pub args: BTreeMap<String, String>,
    /// Named contexts: `target:name`, an image, or a folder.
    pub contexts: BTreeMap<String, String>,
    /// Images of this registry that must be published before this target can be built.
    pub needs_published: Vec<String>,
    /// Cache repositories, with tag.
    pub caches: Vec<String>,
    /// What it publishes: versioned first.
    pub tags: Vec<PlannedTag>,
    /// Unknown fields, passed on.
    #[serde(flatten)]
    pub more: More,
}

/// One tag that a target publishes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlannedTag {
    /// `host:8080/rocm-pytorch/pytorch:2.15.0-10.1.0-full-gfx950`.
    pub reference: String,
    /// What comes after the last colon.
    pub tag: String,
    /// What kind of promise it makes.
    pub class: TagClass,
}

/// What a tag promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TagClass {
    /// Names versions and architecture; a rebuild moves it.
    Versioned,
    /// Moves with every push.
    Latest,
    /// Names the commit; never moves.
    Immutable,
}

/// Something wrong with a plan.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanFinding {
    /// A stable name: `tag-collision`, `tag-ignores`, …
    pub rule: String,
    /// The target that it is about.
    pub target: String,
    /// One sentence: what is wrong and what to do.
    pub message: String,
    /// Unknown fields, passed on.
    #[serde(flatten, skip_serializing_if = "BTreeMap::is_empty")]
    pub more: BTreeMap<String, String>,
}
