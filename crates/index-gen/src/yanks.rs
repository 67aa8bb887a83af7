//! Which wheels are yanked, and why: a file that people review.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use wheel::{ProjectName, Version, WheelFilename};

/// Files and releases that installers skip unless a pin names them (PEP 592).
///
/// Looked up by what they name: thousands of entries over thousands of wheels are common enough in an index
/// that keeps its nightlies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Yanks {
    /// By file name.
    files: BTreeMap<String, Yank>,
    /// By canonical project name and version.
    releases: BTreeMap<String, BTreeMap<Version, Yank>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Yank {
    /// As it was written.
    key: String,
    reason: String,
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
    /// `"torch==2.15"` beside `"Torch==2.15.0"`, which is the same release.
    #[error("`{0}` and `{1}` mean the same release; keep one of them")]
    Twice(String, String),
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
        let mut yanks = Self::default();
        for (key, reason) in rows {
            // Clients print a reason on the terminal as it stands.
            if let Some(c) = reason.chars().find(|&c| pipe::steers(c)) {
                let unit = format!("U+{:04X}", u32::from(c));
                return Err(YankError::Reason(key, unit));
            }
            let yank = Yank { key, reason };
            if yank.key.parse::<WheelFilename>().is_ok() {
                yanks.files.insert(yank.key.clone(), yank);
                continue;
            }
            let Some((name, version)) = release(&yank.key) else {
                return Err(YankError::Key(yank.key));
            };
            match yanks.releases.entry(name).or_default().entry(version) {
                Entry::Vacant(entry) => {
                    entry.insert(yank);
                }
                Entry::Occupied(there) => {
                    return Err(YankError::Twice(there.get().key.clone(), yank.key));
                }
            }
        }
        Ok(yanks)
    }

    /// The reason why a wheel is yanked, if it is: the file name's own reason first, then the one of exactly its
    /// version. As with a pin, a version without a local part means those with one too.
    pub(crate) fn reason(&self, filename: &str, name: &str, version: &Version) -> Option<&str> {
        let yank = self.meant(filename, name, version).into_iter().flatten();
        Some(&yank.min_by_key(|(rank, _)| *rank)?.1.reason)
    }

    /// The entries that mean a wheel, the closest with the lowest rank.
    fn meant(&self, filename: &str, name: &str, version: &Version) -> [Option<(u8, &Yank)>; 3] {
        let releases = self.releases.get(name);
        let exact = releases.and_then(|releases| releases.get(version));
        let public = releases.filter(|_| version.is_local());
        let public = public.and_then(|releases| releases.get(&version.clone().without_local()));
        [
            self.files.get(filename).map(|yank| (0, yank)),
            exact.map(|yank| (1, yank)),
            public.map(|yank| (2, yank)),
        ]
    }

    /// A note on every yank that none of these files (file name, project, version) is meant by: it may
    /// be for another architecture, or a slip.
    pub(crate) fn unused<'a>(
        &self,
        files: impl Iterator<Item = (&'a str, &'a str, Version)>,
    ) -> Vec<String> {
        let all = self.files.values();
        let all = all.chain(self.releases.values().flat_map(BTreeMap::values));
        let mut unused: BTreeSet<&str> = all.map(|yank| yank.key.as_str()).collect();
        if unused.is_empty() {
            return Vec::new();
        }
        for (file, name, version) in files {
            for (_, yank) in self.meant(file, name, &version).into_iter().flatten() {
                unused.remove(yank.key.as_str());
            }
        }
        unused
            .into_iter()
            .map(|key| format!("`{key}` is yanked and not on the index"))
            .collect()
    }
}

/// Canonical name and version of `torch==2.15.0`.
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
        assert_eq!(
            reason("foo_bar-1.0+rocm10.1.0-x.whl", "foo-bar", "1.0+rocm10.1.0").as_deref(),
            Some("two")
        );
    }

    #[test]
    fn the_closest_entry_gives_the_reason() {
        let text = "\"a==1\" = \"public\"\n\"a==1+x\" = \"exact\"\n\"a-1+x-py3-none-any.whl\" = \"file\"\n";
        let yanks = Yanks::parse(text).unwrap();
        let reason = |file: &str, version: &str| {
            let version: Version = version.parse().unwrap();
            yanks.reason(file, "a", &version).map(ToOwned::to_owned)
        };
        assert_eq!(
            reason("a-1+x-py3-none-any.whl", "1+x").as_deref(),
            Some("file")
        );
        assert_eq!(
            reason("a-1+x-py2-none-any.whl", "1+x").as_deref(),
            Some("exact")
        );
        assert_eq!(
            reason("a-1+y-py3-none-any.whl", "1+y").as_deref(),
            Some("public")
        );
        assert_eq!(reason("a-2-py3-none-any.whl", "2"), None);
    }

    #[test]
    fn one_release_has_one_reason() {
        let error = Yanks::parse("\"a==1.0\" = \"x\"\n\"A == 1\" = \"y\"\n").unwrap_err();
        assert_eq!(
            error.to_string(),
            "`A == 1` and `a==1.0` mean the same release; keep one of them"
        );
    }

    #[test]
    fn a_yank_of_nothing_is_noted() {
        let yanks = Yanks::parse("\"foo==1.0+a\" = \"x\"\n\"foo==1.1\" = \"y\"\n").unwrap();
        let files = [("foo-1.1-x.whl", "foo", "1.1".parse::<Version>().unwrap())];
        assert_eq!(
            yanks.unused(files.iter().map(|(f, n, v)| (*f, *n, v.clone()))),
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
