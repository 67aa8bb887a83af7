//! Which GPUs a wheel carries code for.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::More;

/// The GPU code in a wheel, measured from the bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Device {
    /// What the presence or absence of code means.
    pub kind: DeviceKind,
    /// Union over all carriers, in natural order: `gfx942`, `gfx942:xnack-`, `gfx11-generic`,
    /// `amdgcnspirv`, `mach-0x66`.
    pub targets: Vec<String>,
    /// Targets that every bundle has; equals `targets` without any bundle.
    pub common: Vec<String>,
    /// The members that carry code, sorted by member and carrier. Loose code objects are folded
    /// into one entry per directory when they are many.
    pub members: Vec<DeviceMember>,
    /// Unknown fields, passed on.
    #[serde(flatten)]
    pub more: More,
}

/// What "has code" or "has no code" means for a wheel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DeviceKind {
    /// It carries GPU code.
    Code,
    /// Nothing of it concerns a GPU.
    None,
    /// It compiles its kernels where it runs (hiprtc).
    RuntimeCompiled,
    /// It calls HIP and has no kernels of its own.
    Caller,
    /// It is a compiler: device bitcode, no code objects.
    Compiler,
    /// Its code lives in other packages (a kpack reference).
    External,
    /// It is named for a GPU and holds nothing.
    Placeholder,
}

/// One member that carries GPU code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceMember {
    /// Its path in the wheel.
    pub member: String,
    /// How the code is carried: `object`, `fatbin`, `fatbin-compressed`, `embedded`, `aks2`, `kpack`.
    pub carrier: String,
    /// Offload bundles in it; 0 where the carrier has none.
    pub bundles: u64,
    /// Union of its targets.
    pub targets: Vec<String>,
    /// Targets that each of its bundles has, where that is fewer than `targets`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub common: Option<Vec<String>>,
    /// Code objects per target, where they are in no bundle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objects: Option<BTreeMap<String, u64>>,
}
