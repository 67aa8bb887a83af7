//! Which GPUs a wheel carries code for, measured from the bytes of its members.
//!
//! No tag of a wheel's file name can say it, and file names inside the wheel lie. A [`MemberScan`] is fed
//! the bytes of one member in chunks, once and in order, as they come out of the inflater; it remembers
//! a few hundred kilobytes at most. A [`WheelDevice`] puts the members together.
//!
//! What is recognised, each in a file of its own: AMDGPU ELF code objects, as members and inside other
//! files; clang offload bundles, plain and compressed; AOTriton's packs; TheRock's kernel archives.
//! A magic string alone counts for nothing: tables are read, bounded and checked first.

mod aks2;
mod bundle;
mod code_object;
mod compressed;
mod ending;
mod fields;
mod hit;
mod host;
mod integrity;
mod kpack;
mod loose;
mod member;
mod msgpack;
mod pack;
mod rules;
mod scan;
mod search;
mod serves;
mod table;
mod target;
#[cfg(test)]
mod tests;
mod walk;
mod wheel;
mod zstd;

pub use member::MemberDevice;
pub use rules::is_device_fault;
pub use scan::MemberScan;
pub use serves::{Served, serves};
pub use target::{TargetId, TargetIdError};
pub use wheel::WheelDevice;
