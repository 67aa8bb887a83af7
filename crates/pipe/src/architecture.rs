//! The GPU architecture that an index is for.

use std::fmt;
use std::str::FromStr;

/// A GPU architecture as AMD's compiler names it: `gfx950`, `gfx90a`.
///
/// It is used as a folder name, in a local version and in an extra, so nothing but `gfx` and three to
/// five lower-case hex digits is taken; that form is its own normal form in all three places.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Architecture(String);

/// Text that names no GPU architecture.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a GPU architecture; write it as the compiler does, like `gfx950`")]
pub struct ArchitectureError(String);

impl Architecture {
    /// The name: `gfx950`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The extra under which a metapackage pins the wheels of this architecture: `device-gfx950`.
    #[must_use]
    pub fn extra(&self) -> String {
        format!("device-{}", self.0)
    }
}

impl FromStr for Architecture {
    type Err = ArchitectureError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_hex = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
        match text.strip_prefix("gfx") {
            Some(number) if (3..=5).contains(&number.len()) && number.bytes().all(is_hex) => {
                Ok(Self(text.to_owned()))
            }
            _ => Err(ArchitectureError(text.to_owned())),
        }
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_compiler_names_is_taken_as_it_is() {
        for name in ["gfx950", "gfx90a", "gfx1201", "gfx1250"] {
            assert_eq!(name.parse::<Architecture>().unwrap().to_string(), name);
        }
    }

    #[test]
    fn what_would_change_in_a_path_or_a_version_is_refused() {
        for name in [
            "GFX950",
            "gfx",
            "950",
            "gfx9-generic",
            "gfx950/..",
            "gfx950:xnack-",
            "",
        ] {
            assert!(name.parse::<Architecture>().is_err(), "{name}");
        }
    }
}
