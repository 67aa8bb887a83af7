//! `--check`: the tags against the measurement.

use native::policy::{Claim, LIMITS, Libc, SymbolVersion, claim_is_kept, policies};
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
    let promise = Claim::parse(claim);
    let because = match (&promise, platform.machine.as_deref()) {
        (_, None) => "it holds no code for a host processor that the tag could be about".to_owned(),
        (Claim::Any, Some(machine)) => format!("it holds code for {machine}"),
        (Claim::Foreign, Some(machine)) => format!("it holds Linux code for {machine}"),
        (Claim::Linux { machine: named }, Some(machine)) => {
            format!("it holds code for {machine} and none for {named}")
        }
        (Claim::Policy { libc, release, .. }, Some(machine)) => {
            let linked = platform.libc.as_deref().unwrap_or("nothing");
            if claim.ends_with(&format!("_{}", libc.abi(machine))) && libc.word() == linked {
                because(platform, machine, *release)
            } else {
                format!("it is {machine} code linked against {linked}")
            }
        }
    };
    format!(
        "the tag {claim} promises more than the code keeps: {because}; measured {}",
        platform.tag
    )
}

/// What of the code breaks a promise of that release, in words; of several things the newest version.
fn because(platform: &Platform, machine: &str, release: (u32, u32)) -> String {
    let policy = policies(Libc::Glibc, machine)
        .into_iter()
        .rfind(|policy| policy.release <= release);
    let is_kept = |version: &SymbolVersion| {
        let numbered =
            version.prefix == "GLIBC" && version.release().is_some_and(|it| it <= release);
        numbered || policy.is_some_and(|policy| policy.grants(machine, version))
    };
    let limit = platform
        .findings
        .iter()
        .filter(|finding| LIMITS.contains(&finding.rule.as_str()))
        .map(|finding| (finding, finding.version.as_deref().map(SymbolVersion::new)))
        .filter(|(finding, version)| {
            finding.rule != "symbol-version" || version.as_ref().is_none_or(|it| !is_kept(it))
        })
        .max_by_key(|(finding, version)| {
            let is_version = finding.rule == "symbol-version";
            (
                is_version,
                version.clone(),
                std::cmp::Reverse(&finding.member),
            )
        })
        .map(|(finding, _)| finding);
    let Some(finding) = limit else {
        return "nothing in the code keeps it".to_owned();
    };
    let member = finding.member.as_deref().unwrap_or("a member");
    match (&finding.library, &finding.version) {
        (Some(library), Some(version)) => format!("it needs {version} of {library} in {member}"),
        (Some(library), None) => format!("it needs {library} in {member}"),
        (None, Some(version)) => format!("it needs {version} in {member}"),
        (None, None) => format!("it is held back by {} in {member}", finding.rule),
    }
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
