//! One tag pushed twice: by two targets, or by one target for two architectures.

use std::collections::BTreeMap;

use pipe::PlanFinding;

use super::change::Change;
use super::declared::Declared;
use super::graph::Graph;
use super::reference::Reference;
use super::{ARCH, Point, finding};

pub(crate) fn check(
    points: &[Point],
    graphs: &[Graph<'_>],
    declared: &mut Declared<'_>,
    findings: &mut Vec<PlanFinding>,
) {
    // Every push of a tag: in which evaluation, by which target.
    let mut pushes: BTreeMap<String, Vec<(usize, &str)>> = BTreeMap::new();
    for (index, graph) in graphs.iter().enumerate() {
        for node in graph.nodes() {
            for tag in node.target.tags() {
                let Reference { repository, tag } = Reference::split(tag);
                let reference = format!("{repository}:{tag}");
                pushes
                    .entry(reference)
                    .or_default()
                    .push((index, &node.target.name));
            }
        }
    }
    let below = |reference: &str, graph: &Graph<'_>| {
        let short = reference
            .strip_prefix(&graph.registry)
            .map(|rest| rest.trim_start_matches('/'));
        short.unwrap_or(reference).to_owned()
    };
    for (reference, pushed) in &pushes {
        let Some(((index, first), rest)) = pushed.split_first() else {
            continue;
        };
        let Some(graph) = graphs.get(*index) else {
            continue;
        };
        let short = below(reference, graph);
        if let Some((_, other)) = rest.iter().find(|(_, target)| target != first) {
            let message = format!(
                "`{first}` pushes `{short}`, too; whichever is built last wins, so give one of them another tag"
            );
            findings.push(finding(
                "tag-collision",
                other,
                message,
                [("tag", reference.clone())],
            ));
            continue;
        }
        if declared.floats(Reference::split(reference).tag) {
            continue;
        }
        let differs = rest.iter().find_map(|(other, _)| {
            let mut change = Change::new(graph, graphs.get(*other)?);
            change
                .reaches(first)
                .then(|| (*other, change.way(first).join(" -> ")))
        });
        let Some((other, way)) = differs else {
            continue;
        };
        if declared.ignores(first, ARCH) {
            continue;
        }
        let name = |index: usize| {
            let point = points
                .get(index)
                .and_then(|point| point.architecture.as_deref());
            point.unwrap_or("?").to_owned()
        };
        let message = format!(
            "{} and {} both push `{short}`, and what is in it differs: {way}; name `{ARCH}` in the tag, or declare in rocm-bake.toml, [tags], that it is noarch or floating",
            name(*index),
            name(other)
        );
        let more = [("tag", reference.clone()), ("path", way)];
        findings.push(finding("tag-collision-arch", first, message, more));
    }
}
