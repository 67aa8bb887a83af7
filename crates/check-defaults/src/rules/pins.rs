//! An image of somebody else's is pinned by a digest, or by a variable for one that is still empty.

use bake::Origin;

use crate::bake_file::Target;
use crate::dockerfile::Dockerfile;
use crate::repository::{Report, Repository};

const RULE: &str = "unpinned-image";

pub(crate) fn check(repository: &Repository, report: &mut Report) {
    for (name, target) in &repository.bake.targets {
        let Some((file, stage)) = repository.built(target) else {
            continue;
        };
        let reach = file
            .graph
            .reach(stage, &target.arguments(), &target.contexts);
        for (image, naming) in &reach.images {
            if repository.repository_of(image).is_some() {
                continue;
            }
            let mut lines = reach
                .stages
                .iter()
                .filter_map(|index| line(file, *index, target, image));
            let Some(line) = lines.next() else { continue };
            report.count(RULE);
            if !image.contains("@sha256:") {
                // `${ROCM_IMAGE}` has its digest in ROCM_DIGEST.
                let digest = naming.iter().find_map(|arg| arg.strip_suffix("_IMAGE"));
                let digest = digest.map(|stem| format!("{stem}_DIGEST"));
                foreign(repository, name, target, image, digest, line, report);
            }
        }
    }
}

/// The line by which stage `index` comes to `image`. A bare name that only a COPY has is a stage gone wrong, which
/// another rule tells.
fn line(file: &Dockerfile, index: usize, target: &Target, image: &str) -> Option<usize> {
    let from = file
        .graph
        .from(index, &target.arguments(), &target.contexts);
    let stage = file.graph.stages.get(index)?;
    if matches!(from, Origin::Image(own) if own == image) {
        return Some(stage.line);
    }
    let mut sources = stage
        .sources
        .iter()
        .filter(|source| source.name.contains(['/', ':', '@']));
    sources
        .find(|source| source.name == image)
        .map(|source| source.line)
}

fn foreign(
    repository: &Repository,
    target_name: &str,
    target: &Target,
    image: &str,
    digest: Option<String>,
    line: usize,
    report: &mut Report,
) {
    let at = repository.in_dockerfile(&target.dockerfile.value, line);
    match digest.and_then(|name| Some((repository.bake.variables.get(&name)?, name))) {
        Some((variable, name)) if variable.value.is_empty() => {
            let message = format!("{name} is empty: the image {image} is followed by its tag");
            // One note for a variable, however many stages are built on the image.
            if report.notes.iter().any(|note| note.message == message) {
                return;
            }
            let fix = format!(
                "read its digest once (docker buildx imagetools inspect {image}) and make it the default of {name}"
            );
            report.note(
                RULE,
                &repository.in_bake(variable.line),
                Some(&at),
                message,
                fix,
            );
        }
        Some((variable, name)) => {
            let message =
                format!("the target `{target_name}` is built on {image}, and {name} is not in it");
            let fix = format!("append it to the image: {image}@{}", variable.value);
            let other = repository.in_bake(variable.line);
            report.finding(RULE, &at, Some(&other), message, fix);
        }
        None => {
            let message =
                format!("the target `{target_name}` is built on {image}, which no digest pins");
            let fix = "pass the image as an argument, with a variable for its digest".to_owned();
            let other = repository.in_bake(target.line);
            report.finding(RULE, &at, Some(&other), message, fix);
        }
    }
}
