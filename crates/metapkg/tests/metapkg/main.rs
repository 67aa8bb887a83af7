//! The tool from outside: arguments, exit code, stdout, stderr, and what is written.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod installers;
mod metapackage;
mod refusals;
mod stub;
