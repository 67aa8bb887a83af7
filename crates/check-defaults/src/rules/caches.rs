//! What `make clean-cache` removes are cache repositories of the bake file: all of them, or those that are declared. And a
//! cache that is read is written.

use std::collections::{BTreeMap, BTreeSet};

use crate::repository::{Place, Report, Repository};

const RULE: &str = "clean-cache";
const SOURCE: &str = "cache-source";
const VARIABLE: &str = "CLEAN_CACHES";

pub(crate) fn check(repository: &Repository, report: &mut Report) {
    let caches = written(repository);
    read_and_written(repository, &caches, report);
    let at = repository.in_make(VARIABLE);
    let Some(words) = repository.make_words(VARIABLE) else {
        let message = format!(
            "{VARIABLE} is not assigned, and the targets write {} cache repositories",
            caches.len()
        );
        report.finding(
            RULE,
            &at,
            None,
            message,
            format!("assign {VARIABLE} the repositories that clean-cache removes"),
        );
        return;
    };
    let cleaned: BTreeSet<&str> = words.iter().copied().collect();
    let declared = declared(repository, &caches);
    for name in &cleaned {
        report.count(RULE);
        if let Some((_, place)) = declared
            .iter()
            .next()
            .filter(|_| !declared.contains_key(name))
        {
            let message = format!("clean-cache removes `{name}`, which is not declared");
            let fix = format!(
                "remove it from {VARIABLE}, or declare it under [caches] in {}",
                repository.config_file
            );
            report.finding(RULE, &at, Some(place), message, fix);
        }
        if !caches.contains_key(name) {
            let message =
                format!("clean-cache removes `{name}`, which no target of the bake file writes");
            report.finding(
                RULE,
                &at,
                Some(&repository.in_bake(1)),
                message,
                "remove it, or name a cache that is written".to_owned(),
            );
        }
    }
    for (name, place) in declared {
        if !cleaned.contains(name) {
            let message = format!("clean-cache does not remove `{name}`");
            let fix = format!(
                "add it to {VARIABLE}, or declare under [caches] in {} which are cleaned, and why",
                repository.config_file
            );
            report.finding(RULE, &at, Some(&place), message, fix);
        }
    }
}

/// Every cache repository that a target writes, with the line of the first that does.
fn written(repository: &Repository) -> BTreeMap<&str, u64> {
    let mut caches = BTreeMap::new();
    for cache in repository
        .bake
        .targets
        .values()
        .flat_map(|target| &target.cache_to)
    {
        if let Some(name) = name(repository, &cache.value) {
            caches.entry(name).or_insert(cache.line);
        }
    }
    caches
}

/// The repository in `type=registry,ref=…`; none where it is not one of ours.
fn name<'a>(repository: &Repository, cache: &'a str) -> Option<&'a str> {
    repository.repository_of(
        cache
            .split(',')
            .find_map(|field| field.strip_prefix("ref="))?,
    )
}

/// A cache that is read and that nobody writes is a name gone wrong: the build is slow, and says nothing.
fn read_and_written(repository: &Repository, caches: &BTreeMap<&str, u64>, report: &mut Report) {
    for (target, cache) in repository
        .bake
        .targets
        .iter()
        .flat_map(|(name, target)| target.cache_from.iter().map(move |cache| (name, cache)))
    {
        if let Some(name) = name(repository, &cache.value) {
            report.count(SOURCE);
            if !caches.contains_key(name) {
                let message = format!(
                    "the target `{target}` reads the cache `{name}`, which no target writes"
                );
                report.finding(
                    SOURCE,
                    &repository.in_bake(cache.line),
                    None,
                    message,
                    "name a cache that is written".to_owned(),
                );
            }
        }
    }
}

/// What is to be cleaned, and where that is said.
fn declared<'a>(
    repository: &'a Repository,
    caches: &BTreeMap<&'a str, u64>,
) -> BTreeMap<&'a str, Place> {
    let cleaned = &repository.config.caches.cleaned;
    if cleaned.is_empty() {
        return caches
            .iter()
            .map(|(name, line)| (*name, repository.in_bake(*line)))
            .collect();
    }
    let text = std::fs::read_to_string(&repository.config_file).unwrap_or_default();
    let line = (1..)
        .zip(text.lines())
        .find(|(_, line)| line.trim_start().starts_with("cleaned"))
        .map_or(1, |(number, _)| number);
    cleaned
        .iter()
        .map(|name| {
            (
                name.as_str(),
                Place {
                    file: repository.config_file.clone(),
                    line,
                },
            )
        })
        .collect()
}
