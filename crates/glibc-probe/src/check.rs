//! `--check`: the tags against the measurement.

use native::policy::{Claim, claim_is_kept};
use pipe::{Finding, Platform};

use crate::measure::Measured;

/// Tells on stderr what is not kept, and what could be promised; false when something is not kept.
pub(crate) fn answer(measured: &[Measured], quiet: bool) -> bool {
    let mut kept = true;
    for wheel in measured {
        for reason in reasons(wheel) {
            kept = false;
            pipe::note("glibc-probe", &format!("{}: {reason}", wheel.wheel.path));
        }
        if !quiet && let Some(note) = modest(wheel) {
            pipe::note(
                "glibc-probe",
                &format!("{}: note: {note}", wheel.wheel.path),
            );
        }
    }
    kept
}

/// Every no about one wheel.
fn reasons(wheel: &Measured) -> Vec<String> {
    let mut reasons = Vec::new();
    let Some(platform) = &wheel.wheel.platform else {
        return reasons;
    };
    reasons.extend(
        wheel
            .claims
            .iter()
            .filter(|claim| !claim_is_kept(claim, platform))
            .map(|claim| broken(claim, platform)),
    );
    reasons.extend(wheel.tags_differ.clone());
    if matches!(
        wheel.wheel.record,
        Some(pipe::Record::Mismatch | pipe::Record::Missing)
    ) {
        reasons.extend(
            platform
                .findings
                .iter()
                .filter(|finding| finding.rule.starts_with("record."))
                .map(record_fault),
        );
    }
    reasons
}

fn broken(claim: &str, platform: &Platform) -> String {
    let because = match (Claim::parse(claim), &platform.machine) {
        (_, None) => "holds no code for a host processor that the tag could be about".to_owned(),
        (Claim::Any, Some(machine)) => format!("holds code for {machine}"),
        _ => because(platform),
    };
    format!(
        "the tag {claim} promises more than the code keeps: it {because}; measured {}",
        platform.tag
    )
}

/// The first thing that holds the wheel back, in words.
fn because(platform: &Platform) -> String {
    let limit = platform
        .findings
        .iter()
        .filter(|finding| native::policy::LIMITS.contains(&finding.rule.as_str()))
        .max_by_key(|finding| (rank(finding), std::cmp::Reverse(finding.member.clone())));
    match limit {
        Some(finding) => {
            let member = finding.member.as_deref().unwrap_or("a member");
            match (&finding.library, &finding.version) {
                (Some(library), Some(version)) => {
                    format!("needs {version} of {library} in {member}")
                }
                (Some(library), None) => format!("needs {library} in {member}"),
                (None, Some(version)) => format!("needs {version} in {member}"),
                (None, None) => format!("is held back by {} in {member}", finding.rule),
            }
        }
        None => format!(
            "is {} code linked against {}",
            platform.machine.as_deref().unwrap_or("unknown"),
            platform.libc.as_deref().unwrap_or("nothing")
        ),
    }
}

/// Versions say most, and among them the newest glibc.
fn rank(finding: &Finding) -> (bool, Option<native::policy::SymbolVersion>) {
    let version = finding
        .version
        .as_deref()
        .map(native::policy::SymbolVersion::new);
    (finding.rule == "symbol-version", version)
}

/// The message names the member already.
fn record_fault(finding: &Finding) -> String {
    let message = finding.message.as_deref().unwrap_or_default();
    format!("{}: {message}", finding.rule)
}

/// A wheel that could promise more than it does.
fn modest(wheel: &Measured) -> Option<String> {
    let platform = wheel.wheel.platform.as_ref()?;
    let Claim::Policy {
        libc,
        release: possible,
        ..
    } = Claim::parse(&platform.tag)
    else {
        return None;
    };
    let claimed = wheel
        .claims
        .iter()
        .map(|claim| Claim::parse(claim))
        .try_fold((u32::MAX, u32::MAX), |best, claim| match claim {
            Claim::Policy {
                libc: named,
                release,
                ..
            } if named == libc => Some(best.min(release)),
            Claim::Linux { .. } => Some(best),
            _ => None,
        })?;
    (possible < claimed).then(|| format!("its code keeps {} too", platform.tag))
}
