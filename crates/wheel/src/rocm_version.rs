//! The ROCm release that wheels were built against.

use std::fmt;
use std::str::FromStr;

/// A ROCm release: `10.1.0`, `7.12.0rc1`.
///
/// Two or three numbers and at most a pre-release, in the form that PEP 440 gives them, so that it
/// reads the same in a public version and, behind `rocm`, as a segment of a local version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RocmVersion(String);

/// Text that names no ROCm release.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RocmVersionError {
    /// An image tag's variant behind the release: `10.1.0-full`.
    #[error("`{text}` carries the image variant `-{variant}`; strip it and pass `{release}`")]
    Variant {
        /// What was given.
        text: String,
        /// What comes before the first hyphen.
        release: String,
        /// What comes after it.
        variant: String,
    },
    /// Anything else: `ten`, `10`, `10.01.0`, `rocm10.1.0`.
    #[error("`{0}` is not a ROCm release like `10.1.0`")]
    NoRelease(String),
}

impl RocmVersion {
    /// The release as text: `10.1.0`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The segment of a local version that marks a wheel: `rocm10.1.0`.
    #[must_use]
    pub fn mark(&self) -> String {
        format!("rocm{}", self.0)
    }
}

impl FromStr for RocmVersion {
    type Err = RocmVersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some((release, variant)) = text.split_once('-')
            && is_release(release)
        {
            return Err(RocmVersionError::Variant {
                text: text.to_owned(),
                release: release.to_owned(),
                variant: variant.to_owned(),
            });
        }
        if is_release(text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(RocmVersionError::NoRelease(text.to_owned()))
        }
    }
}

impl fmt::Display for RocmVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Two or three numbers without leading zeros, the last one with or without `a1`, `b1`, `rc1`.
fn is_release(text: &str) -> bool {
    let (numbers, pre) = match text.find(|c: char| c.is_ascii_lowercase()) {
        Some(at) => (&text[..at], Some(&text[at..])),
        None => (text, None),
    };
    let is_pre = |pre: &str| {
        ["a", "b", "rc"]
            .iter()
            .any(|kind| pre.strip_prefix(kind).is_some_and(is_number))
    };
    (2..=3).contains(&numbers.split('.').count())
        && numbers.split('.').all(is_number)
        && pre.is_none_or(is_pre)
}

/// Decimal digits as PEP 440 prints them: no leading zero, and short enough for any reader.
fn is_number(text: &str) -> bool {
    (1..=8).contains(&text.len())
        && text.bytes().all(|c| c.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_printed_as_it_was_read() {
        for text in ["10.1.0", "7.2", "7.12.0rc1", "7.15.0a20260728"] {
            assert_eq!(text.parse::<RocmVersion>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn the_variant_of_an_image_is_refused_with_what_to_pass_instead() {
        assert_eq!(
            "10.1.0-full"
                .parse::<RocmVersion>()
                .unwrap_err()
                .to_string(),
            "`10.1.0-full` carries the image variant `-full`; strip it and pass `10.1.0`"
        );
    }

    #[test]
    fn what_would_change_in_a_version_is_refused() {
        for text in [
            "",
            "10",
            "10.01.0",
            "rocm10.1.0",
            "10.1.0.0",
            "10.1.0+x",
            "10.1.0RC1",
            "10.1.0rc",
            "1.",
            "١.١",
        ] {
            let error = text.parse::<RocmVersion>().unwrap_err();
            assert_eq!(error, RocmVersionError::NoRelease(text.to_owned()));
        }
    }

    #[test]
    fn the_mark_is_one_segment() {
        let rocm: RocmVersion = "10.1.0".parse().unwrap();
        assert_eq!(rocm.mark(), "rocm10.1.0");
    }
}
