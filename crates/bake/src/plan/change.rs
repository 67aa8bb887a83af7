//! What differs in a target's bytes between two environments, and by which way.

use std::collections::BTreeMap;

use super::graph::{Edge, Graph, Input, Node, Via};

/// Two environments of one file, compared.
pub(crate) struct Change<'g, 'a> {
    before: &'g Graph<'a>,
    after: &'g Graph<'a>,
    /// Whether a target's bytes differ; `None` while it is being found out.
    known: BTreeMap<String, Option<bool>>,
    ways: BTreeMap<String, Vec<String>>,
    depth: usize,
}

/// A chain of targets longer than this is taken for changed: nobody builds one, and the stack is finite.
const LONGEST_CHAIN: usize = 500;

impl<'g, 'a> Change<'g, 'a> {
    pub(crate) fn new(before: &'g Graph<'a>, after: &'g Graph<'a>) -> Self {
        Self {
            before,
            after,
            known: BTreeMap::new(),
            ways: BTreeMap::new(),
            depth: 0,
        }
    }

    /// Whether what `target` is made from differs.
    pub(crate) fn reaches(&mut self, target: &str) -> bool {
        match self.known.get(target) {
            Some(known) => return known.unwrap_or(false),
            None => self.known.insert(target.to_owned(), None),
        };
        self.depth += 1;
        let differs = self.depth > LONGEST_CHAIN || self.differs(target);
        self.depth -= 1;
        self.known.insert(target.to_owned(), Some(differs));
        differs
    }

    fn differs(&mut self, target: &str) -> bool {
        let (Some(before), Some(after)) = (self.before.node(target), self.after.node(target))
        else {
            // A target that is there in one of them only, by a matrix over a variable.
            return true;
        };
        before.inputs != after.inputs
            || before.from != after.from
            || self.below(target).iter().any(|below| self.reaches(below))
    }

    /// The targets that `target` is made from.
    fn below(&self, target: &str) -> Vec<String> {
        let edges = self.before.node(target).map(|node| node.edges.as_slice());
        edges
            .unwrap_or_default()
            .iter()
            .filter(|edge| edge.counts)
            .map(|edge| edge.to.to_owned())
            .collect()
    }

    /// The shortest way by which the change comes to `target`, a step each.
    pub(crate) fn way(&mut self, target: &str) -> Vec<String> {
        if let Some(known) = self.ways.get(target) {
            return known.clone();
        }
        // In a circle the way is found from the other side.
        self.ways.insert(target.to_owned(), Vec::new());
        let way = self.find_way(target).unwrap_or_default();
        self.ways.insert(target.to_owned(), way.clone());
        way
    }

    fn find_way(&mut self, target: &str) -> Option<Vec<String>> {
        let (Some(before), Some(after)) = (self.before.node(target), self.after.node(target))
        else {
            return Some(vec![format!("target {target}")]);
        };
        let changed: Vec<&Input> = before
            .inputs
            .keys()
            .chain(after.inputs.keys())
            .filter(|input| before.inputs.get(input) != after.inputs.get(input))
            .collect();
        // Where the change enters by itself is nearer than what it changed elsewhere.
        if let Some(input) = changed.iter().find(|input| !names_a_target(before, input)) {
            return Some(vec![entry(before, input)]);
        }
        let through: Vec<&Edge<'_>> = before.edges.iter().filter(|edge| edge.counts).collect();
        let mut ways = Vec::new();
        for edge in through {
            if self.reaches(edge.to) {
                let mut way = self.way(edge.to);
                way.push(passage(before, edge));
                ways.push(way);
            }
        }
        let shortest = ways.into_iter().min_by_key(Vec::len);
        shortest.or_else(|| Some(vec![entry(before, changed.first()?)]))
    }
}

/// Whether an input is the reference of a target that this one is made from.
fn names_a_target(node: &Node<'_>, input: &Input) -> bool {
    node.edges.iter().any(|edge| match (&edge.via, input) {
        (Via::Argument(a), Input::Argument(b)) | (Via::Context(a), Input::Context(b)) => a == b,
        _ => false,
    })
}

/// `argument REF of pytorch (docker/Dockerfile.pytorch:20, stage clone, COPY into source)`
fn entry(node: &Node<'_>, input: &Input) -> String {
    let target = &node.target.name;
    match input {
        Input::Argument(name) => {
            let route = node.route(name).map(|route| format!(" ({route})"));
            format!("argument {name} of {target}{}", route.unwrap_or_default())
        }
        Input::Context(name) => format!("context {name} of {target}"),
        Input::Attribute(name) => format!("`{name}` of {target}"),
    }
}

/// `vllm (FROM pytorch by argument PYTORCH_IMAGE, docker/Dockerfile.vllm:12, stage build)`
fn passage(node: &Node<'_>, edge: &Edge<'_>) -> String {
    let (target, to) = (&node.target.name, edge.to);
    match &edge.via {
        Via::Argument(name) => {
            let route = node.route(name).map(|route| format!(", {route}"));
            format!(
                "{target} (FROM {to} by argument {name}{})",
                route.unwrap_or_default()
            )
        }
        Via::Context(name) => format!("{target} (FROM {to} by context {name})"),
        Via::Link(name) => format!("{target} (FROM {to} by link {name})"),
        Via::File | Via::Stage => format!("{target} (FROM {to} by its Dockerfile)"),
    }
}
