//! What the Makefile hands to buildx are the variables of the bake file, all that it assigns.

use std::collections::BTreeSet;

use crate::repository::{Report, Repository};

const RULE: &str = "exported";
const VARIABLE: &str = "BAKE_VARIABLES";

pub(crate) fn check(repository: &Repository, report: &mut Report) {
    // A Makefile without the list hands on nothing but what it was given, and that is its choice.
    let Some(words) = repository.make_words(VARIABLE) else {
        return;
    };
    let at = repository.in_make(VARIABLE);
    let exported: BTreeSet<&str> = words.into_iter().collect();
    for name in &exported {
        report.count(RULE);
        if !repository.bake.variables.contains_key(*name) {
            let message = format!("{VARIABLE} names {name}, which is no variable of the bake file");
            let other = repository.in_bake(1);
            report.finding(RULE, &at, Some(&other), message, "remove it".to_owned());
        }
    }
    for (name, variable) in &repository.bake.variables {
        if repository.make.contains_key(name) && !exported.contains(name.as_str()) {
            let message = format!(
                "the Makefile assigns {name}, and does not hand it to buildx, which takes its own default"
            );
            let other = repository.in_bake(variable.line);
            let fix = format!("add {name} to {VARIABLE}");
            report.finding(RULE, &repository.in_make(name), Some(&other), message, fix);
        }
    }
}
