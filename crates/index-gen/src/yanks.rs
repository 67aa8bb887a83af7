//! Which wheels are yanked, and why: a file that people review.

use std::collections::BTreeMap;
use std::path::Path;

use wheel::{ProjectName, Version, WheelFilename};

/// Files and releases that installers skip unless a pin names them (PEP 592).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Yanks(Vec<Yank>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Yank {
    /// As it was written.
    key: String,
    what: What,
    reason: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    File,
    /// Canonical name and version.
    Release(String, Version),
}

impl Yank {
    /// As with a pin, a version without a local part means those with one too.
    fn matches(&self, filename: &str, name: &str, version: &Version) -> bool {
        match &self.what {
            What::File => self.key == filename,
            What::Release(yanked, of) => {
                yanked == name
                    && (of == version || !of.is_local() && *of == version.clone().without_local())
            }
        }
    }
}

/// A yank file that cannot be taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum YankError {
    /// Missing or unreadable.
    #[error("{}", pipe::advised(.0))]
    Io(#[from] std::io::Error),
    /// Not TOML, or a reason that is no text.
    #[error(
        "{0}; write a file name or a release to its reason: `\"torch==2.15.0\" = \"wrong results\"`"
    )]
    Toml(String),
    /// `"torch"`: neither a wheel nor a release.
    #[error(
        "`{0}` names no wheel; write a file name (`….whl`) or a name and a version (`torch==2.15.0`)"
    )]
    Key(String),
    /// `"bad\u001b[31m"`, or a reason of two lines.
    #[error(
        "the reason of `{0}` holds {1}, which does not belong on a page; write it as plain text on one line"
    )]
    Reason(String, String),
}

impl Yanks {
    /// Reads TOML: `"torch-2.15.0+rocm10.1.0-….whl" = "reason"` or `"torch==2.15.0+rocm10.1.0" = "reason"`.
    pub(crate) fn load(path: &Path) -> Result<Self, YankError> {
        Self::parse(&pipe::read_small_text(path)?)
    }

    fn parse(text: &str) -> Result<Self, YankError> {
        let rows: BTreeMap<String, String> = toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.unwrap_or_default().matches('\n').count() + 1;
            YankError::Toml(format!(
                "line {line}: {}",
                error.message().replace('\n', " ")
            ))
        })?;
        let mut yanks = Vec::new();
        for (key, reason) in rows {
            // Clients print a reason on the terminal as it stands.
            if let Some(c) = reason.chars().find(|&c| pipe::steers(c)) {
                let unit = format!("U+{:04X}", u32::from(c));
                return Err(YankError::Reason(key, unit));
            }
            let what = if key.parse::<WheelFilename>().is_ok() {
                What::File
            } else {
                release(&key).ok_or_else(|| YankError::Key(key.clone()))?
            };
            yanks.push(Yank { key, what, reason });
        }
        // A file's own reason comes before that of its release.
        yanks.sort_by_key(|yank| yank.what != What::File);
        Ok(Self(yanks))
    }

    /// The reason why a wheel is yanked, if it is; the file name's own reason first.
    pub(crate) fn reason(&self, filename: &str, name: &str, version: &Version) -> Option<&str> {
        let yank = self
            .0
            .iter()
            .find(|yank| yank.matches(filename, name, version))?;
        Some(&yank.reason)
    }

    /// A note on every yank that none of these files (file name, project, version) is meant by: it may
    /// be for another architecture, or a slip.
    pub(crate) fn unused<'a>(
        &self,
        files: &(impl Iterator<Item = (&'a str, &'a str, Version)> + Clone),
    ) -> Vec<String> {
        let unused = self.0.iter().filter(|yank| {
            !files
                .clone()
                .any(|(file, name, version)| yank.matches(file, name, &version))
        });
        unused
            .map(|yank| format!("`{}` is yanked and not on the index", yank.key))
            .collect()
    }
}

fn release(key: &str) -> Option<What> {
    let (name, version) = key.split_once("==")?;
    Some(What::Release(
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
        assert_eq!(
            reason("foo_bar-1.0+rocm10.1.0-x.whl", "foo-bar", "1.0+rocm10.1.0").as_deref(),
            Some("two")
        );
    }

    #[test]
    fn a_yank_of_nothing_is_noted() {
        let yanks = Yanks::parse("\"foo==1.0+a\" = \"x\"\n\"foo==1.1\" = \"y\"\n").unwrap();
        let files = [("foo-1.1-x.whl", "foo", "1.1".parse::<Version>().unwrap())];
        assert_eq!(
            yanks.unused(&files.iter().map(|(f, n, v)| (*f, *n, v.clone()))),
            ["`foo==1.0+a` is yanked and not on the index"]
        );
    }

    #[test]
    fn a_reason_that_steers_a_terminal_is_refused() {
        for (reason, unit) in [
            ("a\\u001b[31m", "U+001B"),
            ("\\u202ea", "U+202E"),
            ("a\\nb", "U+000A"),
        ] {
            let error = Yanks::parse(&format!("\"a==1\" = \"{reason}\"")).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "the reason of `a==1` holds {unit}, which does not belong on a page; write it as plain text on one line"
                )
            );
        }
    }

    #[test]
    fn a_key_that_names_no_wheel_is_refused() {
        for key in ["torch", "torch==", "==1", "torch==no version"] {
            let error = Yanks::parse(&format!("\"{key}\" = \"x\"")).unwrap_err();
            assert!(matches!(error, YankError::Key(_)), "{key}: {error}");
        }
    }
}
