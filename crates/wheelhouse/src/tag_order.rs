//! The order of tags: by what they mean.

use std::cmp::Ordering;
use std::str::FromStr;

use wheel::Version;

use crate::tag_name::TagName;

/// Sorts tags by what they mean: version, ROCm release and variant, architecture, test image, commit; by their
/// text where that is equal. Tags that name a version come before those that do not (`latest`, branches).
pub(crate) fn sort_by_meaning(tags: &[String]) -> Vec<&str> {
    let mut meanings: Vec<_> = tags.iter().map(|tag| Meaning::of(tag)).collect();
    meanings.sort_unstable();
    meanings.into_iter().map(|meaning| meaning.text).collect()
}

/// The order of tags; fields are compared from the first to the last.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Meaning<'t> {
    names_no_version: bool,
    version: Option<Rank>,
    /// `10.1.0-full-gfx950` has no word either: it sorts by its ROCm release, before words.
    word: Option<&'t str>,
    rocm: Option<Rank>,
    variant: Option<&'t str>,
    /// gfx90a comes before gfx1201.
    architecture: (usize, &'t str),
    is_test: bool,
    commit: Option<&'t str>,
    text: &'t str,
}

impl<'t> Meaning<'t> {
    fn of(tag: &'t str) -> Self {
        let name = TagName::new(tag);
        let version = Rank::of(name.version.strip_prefix('v').unwrap_or(name.version));
        let architecture = name.architecture.unwrap_or_default();
        Self {
            names_no_version: version.is_none(),
            word: Some(name.version).filter(|word| version.is_none() && !word.is_empty()),
            version,
            rocm: name.rocm.and_then(Rank::of),
            variant: name.variant,
            architecture: (architecture.len(), architecture),
            is_test: name.is_test,
            commit: name.commit,
            text: tag,
        }
    }
}

/// A version as it is compared with others.
///
/// Nearly all that tags name are numbers and points. Making a `Version` of each of ten thousand would take as long as the
/// registry takes to list them.
#[derive(Debug)]
enum Rank {
    /// `2.15.0`: its numbers, and zeros after them, which mean nothing.
    Release([u16; 4]),
    /// Every other version.
    Other(Version),
}

impl Rank {
    /// The rank of a version; none of what is no version.
    fn of(text: &str) -> Option<Self> {
        match release(text) {
            Some(numbers) => Some(Self::Release(numbers)),
            None => Version::from_str(text).ok().map(Self::Other),
        }
    }

    fn whole(&self) -> Version {
        match self {
            Self::Release(numbers) => Version::new(numbers.map(u64::from)),
            Self::Other(version) => version.clone(),
        }
    }
}

/// The numbers of a release of at most four, each of at most four digits.
fn release(text: &str) -> Option<[u16; 4]> {
    let mut numbers = [0; 4];
    let mut parts = text.split('.');
    for (number, part) in numbers.iter_mut().zip(&mut parts) {
        let is_plain = part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
        *number = part.parse().ok().filter(|_| is_plain)?;
    }
    parts.next().is_none().then_some(numbers)
}

impl Ord for Rank {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Release(ours), Self::Release(theirs)) => ours.cmp(theirs),
            _ => self.whole().cmp(&other.whole()),
        }
    }
}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Rank {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Rank {}

#[cfg(test)]
mod tests {
    use super::*;

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
        let mut tags = sorted.map(str::to_owned);
        tags.reverse();
        assert_eq!(sort_by_meaning(&tags), sorted);
    }

    #[test]
    fn numbers_are_compared_as_the_versions_that_they_are() {
        let texts = [
            "2",
            "2.0",
            "2.15",
            "2.15.0",
            "2.15.0.1",
            "2.15.0.0.1",
            "02.15",
            "2.9",
            "2.9999",
            "2.10000",
            "2.15rc1",
            "2.15.0.post1",
            "2.15+rocm",
            "1!2",
            "0",
            "65536",
            "2..1",
            ".1",
            "2.",
            "",
            "a",
            "+1",
            "2.15.0.dev1",
        ];
        for one in texts {
            let version = Version::from_str(one).ok();
            assert_eq!(Rank::of(one).map(|rank| rank.whole()), version, "{one}");
            for other in texts {
                let expected = version.cmp(&Version::from_str(other).ok());
                assert_eq!(
                    Rank::of(one).cmp(&Rank::of(other)),
                    expected,
                    "{one} {other}"
                );
            }
        }
    }
}
