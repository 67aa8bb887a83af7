//! The platform tag: what the file name claims, beside what was measured.

use std::collections::BTreeMap;

use native::policy::{Claim, LIMITS, claim_is_kept};
use pipe::Platform;

/// What becomes of a wheel's platform tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Judged {
    /// The tags from now on, in the order of the file name.
    pub(crate) platform: Vec<String>,
    /// Claims that the code does not keep.
    pub(crate) broken: Vec<String>,
    /// Why, in a few words.
    pub(crate) because: String,
}

/// Keeps what is kept, drops what is not, and puts the measured tag where nothing is left or where
/// only `linux_<machine>` stood, which promises nothing.
pub(crate) fn judge(claims: &[String], measured: &Platform) -> Judged {
    let (kept, broken): (Vec<&String>, Vec<&String>) = claims
        .iter()
        // A wheel for `any` platform stays one: what it carries may be loaded by choice.
        .partition(|claim| *claim == "any" || claim_is_kept(claim, measured));
    let broken: Vec<String> = broken.into_iter().cloned().collect();
    let promises = kept
        .iter()
        .any(|claim| !matches!(Claim::parse(claim), Claim::Linux { .. }));
    let platform = if promises {
        kept.into_iter().cloned().collect()
    } else {
        vec![measured.tag.clone()]
    };
    let because = if !broken.is_empty() {
        format!("{} not kept", broken.join(" and "))
    } else if platform == claims {
        "kept".to_owned()
    } else {
        "measured".to_owned()
    };
    Judged {
        platform,
        broken,
        because,
    }
}

/// What stands in the way of a better tag, for the sentence about a claim that is not kept.
pub(crate) fn limits(measured: &Platform) -> String {
    let Some(machine) = &measured.machine else {
        return "it holds no compiled host code".to_owned();
    };
    let mut needs: BTreeMap<&str, &str> = BTreeMap::new();
    for finding in &measured.findings {
        let need = finding.version.as_deref().or(finding.library.as_deref());
        if LIMITS.contains(&finding.rule.as_str())
            && let (Some(member), Some(need)) = (&finding.member, need)
        {
            needs.entry(need).or_insert(member);
        }
    }
    let told: Vec<String> = needs
        .iter()
        .take(2)
        .map(|(need, member)| format!("{member} needs {need}"))
        .collect();
    match (told.len(), needs.len()) {
        (0, _) => format!("it holds {machine} code"),
        (told_of, all) if told_of == all => told.join(", "),
        (told_of, all) => format!("{}, and {} more", told.join(", "), all - told_of),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(tag: &str, glibc: &str) -> Platform {
        let text = format!(
            r#"{{"tag": "{tag}", "symbols_tag": "{tag}", "machine": "x86_64", "libc": "glibc",
            "required": {{"GLIBC": "{glibc}"}}, "external": [], "excluded": [],
            "findings": [{{"rule": "symbol-version", "version": "GLIBC_{glibc}"}}]}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    fn tags(claims: &[&str], measured: &Platform) -> (Vec<String>, Vec<String>) {
        let claims: Vec<String> = claims.iter().map(|claim| (*claim).to_owned()).collect();
        let judged = judge(&claims, measured);
        (judged.platform, judged.broken)
    }

    #[test]
    fn linux_becomes_what_was_measured() {
        let (platform, broken) = tags(
            &["linux_x86_64"],
            &measured("manylinux_2_39_x86_64", "2.38"),
        );
        assert_eq!(platform, ["manylinux_2_39_x86_64"]);
        assert!(broken.is_empty());
    }

    #[test]
    fn a_claim_that_is_kept_stays_even_when_more_could_be_promised() {
        for claims in [
            &["manylinux_2_39_x86_64"][..],
            &["manylinux_2_32_x86_64"],
            &["manylinux_2_34_x86_64", "manylinux_2_32_x86_64"],
            &["any"],
        ] {
            let (platform, broken) = tags(claims, &measured("manylinux_2_34_x86_64", "2.32"));
            assert_eq!(platform, claims);
            assert!(broken.is_empty());
        }
    }

    #[test]
    fn a_claim_that_is_not_kept_is_corrected() {
        let code = measured("manylinux_2_39_x86_64", "2.38");
        assert_eq!(
            tags(&["manylinux_2_32_x86_64"], &code),
            (
                vec!["manylinux_2_39_x86_64".to_owned()],
                vec!["manylinux_2_32_x86_64".to_owned()]
            )
        );
        assert_eq!(
            tags(&["manylinux_2_17_x86_64", "manylinux_2_38_x86_64"], &code),
            (
                vec!["manylinux_2_38_x86_64".to_owned()],
                vec!["manylinux_2_17_x86_64".to_owned()]
            )
        );
    }

    #[test]
    fn another_machine_is_not_kept() {
        let (platform, broken) = tags(&["linux_aarch64"], &measured("linux_x86_64", "2.43"));
        assert_eq!(platform, ["linux_x86_64"]);
        assert_eq!(broken, ["linux_aarch64"]);
    }
}
