//! `VAR=VALUE`, and how it meets the bake file.

use std::str::FromStr;

use bake::{Definitions, Outside, PlanError};
use pipe::{Architecture, PlanFinding, Stop, TagPlan};

/// The example and the exit codes of `--help`.
pub(crate) const AFTER_HELP: &str = "\
Bake variables come from the environment, as in buildx: an empty one counts, too. Paths in the bake file start at the \
working directory. What is intended is declared in [tags] of rocm-bake.toml: noarch, floating, ignores.

EXAMPLE
  tag-planner --arch gfx950,gfx1201 --explain VCS_REF=$(git rev-parse HEAD)

EXIT
  0  planned, and nothing is wrong with the plan
  1  planned, and the plan is unsafe: a collision, a tag that ignores what its
     image depends on, a tag that no registry takes
  2  could not plan: the bake file or a Dockerfile is faulty or missing";

/// A variable and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    name: String,
    value: String,
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((name, value)) if !name.is_empty() => Ok(Self {
                name: name.to_owned(),
                value: value.to_owned(),
            }),
            _ => Err("write VAR=VALUE".to_owned()),
        }
    }
}

/// The environment with the settings over it.
pub(crate) fn apply(
    settings: &[Setting],
    architectures: &[Architecture],
    definitions: &Definitions,
    file: &str,
) -> Result<Outside, Stop> {
    let mut outside = Outside::environment();
    for Setting { name, value } in settings {
        if !definitions.has_variable(name) {
            let known: Vec<&str> = definitions.variables().map(|(name, _)| name).collect();
            let known = known.join(", ");
            return Err(Stop::cannot(format!(
                "{file}: there is no variable `{name}`; it has {known}"
            )));
        }
        if name == "ARCH" && !architectures.is_empty() {
            let cause = "ARCH is given by --arch and by ARCH=; give one of them";
            return Err(Stop::cannot(cause));
        }
        outside = outside.with(name, value);
    }
    Ok(outside)
}

/// A line on stderr for each finding; the table has them itself.
pub(crate) fn tell(plan: &TagPlan, file: &str) {
    for PlanFinding {
        rule,
        target,
        message,
        ..
    } in &plan.findings
    {
        pipe::note(
            "tag-planner",
            &format!("{file}: {target}: {message} ({rule})"),
        );
    }
}

/// An error that has no place in a file is told of the bake file as a whole.
pub(crate) fn stop(error: &PlanError, file: &str) -> Stop {
    match error {
        PlanError::Bake(_) | PlanError::Dockerfile(_) => Stop::cannot(error.to_string()),
        _ => Stop::cannot(format!("{file}: {error}")),
    }
}
