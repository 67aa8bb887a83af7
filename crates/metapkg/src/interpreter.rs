//! The Pythons that a wheel installs on, and those that a whole set installs on.

use std::collections::BTreeSet;

use wheel::{Version, VersionSpecifiers};

/// The newest `CPython` minor release that is asked about: 3.40 is decades away.
const NEWEST_MINOR: u64 = 40;
/// The newest patch release that is asked about; `CPython` has not gone beyond 3.x.25.
const NEWEST_PATCH: u64 = 30;

/// One `CPython` 3 release that a wheel may be installed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Interpreter {
    /// `14` of 3.14.2.
    pub(crate) minor: u64,
    /// `2` of 3.14.2.
    pub(crate) patch: u64,
    /// The build without the global interpreter lock, which has an ABI of its own (`cp314t`).
    pub(crate) free_threaded: bool,
}

impl Interpreter {
    /// The release as a version: `3.14.2`.
    pub(crate) fn version(self) -> Version {
        Version::new([3, self.minor, self.patch])
    }

    /// Every interpreter on which a wheel with these tags and this Requires-Python installs.
    pub(crate) fn all_of(
        tags: &[String],
        requires: Option<&VersionSpecifiers>,
    ) -> BTreeSet<Interpreter> {
        let mut all = BTreeSet::new();
        for minor in 0..=NEWEST_MINOR {
            let abis: Vec<bool> = [false, true]
                .into_iter()
                .filter(|free_threaded| tags.iter().any(|tag| fits(tag, minor, *free_threaded)))
                .collect();
            if abis.is_empty() {
                continue;
            }
            for patch in 0..=NEWEST_PATCH {
                let version = Version::new([3, minor, patch]);
                if requires.is_none_or(|requires| requires.contains(&version)) {
                    all.extend(abis.iter().map(|&free_threaded| Interpreter {
                        minor,
                        patch,
                        free_threaded,
                    }));
                }
            }
        }
        all
    }
}

/// Whether `CPython` 3.`minor` takes a wheel with this tag, by the order of tags that packaging's
/// `cpython_tags` and `compatible_tags` lay down.
fn fits(tag: &str, minor: u64, free_threaded: bool) -> bool {
    let mut parts = tag.split('-');
    let (Some(python), Some(abi)) = (parts.next(), parts.next()) else {
        return false;
    };
    if let Some(number) = python.strip_prefix("py") {
        return abi == "none" && major_minor(number).is_some_and(|floor| floor <= minor);
    }
    let Some(floor) = python.strip_prefix("cp").and_then(major_minor) else {
        return false;
    };
    match abi {
        "none" => floor == minor,
        "abi3" => floor <= minor && !free_threaded,
        "abi3t" => floor <= minor && free_threaded,
        abi => {
            let (number, of_free_threaded) = match abi.strip_suffix('t') {
                Some(number) => (number, true),
                None => (abi, false),
            };
            floor == minor
                && of_free_threaded == free_threaded
                && number.strip_prefix("cp").and_then(major_minor) == Some(minor)
        }
    }
}

/// The minor release of a Python 3 tag: `314` and `3_14` are 14, `3` is 0; `27` is none.
fn major_minor(number: &str) -> Option<u64> {
    let minor = number.strip_prefix('3')?;
    let minor = minor.strip_prefix('_').unwrap_or(minor);
    if minor.is_empty() {
        return Some(0);
    }
    minor.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minors(tags: &[&str], requires: &str) -> Vec<u64> {
        let tags: Vec<String> = tags.iter().map(|&tag| tag.to_owned()).collect();
        let requires = (!requires.is_empty()).then(|| requires.parse().unwrap());
        let mut minors: Vec<u64> = Interpreter::all_of(&tags, requires.as_ref())
            .iter()
            .filter(|python| !python.free_threaded)
            .map(|python| python.minor)
            .collect();
        minors.dedup();
        minors
    }

    #[test]
    fn a_wheel_for_one_abi_has_one_minor_release() {
        assert_eq!(minors(&["cp314-cp314-linux_x86_64"], ">=3.10"), [14]);
        assert_eq!(minors(&["cp314-cp314-linux_x86_64"], "<3.14"), [0; 0]);
        assert_eq!(minors(&["cp314-cp314t-linux_x86_64"], ""), [0; 0]);
    }

    #[test]
    fn the_stable_abi_and_pure_code_go_on() {
        assert_eq!(minors(&["cp39-abi3-linux_x86_64"], "<3.12"), [9, 10, 11]);
        assert_eq!(minors(&["py3-none-any"], ">=3.12,<3.14"), [12, 13]);
        assert_eq!(minors(&["py2-none-any"], ""), [0; 0]);
        assert_eq!(minors(&["py312-none-any"], "<3.14"), [12, 13]);
    }

    #[test]
    fn a_patch_release_counts() {
        let tags = ["cp314-cp314-linux_x86_64".to_owned()];
        let requires: VersionSpecifiers = ">=3.14.2".parse().unwrap();
        let first = Interpreter::all_of(&tags, Some(&requires)).pop_first();
        assert_eq!(
            first.map(|python| python.version().to_string()).as_deref(),
            Some("3.14.2")
        );
    }
}
