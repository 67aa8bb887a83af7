//! The tool from outside: arguments, exit code, stdout, stderr, and what is on disk afterwards.
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "what tests share fails like a test"
)]

mod access;
mod broken;
mod buildah;
mod debian;
mod help;
mod hostile;
mod images;
mod layouts;
mod missing;
mod mock;
mod proxy;
mod pull;
mod run;
mod tags;
mod tls;
