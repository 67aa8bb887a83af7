//! The targets of the document.

use std::collections::{BTreeMap, BTreeSet};

use pipe::{More, PlannedTag, TagClass, Target};

use super::grammar::COMMIT;
use super::graph::{Graph, Node};
use super::reference::{Reference, names_commit};
use super::{Point, order};
use crate::value::Value;

/// The entries of every evaluation, in build order; a target without an architecture once.
pub(crate) fn all(
    points: &[Point],
    graphs: &[Graph<'_>],
    chosen: &BTreeSet<&str>,
    noarch: &BTreeSet<String>,
) -> Vec<Target> {
    let mut targets = Vec::new();
    for (index, (point, graph)) in points.iter().zip(graphs).enumerate() {
        let steps = order::steps(graph, chosen);
        let mut here = Vec::new();
        for node in graph.nodes() {
            let name = node.target.name.as_str();
            let is_noarch = noarch.contains(name);
            if !chosen.contains(name) || (is_noarch && index > 0) {
                continue;
            }
            let architecture = point.architecture.clone().filter(|_| !is_noarch);
            here.push(entry(
                graph,
                node,
                architecture,
                steps.get(name).copied().unwrap_or(0),
            ));
        }
        here.sort_by_key(|target| target.step);
        targets.extend(here);
    }
    targets
}

fn entry(graph: &Graph<'_>, node: &Node<'_>, architecture: Option<String>, step: u64) -> Target {
    let target = node.target;
    let map = |name: &str| -> BTreeMap<String, String> {
        let members = target.map(name).into_iter();
        members
            .map(|(key, placed)| (key.to_owned(), placed.value.to_owned()))
            .collect()
    };
    let mut tags: Vec<PlannedTag> = target
        .tags()
        .into_iter()
        .map(|tag| planned(graph, tag))
        .collect();
    tags.sort_by_key(|tag| tag.class);
    let repository = tags
        .first()
        .map_or("", |tag| Reference::split(&tag.reference).repository);
    let below = repository.strip_prefix(&graph.registry).and_then(|rest| {
        rest.strip_prefix('/')
            .or(graph.registry.is_empty().then_some(rest))
    });
    Target {
        name: target.name.clone(),
        repository: below.unwrap_or(repository).to_owned(),
        dockerfile: target.dockerfile().map(str::to_owned),
        stage: target.stage().map(str::to_owned),
        architecture,
        groups: graph.bake.groups_of(&target.name),
        step,
        from: node.from.iter().cloned().collect(),
        args: map("args"),
        contexts: map("contexts"),
        needs_published: node.needs.iter().cloned().collect(),
        caches: caches(node),
        tags,
        more: More::new(),
    }
}

fn planned(graph: &Graph<'_>, text: &str) -> PlannedTag {
    let Reference { repository, tag } = Reference::split(text);
    PlannedTag {
        reference: format!("{repository}:{tag}"),
        tag: tag.to_owned(),
        class: class(graph, tag),
    }
}

/// What a tag promises. A suffix behind `latest` makes it no version.
pub(crate) fn class(graph: &Graph<'_>, tag: &str) -> TagClass {
    if tag == "latest" || tag.starts_with("latest-") {
        return TagClass::Latest;
    }
    let commit = match graph.bake.variables.get(COMMIT) {
        Some(Value::Text(commit)) if !commit.is_empty() => Some(format!("-g{commit}")),
        _ => None,
    };
    if names_commit(tag) || commit.is_some_and(|end| tag.ends_with(&end)) {
        TagClass::Immutable
    } else {
        TagClass::Versioned
    }
}

/// The registry caches that it writes.
fn caches(node: &Node<'_>) -> Vec<String> {
    let mut caches: Vec<String> = node
        .target
        .list("cache-to")
        .iter()
        .filter_map(|placed| {
            let entry = placed.value;
            let field = |key: &str| {
                entry
                    .split(',')
                    .find_map(|part| part.strip_prefix(key)?.strip_prefix('='))
            };
            match field("type") {
                Some("registry") => field("ref").map(str::to_owned),
                // Short for the type registry.
                None if !entry.contains('=') => Some(entry.to_owned()),
                _ => None,
            }
        })
        .collect();
    caches.sort();
    caches.dedup();
    caches
}
