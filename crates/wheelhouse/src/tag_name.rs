//! What a tag says: `2.15.0-10.1.0-full-gfx950-test-gaad2a60d` read from the right.

use std::str::FromStr;

use wheel::Version;

/// The parts of a tag of an image that was built for a ROCm release.
///
/// A part may hold hyphens itself (`10.1.0-full`), so a tag is read from the right, by the shapes of its
/// parts: commit, `test`, architecture, ROCm release with its image variant. What is left is the version
/// or the git ref of what the image is named for. Tags that say nothing of that kind (`latest`) are a
/// version alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TagName {
    /// Version or git ref: `2.15.0`, `v0.33.0`, `latest`; empty for `10.1.0-full-gfx950`.
    pub(crate) version: String,
    /// `10.1.0`, with its variant in [`variant`](Self::variant).
    pub(crate) rocm: Option<String>,
    /// `full`
    pub(crate) variant: Option<String>,
    /// `gfx950`
    pub(crate) architecture: Option<String>,
    /// Whether the image is the one that tests run in.
    pub(crate) is_test: bool,
    /// Hex digits of the commit, without the `g`.
    pub(crate) commit: Option<String>,
}

impl TagName {
    /// Reads a tag; every text is one.
    pub(crate) fn new(tag: &str) -> Self {
        let mut rest = tag;
        let commit = take_last(&mut rest, |part| {
            // `-gfx950` is no commit: x is not a hex digit.
            part.strip_prefix('g').filter(|hex| {
                (7..=40).contains(&hex.len()) && hex.bytes().all(|b| b.is_ascii_hexdigit())
            })
        });
        let is_test = take_last(&mut rest, |part| (part == "test").then_some(part)).is_some();
        let architecture = take_last(&mut rest, |part| {
            let digits = part.strip_prefix("gfx")?;
            let is_hex = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
            is_hex.then_some(part)
        });
        let before = rest;
        let variant = take_last(&mut rest, |part| {
            let is_word = !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase());
            is_word.then_some(part)
        });
        let rocm = take_last(&mut rest, |part| is_release(part).then_some(part));
        if rocm.is_none() {
            // A word that follows no release is part of the ref: `my-branch`.
            rest = before;
        }
        let mut rocm = rocm;
        if rest.is_empty() && variant.is_none() && architecture.is_none() {
            // A release and nothing else is what the image is named for: `pytorch-src:2.15.0`.
            rest = rocm.take().unwrap_or_default();
        }
        Self {
            version: rest.to_owned(),
            variant: variant.filter(|_| rocm.is_some()).map(str::to_owned),
            rocm: rocm.map(str::to_owned),
            architecture: architecture.map(str::to_owned),
            is_test,
            commit: commit.map(str::to_owned),
        }
    }

    /// The version that the tag names, without the `v` of a git tag; none for a branch or a commit.
    pub(crate) fn parsed_version(&self) -> Option<Version> {
        let text = self.version.strip_prefix('v').unwrap_or(&self.version);
        Version::from_str(text).ok()
    }

    /// Whether something built may carry this tag; true where the tag names no version. A tag names a release
    /// and its wheels may be alphas of it: 2.15.0 and 2.15.0a0+git31a77fc.
    pub(crate) fn fits(&self, built: &Version) -> bool {
        let Some(tagged) = self.parsed_version() else {
            return true;
        };
        if tagged == tagged.only_release() {
            return built.only_release() == tagged;
        }
        built.clone().without_local() == tagged
    }
}

/// Takes the part after the last hyphen off `rest` when it has the shape that is looked for.
fn take_last<'t>(
    rest: &mut &'t str,
    shape: impl Fn(&'t str) -> Option<&'t str>,
) -> Option<&'t str> {
    let (before, part) = rest.rsplit_once('-').unwrap_or(("", rest));
    let found = shape(part)?;
    *rest = before;
    Some(found)
}

/// `10.1.0`, `7.2`: two or three numbers.
fn is_release(part: &str) -> bool {
    let numbers: Vec<&str> = part.split('.').collect();
    let is_number = |text: &&str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (2..=3).contains(&numbers.len()) && numbers.iter().all(is_number)
}

/// Sorts tags by what they mean: version, ROCm release and variant, architecture, test image, commit; by their
/// text where that is equal. Tags that name a version come before those that do not (`latest`, branches).
pub(crate) fn sort_by_meaning<T>(tags: &mut [T], name: impl Fn(&T) -> &str) {
    tags.sort_by_cached_key(|tag| Meaning::of(name(tag)));
}

