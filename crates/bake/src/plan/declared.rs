//! What `[tags]` of `rocm-bake.toml` takes as intended, and what of it no longer applies.

use std::collections::BTreeSet;

use pipe::{PlanFinding, Tags};

use super::change::Change;
use super::graph::Graph;
use super::variation::Variation;
use super::{ARCH, finding};
use crate::plan::reference::Reference;

/// Stands for every target.
const EVERY: &str = "*";

/// The declarations, and which of them were needed.
pub(crate) struct Declared<'t> {
    tags: &'t Tags,
    targets: BTreeSet<String>,
    variables: BTreeSet<String>,
    /// Tags that are published, to find floating ones that are not.
    published: BTreeSet<String>,
    used_noarch: BTreeSet<String>,
    used_ignores: BTreeSet<(usize, String)>,
}

impl<'t> Declared<'t> {
    pub(crate) fn new(tags: &'t Tags, graph: &Graph<'_>) -> Self {
        let all = graph.nodes().flat_map(|node| node.target.tags());
        Self {
            tags,
            targets: graph.nodes().map(|node| node.target.name.clone()).collect(),
            variables: graph.bake.variables.keys().cloned().collect(),
            published: all
                .map(|tag| Reference::split(tag).tag.to_owned())
                .collect(),
            used_noarch: BTreeSet::new(),
            used_ignores: BTreeSet::new(),
        }
    }

    /// Whether a tag moves by design.
    pub(crate) fn floats(&self, tag: &str) -> bool {
        self.tags.floating.contains_key(tag)
    }

    /// Whether it is declared that `target`'s tag does not name `variable`; notes that it was needed.
    pub(crate) fn ignores(&mut self, target: &str, variable: &str) -> bool {
        let mut found = false;
        if variable == ARCH && self.tags.noarch.contains_key(target) {
            self.used_noarch.insert(target.to_owned());
            found = true;
        }
        for (index, ignore) in self.tags.ignores.iter().enumerate() {
            for named in &ignore.targets {
                if ignore.variable == variable && (named == target || named == EVERY) {
                    self.used_ignores.insert((index, named.clone()));
                    found = true;
                }
            }
        }
        found
    }

    /// Declarations that nothing needed.
    pub(crate) fn stale(&self) -> Vec<PlanFinding> {
        let mut findings = Vec::new();
        let mut add = |target: &str, message: String| {
            let message = format!("{message}; remove the declaration from rocm-bake.toml");
            findings.push(finding("stale-declaration", target, message, []));
        };
        for target in self.tags.noarch.keys() {
            if !self.targets.contains(target) {
                add(
                    target,
                    format!("`{target}` is declared noarch, and there is no such target"),
                );
            } else if !self.used_noarch.contains(target) {
                let what =
                    "and either its tag names the architecture or nothing in it depends on that";
                add(target, format!("it is declared noarch, {what}"));
            }
        }
        for tag in self.tags.floating.keys() {
            if !self.published.contains(tag) {
                add(
                    EVERY,
                    format!("the tag `{tag}` is declared floating, and no target publishes it"),
                );
            }
        }
        for (index, ignore) in self.tags.ignores.iter().enumerate() {
            let variable = &ignore.variable;
            for named in &ignore.targets {
                if self.used_ignores.contains(&(index, named.clone())) {
                    continue;
                }
                let what = format!("its tag is declared to ignore `{variable}`");
                if named != EVERY && !self.targets.contains(named) {
                    add(named, format!("{what}, and there is no such target"));
                } else if !self.variables.contains(variable) {
                    add(named, format!("{what}, and there is no such variable"));
                } else {
                    add(
                        named,
                        format!("{what}, which does not reach it or is named by the tag"),
                    );
                }
            }
        }
        findings.extend(self.without_reason());
        findings
    }

    fn without_reason(&self) -> Vec<PlanFinding> {
        let mut findings = Vec::new();
        let mut add = |target: &str, what: &str| {
            let message = format!(
                "the declaration for `{what}` gives no reason; say why the tag need not name it"
            );
            findings.push(finding("declaration-reason", target, message, []));
        };
        let is_empty = |reason: &str| reason.trim().is_empty();
        for (target, _) in self
            .tags
            .noarch
            .iter()
            .filter(|(_, reason)| is_empty(reason))
        {
            add(target, ARCH);
        }
        for (tag, _) in self
            .tags
            .floating
            .iter()
            .filter(|(_, reason)| is_empty(reason))
        {
            add(EVERY, tag);
        }
        for ignore in self
            .tags
            .ignores
            .iter()
            .filter(|ignore| is_empty(&ignore.reason))
        {
            for target in &ignore.targets {
                add(target, &ignore.variable);
            }
        }
        findings
    }

    /// Targets for which there is no architecture: declared, or neither their bytes nor their tags
    /// depend on it.
    pub(crate) fn noarch(
        &self,
        graph: &Graph<'_>,
        variations: &[(&Variation, Graph<'_>)],
    ) -> BTreeSet<String> {
        let mut noarch: BTreeSet<String> = self.tags.noarch.keys().cloned().collect();
        let other = variations
            .iter()
            .find(|(variation, _)| variation.variable == ARCH);
        let Some((_, other)) = other else {
            noarch.extend(self.targets.iter().cloned());
            return noarch;
        };
        let mut change = Change::new(graph, other);
        for node in graph.nodes() {
            let name = &node.target.name;
            let same_tags = other
                .node(name)
                .is_some_and(|o| o.target.tags() == node.target.tags());
            if same_tags && !change.reaches(name) {
                noarch.insert(name.clone());
            }
        }
        noarch
    }
}
