//! A version, read out for a person.

use wheel::{LocalSegment, Version};

/// What the parts of a version say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The upstream version: `2.15.0a0`. Of a metapackage, the ROCm release.
    pub(crate) upstream: String,
    /// The commit it was built from, without `g` or `git`: `31a77fc`.
    pub(crate) commit: Option<String>,
    /// The day of a build from a changed tree, as setuptools-scm writes it: `2026-11-09`.
    pub(crate) changed_on: Option<String>,
    /// The ROCm release: `10.1.0`; upstream's own spelling where it has no dots: `101`.
    pub(crate) rocm: Option<String>,
    /// The digest of a metapackage's pins.
    pub(crate) pins: Option<String>,
    /// Parts that mean nothing to us, as they stand.
    pub(crate) other: Vec<String>,
}

impl Reading {
    /// Reads the local version (PEP 440) part by part.
    pub(crate) fn of(version: &Version) -> Self {
        let mut reading = Self {
            upstream: version.clone().without_local().to_string(),
            ..Self::default()
        };
        let mut parts = version.local().iter().peekable();
        while let Some(part) = parts.next() {
            let LocalSegment::String(text) = part else {
                reading.other.push(part.to_string());
                continue;
            };
            if let Some(number) = digits_after(text, "rocm") {
                // `rocm10.1.0` is three parts to PEP 440: a text and two numbers.
                let mut release = number.to_owned();
                while let Some(LocalSegment::Number(next)) = parts.peek() {
                    release.push('.');
                    release.push_str(&next.to_string());
                    parts.next();
                }
                reading.rocm = Some(release);
            } else if text.parse::<pipe::Architecture>().is_ok() && reading.rocm.is_none() {
                // A metapackage: `10.1.0+gfx950.424e84fe`.
                reading.rocm = Some(reading.upstream.clone());
                reading.pins = parts.next().map(ToString::to_string);
            } else if let Some(commit) = commit(text) {
                reading.commit = Some(commit.to_owned());
            } else if let Some(day) = day(text) {
                reading.changed_on = Some(day);
            } else {
                reading.other.push(text.clone());
            }
        }
        reading
    }
}

/// The ROCm line of a version: the first part that starts with `rocm`, `rocm10` of `+rocm10.1.0`.
///
/// PEP 440 compares such parts as text, so versions of different lines do not sort as releases do:
/// `rocm9` and `rocm7` are newer than `rocm10`, and `rocm101` is newer than `rocm10`.
pub(crate) fn rocm_line(version: &Version) -> Option<&str> {
    version.local().iter().find_map(|part| match part {
        LocalSegment::String(text) => digits_after(text, "rocm").map(|_| text.as_str()),
        LocalSegment::Number(_) => None,
    })
}

fn digits_after<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    text.strip_prefix(prefix)
        .filter(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}

/// `git31a77fc` (`PyTorch`'s own) or `g0123abcd4` (setuptools-scm).
fn commit(text: &str) -> Option<&str> {
    let hash = text
        .strip_prefix("git")
        .or_else(|| text.strip_prefix('g'))?;
    let is_hash = hash.len() >= 6 && hash.bytes().all(|b| b.is_ascii_hexdigit());
    is_hash.then_some(hash)
}

fn day(text: &str) -> Option<String> {
    let digits = digits_after(text, "d").filter(|digits| digits.len() == 8)?;
    Some(format!(
        "{}-{}-{}",
        &digits[..4],
        &digits[4..6],
        &digits[6..]
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(text: &str) -> Reading {
        Reading::of(&text.parse().unwrap())
    }

    #[test]
    fn commit_and_rocm_are_read_from_the_local_version() {
        let torch = reading("2.15.0a0+git31a77fc.rocm10.1.0");
        assert_eq!(torch.upstream, "2.15.0a0");
        assert_eq!(torch.commit.as_deref(), Some("31a77fc"));
        assert_eq!(torch.rocm.as_deref(), Some("10.1.0"));
        let aiter = reading("0.1.29.dev0+g0123abcd4.d20261109.rocm10.1.0");
        assert_eq!(aiter.upstream, "0.1.29.dev0");
        assert_eq!(aiter.commit.as_deref(), Some("0123abcd4"));
        assert_eq!(aiter.changed_on.as_deref(), Some("2026-11-09"));
        assert_eq!(aiter.rocm.as_deref(), Some("10.1.0"));
    }

    #[test]
    fn upstreams_own_mark_is_shown_as_it_is() {
        assert_eq!(reading("0.33.0+rocm101").rocm.as_deref(), Some("101"));
    }

    #[test]
    fn a_metapackage_names_rocm_and_its_pins() {
        let metapackage = reading("10.1.0+gfx950.424e84fe");
        assert_eq!(metapackage.rocm.as_deref(), Some("10.1.0"));
        assert_eq!(metapackage.pins.as_deref(), Some("424e84fe"));
    }

    #[test]
    fn what_means_nothing_to_us_is_kept() {
        let reading = reading("1.0+cpu.7.gabc");
        assert_eq!(reading.other, ["cpu", "7", "gabc"]);
        assert_eq!(reading.rocm, None);
    }

    #[test]
    fn a_line_is_the_part_that_sorts_as_text() {
        let line = |text: &str| rocm_line(&text.parse().unwrap()).map(ToOwned::to_owned);
        assert_eq!(
            line("2.15.0+git31a77fc.rocm10.1.0").as_deref(),
            Some("rocm10")
        );
        assert_eq!(line("0.33.0+rocm101").as_deref(), Some("rocm101"));
        assert_eq!(line("1.0+rocmsdk20260101"), None);
        assert_eq!(line("1.0"), None);
    }
}
