//! The tool from outside: arguments, exit codes, what it prints, what it publishes; the clients as judges.
//!
//! Tests named `a1_…` to `a18_…` are the acceptance checks of those numbers.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod clients;
mod desk;
mod landing;
mod meddled;
mod pages;
mod refusals;
mod sites;
