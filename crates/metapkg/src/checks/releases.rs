//! The release that the metapackage is named for, against the releases that wheels are marked with.

use wheel::{LocalSegment, RocmVersion, Version};

use super::Findings;
use crate::member::Member;

/// A wheel that is marked for another release than the metapackage's is most likely a slip: the version of
/// the metapackage would name a ROCm that nothing in it was built against.
pub(super) fn check(members: &[Member], rocm: &RocmVersion, findings: &mut Findings) {
    for member in members {
        let marks = marks(&member.version);
        if let Some(mark) = marks.last()
            && !marks.iter().any(|mark| is_same_line(mark, rocm))
        {
            findings.warning(
                "other-release",
                format!(
                    "{} is marked {} and --rocm is {rocm}; pass the release that the wheels were built against",
                    member.called(),
                    mark.mark()
                ),
            );
        }
    }
}

/// Every release that a local version names in whole segments: `rocm10.1.0` and `rocm7.2`. One without dots
/// (`rocm101`) could be read as several releases and is none.
fn marks(version: &Version) -> Vec<RocmVersion> {
    let local = version.local();
    let starts = (0..local.len())
        .filter(|&at| matches!(&local[at], LocalSegment::String(text) if text.starts_with("rocm")));
    starts
        .filter_map(|start| {
            let release = |segments: usize| {
                let segments = local.get(start..start + segments)?;
                let segments: Vec<String> = segments.iter().map(ToString::to_string).collect();
                segments.join(".").strip_prefix("rocm")?.parse().ok()
            };
            release(3).or_else(|| release(2))
        })
        .collect()
}

/// Equal releases, or one that names all patch releases of the other's line: `7.2` and `7.2.1`.
fn is_same_line(a: &RocmVersion, b: &RocmVersion) -> bool {
    let (a, b) = (a.as_str(), b.as_str());
    let holds = |line: &str, release: &str| {
        let rest = release.strip_prefix(line);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    holds(a, b) || holds(b, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_segments_with_dots_are_marks() {
        for (version, expected) in [
            ("1.0", &[][..]),
            ("0.33.0+rocm101", &[]),
            ("1.0+rocm", &[]),
            ("1.0+rocmsdk.10.1", &[]),
            ("1.0+7.2.myrocm7.2", &[]),
            ("1.0+git31a77fc.rocm10.1.0", &["10.1.0"]),
            ("1.0+rocm7.2.gitabc", &["7.2"]),
            ("1.0+rocm7.12.0rc1", &["7.12.0rc1"]),
            ("1.0+rocm7.2.rocm10.1.0", &["7.2", "10.1.0"]),
        ] {
            let marks = marks(&version.parse().unwrap());
            let marks: Vec<&str> = marks.iter().map(RocmVersion::as_str).collect();
            assert_eq!(marks, expected, "{version}");
        }
    }

    #[test]
    fn a_release_without_patch_number_agrees_with_every_patch_release() {
        for (a, b, expected) in [
            ("10.1.0", "10.1.0", true),
            ("7.2", "7.2.1", true),
            ("7.2.1", "7.2", true),
            ("7.2", "7.20.1", false),
            ("10.1.0", "10.1.1", false),
            ("10.1.0", "10.1.0rc1", false),
        ] {
            let (a, b) = (a.parse().unwrap(), b.parse().unwrap());
            assert_eq!(is_same_line(&a, &b), expected, "{a} {b}");
        }
    }
}
