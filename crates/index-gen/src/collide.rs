//! Wheels that a client could not tell apart, or would put in the wrong order.

use std::collections::BTreeMap;

use wheel::{Version, WheelFilename};

use crate::problems::Problems;
use crate::reading::rocm_line;

/// Refuses one release under two spellings of its project's name.
///
/// `foo_bar-1.0` and `foo.bar-1.0` are one release of `foo-bar`: which of the two is installed would
/// depend on the client.
pub(crate) fn spellings<'a>(
    wheels: impl Iterator<Item = &'a WheelFilename>,
    problems: &mut Problems,
) {
    let mut first: BTreeMap<(&str, &Version), &WheelFilename> = BTreeMap::new();
    for wheel in wheels {
        let known = *first
            .entry((wheel.name().as_str(), &wheel.version))
            .or_insert(wheel);
        if known.distribution() != wheel.distribution() {
            let reason = format!(
                "`{known}` is the same release of {}, spelled otherwise; keep one of them",
                wheel.name()
            );
            problems.refuse(&wheel.to_string(), reason);
        }
    }
}

/// Refuses two ROCm lines of one project: `+rocm7.15.0` is newer than `+rocm10.1.0` to PEP 440.
pub(crate) fn rocm_lines<'a>(
    wheels: impl Iterator<Item = &'a WheelFilename>,
    problems: &mut Problems,
) {
    let mut projects: BTreeMap<&str, BTreeMap<&str, &Version>> = BTreeMap::new();
    for wheel in wheels {
        if let Some(line) = rocm_line(&wheel.version) {
            let lines = projects.entry(wheel.name().as_str()).or_default();
            let newest = lines.entry(line).or_insert(&wheel.version);
            *newest = std::cmp::max(*newest, &wheel.version);
        }
    }
    for (project, lines) in projects.iter().filter(|(_, lines)| lines.len() > 1) {
        let versions: Vec<String> = lines.values().map(ToString::to_string).collect();
        let chosen = lines
            .values()
            .max()
            .map(ToString::to_string)
            .unwrap_or_default();
        let reason = format!(
            "two ROCm lines on one page ({}), and pip would choose {chosen}: `rocm…` is compared as text; keep one line in an index",
            versions.join(", ")
        );
        problems.refuse(project, reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pipe::Stop;

    fn names(texts: &[&str]) -> Vec<WheelFilename> {
        texts
            .iter()
            .map(|text| format!("{text}-py3-none-any.whl").parse().unwrap())
            .collect()
    }

    fn refusal(check: impl FnOnce(&mut Problems)) -> Option<String> {
        let mut problems = Problems::default();
        check(&mut problems);
        match problems.settle() {
            Ok(()) => None,
            Err(Stop::No(reasons) | Stop::Cannot(reasons)) => Some(reasons.join("\n")),
        }
    }

    #[test]
    fn two_spellings_of_one_release_are_refused() {
        let two = names(&["foo.bar-1.0", "foo_bar-1.0"]);
        assert_eq!(
            refusal(|problems| spellings(two.iter(), problems)).as_deref(),
            Some(
                "foo_bar-1.0-py3-none-any.whl: `foo.bar-1.0-py3-none-any.whl` is the same release of \
                 foo-bar, spelled otherwise; keep one of them"
            )
        );
        let releases = names(&["foo.bar-1.0", "foo_bar-1.1"]);
        assert_eq!(
            refusal(|problems| spellings(releases.iter(), problems)),
            None
        );
    }

    #[test]
    fn two_rocm_lines_are_refused_and_the_wrong_choice_is_named() {
        let two = names(&["torch-2.15.0+rocm10.1.0", "torch-2.15.0+rocm7.15.0"]);
        assert_eq!(
            refusal(|problems| rocm_lines(two.iter(), problems)).as_deref(),
            Some(
                "torch: two ROCm lines on one page (2.15.0+rocm10.1.0, 2.15.0+rocm7.15.0), and pip \
                 would choose 2.15.0+rocm7.15.0: `rocm…` is compared as text; keep one line in an index"
            )
        );
    }

    #[test]
    fn releases_of_one_line_stay_together() {
        let line = names(&[
            "torch-2.15.0+rocm10.1.0",
            "torch-2.15.0+rocm10.2.0",
            "torch-2.14.0",
        ]);
        assert_eq!(refusal(|problems| rocm_lines(line.iter(), problems)), None);
    }
}
