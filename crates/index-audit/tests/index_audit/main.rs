//! The tool from outside, against stub indexes on loopback: arguments, exit code, stdout, stderr.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod bare_names;
mod faults;
mod input;
mod live;
mod public;
mod saved;
mod stand;
mod workflow;
