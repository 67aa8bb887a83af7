//! The groups that make and people build are there, and every member can be published.

use crate::repository::{Report, Repository};

const RULE: &str = "group-member";
/// The groups that recipes and pages name.
const GROUPS: [&str; 3] = ["default", "wheels", "serving"];

pub(crate) fn check(repository: &Repository, report: &mut Report) {
    for name in GROUPS {
        if !repository.bake.groups.contains_key(name) {
            let message = format!("there is no group `{name}`");
            let fix = format!("add it: group \"{name}\" {{ targets = [...] }}");
            report.finding(RULE, &repository.in_bake(1), None, message, fix);
        }
    }
    // Whether a member is there bake says itself, and refuses the file where it is not.
    for member in repository
        .bake
        .groups
        .values()
        .flat_map(|group| &group.value)
    {
        report.count(RULE);
        let is_empty = repository
            .bake
            .targets
            .get(&member.name)
            .is_some_and(|target| target.tags.is_empty());
        if is_empty {
            let message = format!(
                "`{}` is in a group and has no tag, so pushing the group fails",
                member.name
            );
            let fix = "give the target its tags, or take it out of the group".to_owned();
            report.finding(RULE, &repository.in_bake(member.line), None, message, fix);
        }
    }
}
