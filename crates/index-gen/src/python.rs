//! Whether the index's Python may install a wheel.

use std::str::FromStr;

use wheel::{Version, VersionSpecifiers};

/// The Python that an index is for: `3.14`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Python {
    minor: u64,
}

/// Text that is no Python release line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a Python of the form 3.14")]
pub(crate) struct PythonError(String);

impl FromStr for Python {
    type Err = PythonError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let minor = text
            .strip_prefix("3.")
            .filter(|minor| minor.bytes().all(|b| b.is_ascii_digit()));
        match minor.and_then(|minor| minor.parse().ok()) {
            Some(minor) if format!("3.{minor}") == text => Ok(Self { minor }),
            _ => Err(PythonError(text.to_owned())),
        }
    }
}

impl std::fmt::Display for Python {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "3.{}", self.minor)
    }
}

/// Releases of one Python line so far and to come; none has had more than twenty-odd.
const PATCHES: u64 = 40;

impl Python {
    /// What a `Requires-Python` means for this Python; `None` when it lets some release of it in.
    ///
    /// A range that does not parse is told, not obeyed: pip takes such a wheel anyway.
    pub(crate) fn note(&self, requires_python: &str) -> Option<String> {
        let Ok(range) = VersionSpecifiers::from_str(requires_python) else {
            return Some(format!(
                "Requires-Python `{}` is not a version range; pip ignores it, uv may skip the wheel",
                pipe::one_line(requires_python)
            ));
        };
        let admits = |patch| range.contains(&Version::new([3, self.minor, patch]));
        (!(0..PATCHES).any(admits))
            .then(|| format!("Requires-Python `{requires_python}` excludes Python {self}"))
    }

    /// What the python tags of a file name mean for this Python; `None` when one of them fits.
    ///
    /// `cp314` is for 3.14 alone, but with the stable ABI (`abi3`) for all that follow; `py3` and `py314`
    /// are for their version and all that follow.
    pub(crate) fn tag_note(&self, tags: &[String]) -> Option<String> {
        let fits = |tag: &String| {
            let mut parts = tag.split('-');
            let (python, abi) = (
                parts.next().unwrap_or_default(),
                parts.next().unwrap_or_default(),
            );
            let minor = |text: &str| match text.strip_prefix('3') {
                Some("") => Some(0),
                Some(minor) => minor.parse::<u64>().ok(),
                None => None,
            };
            match (python.strip_prefix("cp"), python.strip_prefix("py")) {
                (Some(version), _) if abi == "abi3" => minor(version) <= Some(self.minor),
                (Some(version), _) => minor(version) == Some(self.minor),
                (_, Some(version)) => minor(version).is_some_and(|minor| minor <= self.minor),
                // Another interpreter; not ours to judge.
                _ => true,
            }
        };
        let first = tags.first()?;
        (!tags.iter().any(fits)).then(|| {
            let python = first.split('-').next().unwrap_or_default();
            format!("its tag `{python}` is not for Python {self}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(requires_python: &str) -> Option<String> {
        "3.14".parse::<Python>().unwrap().note(requires_python)
    }

    #[test]
    fn a_cap_below_is_named() {
        assert_eq!(
            note(">=3.10,<3.14").as_deref(),
            Some("Requires-Python `>=3.10,<3.14` excludes Python 3.14")
        );
        assert!(note("<=3.13").is_some());
        assert!(note("==3.13.*").is_some());
    }

    #[test]
    fn tags_for_other_pythons_are_named() {
        let python = "3.14".parse::<Python>().unwrap();
        let note = |tag: &str| python.tag_note(&[tag.to_owned()]);
        for fitting in [
            "cp314-cp314-linux_x86_64",
            "cp312-abi3-linux_x86_64",
            "py3-none-any",
            "py310-none-any",
            "pp311-pypy311_pp73-linux_x86_64",
        ] {
            assert_eq!(note(fitting), None, "{fitting}");
        }
        for other in [
            "cp312-cp312-linux_x86_64",
            "cp315-abi3-linux_x86_64",
            "py2-none-any",
        ] {
            assert!(note(other).is_some(), "{other}");
        }
        assert_eq!(
            note("cp312-cp312-linux_x86_64").as_deref(),
            Some("its tag `cp312` is not for Python 3.14")
        );
    }

    #[test]
    fn what_lets_some_release_in_is_no_note() {
        for range in [
            ">=3.10", "", "<4", "!=3.14.0", ">=3.14.2", "==3.14.*", "~=3.10",
        ] {
            assert_eq!(note(range), None, "{range}");
        }
    }

    #[test]
    fn an_escape_sequence_does_not_reach_the_page() {
        let told = note(">=3.8\u{1b}[31m\u{202e}").unwrap();
        assert!(
            told.starts_with("Requires-Python `>=3.8\u{fffd}[31m\u{fffd}` is not"),
            "{told}"
        );
    }

    #[test]
    fn what_does_not_parse_is_told_and_not_obeyed() {
        assert_eq!(
            note(">=3.x").as_deref(),
            Some(
                "Requires-Python `>=3.x` is not a version range; pip ignores it, uv may skip the wheel"
            )
        );
    }

    #[test]
    fn a_python_is_a_release_line_of_3() {
        for text in ["3", "3.014", "3.", "3.14.0", "2.7", "3.a", ""] {
            assert!(text.parse::<Python>().is_err(), "{text}");
        }
    }
}
