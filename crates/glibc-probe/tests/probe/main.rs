//! The probe from outside: what it measures, prints and answers.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read its input is to fail"
)]

mod check;
mod deviations;
mod excludes;
mod explain;
mod faults;
mod inputs;
mod oracle;
mod record;
mod second_reader;
mod support;
mod wheel;

#[path = "../../../native/tests/elf/build.rs"]
mod elf;

#[cfg(feature = "large")]
mod large;
