//! Pins that only this index can satisfy.

use super::Findings;
use crate::member::Member;

/// Public indexes take no local versions, so only a pin with one cannot be met from elsewhere.
///
/// pip has no order of indexes: at one version it takes either file. A pin without local version is
/// safe only as long as nobody else publishes that version.
pub(super) fn check(members: &[Member], findings: &mut Findings) {
    for member in members.iter().filter(|member| !member.version.is_local()) {
        findings.warning(
            "unmarked",
            format!(
                "{} has no local version, so whoever publishes {} there too satisfies its pin; mark it with wheel-tagger",
                member.called(),
                member.version
            ),
        );
    }
}
