//! What a step copies or mounts is there: an earlier stage, a named context, a file of the build context.

use crate::dockerfile::{Dockerfile, Taken};
use crate::repository::{Report, Repository};

const RULE: &str = "copy-source";

pub(crate) fn check(repository: &Repository, report: &mut Report) {
    for (path, file) in &repository.dockerfiles {
        for (index, stage) in file.stages.iter().enumerate() {
            for taken in stage.taken() {
                report.count(RULE);
                match &taken.from {
                    Some(from) => from_stage(repository, path, file, index, from, taken, report),
                    None => from_context(repository, path, taken, report),
                }
            }
        }
    }
}

fn from_stage(
    repository: &Repository,
    path: &str,
    file: &Dockerfile,
    index: usize,
    from: &str,
    taken: &Taken,
    report: &mut Report,
) {
    let earlier = file.stage(from).is_some_and(|stage| stage < index);
    let named = repository
        .bake
        .targets
        .values()
        .any(|target| target.dockerfile.value == path && target.contexts.contains(from));
    // What looks like an image is one; whether it is pinned is another rule's.
    let image = from.contains(['/', ':', '@']) && !from.contains('$');
    if earlier || named || image {
        return;
    }
    let at = repository.in_file(path, taken.line);
    let (message, fix) = if from.contains('$') {
        (
            format!("`{from}` is a variable, which is not looked up here"),
            format!("give the image a stage: `FROM {from} AS name`"),
        )
    } else {
        (
            format!("`{from}` is neither an earlier stage of this file nor a named context"),
            "name a stage that stands above".to_owned(),
        )
    };
    report.finding(RULE, &at, None, message, fix);
}

fn from_context(repository: &Repository, path: &str, taken: &Taken, report: &mut Report) {
    for source in &taken.paths {
        // A pattern may match nothing on purpose, and a variable is only known to the build.
        if source.contains(['*', '?', '[', '$']) {
            continue;
        }
        let there = repository.root.join(source.trim_start_matches('/'));
        if !there.exists() {
            let message = format!("`{source}` is not in the build context");
            report.finding(
                RULE,
                &repository.in_file(path, taken.line),
                None,
                message,
                "name a file of the repository".to_owned(),
            );
        }
    }
}
