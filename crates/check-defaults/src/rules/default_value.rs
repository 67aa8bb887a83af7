//! A default that stands in the bake file is the same in the Makefile and in the Dockerfiles, where it stands there, too.

use bake::Arg;

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
        for arg in file.args() {
            compare(repository, path, arg, report);
        }
    }
}

/// An argument with a default and the name of a bake variable.
fn compare(repository: &Repository, path: &str, arg: &Arg, report: &mut Report) {
    let (Some(default), Some(variable)) = (&arg.default, repository.bake.variables.get(&arg.name))
    else {
        return;
    };
    report.count(RULE);
    if *default != variable.value {
        let name = &arg.name;
        let message = format!(
            "{name} is `{default}` by default in the Dockerfile and `{}` in the bake file",
            variable.value
        );
        let at = repository.in_dockerfile(path, arg.line);
        let other = repository.in_bake(variable.line);
        let fix = format!("take the default away: `ARG {name}`");
        report.finding(RULE, &at, Some(&other), message, fix);
    }
}
