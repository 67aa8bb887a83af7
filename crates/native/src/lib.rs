//! Compiled code in a wheel: what an ELF member asks of the system, the policies that a platform tag
//! stands for, the verdict, and which GPUs the wheel carries code for.
//!
//! Members are read as a stream: each reader is told the member's name and size, is fed the bytes as
//! they are inflated, and keeps a bounded part of them.

pub mod device;
pub mod elf;
pub mod exclude;
pub mod policy;
pub mod verdict;
