//! What is odd about the targets themselves: untagged in a group that is pushed, linked and not
//! pushed, made from an image that nobody publishes, made from itself.

use std::collections::BTreeSet;

use pipe::{PlanFinding, TagClass};

use super::finding;
use super::graph::{Fault, Graph, Node, Via};
use super::order;
use super::reference::Reference;
use super::target::class;

pub(crate) fn check(graph: &Graph<'_>, findings: &mut Vec<PlanFinding>) {
    for node in graph.nodes() {
        faults(node, findings);
        unplanned(node, findings);
        if !node.target.tags().is_empty() {
            tags(graph, node, findings);
        }
    }
    groups(graph, findings);
    if let Some(circle) = order::circle(graph) {
        let message = format!(
            "it is made from itself: {}; no order builds it",
            circle.join(" is built FROM ")
        );
        let target = circle.first().map_or("*", String::as_str);
        findings.push(finding("build-circle", target, message, []));
    }
}

fn faults(node: &Node<'_>, findings: &mut Vec<PlanFinding>) {
    // A helper that is only inherited need not be buildable.
    if node.target.tags().is_empty() {
        return;
    }
    let name = node.target.name.as_str();
    match &node.fault {
        Some(Fault::Missing(file)) => {
            let message = format!(
                "{file} is not there, so every argument counts as used; run this where bake runs, in the folder that paths start at"
            );
            findings.push(finding("dockerfile-missing", name, message, []));
        }
        Some(Fault::NoStage { file, stage }) => {
            let message = format!("{file} has no stage `{stage}`");
            findings.push(finding("stage-missing", name, message, []));
        }
        None => {}
    }
}

/// An image of our registry that no target publishes under that tag.
fn unplanned(node: &Node<'_>, findings: &mut Vec<PlanFinding>) {
    if node.target.tags().is_empty() {
        return;
    }
    for (image, via) in &node.unplanned {
        let by = match via {
            Via::Argument(name) => format!("argument `{name}`"),
            Via::Context(name) | Via::Link(name) => format!("context `{name}`"),
            Via::File | Via::Stage => "its Dockerfile".to_owned(),
        };
        let message = format!("{by} names `{image}`, which no target publishes");
        findings.push(finding("image-unplanned", &node.target.name, message, []));
    }
}

fn tags(graph: &Graph<'_>, node: &Node<'_>, findings: &mut Vec<PlanFinding>) {
    let name = node.target.name.as_str();
    let tags = node.target.tags();
    let is_versioned = |tag: &&str| class(graph, Reference::split(tag).tag) == TagClass::Versioned;
    match tags.iter().position(is_versioned) {
        Some(0) => {}
        Some(_) => {
            let message = format!(
                "its first tag is `{}`; put the versioned one first",
                tags[0]
            );
            findings.push(finding("tag-order", name, message, []));
        }
        None => {
            let message = format!(
                "`{}` names no version, so nothing can be pinned to it",
                tags[0]
            );
            findings.push(finding("tag-unversioned", name, message, []));
        }
    }
    let registry = &graph.registry;
    let is_outside = |tag: &&&str| {
        !registry.is_empty()
            && !tag
                .strip_prefix(registry.as_str())
                .is_some_and(|rest| rest.starts_with('/'))
    };
    if let Some(tag) = tags.iter().find(is_outside) {
        let message = format!("`{tag}` is not below the plan's registry, `{registry}`");
        findings.push(finding("registry-other", name, message, []));
    }
}

/// For each group, and for each target that is in none: what happens when exactly that is pushed.
fn groups(graph: &Graph<'_>, findings: &mut Vec<PlanFinding>) {
    let mut grouped = BTreeSet::new();
    for group in &graph.bake.groups {
        let members = graph.bake.members(&group.name).unwrap_or_default();
        let names: BTreeSet<&str> = members.iter().map(|target| target.name.as_str()).collect();
        for target in &members {
            if target.tags().is_empty() && target.is_pushed() {
                let message = format!(
                    "it has no tag, and the group `{}` holds it: pushing the group fails as a whole; give it a tag, an output, or take it out",
                    group.name
                );
                findings.push(finding("untagged", &target.name, message, []));
            }
        }
        links(
            graph,
            &names,
            &format!("the group `{}`", group.name),
            findings,
        );
        grouped.extend(names);
    }
    for node in graph.nodes() {
        let name = node.target.name.as_str();
        if !grouped.contains(name) && !node.target.tags().is_empty() {
            links(
                graph,
                &BTreeSet::from([name]),
                &format!("`{name}` alone"),
                findings,
            );
        }
    }
}

/// Linked targets that are built with `members` and not pushed with them, through links of links.
fn links(graph: &Graph<'_>, members: &BTreeSet<&str>, what: &str, findings: &mut Vec<PlanFinding>) {
    let mut open: Vec<(String, String)> = members
        .iter()
        .map(|name| ((*name).to_owned(), (*name).to_owned()))
        .collect();
    let mut seen = BTreeSet::new();
    while let Some((name, asked)) = open.pop() {
        let Some(node) = graph.node(&name) else {
            continue;
        };
        for linked in node.target.links().into_values() {
            if !seen.insert((asked.clone(), linked.to_owned())) {
                continue;
            }
            open.push((linked.to_owned(), asked.clone()));
            let is_published = graph
                .node(linked)
                .is_some_and(|node| !node.target.tags().is_empty());
            if is_published && !members.contains(linked) {
                let message = format!(
                    "it is linked to `{linked}`, which {what} does not push: a build of it would stand on an image that is not the published one"
                );
                findings.push(finding(
                    "linked-not-pushed",
                    &asked,
                    message,
                    [("linked", linked.to_owned())],
                ));
            }
        }
    }
}
