//! A default that stands in the bake file is the same in the Makefile and in the Dockerfiles, where it stands there, too.

use crate::dockerfile::{Argument, Kind};
use crate::repository::{Report, Repository};

const RULE: &str = "default-value";

pub(crate) fn check(repository: &Repository, report: &mut Report) {
    for (name, default) in &repository.bake.variables {
        if let Some(variable) = repository.make.get(name) {
            report.count(RULE);
            if variable.value != default.value {
                let at = repository.in_make(name);
                let message = format!(
                    "{name} is `{}` by default in the Makefile and `{}` in the bake file",
                    variable.value, default.value
                );
                report.finding(
                    RULE,
                    &at,
                    Some(&repository.in_bake(default.line)),
                    message,
                    "make the two equal".to_owned(),
                );
            }
        }
    }
    for (path, file) in &repository.dockerfiles {
        let in_stages = file
            .stages
            .iter()
            .flat_map(|stage| &stage.steps)
            .flat_map(|step| match &step.kind {
                Kind::Arg(arguments) => arguments.as_slice(),
                _ => &[],
            });
        for argument in file.globals.iter().chain(in_stages) {
            compare(repository, path, argument, report);
        }
    }
}

/// An argument with a default and the name of a bake variable.
fn compare(repository: &Repository, path: &str, argument: &Argument, report: &mut Report) {
    let Some(default) = &argument.default else {
        return;
    };
    let Some(variable) = repository.bake.variables.get(&argument.name) else {
        return;
    };
    report.count(RULE);
    if *default != variable.value {
        let name = &argument.name;
        let message = format!(
            "{name} is `{default}` by default in the Dockerfile and `{}` in the bake file",
            variable.value
        );
        let fix = format!("take the default away: `ARG {name}`");
        report.finding(
            RULE,
            &repository.in_file(path, argument.line),
            Some(&repository.in_bake(variable.line)),
            message,
            fix,
        );
    }
}
