//! One ROCm: no two wheels need different major versions of one of its libraries.

use std::collections::{BTreeMap, BTreeSet};

use native::exclude::{Excludes, Pattern};

use super::Findings;
use crate::member::Member;

/// How the reason of a built-in exclusion begins when the library is one that ROCm ships.
const ROCM: &str = "rocm";

/// Whether ROCm ships a library of this name. The document alone does not say so: a user's own exclusion hides
/// the built-in one, and without the built-in ones such a library is an outside one.
fn is_of_rocm(built_in: &Excludes, library: &str) -> bool {
    let reason = built_in.find(library).and_then(Pattern::reason);
    reason.is_some_and(|reason| reason.starts_with(ROCM))
}

/// Compares the sonames of ROCm's libraries over the set, where they were measured.
///
/// A process that loads both `libamdhip64.so.6` and `libamdhip64.so.7` has two HIP runtimes, each with
/// its own devices and streams; wheels that need different ones were not built together.
pub(super) fn check(members: &[Member], findings: &mut Findings) {
    // Without globs there is none that could be wrong.
    let built_in = Excludes::new(&[], true).unwrap_or_default();
    let mut sonames: BTreeMap<&str, BTreeMap<&str, &Member>> = BTreeMap::new();
    for member in members {
        let Some(platform) = &member.wheel.platform else {
            continue;
        };
        let excluded = platform.excluded.iter().map(|excluded| {
            let told = excluded.reason.as_deref();
            let told = told.is_some_and(|reason| reason.starts_with(ROCM));
            (excluded.library.as_str(), told)
        });
        let external = platform.external.iter();
        let external = external.map(|external| (external.library.as_str(), false));
        let of_rocm = excluded
            .chain(external)
            .filter(|(library, told)| *told || is_of_rocm(&built_in, library));
        for (stem, version) in of_rocm.filter_map(|(library, _)| parts(library)) {
            sonames
                .entry(stem)
                .or_default()
                .entry(version)
                .or_insert(member);
        }
    }
    for (stem, versions) in sonames {
        let sides: Vec<String> = versions
            .iter()
            .map(|(version, member)| format!("{} needs {stem}.{version}", member.called()))
            .collect();
        if sides.len() > 1 {
            findings.error(
                "rocm-library",
                format!(
                    "{}; they were not built against one ROCm",
                    sides.join(" and ")
                ),
            );
        }
    }
    let unmeasured: BTreeSet<String> = members
        .iter()
        .filter(|member| member.wheel.platform.is_none())
        .map(Member::called)
        .collect();
    if !unmeasured.is_empty() {
        findings.warning(
            "unmeasured",
            format!(
                "the libraries of {} are unknown; let glibc-probe measure the set first",
                unmeasured.into_iter().collect::<Vec<_>>().join(", ")
            ),
        );
    }
}

/// `libamdhip64.so.7` as `libamdhip64.so` and `7`; a name without version says nothing.
fn parts(soname: &str) -> Option<(&str, &str)> {
    let at = soname.find(".so.")?;
    Some((&soname[..at + 3], &soname[at + 4..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_soname_is_split_behind_so() {
        assert_eq!(parts("libamdhip64.so.7"), Some(("libamdhip64.so", "7")));
        assert_eq!(
            parts("libhsa-runtime64.so.1.2"),
            Some(("libhsa-runtime64.so", "1.2"))
        );
        assert_eq!(parts("libomp.so"), None);
    }
}
