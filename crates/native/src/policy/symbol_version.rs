//! A symbol version such as `GLIBC_2.38`, as an ELF file asks for it.

use std::cmp::Ordering;

/// A symbol version in the two parts that a policy looks at.
///
/// It is cut at the first underscore: `GLIBC_ABI_DT_RELR` is the prefix `GLIBC` and the version
/// `ABI_DT_RELR`. Ordered by prefix and then as releases are, so that the newest need is the largest:
/// numbers by value, names such as `PRIVATE` before all numbers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SymbolVersion {
    /// What comes before the first underscore, or everything: `GLIBC`, `GLIBCXX`, `libfoo`.
    pub prefix: String,
    /// What comes after it; empty without an underscore.
    pub version: String,
}

impl SymbolVersion {
    /// Cuts the text of a version need.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let (prefix, version) = text.split_once('_').unwrap_or((text, ""));
        Self {
            prefix: prefix.to_owned(),
            version: version.to_owned(),
        }
    }

    /// Major and minor number of a numbered release: `GLIBC_2.3.4` is 2 and 3; `GLIBC_PRIVATE` has none.
    #[must_use]
    pub fn release(&self) -> Option<(u32, u32)> {
        let mut numbers = self.version.split('.').map(str::parse);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(major)), Some(Ok(minor))) => Some((major, minor)),
            _ => None,
        }
    }
}

impl std::fmt::Display for SymbolVersion {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.version.is_empty() {
            out.write_str(&self.prefix)
        } else {
            write!(out, "{}_{}", self.prefix, self.version)
        }
    }
}

impl Ord for SymbolVersion {
    fn cmp(&self, other: &Self) -> Ordering {
        self.prefix
            .cmp(&other.prefix)
            .then_with(|| compare_releases(&self.version, &other.version))
    }
}

impl PartialOrd for SymbolVersion {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Orders releases part by part: numbers by value, names before numbers, and last by their text, so
/// that only equal texts are equal.
pub(crate) fn compare_releases(left: &str, right: &str) -> Ordering {
    let parts = |text: &str| -> Vec<Option<u64>> {
        text.split(['.', '_'])
            .map(|part| part.parse().ok())
            .collect()
    };
    parts(left).cmp(&parts(right)).then_with(|| left.cmp(right))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_ordered_by_number_and_names_come_first() {
        let texts = [
            "GLIBC_ABI_DT_RELR",
            "GLIBC_PRIVATE",
            "GLIBC_2.2.5",
            "GLIBC_2.9",
            "GLIBC_2.38",
            "GLIBCXX_3.4",
            "GLIBCXX_3.4.9",
            "GLIBCXX_3.4.30",
        ];
        let mut sorted: Vec<_> = texts.iter().map(|text| SymbolVersion::new(text)).collect();
        sorted.reverse();
        sorted.sort();
        let printed: Vec<_> = sorted.iter().map(ToString::to_string).collect();
        let mut expected = texts.map(str::to_owned);
        expected[..2].sort_by(|a, b| compare_releases(&a[6..], &b[6..]));
        assert_eq!(printed, expected);
    }

    #[test]
    fn a_version_is_cut_at_the_first_underscore() {
        let version = SymbolVersion::new("CXXABI_TM_1");
        assert_eq!(
            (version.prefix.as_str(), version.version.as_str()),
            ("CXXABI", "TM_1")
        );
        assert_eq!(SymbolVersion::new("libfoo").to_string(), "libfoo");
        assert_eq!(SymbolVersion::new("GLIBC_2.3.4").release(), Some((2, 3)));
        assert_eq!(SymbolVersion::new("GLIBC_PRIVATE").release(), None);
    }
}