/// The order of tags; fields are compared from the first to the last.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Meaning {
    names_no_version: bool,
    version: Option<Version>,
    /// `10.1.0-full-gfx950` has no word either: it sorts by its ROCm release, before words.
    word: Option<String>,
    rocm: Option<Version>,
    variant: Option<String>,
    /// gfx90a comes before gfx1201.
    architecture: (usize, String),
    is_test: bool,
    commit: Option<String>,
    text: String,
}

impl Meaning {
    fn of(tag: &str) -> Self {
        let name = TagName::new(tag);
        let version = name.parsed_version();
        let architecture = name.architecture.unwrap_or_default();
        Self {
            names_no_version: version.is_none(),
            word: Some(name.version).filter(|word| version.is_none() && !word.is_empty()),
            version,
            rocm: name.rocm.and_then(|text| text.parse().ok()),
            variant: name.variant,
            architecture: (architecture.len(), architecture),
            is_test: name.is_test,
            commit: name.commit,
            text: tag.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(tag: &str) -> [String; 5] {
        let name = TagName::new(tag);
        [
            name.version,
            name.rocm.unwrap_or_default(),
            name.variant.unwrap_or_default(),
            name.architecture.unwrap_or_default(),
            name.commit.unwrap_or_default(),
        ]
    }

    #[test]
    fn tags_are_read_from_the_right() {
        let cases = [
            (
                "2.15.0-10.1.0-full-gfx950",
                ["2.15.0", "10.1.0", "full", "gfx950", ""],
            ),
            ("3.9.0-10.1.0-full", ["3.9.0", "10.1.0", "full", "", ""]),
            (
                "v0.33.0-10.1.0-gfx90a-gaad2a60d",
                ["v0.33.0", "10.1.0", "", "gfx90a", "aad2a60d"],
            ),
            (
                "my-branch-7.2-gfx1201",
                ["my-branch", "7.2", "", "gfx1201", ""],
            ),
            ("10.1.0-full-gfx950", ["", "10.1.0", "full", "gfx950", ""]),
            ("latest", ["latest", "", "", "", ""]),
            ("latest-gfx950", ["latest", "", "", "gfx950", ""]),
            ("my-branch", ["my-branch", "", "", "", ""]),
            ("2.15.0", ["2.15.0", "", "", "", ""]),
        ];
        for (tag, expected) in cases {
            assert_eq!(parts(tag), expected, "{tag}");
        }
        assert!(TagName::new("2.15.0-10.1.0-full-gfx950-test").is_test);
        assert!(TagName::new("2.15.0-10.1.0-full-gfx950-test-gaad2a60d").is_test);
    }

    #[test]
    fn a_tag_fits_the_versions_of_its_release() {
        let cases = [
            ("2.15.0-10.1.0-full-gfx950", "2.15.0a0+git31a77fc", true),
            ("v14.2.0-10.1.0-full-gfx950", "14.2", true),
            ("v0.5.7-10.1.0-full-gfx950", "0.5.6", false),
            ("v1.0rc1-10.1.0-full-gfx950", "1.0rc1+g1234567", true),
            ("v1.0rc1-10.1.0-full-gfx950", "1.0", false),
            ("main-10.1.0-full-gfx950", "0.1", true),
        ];
        for (tag, built, expected) in cases {
            assert_eq!(
                TagName::new(tag).fits(&built.parse().unwrap()),
                expected,
                "{tag} {built}"
            );
        }
    }

    #[test]
    fn tags_sort_by_what_they_mean() {
        let sorted = [
            "2.9.0-10.1.0-full-gfx950",
            "2.15.0-7.2-full-gfx950",
            "2.15.0-10.1.0-full-gfx950",
            "2.15.0-10.1.0-full-gfx950-g1111111",
            "2.15.0-10.1.0-full-gfx950-test",
            "2.15.0-10.1.0-full-gfx1201",
            "v2.16.0-10.1.0-full-gfx950",
            "10.1.0-full-gfx950",
            "latest",
            "main-10.1.0-full-gfx950",
        ];
        let mut tags = sorted.to_vec();
        tags.reverse();
        sort_by_meaning(&mut tags, |tag| tag);
        assert_eq!(tags, sorted);
    }
}
