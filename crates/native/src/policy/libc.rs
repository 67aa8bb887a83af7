//! The C library that a wheel's code runs on.

use serde::Deserialize;

/// The C library that code was linked against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Libc {
    /// The GNU C library: platform tags begin with `manylinux`.
    Glibc,
    /// musl: platform tags begin with `musllinux`.
    Musl,
    /// Android's bionic: platform tags begin with `android`.
    Android,
}

impl Libc {
    /// What the documents say: `glibc`, `musl`, `android`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Glibc => "glibc",
            Self::Musl => "musl",
            Self::Android => "android",
        }
    }

    /// The C library that a platform tag promises to need, if it names one.
    #[must_use]
    pub fn of_tag(platform: &str) -> Option<Self> {
        [
            ("manylinux", Self::Glibc),
            ("musllinux", Self::Musl),
            ("android", Self::Android),
        ]
        .into_iter()
        .find_map(|(prefix, libc)| platform.starts_with(prefix).then_some(libc))
    }

    /// The last part of a platform tag for a machine: Android's tags name the ABI, all others the
    /// machine.
    #[must_use]
    pub fn abi(self, machine: &str) -> &str {
        match (self, machine) {
            (Self::Android, "aarch64") => "arm64_v8a",
            (Self::Android, "armv7l") => "armeabi_v7a",
            (Self::Android, "i686") => "x86",
            _ => machine,
        }
    }
}
