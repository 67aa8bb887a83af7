//! Which wheels are yanked, and why: a file that people review.

use std::collections::BTreeMap;
use std::path::Path;

use wheel::{ProjectName, Version, WheelFilename};

/// Files and releases that installers skip unless a pin names them (PEP 592).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Yanks {
    files: BTreeMap<String, String>,
    releases: BTreeMap<(String, Version), String>,
}

/// A yank file that cannot be taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum YankError {
    /// Missing or unreadable.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// Not TOML, or a reason that is no text.
    #[error("{0}")]
    Toml(String),
    /// `"torch"`: neither a wheel nor a release.
    #[error(
        "`{0}` names no wheel; write a file name (`….whl`) or a name and a version (`torch==2.15.0`)"
    )]
    Key(String),
}

impl Yanks {
    /// Reads TOML: `"torch-2.15.0+rocm10.1.0-….whl" = "reason"` or `"torch==2.15.0+rocm10.1.0" = "reason"`.
    pub(crate) fn load(path: &Path) -> Result<Self, YankError> {
        Self::parse(&pipe::read_small_text(path)?)
    }

    fn parse(text: &str) -> Result<Self, YankError> {
        let rows: BTreeMap<String, String> =
            toml::from_str(text).map_err(|e| YankError::Toml(e.message().replace('\n', " ")))?;
        let mut yanks = Self::default();
        for (key, reason) in rows {
            if key.parse::<WheelFilename>().is_ok() {
                yanks.files.insert(key, reason);
            } else {
                let release = release(&key).ok_or(YankError::Key(key))?;
                yanks.releases.insert(release, reason);
            }
        }
        Ok(yanks)
    }

    /// The reason why a wheel is yanked, if it is; the file name's own reason first.
    pub(crate) fn reason(&self, filename: &str, name: &str, version: &Version) -> Option<&str> {
        if self.files.is_empty() && self.releases.is_empty() {
            return None;
        }
        let by_release = || self.releases.get(&(name.to_owned(), version.clone()));
        self.files
            .get(filename)
            .or_else(by_release)
            .map(String::as_str)
    }
}

/// Canonical name and version.
fn release(key: &str) -> Option<(String, Version)> {
    let (name, version) = key.split_once("==")?;
    Some((
        ProjectName::new(name.trim()).ok()?.to_string(),
        version.trim().parse().ok()?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_releases_are_yanked() {
        let yanks =
            Yanks::parse("\"a-1-py3-none-any.whl\" = \"one\"\n\"Foo_Bar == 1.0\" = \"two\"\n")
                .unwrap();
        let reason = |file: &str, name: &str, version: &str| {
            yanks
                .reason(file, name, &version.parse().unwrap())
                .map(ToOwned::to_owned)
        };
        assert_eq!(
            reason("a-1-py3-none-any.whl", "a", "1").as_deref(),
            Some("one")
        );
        assert_eq!(
            reason("foo_bar-1.0-x.whl", "foo-bar", "1.0").as_deref(),
            Some("two")
        );
        assert_eq!(reason("foo_bar-1.1-x.whl", "foo-bar", "1.1"), None);
    }

    #[test]
    fn a_key_that_names_no_wheel_is_refused() {
        for key in ["torch", "torch==", "==1", "torch==no version"] {
            let error = Yanks::parse(&format!("\"{key}\" = \"x\"")).unwrap_err();
            assert!(matches!(error, YankError::Key(_)), "{key}: {error}");
        }
    }
}
