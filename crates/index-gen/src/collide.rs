//! Wheels that a client could not tell apart, or would put in the wrong order.

use std::collections::BTreeMap;

use wheel::Version;

use crate::entrant::{Entrant, EntrantError};
use crate::problems::Problems;
use crate::reading::rocm_line;

/// Refuses one release under two spellings of its project's name.
///
/// `foo_bar-1.0` and `foo.bar-1.0` are one release of `foo-bar`: which of the two is installed would
/// depend on the client.
pub(crate) fn spellings(entrants: &[Entrant], problems: &mut Problems) -> Result<(), EntrantError> {
    let mut projects: BTreeMap<&str, Vec<Entrant>> = BTreeMap::new();
    for entrant in entrants {
        let project = projects.entry(entrant.project()).or_default();
        project.push(*entrant);
    }
    for (project, entrants) in projects {
        let spelling = entrants.first().map(Entrant::distribution);
        if entrants
            .iter()
            .all(|entrant| Some(entrant.distribution()) == spelling)
        {
            continue;
        }
        let mut releases: BTreeMap<Version, Entrant> = BTreeMap::new();
        for entrant in entrants {
            let first = *releases.entry(entrant.version()?).or_insert(entrant);
            if first.distribution() != entrant.distribution() {
                let reason = format!(
                    "`{}` is the same release of {project}, spelled otherwise; keep one of them",
                    first.wheel.filename
                );
                problems.refuse(&entrant.wheel.filename, reason);
            }
        }
    }
    Ok(())
}

/// Refuses versions of one project that are equal and spelled otherwise: `1.0` and `1.0.0`. Which of the two is
/// installed would depend on the client. Takes each wheel's version and file name.
pub(crate) fn equal_versions<'a>(
    project: &str,
    wheels: impl Iterator<Item = (Version, &'a str)>,
    problems: &mut Problems,
) {
    let spelling = |filename: &'a str| filename.split('-').nth(1);
    let mut releases: BTreeMap<Version, &str> = BTreeMap::new();
    for (version, filename) in wheels {
        let first = *releases.entry(version).or_insert(filename);
        if spelling(first) != spelling(filename) {
            let reason = format!(
                "`{first}` is the same release of {project}, its version spelled otherwise; keep one of them"
            );
            problems.refuse(filename, reason);
        }
    }
}

/// Refuses two ROCm lines of one project: `+rocm7.15.0` is newer than `+rocm10.1.0` to PEP 440.
///
/// Takes project and version of every wheel that will be on the pages.
#[derive(Debug, Default)]
pub(crate) struct RocmLines<'a> {
    /// Per project and line, the newest version.
    projects: BTreeMap<&'a str, BTreeMap<String, Version>>,
}

impl<'a> RocmLines<'a> {
    /// One more wheel.
    pub(crate) fn add(&mut self, project: &'a str, version: &Version) {
        if let Some(line) = rocm_line(version) {
            let lines = self.projects.entry(project).or_default();
            match lines.get_mut(line) {
                Some(newest) if *newest >= *version => {}
                Some(newest) => newest.clone_from(version),
                None => {
                    lines.insert(line.to_owned(), version.clone());
                }
            }
        }
    }

    /// Refuses the projects with more than one line.
    pub(crate) fn judge(&self, problems: &mut Problems) {
        for (project, lines) in self.projects.iter().filter(|(_, lines)| lines.len() > 1) {
            let versions: Vec<String> = lines.values().map(ToString::to_string).collect();
            let public = |version: &Version| version.clone().without_local();
            let chosen = lines.values().max();
            let rivals = lines
                .values()
                .filter(|version| chosen.map(public) == Some(public(version)));
            let why = if rivals.count() > 1 {
                ": `rocm…` is compared as text"
            } else {
                ""
            };
            let chosen = chosen.map(ToString::to_string).unwrap_or_default();
            let reason = format!(
                "two ROCm lines on one page ({}), and pip would choose {chosen}{why}; keep one line in an index",
                versions.join(", ")
            );
            problems.refuse(project, reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pipe::Stop;

    fn refusal(versions: &[&str]) -> Option<String> {
        let mut lines = RocmLines::default();
        for version in versions {
            lines.add("torch", &version.parse().unwrap());
        }
        let mut problems = Problems::default();
        lines.judge(&mut problems);
        match problems.settle() {
            Ok(()) => None,
            Err(Stop::No(reasons) | Stop::Cannot(reasons)) => Some(reasons.join("\n")),
        }
    }

    #[test]
    fn two_rocm_lines_are_refused_and_the_wrong_choice_is_named() {
        assert_eq!(
            refusal(&["2.15.0+rocm10.1.0", "2.15.0+rocm7.15.0"]).as_deref(),
            Some(
                "torch: two ROCm lines on one page (2.15.0+rocm10.1.0, 2.15.0+rocm7.15.0), and pip \
                 would choose 2.15.0+rocm7.15.0: `rocm…` is compared as text; keep one line in an index"
            )
        );
    }

    #[test]
    fn where_the_release_itself_is_newer_no_other_reason_is_told() {
        assert_eq!(
            refusal(&["2.15.0+rocm10.1.0", "2.16.0+rocm7.15.0"]).as_deref(),
            Some(
                "torch: two ROCm lines on one page (2.15.0+rocm10.1.0, 2.16.0+rocm7.15.0), and pip \
                 would choose 2.16.0+rocm7.15.0; keep one line in an index"
            )
        );
    }

    #[test]
    fn releases_of_one_line_stay_together() {
        let one = ["2.15.0+rocm10.1.0", "2.15.0+rocm10.2.0", "2.14.0"];
        assert_eq!(refusal(&one), None);
    }
}
