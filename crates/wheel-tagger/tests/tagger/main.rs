//! The tool from outside: exit code, stdout, stderr, and the wheels that it writes.

#![expect(
    clippy::unwrap_used,
    reason = "a fixture that cannot be made fails its test"
)]

mod cases;
mod desk;
mod installers;
mod outputs;
mod pins;
mod policy;
mod real_wheels;
mod refusals;
mod tags;
