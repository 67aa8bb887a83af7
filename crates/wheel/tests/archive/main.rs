//! The archive from outside: what is refused, what is read, what is copied.

#![expect(
    clippy::unwrap_used,
    reason = "a fixture that cannot be made fails its test"
)]
#![expect(
    clippy::cast_possible_truncation,
    reason = "fixtures are small, and one is made too large on purpose"
)]

mod fixture;
mod identity;
mod reading;
mod refusals;
mod rewriting;
mod splicing;
