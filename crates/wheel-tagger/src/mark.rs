//! The mark: which wheels get one, and what their version becomes.

use pipe::{Device, DeviceKind};
use wheel::{LocalSegment, RocmVersion, Version, local_segments, with_local_appended};

use crate::choices::Policy;
use crate::subject::Subject;

/// Marks without dots and the releases that they stand for.
const UNDOTTED: &str = include_str!("../data/undotted-marks.tsv");

/// The mark of one ROCm release: `rocm10.1.0`, segment by segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    rocm: RocmVersion,
    segments: Vec<LocalSegment>,
}

/// What the mark does to one wheel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Marking {
    /// The mark is appended to the version.
    Appended {
        /// Why the wheel is one of those that are marked.
        because: String,
    },
    /// It carries a mark already.
    There {
        /// The mark as it stands.
        mark: String,
        /// Whether it names another ROCm release.
        other: bool,
    },
    /// It is not marked.
    Left {
        /// Why.
        because: String,
    },
}

impl Mark {
    /// The mark of a release.
    pub(crate) fn new(rocm: &RocmVersion) -> Result<Self, wheel::LocalVersionError> {
        Ok(Self {
            rocm: rocm.clone(),
            segments: local_segments(&rocm.mark())?,
        })
    }

    /// The version with the mark behind whatever local version it has.
    pub(crate) fn append(&self, version: &Version) -> Version {
        with_local_appended(version, &self.segments)
    }

    /// What is to be done with a wheel.
    pub(crate) fn judge(&self, subject: &Subject, policy: &Policy) -> Marking {
        if let Some((mark, release)) = found_mark(&subject.version) {
            return Marking::There {
                other: !self.is_release(&mark, release.as_deref()),
                mark,
            };
        }
        let because = if policy.everything {
            "everything is marked".to_owned()
        } else if policy.leave.contains(&subject.name) {
            return Marking::Left {
                because: "`leave` names it".to_owned(),
            };
        } else if let Some(because) = compiled(subject) {
            because
        } else if policy.pure.contains(&subject.name) {
            "`pure` names it".to_owned()
        } else {
            return Marking::Left {
                because: "pure Python without GPU code".to_owned(),
            };
        };
        Marking::Appended { because }
    }

    /// Whether a mark that was found stands for this release: the same numbers, or the first of them.
    fn is_release(&self, mark: &str, release: Option<&str>) -> bool {
        let own = self.rocm.as_str();
        let same = |found: &str| {
            own.strip_prefix(found)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let listed = undotted(mark);
        match (listed, release) {
            (Some(listed), _) => same(listed),
            (None, Some(release)) => same(release),
            (None, None) => false,
        }
    }
}

/// The mark in a local version, wherever it stands, and the release that it spells with dots.
///
/// Seen in public: `rocm101`, `rocm7.12.0rc0` behind hash and date, and in front of them, as in
/// `0.27.1.dev5+rocm10.0.0.gf46a9dfe2.d20260826`.
pub(crate) fn found_mark(version: &Version) -> Option<(String, Option<String>)> {
    let local = version.local();
    let (at, head) = local
        .iter()
        .enumerate()
        .find_map(|(at, segment)| match segment {
            LocalSegment::String(text) if text.starts_with("rocm") => Some((at, text.as_str())),
            _ => None,
        })?;
    let number = head.strip_prefix("rocm").unwrap_or_default();
    let mut parts = Vec::new();
    if !number.is_empty() {
        parts.push(number.to_owned());
    }
    for segment in &local[at + 1..] {
        match segment {
            LocalSegment::Number(number) => parts.push(number.to_string()),
            // `rocm7.12.0rc0`: the last number carries the pre-release.
            LocalSegment::String(text) if text.starts_with(|c: char| c.is_ascii_digit()) => {
                parts.push(text.clone());
                break;
            }
            LocalSegment::String(_) => break,
        }
    }
    let release = parts.join(".");
    let mark = if number.is_empty() && !release.is_empty() {
        format!("rocm.{release}")
    } else {
        format!("rocm{release}")
    };
    Some((mark, Some(release).filter(|release| release.contains('.'))))
}

fn undotted(mark: &str) -> Option<&'static str> {
    UNDOTTED
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t'))
        .find(|(known, _)| *known == mark)
        .map(|(_, release)| release)
}

