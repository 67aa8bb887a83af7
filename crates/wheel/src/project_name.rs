//! The name of a project, in the one form in which names are compared.

use std::fmt;
use std::str::FromStr;

/// A project name in canonical form: lower case, runs of `-`, `_` and `.` as one `-`.
///
/// <https://packaging.python.org/en/latest/specifications/name-normalization/>
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectName(String);

/// Why a text is no project name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProjectNameError {
    /// Empty, a letter that is not ASCII, or a first or last character that is no letter or digit:
    /// `-torch`, `torch-`, `tørch`.
    #[error(
        "`{0}` is not a project name: letters, digits, `.`, `_` and `-`, with a letter or digit at both ends"
    )]
    Invalid(String),
}

impl ProjectName {
    /// Reads a name as somebody spelled it (`NIXL_rocm`) and keeps the canonical form (`nixl-rocm`).
    ///
    /// # Errors
    /// [`ProjectNameError::Invalid`] when it is no project name in any spelling.
    pub fn new(text: &str) -> Result<Self, ProjectNameError> {
        let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        let ends = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        let bytes = text.as_bytes();
        if !ends(bytes.first()) || !ends(bytes.last()) || !bytes.iter().copied().all(inner) {
            return Err(ProjectNameError::Invalid(text.to_owned()));
        }
        let mut canonical = String::with_capacity(text.len());
        for c in text.chars() {
            if matches!(c, '.' | '_' | '-') {
                if !canonical.ends_with('-') {
                    canonical.push('-');
                }
            } else {
                canonical.push(c.to_ascii_lowercase());
            }
        }
        Ok(Self(canonical))
    }

    /// The canonical form: `nixl-rocm`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form for file names and `.dist-info` directories, where `-` parts the fields: `nixl_rocm`.
    #[must_use]
    pub fn escaped(&self) -> String {
        self.0.replace('-', "_")
    }
}

impl FromStr for ProjectName {
    type Err = ProjectNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::new(text)
    }
}

impl fmt::Display for ProjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for ProjectName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_one_name() {
        for spelling in ["nixl-rocm", "NIXL_rocm", "nixl.-_Rocm", "nixl__rocm"] {
            let name = ProjectName::new(spelling).unwrap();
            assert_eq!(name.to_string(), "nixl-rocm", "{spelling}");
            assert_eq!(name.escaped(), "nixl_rocm", "{spelling}");
        }
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for text in ["", "-a", "a-", "_a", "a b", "tørch", "a/b", "a\n"] {
            assert_eq!(
                ProjectName::new(text),
                Err(ProjectNameError::Invalid(text.to_owned()))
            );
        }
    }
}
