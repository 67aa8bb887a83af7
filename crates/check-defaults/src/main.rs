//! Being written.
mod makefile;
mod report;
fn main() {}
