//! `WHEEL_REPOS` is what the bake group `wheels` publishes, as a set.

use std::collections::{BTreeMap, BTreeSet};

use crate::repository::{Report, Repository};

const RULE: &str = "wheel-repos";
const VARIABLE: &str = "WHEEL_REPOS";
const GROUP: &str = "wheels";

pub(crate) fn check(repository: &Repository, report: &mut Report) {
    // That the group is there is another rule's.
    let Some(group) = repository.bake.groups.get(GROUP) else {
        return;
    };
    let at = repository.in_make(VARIABLE);
    let other = repository.in_bake(group.line);
    let Some(words) = repository.make_words(VARIABLE) else {
        let message = format!(
            "{VARIABLE} is not assigned, and the bake group `{GROUP}` has {} members",
            group.value.len()
        );
        report.finding(
            RULE,
            &at,
            Some(&other),
            message,
            format!("assign {VARIABLE} the repositories of the group"),
        );
        return;
    };

    // Target to repository: the names need not be the same.
    let mut published: BTreeMap<&str, u64> = BTreeMap::new();
    for target in group
        .value
        .iter()
        .filter_map(|member| repository.bake.targets.get(&member.name))
    {
        for tag in &target.tags {
            if let Some(name) = repository.repository_of(tag) {
                published.entry(name).or_insert(target.line);
            }
        }
    }
    let mut seen = BTreeSet::new();
    for word in &words {
        report.count(RULE);
        if !seen.insert(*word) {
            report.finding(
                RULE,
                &at,
                Some(&other),
                format!("{VARIABLE} names `{word}` twice"),
                "remove one".to_owned(),
            );
        } else if !published.contains_key(word) {
            let message = format!(
                "{VARIABLE} names `{word}`, which no member of the bake group `{GROUP}` publishes"
            );
            report.finding(
                RULE,
                &at,
                Some(&other),
                message,
                format!("remove it, or add its target to the group `{GROUP}`"),
            );
        }
    }
    for (name, line) in published {
        if !seen.contains(name) {
            let message =
                format!("{VARIABLE} lacks `{name}`, which the bake group `{GROUP}` publishes");
            report.finding(
                RULE,
                &at,
                Some(&repository.in_bake(line)),
                message,
                format!("add `{name}` to {VARIABLE}"),
            );
        }
    }
    let mut members = BTreeSet::new();
    for member in &group.value {
        if !members.insert(&member.name) {
            let message = format!("the bake group `{GROUP}` names `{}` twice", member.name);
            let at = repository.in_bake(member.line);
            report.finding(
                RULE,
                &at,
                Some(&repository.in_make(VARIABLE)),
                message,
                "remove one".to_owned(),
            );
        }
    }
}
