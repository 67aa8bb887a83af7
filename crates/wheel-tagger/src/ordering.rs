//! Versions that sort otherwise than people expect: marks are compared letter by letter.
//!
//! `rocm10.1.0` starts with the alphanumeric segment `rocm10`, so `1.0+rocm9.4.0` is the larger
//! version. Exact pins do not care; whoever asks for the newest does.

use wheel::{ProjectName, Version};

use crate::mark::found_mark;
use crate::note::Note;

/// A wheel that goes out, as far as ordering is concerned.
#[derive(Debug, Clone)]
pub(crate) struct Ordered<'a> {
    /// The file name that it came in with.
    pub(crate) filename: &'a str,
    /// The project.
    pub(crate) name: &'a ProjectName,
    /// The version that it goes out with.
    pub(crate) version: &'a Version,
}

/// Reports two ROCm lines of one public version, and marks that sort against their releases.
pub(crate) fn traps(wheels: &[Ordered<'_>]) -> Vec<Note> {
    let mut notes = Vec::new();
    for (at, second) in wheels.iter().enumerate() {
        for first in &wheels[..at] {
            if first.name == second.name
                && first.version != second.version
                && first.version.clone().without_local() == second.version.clone().without_local()
            {
                notes.extend(two_lines(first, second));
            }
        }
    }
    notes
}

fn two_lines(first: &Ordered<'_>, second: &Ordered<'_>) -> Option<Note> {
    let (lower, higher) = if first.version < second.version {
        (first, second)
    } else {
        (second, first)
    };
    let (lower_mark, lower_release) = found_mark(lower.version)?;
    let (higher_mark, higher_release) = found_mark(higher.version)?;
    if lower_mark == higher_mark {
        return None;
    }
    let numbers = |release: &Option<String>| release.as_deref().map(numbers);
    let backwards = match (numbers(&lower_release), numbers(&higher_release)) {
        (Some(lower), Some(higher)) => lower > higher,
        _ => false,
    };
    let (name, higher_version, lower_version) = (first.name, higher.version, lower.version);
    let message = if backwards {
        format!(
            "`{name}` {higher_version} sorts above {lower_version}, though ROCm is older: marks are \
             compared as text; publish one ROCm line per index"
        )
    } else {
        format!(
            "`{name}` is in the set for two ROCm lines, {lower_version} and {higher_version}; pip and \
             uv take the latter; publish one ROCm line per index"
        )
    };
    let rule = if backwards {
        "order.backwards"
    } else {
        "order.two-lines"
    };
    Some(Note::new(higher.filename, rule, message))
}

/// The leading numbers of a release, for comparing as numbers.
fn numbers(release: &str) -> Vec<u64> {
    release
        .split('.')
        .map_while(|part| {
            let digits = part.trim_end_matches(|c: char| !c.is_ascii_digit());
            digits.parse().ok()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::str::FromStr;

    fn rules(versions: &[&str]) -> Vec<&'static str> {
        let name = ProjectName::new("torch").unwrap();
        let versions: Vec<Version> = versions
            .iter()
            .map(|version| Version::from_str(version).unwrap())
            .collect();
        let wheels: Vec<Ordered<'_>> = versions
            .iter()
            .map(|version| Ordered {
                filename: "torch.whl",
                name: &name,
                version,
            })
            .collect();
        traps(&wheels).into_iter().map(|note| note.rule).collect()
    }

    #[test]
    fn rocm9_sorts_above_rocm10_and_that_is_told() {
        assert_eq!(
            rules(&["1.0+rocm10.1.0", "1.0+rocm9.4.0"]),
            ["order.backwards"]
        );
        assert_eq!(
            rules(&["1.0+rocm10.1.0", "1.0+rocm10.2.0"]),
            ["order.two-lines"]
        );
    }

    #[test]
    fn other_versions_and_the_same_mark_are_no_trap() {
        assert!(rules(&["1.0+rocm10.1.0", "1.1+rocm9.4.0"]).is_empty());
        assert!(rules(&["1.0+g1.rocm10.1.0", "1.0+g2.rocm10.1.0"]).is_empty());
        assert!(rules(&["1.0", "1.0+rocm10.1.0"]).is_empty());
    }
}
