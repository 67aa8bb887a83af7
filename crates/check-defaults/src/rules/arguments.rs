//! The scope of ARG: what a target passes is declared, what a Dockerfile uses is declared where it is used, and passed.
//!
//! Docker takes the opposite of each without a word, and uses nothing in the place of the value. The rules are those of
//! <https://docs.docker.com/reference/dockerfile/#scope>.

use std::collections::BTreeSet;

use crate::dockerfile::{Argument, Dockerfile, Kind, used};
use crate::repository::{Report, Repository, Target};

/// Passed by a target and declared nowhere.
const UNKNOWN: &str = "arg-unknown";
/// Used where it is not declared.
const SCOPE: &str = "arg-scope";
/// Needed by a target that does not pass it.
const UNPASSED: &str = "arg-unpassed";

pub(crate) fn check(repository: &Repository, report: &mut Report) {
    for (path, file) in &repository.dockerfiles {
        from_scope(repository, path, file, report);
        for index in 0..file.stages.len() {
            stage_scope(repository, path, file, index, report);
        }
    }
    // What the bake file has a value for: its variables, and whatever some target passes.
    let known: BTreeSet<&str> = repository
        .bake
        .targets
        .values()
        .flat_map(|target| target.args.keys())
        .chain(repository.bake.variables.keys())
        .map(String::as_str)
        .collect();
    for (name, target) in &repository.bake.targets {
        let Some((file, stage)) = repository.built(target) else {
            continue;
        };
        unknown(repository, name, target, file, report);
        unpassed(repository, name, target, file, stage, &known, report);
    }
}

/// A FROM sees only what stands before the first one.
fn from_scope(repository: &Repository, path: &str, file: &Dockerfile, report: &mut Report) {
    for stage in &file.stages {
        for name in used(&stage.image) {
            report.count(SCOPE);
            if !file.globals.iter().any(|argument| argument.name == name) {
                let message =
                    format!("FROM uses {name}, which is not declared before the first FROM");
                report.finding(
                    SCOPE,
                    &repository.in_file(path, stage.line),
                    None,
                    message,
                    format!("put `ARG {name}` above the first FROM"),
                );
            }
        }
    }
}

/// A step sees what its own stage declared above it, and what the stages below its FROM did.
fn stage_scope(
    repository: &Repository,
    path: &str,
    file: &Dockerfile,
    index: usize,
    report: &mut Report,
) {
    let elsewhere: BTreeSet<&str> = file
        .globals
        .iter()
        .chain(file.stages.iter().flat_map(|stage| arguments(&stage.steps)))
        .map(|argument| argument.name.as_str())
        .collect();
    let mut known = inherited(file, index);
    for step in &file.stages[index].steps {
        match &step.kind {
            Kind::Arg(arguments) => {
                known.extend(arguments.iter().map(|argument| argument.name.as_str()))
            }
            Kind::Env(names) => known.extend(names.iter().map(String::as_str)),
            Kind::Take(_) | Kind::Other => {}
        }
        for (line, text) in &step.lines {
            for name in used(text).filter(|name| elsewhere.contains(name)) {
                report.count(SCOPE);
                if !known.contains(name) {
                    let declared = file
                        .globals
                        .iter()
                        .find(|argument| argument.name == name)
                        .map(|argument| repository.in_file(path, argument.line));
                    let message = format!(
                        "{name} is used in a stage that has not declared it, so it is empty"
                    );
                    report.finding(
                        SCOPE,
                        &repository.in_file(path, *line),
                        declared.as_ref(),
                        message,
                        format!("put `ARG {name}` into the stage, above this line"),
                    );
                }
            }
        }
    }
}

/// The names that a stage has from the stages of this file that it is built on.
fn inherited(file: &Dockerfile, index: usize) -> BTreeSet<&str> {
    let mut known = BTreeSet::new();
    let mut child = index;
    while let Some(parent) = file
        .stage(&file.stages[child].image)
        .filter(|parent| *parent < child)
    {
        for step in &file.stages[parent].steps {
            match &step.kind {
                Kind::Arg(arguments) => {
                    known.extend(arguments.iter().map(|argument| argument.name.as_str()))
                }
                Kind::Env(names) => known.extend(names.iter().map(String::as_str)),
                Kind::Take(_) | Kind::Other => {}
            }
        }
        child = parent;
    }
    known
}

fn arguments(steps: &[crate::dockerfile::Step]) -> impl Iterator<Item = &Argument> {
    steps.iter().flat_map(|step| match &step.kind {
        Kind::Arg(arguments) => arguments.as_slice(),
        _ => &[],
    })
}

fn unknown(
    repository: &Repository,
    name: &str,
    target: &Target,
    file: &Dockerfile,
    report: &mut Report,
) {
    for (argument, value) in &target.args {
        report.count(UNKNOWN);
        let declared = file
            .globals
            .iter()
            .chain(file.stages.iter().flat_map(|stage| arguments(&stage.steps)))
            .any(|own| own.name == *argument);
        if !declared {
            let path = &target.dockerfile.value;
            let message =
                format!("the target `{name}` passes {argument}, which {path} declares nowhere");
            let fix = format!("declare it where it is used, or stop passing {argument}");
            report.finding(
                UNKNOWN,
                &repository.in_bake(value.line),
                Some(&repository.in_file(path, 1)),
                message,
                fix,
            );
        }
    }
}

/// What the stages that a target builds need: the images of their FROM, and every argument that the bake file has a
/// value for.
fn unpassed(
    repository: &Repository,
    name: &str,
    target: &Target,
    file: &Dockerfile,
    stage: usize,
    known: &BTreeSet<&str>,
    report: &mut Report,
) {
    for index in file.reached(stage) {
        let stage = &file.stages[index];
        let images = used(&stage.image)
            .filter_map(|name| file.globals.iter().find(|argument| argument.name == name));
        let others =
            arguments(&stage.steps).filter(|argument| known.contains(argument.name.as_str()));
        for argument in images.chain(others) {
            report.count(UNPASSED);
            let global = file
                .globals
                .iter()
                .any(|global| global.name == argument.name && global.default.is_some());
            if argument.default.is_none() && !global && !target.args.contains_key(&argument.name) {
                let message = format!(
                    "the target `{name}` does not pass {}, which the stages that it builds need",
                    argument.name
                );
                let at = repository.in_bake(target.line);
                let other = repository.in_file(&target.dockerfile.value, argument.line);
                report.finding(
                    UNPASSED,
                    &at,
                    Some(&other),
                    message,
                    format!("add {} to the target's args", argument.name),
                );
            }
        }
    }
}
