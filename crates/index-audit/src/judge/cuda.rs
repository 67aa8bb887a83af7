//! No CUDA package, by name or among what is required.

use wheel::Environment;

use super::{Case, Found, Verdict};
use crate::resolved::Target;

pub(super) fn judge(case: &Case, verdict: &mut Verdict) {
    let environment = match &case.resolved.target {
        Target::Ran { environment, .. } => environment.clone(),
        _ => Environment::linux_cpython(case.python, "x86_64"),
    };
    let mut findings = Vec::new();
    let mut told = 0_usize;
    for distribution in &case.resolved.distributions {
        if let Some(cuda) = wheel::cuda_name(&distribution.name) {
            findings.push(Found {
                rule: "cuda",
                name: distribution.name.clone(),
                message: format!(
                    "{} is a CUDA package (`{}`: {}){}",
                    distribution.called(),
                    cuda.pattern,
                    cuda.reason,
                    wanted_by(case, distribution.name.as_str(), &environment)
                ),
            });
        }
        told += usize::from(distribution.requires.is_some());
        for requirement in distribution.required_in(&environment) {
            // What came is told above, once; this is for what was required and did not come.
            if case.resolved.find(&requirement.name).is_none()
                && let Some(cuda) = wheel::cuda_name(&requirement.name)
            {
                findings.push(Found {
                    rule: "cuda",
                    name: distribution.name.clone(),
                    message: format!(
                        "{} requires {}, a CUDA package (`{}`: {})",
                        distribution.called(),
                        requirement.name,
                        cuda.pattern,
                        cuda.reason
                    ),
                });
            }
        }
    }
    let detail = format!(
        "the names of {} distributions, and what {told} of them require",
        case.resolved.distributions.len()
    );
    verdict.add(case, "cuda", detail, findings);
}

/// Who brought it in, where the client tells requirements.
fn wanted_by(case: &Case, name: &str, environment: &Environment) -> String {
    let wanting: Vec<String> = case
        .resolved
        .distributions
        .iter()
        .filter(|other| {
            other
                .required_in(environment)
                .any(|one| one.name.as_str() == name)
        })
        .map(crate::resolved::Distribution::called)
        .collect();
    if wanting.is_empty() {
        String::new()
    } else {
        format!(", required by {}", wanting.join(" and "))
    }
}
