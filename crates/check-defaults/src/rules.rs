//! The rules, one file for each kind of copy.

mod arguments;
mod caches;
mod default_value;
mod exported;
mod groups;
mod literal_version;
mod pages;
mod pins;
mod sources;
mod targets;
mod wheel_repos;

use crate::repository::{Report, Repository};

/// Runs every rule.
pub(crate) fn check(repository: &Repository) -> Report {
    let mut report = Report::default();
    for rule in [
        wheel_repos::check,
        default_value::check,
        exported::check,
        groups::check,
        targets::check,
        sources::check,
        arguments::check,
        literal_version::check,
        pins::check,
        caches::check,
        pages::check,
    ] {
        rule(repository, &mut report);
    }
    report
}
