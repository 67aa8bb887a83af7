//! The plan for a person: what becomes what, and why.

use crate::plan::Plan;

/// One row per wheel, the notes below.
pub(crate) fn explain(plans: &[Plan]) -> String {
    let rows: Vec<Vec<String>> = plans.iter().map(row).collect();
    let mut text = pipe::table(
        &[
            "wheel", "version", "becomes", "because", "tag", "becomes", "because",
        ],
        &rows,
    );
    let notes = plans.iter().flat_map(|plan| &plan.notes);
    for (at, note) in notes.enumerate() {
        if at == 0 {
            text.push('\n');
        }
        text.push_str(&note.line());
        text.push('\n');
    }
    text
}

fn row(plan: &Plan) -> Vec<String> {
    let subject = &plan.subject;
    let platform = |tags: &[String]| {
        let mut platforms: Vec<&str> = Vec::new();
        for tag in tags {
            let platform = tag.rsplit('-').next().unwrap_or_default();
            if !platforms.contains(&platform) {
                platforms.push(platform);
            }
        }
        platforms.join(".")
    };
    let or_same = |old: &str, new: String| if old == new { "=".to_owned() } else { new };
    let old_version = subject.facts.version.clone();
    let old_platform = platform(&subject.filename.tags());
    vec![
        subject.name.to_string(),
        old_version.clone(),
        or_same(&old_version, plan.version.to_string()),
        plan.version_because.clone(),
        old_platform.clone(),
        or_same(&old_platform, platform(&plan.tags)),
        plan.tag_because.clone(),
    ]
}
