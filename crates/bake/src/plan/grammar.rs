//! What a registry would not take, and tags with a hole in them; each with the variable to blame.

use pipe::PlanFinding;

use super::finding;
use super::graph::Graph;
use super::reference::{LONGEST_TAG, Reference, is_commit};
use super::variation::Variation;
use crate::value::Value;

/// The variable whose value ends the tag of one commit.
pub(crate) const COMMIT: &str = "VCS_REF";

pub(crate) fn check(
    graph: &Graph<'_>,
    variations: &[(&Variation, Graph<'_>)],
    findings: &mut Vec<PlanFinding>,
) {
    let checker = Checker { graph, variations };
    for node in graph.nodes() {
        let name = node.target.name.as_str();
        for (position, text) in node.target.tags().into_iter().enumerate() {
            let reference = Reference::split(text);
            let Reference { repository, tag } = reference;
            let has_gap = repository.starts_with('/') || repository.contains("//");
            if has_gap && let Some(blamed) = checker.blame(name, position, str::is_empty) {
                let message = format!(
                    "`{blamed}` is empty and leaves a hole in the repository `{repository}`; give it a value"
                );
                findings.push(finding("tag-hole", name, message, more(Some(blamed))));
            } else if let Some(fault) = reference.fault_in_repository() {
                let blamed = checker.blame(name, position, |value| {
                    repository.contains(value) && value.chars().any(|c| !is_plain(c))
                });
                let message = format!("the repository `{repository}` {fault}{}", told(blamed));
                findings.push(finding("tag-grammar", name, message, more(blamed)));
            }
            if has_hole(tag)
                && let Some(blamed) = checker.blame(name, position, str::is_empty)
            {
                let message = format!(
                    "`{blamed}` is empty and leaves a hole in the tag `{tag}`; give it a value"
                );
                findings.push(finding("tag-hole", name, message, more(Some(blamed))));
            } else if tag.is_empty() {
                let message = format!("`{text}` has no tag behind its colon");
                findings.push(finding("tag-grammar", name, message, more(None)));
            } else if let Some(bad) = reference.bad_in_tag() {
                let blamed = checker.blame(name, position, |value| value.contains(bad));
                let message = format!(
                    "the tag `{tag}` has `{bad}`, which no registry takes there{}",
                    told(blamed)
                );
                findings.push(finding("tag-grammar", name, message, more(blamed)));
            }
            let length = tag.chars().count();
            if length > LONGEST_TAG {
                let blamed = checker.longest(name, position);
                let message = format!(
                    "the tag `{tag}` has {length} characters, and {LONGEST_TAG} are the most{}",
                    told(blamed)
                );
                findings.push(finding("tag-length", name, message, more(blamed)));
            }
        }
    }
    checker.commit(findings);
}

fn is_plain(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-' | '/' | ':')
}

/// Nothing between two separators, or before the first, or behind the last.
fn has_hole(tag: &str) -> bool {
    tag.is_empty() || tag.contains("--") || tag.starts_with(['-', '.']) || tag.ends_with(['-', '.'])
}

fn told(blamed: Option<&str>) -> String {
    blamed.map_or_else(String::new, |variable| {
        format!("; it comes from `{variable}`")
    })
}

fn more(blamed: Option<&str>) -> [(&'static str, String); 1] {
    [("variable", blamed.unwrap_or_default().to_owned())]
}

struct Checker<'c, 'a> {
    graph: &'c Graph<'a>,
    variations: &'c [(&'c Variation, Graph<'a>)],
}

impl<'c> Checker<'c, '_> {
    /// Variables with which a tag changes, and their values.
    fn shaping(&self, target: &str, position: usize) -> Vec<(&'c str, String)> {
        let tag_in = |graph: &Graph<'_>| {
            let node = graph.node(target)?;
            node.target
                .tags()
                .get(position)
                .map(|tag| (*tag).to_owned())
        };
        let now = tag_in(self.graph);
        let shapes = move |graph: &Graph<'_>| tag_in(graph) != now;
        let mut found = Vec::new();
        for (variation, graph) in self.variations {
            if shapes(graph) {
                let value = self.graph.bake.variables.get(&variation.variable);
                let text = value
                    .and_then(|value| value.to_text().ok())
                    .unwrap_or_default();
                found.push((variation.variable.as_str(), text));
            }
        }
        found
    }

    fn blame(&self, target: &str, position: usize, fits: impl Fn(&str) -> bool) -> Option<&'c str> {
        self.shaping(target, position)
            .into_iter()
            .find(|(_, value)| fits(value))
            .map(|(variable, _)| variable)
    }

    fn longest(&self, target: &str, position: usize) -> Option<&'c str> {
        self.shaping(target, position)
            .into_iter()
            .max_by_key(|(_, value)| value.len())
            .map(|(variable, _)| variable)
    }

    /// A commit that is none makes a tag that cannot be told from a version.
    fn commit(&self, findings: &mut Vec<PlanFinding>) {
        let Some(Value::Text(commit)) = self.graph.bake.variables.get(COMMIT) else {
            return;
        };
        if commit.is_empty() || is_commit(commit) {
            return;
        }
        let end = format!("-g{commit}");
        for node in self.graph.nodes() {
            if let Some(tag) = node.target.tags().iter().find(|tag| tag.ends_with(&end)) {
                let tag = Reference::split(tag).tag;
                let message = format!(
                    "`{COMMIT}` is `{commit}`, and the tag `{tag}` cannot be told from a version; give 7 to 40 lower-case hex digits"
                );
                let more = [("variable", COMMIT.to_owned())];
                findings.push(finding("tag-commit", &node.target.name, message, more));
            }
        }
    }
}
