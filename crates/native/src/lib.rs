//! Compiled code in wheels: ELF, the policies and the verdict, exclude lists, GPU targets.

pub mod device;
