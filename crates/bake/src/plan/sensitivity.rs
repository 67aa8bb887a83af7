//! The matrix of variables and targets: what reaches a target must be named by its versioned tag, or
//! the next build overwrites an image that is something else.

use std::collections::BTreeSet;

use pipe::{PlanFinding, TagClass};

use super::change::Change;
use super::declared::Declared;
use super::graph::{Graph, Node};
use super::reference::Reference;
use super::target::class;
use super::variation::Variation;
use super::{ARCH, finding};

/// One graph per architecture, and for each the graphs with one variable changed.
pub(crate) fn check(
    graphs: &[Graph<'_>],
    compared: &[Vec<(&Variation, Graph<'_>)>],
    declared: &mut Declared<'_>,
    findings: &mut Vec<PlanFinding>,
) {
    let mut told = BTreeSet::new();
    for (graph, variations) in graphs.iter().zip(compared) {
        for (variation, other) in variations {
            let variable = variation.variable.as_str();
            let mut change = Change::new(graph, other);
            for node in graph.nodes() {
                let name = &node.target.name;
                let Some(tag) = unchanged(node, other, graph, declared) else {
                    continue;
                };
                if !change.reaches(name) || declared.ignores(name, variable) {
                    continue;
                }
                // Where several architectures are planned, the plan itself shows what they share.
                if variable == ARCH && graphs.len() > 1 {
                    continue;
                }
                if told.insert((name.clone(), variable.to_owned())) {
                    findings.push(hole(name, variable, &tag, &change.way(name)));
                }
            }
        }
    }
}

fn hole(target: &str, variable: &str, tag: &str, way: &[String]) -> PlanFinding {
    let way = way.join(" -> ");
    let message = format!(
        "`{variable}` reaches it, and its tag `{tag}` stays the same: {way}; name it in the tag, or declare it in rocm-bake.toml, [tags] ignores"
    );
    let more = [("variable", variable.to_owned()), ("path", way)];
    finding("tag-ignores", target, message, more)
}

/// A versioned tag that a target publishes in both.
fn unchanged(
    node: &Node<'_>,
    other: &Graph<'_>,
    graph: &Graph<'_>,
    declared: &Declared<'_>,
) -> Option<String> {
    let after: BTreeSet<&str> = other
        .node(&node.target.name)
        .map(|node| node.target.tags().into_iter().collect())
        .unwrap_or_default();
    node.target
        .tags()
        .into_iter()
        .filter(|tag| after.contains(tag))
        .map(|tag| Reference::split(tag).tag)
        .find(|tag| class(graph, tag) == TagClass::Versioned && !declared.floats(tag))
        .map(str::to_owned)
}
