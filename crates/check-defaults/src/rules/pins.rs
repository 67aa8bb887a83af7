//! An image of somebody else's is pinned by a digest, or by a variable for one that is still empty.

use crate::dockerfile::Dockerfile;
use crate::repository::{Report, Repository, Target};

const RULE: &str = "unpinned-image";

pub(crate) fn check(repository: &Repository, report: &mut Report) {
    for (name, target) in &repository.bake.targets {
        let Some((file, stage)) = repository.built(target) else {
            continue;
        };
        for index in file.reached(stage) {
            let stage = &file.stages[index];
            foreign(
                repository,
                name,
                target,
                file,
                &stage.image,
                stage.line,
                report,
            );
            for taken in stage.taken() {
                if let Some(image) = taken
                    .from
                    .as_deref()
                    .filter(|from| from.contains(['/', ':']))
                {
                    foreign(repository, name, target, file, image, taken.line, report);
                }
            }
        }
    }
}

fn foreign(
    repository: &Repository,
    name: &str,
    target: &Target,
    file: &Dockerfile,
    text: &str,
    line: u64,
    report: &mut Report,
) {
    let image = resolved(text, target, file);
    let known = image == "scratch"
        || image.is_empty()
        || file.stage(&image).is_some()
        || target.contexts.contains(&image);
    if known || repository.repository_of(&image).is_some() {
        return;
    }
    report.count(RULE);
    if image.contains("@sha256:") {
        return;
    }
    let at = repository.in_file(&target.dockerfile.value, line);
    // `${ROCM_IMAGE}` has its digest in ROCM_DIGEST.
    let argument = text
        .trim_start_matches("${")
        .trim_start_matches('$')
        .trim_end_matches('}');
    let digest = argument
        .strip_suffix("_IMAGE")
        .map(|stem| format!("{stem}_DIGEST"));
    let digest = digest.and_then(|name| Some((repository.bake.variables.get(&name)?, name)));
    match digest {
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
        Some((variable, variable_name)) => {
            let message = format!(
                "the target `{name}` is built on {image}, and {variable_name} is not in it"
            );
            let fix = format!("append it to the image: {image}@{}", variable.value);
            let other = repository.in_bake(variable.line);
            report.finding(RULE, &at, Some(&other), message, fix);
        }
        None => {
            let message = format!("the target `{name}` is built on {image}, which no digest pins");
            let fix = "pass the image as an argument, with a variable for its digest".to_owned();
            let other = repository.in_bake(target.line);
            report.finding(RULE, &at, Some(&other), message, fix);
        }
    }
}

/// `text` with the arguments that the target passes, or else their defaults.
fn resolved(text: &str, target: &Target, file: &Dockerfile) -> String {
    let mut resolved = text.to_owned();
    for argument in &file.globals {
        let value = target
            .args
            .get(&argument.name)
            .map(|value| &value.value)
            .or(argument.default.as_ref());
        let value = value.map_or("", String::as_str);
        resolved = resolved
            .replace(&format!("${{{}}}", argument.name), value)
            .replace(&format!("${}", argument.name), value);
    }
    resolved
}
