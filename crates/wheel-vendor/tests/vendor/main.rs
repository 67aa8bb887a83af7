//! wheel-vendor from outside: projects that the tests link with gcc, the document that glibc-probe measures, and what
//! auditwheel, patchelf, elfutils and the loader say of the result.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set up its desk has failed"
)]

mod desk;
mod documents;
mod hostile;
mod judges;
mod linked;
mod outputs;
mod project;
mod published;
mod real_wheels;
mod refusals;
mod rocm;
mod tree;
