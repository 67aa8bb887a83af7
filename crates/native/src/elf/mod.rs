//! ELF members of a wheel, read as they are inflated.
//!
//! [`Scan`] is fed the bytes of one member and ends with its [`Facts`]. Parsing is the `object`
//! crate's; what is ours is that it reads from the few ranges that were kept.

mod captured;
mod dynamic;
mod error;
mod facts;
mod header;
mod image;
mod machine;
mod notes;
mod read;
mod scan;
mod symbol_table;
mod symbols;
mod version_needs;

pub use error::ElfError;
pub use facts::{Extension, Facts, Questions, VersionNeed};
pub use machine::Machine;
pub use scan::{Outcome, Scan};
