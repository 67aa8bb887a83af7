//! The resolve was for the Python that was asked for.

use pipe::AuditAnswer;
use wheel::{Environment, Variable};

use super::{Case, Found, Verdict};
use crate::resolved::{Distribution, Target};

/// pip evaluates markers on the Python that it runs on, whatever `--python-version` says
/// (pypa/pip#11664). Where that is another one, each marker is evaluated again for the target, and what
/// the target would have required beyond it makes the resolve one for another Python.
pub(super) fn judge(case: &Case, verdict: &mut Verdict) {
    let Case { python, .. } = case;
    match &case.resolved.target {
        Target::Unknown => {
            let detail = "the report does not tell for which Python it is".to_owned();
            verdict.add_check(case, "target", AuditAnswer::NotJudged, detail);
        }
        Target::Oldest(oldest) if oldest == python => {
            verdict.add(
                case,
                "target",
                format!("resolved for Python {python}"),
                Vec::new(),
            );
        }
        Target::Oldest(oldest) => {
            let findings = case
                .resolved
                .distributions
                .first()
                .map(|first| Found {
                    rule: "target",
                    name: first.name.clone(),
                    message: format!(
                        "the lock is for Python {oldest} and later, not for {python}; resolve with \
                         --python-version {python}"
                    ),
                })
                .into_iter()
                .collect();
            verdict.add(
                case,
                "target",
                format!("resolved for Python {oldest}"),
                findings,
            );
        }
        Target::Ran { python: ran, .. } if ran == python => {
            verdict.add(
                case,
                "target",
                format!("resolved on Python {python}"),
                Vec::new(),
            );
        }
        Target::Ran {
            python: ran,
            environment,
        } => {
            let target = for_python(environment, python);
            let mut findings = Vec::new();
            for distribution in &case.resolved.distributions {
                findings.extend(left_out(case, distribution, environment, &target, ran));
            }
            let detail = format!(
                "pip evaluated markers as Python {ran}; evaluated again for {python}, {}",
                if findings.is_empty() {
                    "they ask for nothing more"
                } else {
                    "they ask for more"
                }
            );
            verdict.add(case, "target", detail, findings);
        }
    }
}

/// The same machine with another Python.
fn for_python(environment: &Environment, python: &str) -> Environment {
    let full = format!("{python}.0");
    environment
        .clone()
        .with(Variable::PythonVersion, python)
        .with(Variable::PythonFullVersion, &full)
        .with(Variable::ImplementationVersion, &full)
}

fn left_out(
    case: &Case,
    distribution: &Distribution,
    ran: &Environment,
    target: &Environment,
    ran_on: &str,
) -> Vec<Found> {
    let on_ran: Vec<_> = distribution.required_in(ran).collect();
    distribution
        .required_in(target)
        .filter(|requirement| !on_ran.contains(requirement))
        .filter(|requirement| {
            !case
                .resolved
                .find(&requirement.name)
                .is_some_and(|came| requirement.allows(&came.version))
        })
        .map(|requirement| Found {
            rule: "target",
            name: requirement.name.clone(),
            message: format!(
                "{} requires `{}{}` on Python {}, which pip left out because it runs on {ran_on}; resolve with uv, \
                 or with pip on that Python",
                distribution.called(),
                requirement.name,
                requirement.version_specifiers(),
                case.python
            ),
        })
        .collect()
}
