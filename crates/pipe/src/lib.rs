//! What the rocm-bake tools say to one another: the documents, how they are read and written, and
//! what an exit code means. It knows nothing of wheels, ELF or bake files; those crates know it.
//!
//! One JSON document per stage goes to stdout, diagnostics go to stderr as `tool: file: cause`, and
//! [`run`] turns a tool's answer into its exit code.

mod advice;
mod architecture;
mod args;
mod audit;
mod bounded;
mod config;
mod device;
mod drift;
mod made;
mod output;
mod partial;
mod plain;
mod platform;
mod progress;
mod read;
mod registry;
mod run;
mod table;
mod tag_plan;
mod wheel_set;

pub use advice::{advised, failed, told};
pub use architecture::{Architecture, ArchitectureError};
pub use args::{Shared, arguments};
pub use audit::{
    AuditAnswer, AuditCheck, AuditFinding, AuditReport, BareName, Evidence, PublicName,
};
pub use bounded::{read_at_most, read_small, read_small_text};
pub use config::{Caches, Config, ConfigError, Exclude, Ignore, Index, Mark, Tags};
pub use device::{Device, DeviceKind, DeviceMember};
pub use drift::{Drift, DriftFinding};
pub use made::MadeFolders;
pub use output::{Written, print, print_text, write_whole};
pub use partial::Partial;
pub use plain::{one_line, steers};
pub use platform::{Excluded, External, Finding, Platform};
pub use progress::{Progress, Through};
pub use read::{
    ReadError, named_or_stdin, read_document, read_plan, read_set, stdin_bytes, stdin_plan,
    stdin_set,
};
pub use registry::{NeededImage, RegistryDiff, RegistryTags, TagEntry};
pub use run::{Outcome, Stop, note, run};
pub use table::table;
pub use tag_plan::{PlanFinding, PlannedTag, TagClass, TagPlan, Target};
pub use wheel_set::{Origin, Record, Source, Wheel, WheelSet};

/// Fields of a document that this version does not know; they are kept and passed on.
pub type More = std::collections::BTreeMap<String, serde_json::Value>;
