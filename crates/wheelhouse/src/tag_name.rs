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
pub(crate) struct TagName<'t> {
    /// Version or git ref: `2.15.0`, `v0.33.0`, `latest`; empty for `10.1.0-full-gfx950`.
    pub(crate) version: &'t str,
    /// `10.1.0`, with its variant in [`variant`](Self::variant).
    pub(crate) rocm: Option<&'t str>,
    /// `full`
    pub(crate) variant: Option<&'t str>,
    /// `gfx950`
    pub(crate) architecture: Option<&'t str>,
    /// Whether the image is the one that tests run in.
    pub(crate) is_test: bool,
    /// Hex digits of the commit, without the `g`.
    pub(crate) commit: Option<&'t str>,
}

impl<'t> TagName<'t> {
    /// Reads a tag; every text is one.
    pub(crate) fn new(tag: &'t str) -> Self {
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
            version: rest,
            variant: variant.filter(|_| rocm.is_some()),
            rocm,
            architecture,
            is_test,
            commit,
        }
    }

    /// The version that the tag names, without the `v` of a git tag; none for a branch or a commit.
    pub(crate) fn parsed_version(&self) -> Option<Version> {
        let text = self.version.strip_prefix('v').unwrap_or(self.version);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(tag: &str) -> [&str; 5] {
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
}
