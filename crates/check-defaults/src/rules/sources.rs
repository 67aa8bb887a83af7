//! What a step copies or mounts is there: an earlier stage, a named context, a file of the build context.

use bake::TakenFrom;

use crate::dockerfile::Dockerfile;
use crate::repository::{Report, Repository};

const RULE: &str = "copy-source";

pub(crate) fn check(repository: &Repository, report: &mut Report) {
    for (path, file) in &repository.dockerfiles {
        for (index, stage) in file.graph.stages.iter().enumerate() {
            for source in &stage.sources {
                report.count(RULE);
                from_stage(repository, path, file, index, source, report);
            }
        }
        for (line, source) in file
            .steps
            .iter()
            .flatten()
            .flat_map(|step| &step.from_context)
        {
            report.count(RULE);
            from_context(repository, path, *line, source, report);
        }
    }
}

fn from_stage(
    repository: &Repository,
    path: &str,
    file: &Dockerfile,
    index: usize,
    source: &TakenFrom,
    report: &mut Report,
) {
    let name = &source.name;
    let earlier = file.graph.stage(name).is_some_and(|stage| stage < index);
    let mut targets = repository.bake.targets.values();
    let context =
        targets.any(|target| target.dockerfile.value == path && target.contexts.contains(name));
    // What looks like an image is one; whether it is pinned is another rule's.
    let image = name.contains(['/', ':', '@']) && !name.contains('$');
    if earlier || context || image {
        return;
    }
    let (message, fix) = if name.contains('$') {
        (
            format!("`{name}` is a variable, and only FROM looks those up"),
            format!("give the image a stage: `FROM {name} AS name`"),
        )
    } else {
        (
            format!("`{name}` is neither an earlier stage of this file nor a named context"),
            "name a stage that stands above".to_owned(),
        )
    };
    let at = repository.in_dockerfile(path, source.line);
    report.finding(RULE, &at, None, message, fix);
}

fn from_context(repository: &Repository, path: &str, line: u64, source: &str, report: &mut Report) {
    // A pattern may match nothing on purpose, and a variable is only known to the build.
    if source.contains(['*', '?', '[', '$']) {
        return;
    }
    if !repository
        .root
        .join(source.trim_start_matches('/'))
        .exists()
    {
        let message = format!("`{source}` is not in the build context");
        let at = repository.in_file(path, line);
        report.finding(
            RULE,
            &at,
            None,
            message,
            "name a file of the repository".to_owned(),
        );
    }
}
