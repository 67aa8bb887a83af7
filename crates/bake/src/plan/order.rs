//! The order to build in, and what must be published before a group is built.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::{Graph, Via};

/// The step of each target among `names`, from 1: one more than the latest step that it is made from.
pub(crate) fn steps<'a>(graph: &'a Graph<'_>, names: &BTreeSet<&str>) -> BTreeMap<&'a str, u64> {
    let mut steps = BTreeMap::new();
    for node in graph.nodes() {
        let name = node.target.name.as_str();
        if names.contains(name) {
            step(graph, names, name, &mut steps, &mut Vec::new());
        }
    }
    steps
}

fn step<'a>(
    graph: &'a Graph<'_>,
    names: &BTreeSet<&str>,
    name: &'a str,
    steps: &mut BTreeMap<&'a str, u64>,
    open: &mut Vec<&'a str>,
) -> u64 {
    if let Some(known) = steps.get(name) {
        return *known;
    }
    // In a circle nothing comes first; the finding about it says so.
    if open.contains(&name) || open.len() > 200 {
        return 0;
    }
    open.push(name);
    let mut latest = 0;
    for edge in graph
        .node(name)
        .map(|node| node.edges.as_slice())
        .unwrap_or_default()
    {
        if names.contains(edge.to) && edge.to != name {
            latest = latest.max(step(graph, names, edge.to, steps, open));
        }
    }
    open.pop();
    steps.insert(name, latest + 1);
    latest + 1
}

/// What must be published before `group` is built: what its members need, but for what the group
/// itself publishes in an earlier step.
pub(crate) fn needs(graph: &Graph<'_>, group: &str) -> Vec<String> {
    let members = graph.bake.members(group).unwrap_or_default();
    let names: BTreeSet<&str> = members.iter().map(|target| target.name.as_str()).collect();
    let mut needed = BTreeSet::new();
    for name in &names {
        let Some(node) = graph.node(name) else {
            continue;
        };
        let own: BTreeSet<&str> = node
            .edges
            .iter()
            .filter(|edge| names.contains(edge.to))
            .filter_map(|edge| graph.node(edge.to))
            .flat_map(|below| below.target.tags())
            .collect();
        needed.extend(
            node.needs
                .iter()
                .filter(|image| !own.contains(image.as_str()))
                .cloned(),
        );
    }
    needed.into_iter().collect()
}

/// Targets that are made from one another in a circle.
pub(crate) fn circle(graph: &Graph<'_>) -> Option<Vec<String>> {
    let mut done = BTreeSet::new();
    for node in graph.nodes() {
        let mut path = Vec::new();
        if let Some(found) = search(graph, &node.target.name, &mut path, &mut done) {
            return Some(found);
        }
    }
    None
}

fn search<'a>(
    graph: &'a Graph<'_>,
    name: &'a str,
    path: &mut Vec<&'a str>,
    done: &mut BTreeSet<&'a str>,
) -> Option<Vec<String>> {
    if done.contains(name) || path.len() > 200 {
        return None;
    }
    if let Some(start) = path.iter().position(|known| *known == name) {
        let circle = path[start..].iter().chain([&name]);
        return Some(circle.map(|name| (*name).to_owned()).collect());
    }
    path.push(name);
    for edge in graph
        .node(name)
        .map(|node| node.edges.as_slice())
        .unwrap_or_default()
    {
        if edge.via != Via::Stage
            && let Some(found) = search(graph, edge.to, path, done)
        {
            return Some(found);
        }
    }
    path.pop();
    done.insert(name);
    None
}
