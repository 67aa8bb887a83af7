//! No CUDA: neither in the set nor among what it requires.

use super::{Findings, requirements::Applied};
use crate::member::Member;

/// Names members that bring CUDA, and members whose requirements do when the set is installed.
///
/// An extra that nobody asks for (`cupy-cuda13x; extra == "cuda13"`) brings nothing and is not named.
pub(super) fn check(members: &[Member], applied: &[Applied], findings: &mut Findings) {
    for member in members {
        if let Some(cuda) = wheel::cuda_name(&member.name) {
            findings.error(
                "cuda",
                format!(
                    "{} brings CUDA (`{}`: {}); take it out",
                    member.called(),
                    cuda.pattern,
                    cuda.reason
                ),
            );
        }
    }
    for Applied {
        member,
        requirement,
    } in applied
    {
        if let Some(cuda) = wheel::cuda_name(&requirement.name) {
            findings.error(
                "cuda",
                format!(
                    "{} requires {}, which brings CUDA (`{}`: {}); build it for ROCm",
                    member.called(),
                    requirement.name,
                    cuda.pattern,
                    cuda.reason
                ),
            );
        }
    }
}
