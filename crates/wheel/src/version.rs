//! Versions, as PEP 440 has them: parsed by `pep440_rs`, and the local segments put together.

use std::str::FromStr;

pub use pep440_rs::{LocalSegment, Operator, Version, VersionSpecifier, VersionSpecifiers};

/// Why a text is no local version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LocalVersionError {
    /// `a..b`, an empty text, a character that PEP 440 does not know.
    #[error("`{0}` is not a local version: letters and digits, parted by `.`")]
    Invalid(String),
    /// `rocm10.01`: its normal form `rocm10.1` is another text, and only that would be published.
    #[error("`{text}` is not in normal form; write `{normal}`")]
    NotNormal {
        /// The text as given.
        text: String,
        /// What it becomes.
        normal: String,
    },
}

/// The segments of a local version that is already in normal form: `git31a77fc.rocm10.1.0`.
///
/// # Errors
/// See [`LocalVersionError`].
pub fn local_segments(text: &str) -> Result<Vec<LocalSegment>, LocalVersionError> {
    let invalid = || LocalVersionError::Invalid(text.to_owned());
    if text.is_empty() || text.trim() != text || text.contains('+') {
        return Err(invalid());
    }
    let version = Version::from_str(&format!("0+{text}")).map_err(|_| invalid())?;
    let normal = local_text(&version);
    if normal != text {
        return Err(LocalVersionError::NotNormal {
            text: text.to_owned(),
            normal,
        });
    }
    Ok(version.local().to_vec())
}

/// The local part of a version in normal form, empty when it has none.
#[must_use]
pub fn local_text(version: &Version) -> String {
    let segments: Vec<String> = version.local().iter().map(ToString::to_string).collect();
    segments.join(".")
}

/// The version with `segments` after the local segments that it has.
#[must_use]
pub fn with_local_appended(version: &Version, segments: &[LocalSegment]) -> Version {
    let mut local = version.local().to_vec();
    local.extend_from_slice(segments);
    version.clone().with_local(local)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_goes_behind_the_hash() {
        let mark = local_segments("rocm10.1.0").unwrap();
        for (before, after) in [
            ("2.15.0a0+git31a77fc", "2.15.0a0+git31a77fc.rocm10.1.0"),
            ("0.29.2", "0.29.2+rocm10.1.0"),
            ("1.0+07.00.git", "1.0+7.0.git.rocm10.1.0"),
            ("1!2.0.post1.dev3", "1!2.0.post1.dev3+rocm10.1.0"),
        ] {
            let version = Version::from_str(before).unwrap();
            assert_eq!(with_local_appended(&version, &mark).to_string(), after);
        }
    }

    #[test]
    fn a_local_version_that_would_change_when_printed_is_refused() {
        for (text, normal) in [
            ("rocm10.01", "rocm10.1"),
            ("ROCm10", "rocm10"),
            ("rocm-10_1", "rocm.10.1"),
            ("0123", "123"),
        ] {
            let error = local_segments(text).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("`{text}` is not in normal form; write `{normal}`")
            );
        }
    }

    #[test]
    fn what_is_no_local_version_is_refused() {
        for text in ["", "a..b", ".a", "a+b", "é", "g…", "a b", " a"] {
            assert_eq!(
                local_segments(text),
                Err(LocalVersionError::Invalid(text.to_owned()))
            );
        }
    }
}