/// Why a wheel is taken for compiled: by what was measured, or else by its tags.
fn compiled(subject: &Subject) -> Option<String> {
    let facts = &subject.facts;
    if let Some(machine) = facts
        .platform
        .as_ref()
        .and_then(|platform| platform.machine.as_ref())
    {
        return Some(format!("{machine} code"));
    }
    if let Some(device) = &facts.device
        && let Some(because) = gpu(device)
    {
        return Some(because.to_owned());
    }
    if facts.platform.is_some() && facts.device.is_some() {
        return None;
    }
    let any = subject.filename.platform.iter().all(|tag| tag == "any");
    (!any).then(|| "its tag names a platform".to_owned())
}

fn gpu(device: &Device) -> Option<&'static str> {
    match device.kind {
        DeviceKind::Code => Some("GPU code"),
        DeviceKind::RuntimeCompiled => Some("compiles GPU code where it runs"),
        DeviceKind::Caller => Some("calls HIP"),
        DeviceKind::Compiler => Some("compiles GPU code"),
        DeviceKind::External => Some("GPU code in another package"),
        DeviceKind::None | DeviceKind::Placeholder => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::str::FromStr;

    fn found(version: &str) -> Option<(String, Option<String>)> {
        found_mark(&Version::from_str(version).unwrap())
    }

    #[test]
    fn a_mark_is_found_wherever_it_stands() {
        for (version, mark, release) in [
            ("1.0+rocm10.1.0", "rocm10.1.0", Some("10.1.0")),
            ("1.0+ROCm10.1.0", "rocm10.1.0", Some("10.1.0")),
            ("0.33.0+rocm101", "rocm101", None),
            ("1.0+git31a77fc.rocm10.1.0", "rocm10.1.0", Some("10.1.0")),
            (
                "0.27.1.dev5+rocm10.0.0.gf46a9dfe2.d20260826",
                "rocm10.0.0",
                Some("10.0.0"),
            ),
            (
                "1.0+g1.d2026.rocm7.12.0rc0",
                "rocm7.12.0rc0",
                Some("7.12.0rc0"),
            ),
            ("1.0+rocm.10.1.0", "rocm.10.1.0", Some("10.1.0")),
            ("1.0+rocm", "rocm", None),
        ] {
            assert_eq!(
                found(version),
                Some((mark.to_owned(), release.map(str::to_owned))),
                "{version}"
            );
        }
        for version in [
            "1.0",
            "1.0+cu130",
            "1.0+git31a77fc",
            "1.0+10.1.0",
            "1.0+xrocm1",
        ] {
            assert_eq!(found(version), None, "{version}");
        }
    }

    #[test]
    fn a_mark_of_the_same_release_is_told_from_another() {
        let mark = Mark::new(&RocmVersion::from_str("10.1.0").unwrap()).unwrap();
        for (version, same) in [
            ("1.0+rocm10.1.0", true),
            ("1.0+rocm10.1", true),
            ("1.0+rocm101", true),
            ("1.0+rocm10.10.0", false),
            ("1.0+rocm10.0.0", false),
            ("1.0+rocm100", false),
            ("1.0+rocm1010", false),
            ("1.0+rocm", false),
        ] {
            let (text, release) = found(version).unwrap();
            assert_eq!(
                mark.is_release(&text, release.as_deref()),
                same,
                "{version}"
            );
        }
    }

    #[test]
    fn the_table_of_marks_without_dots_is_sound() {
        for line in UNDOTTED.lines().filter(|line| !line.starts_with('#')) {
            let (mark, release) = line.split_once('\t').expect(line);
            assert_eq!(mark.replace("rocm", ""), release.replace('.', ""), "{line}");
        }
    }
}
