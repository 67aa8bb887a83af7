//! What a target names is there: its context, its Dockerfile, its stage. And every Dockerfile is named by a target.

use crate::bake_file::Target;
use crate::dockerfile::Dockerfile;
use crate::repository::{Report, Repository};

pub(crate) fn check(repository: &Repository, report: &mut Report) {
    for (name, target) in &repository.bake.targets {
        context(repository, name, target, report);
        let at = repository.in_bake(target.dockerfile.line);
        let path = &target.dockerfile.value;
        report.count("dockerfile");
        let Some(file) = repository.dockerfiles.get(path) else {
            let message = format!("the target `{name}` is built from `{path}`, which is not there");
            report.finding(
                "dockerfile",
                &at,
                None,
                message,
                "name the Dockerfile that is meant, or write it".to_owned(),
            );
            continue;
        };
        stage(repository, name, target, file, report);
    }
    for path in repository.dockerfiles.keys() {
        let used = repository
            .bake
            .targets
            .values()
            .any(|target| target.dockerfile.value == *path);
        if !used {
            let message = format!("no target is built from `{path}`");
            report.finding(
                "dockerfile",
                &repository.in_file(path, 1),
                Some(&repository.in_bake(1)),
                message,
                "remove it, or add the target".to_owned(),
            );
        }
    }
}

/// The scripts in docker/ are named from the repository root.
fn context(repository: &Repository, name: &str, target: &Target, report: &mut Report) {
    report.count("context");
    if target.context.value != "." {
        let message = format!(
            "the build context of `{name}` is `{}` and not the repository root",
            target.context.value
        );
        let at = repository.in_bake(target.context.line);
        report.finding(
            "context",
            &at,
            None,
            message,
            "set context = \".\"".to_owned(),
        );
    }
}

fn stage(
    repository: &Repository,
    name: &str,
    target: &Target,
    file: &Dockerfile,
    report: &mut Report,
) {
    let path = &target.dockerfile.value;
    if let Some(stage) = &target.stage {
        report.count("stage");
        if file.graph.stage(&stage.value).is_none() {
            let known: Vec<_> = file
                .graph
                .stages
                .iter()
                .filter_map(|stage| stage.name.as_deref())
                .collect();
            let message = format!(
                "the target `{name}` is built to the stage `{}`, and {path} has {}",
                stage.value,
                known.join(", ")
            );
            let at = repository.in_bake(stage.line);
            report.finding(
                "stage",
                &at,
                Some(&repository.in_file(path, 1)),
                message,
                "name a stage that is there".to_owned(),
            );
        }
    }
    let is_wheel = repository
        .bake
        .groups
        .get("wheels")
        .is_some_and(|group| group.value.iter().any(|member| member.name == name));
    if is_wheel {
        wheel_stage(repository, name, target, report);
    }
}

/// What wheels are pulled out of holds nothing else: FROM scratch, and only files copied to /wheels/.
fn wheel_stage(repository: &Repository, name: &str, target: &Target, report: &mut Report) {
    let Some((file, index)) = repository.built(target) else {
        return;
    };
    let (stage, steps) = (&file.graph.stages[index], &file.steps[index]);
    report.count("wheel-stage");
    let copies =
        |line: &str| line.starts_with("COPY --from=") && line.trim_end().ends_with(" /wheels/");
    let mut lines = steps.iter().flat_map(|step| &step.lines).peekable();
    let only_copies = lines.peek().is_some() && lines.all(|(_, line)| copies(line));
    if stage.from != "scratch" || !only_copies {
        let at = repository.in_dockerfile(&target.dockerfile.value, stage.line);
        let message = format!(
            "`{name}` is a member of `wheels`, and its stage is more than wheels in /wheels/"
        );
        let fix = "make it `FROM scratch AS wheel` and `COPY --from=build /dist/*.whl /wheels/`";
        let other = repository.in_bake(target.line);
        report.finding("wheel-stage", &at, Some(&other), message, fix.to_owned());
    }
}
