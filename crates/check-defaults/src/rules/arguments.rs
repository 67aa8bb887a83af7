//! The scope of ARG: what a target passes is declared, what a Dockerfile uses is declared where it is used, and passed.
//!
//! Docker takes the opposite of each without a word, and puts nothing in the place of the value. The rules are those of
//! <https://docs.docker.com/reference/dockerfile/#scope>.

use std::collections::{BTreeMap, BTreeSet};

use crate::bake_file::Target;
use crate::dockerfile::Dockerfile;
use crate::repository::{Report, Repository};

/// Passed by a target and declared nowhere.
const UNKNOWN: &str = "arg-unknown";
/// Used where it is not declared.
const SCOPE: &str = "arg-scope";
/// Needed by a target that does not pass it.
const UNPASSED: &str = "arg-unpassed";

pub(crate) fn check(repository: &Repository, report: &mut Report) {
    for (path, file) in &repository.dockerfiles {
        let declared: BTreeSet<&str> = file.args().map(|arg| arg.name.as_str()).collect();
        for index in 0..file.graph.stages.len() {
            scope(repository, path, file, index, &declared, report);
        }
    }
    // What the bake file has a value for: its variables, and whatever some target passes.
    let passed = repository
        .bake
        .targets
        .values()
        .flat_map(|target| target.args.keys());
    let known: BTreeSet<&str> = passed
        .chain(repository.bake.variables.keys())
        .map(String::as_str)
        .collect();
    for (name, target) in &repository.bake.targets {
        if let Some((file, stage)) = repository.built(target) {
            unknown(repository, name, target, file, report);
            unpassed(repository, name, target, file, stage, &known, report);
        }
    }
}

/// A FROM sees what stands before the first one; a step what its own stage declared above it, and what the stages below
/// its FROM did.
fn scope(
    repository: &Repository,
    path: &str,
    file: &Dockerfile,
    index: usize,
    declared: &BTreeSet<&str>,
    report: &mut Report,
) {
    let stage = &file.graph.stages[index];
    let inherited = inherited(file, index);
    let own = names(file, index);
    for used in &stage.uses {
        let name = used.name.as_str();
        let at = repository.in_dockerfile(path, used.line);
        if used.keyword == "FROM" {
            report.count(SCOPE);
            if file.global(name).is_none() {
                let message =
                    format!("FROM uses {name}, which is not declared before the first FROM");
                let fix = format!("put `ARG {name}` above the first FROM");
                report.finding(SCOPE, &at, None, message, fix);
            }
        // In RUN it may be a variable of the shell: one that no ARG of the file has is not looked at.
        } else if declared.contains(name) {
            report.count(SCOPE);
            let above = own.get(name).is_some_and(|line| *line <= used.line as u64);
            if !above && !inherited.contains(name) {
                let message =
                    format!("{name} is used in a stage that has not declared it, so it is empty");
                let fix = format!("put `ARG {name}` into the stage, above this line");
                let other = file
                    .global(name)
                    .map(|arg| repository.in_dockerfile(path, arg.line));
                report.finding(SCOPE, &at, other.as_ref(), message, fix);
            }
        }
    }
}

/// The names that a stage declares or sets, each with the first line that does.
fn names(file: &Dockerfile, index: usize) -> BTreeMap<&str, u64> {
    let mut names = BTreeMap::new();
    let args = file.graph.stages[index].args.iter();
    let args = args.map(|arg| (arg.name.as_str(), arg.line as u64));
    let envs = file.steps[index].iter().flat_map(|step| {
        let line = step.lines.first().map_or(1, |(line, _)| *line);
        step.sets.iter().map(move |name| (name.as_str(), line))
    });
    for (name, line) in args.chain(envs) {
        let first = names.entry(name).or_insert(line);
        *first = line.min(*first);
    }
    names
}

/// The names that a stage has from the stages of this file that it is built on.
fn inherited(file: &Dockerfile, index: usize) -> BTreeSet<&str> {
    let mut known = BTreeSet::new();
    let mut child = index;
    while let Some(parent) = file
        .graph
        .stage(&file.graph.stages[child].from)
        .filter(|parent| *parent < child)
    {
        known.extend(names(file, parent).into_keys());
        child = parent;
    }
    known
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
        if !file.args().any(|arg| arg.name == *argument) {
            let path = &target.dockerfile.value;
            let message =
                format!("the target `{name}` passes {argument}, which {path} declares nowhere");
            let fix = format!("declare it where it is used, or stop passing {argument}");
            let (at, other) = (repository.in_bake(value.line), repository.in_file(path, 1));
            report.finding(UNKNOWN, &at, Some(&other), message, fix);
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
    let reach = file
        .graph
        .reach(stage, &target.arguments(), &target.contexts);
    for stage in reach
        .stages
        .iter()
        .filter_map(|index| file.graph.stages.get(*index))
    {
        let from = stage.uses.iter().filter(|used| used.keyword == "FROM");
        let images = from.filter_map(|used| file.global(&used.name));
        let others = stage
            .args
            .iter()
            .filter(|arg| known.contains(arg.name.as_str()));
        for arg in images.chain(others) {
            report.count(UNPASSED);
            let global = file
                .global(&arg.name)
                .is_some_and(|arg| arg.default.is_some());
            if arg.default.is_none() && !global && !target.args.contains_key(&arg.name) {
                let message = format!(
                    "the target `{name}` does not pass {}, which the stages that it builds need",
                    arg.name
                );
                let at = repository.in_bake(target.line);
                let other = repository.in_dockerfile(&target.dockerfile.value, arg.line);
                let fix = format!("add {} to the target's args", arg.name);
                report.finding(UNPASSED, &at, Some(&other), message, fix);
            }
        }
    }
}
