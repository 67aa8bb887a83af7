//! Which target is made from what, under one environment.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::files::{Files, Found, path};
use super::reference::Reference;
use crate::bake::Bake;
use crate::dockerfile::{Dockerfile, DockerfileError, Reach};
use crate::target::Target;

/// Every target of a bake file and what it is made from.
pub(crate) struct Graph<'a> {
    pub(crate) bake: &'a Bake,
    /// Host and path that the repositories share.
    pub(crate) registry: String,
    nodes: BTreeMap<&'a str, Node<'a>>,
}

/// A target and what it is made from.
pub(crate) struct Node<'a> {
    pub(crate) target: &'a Target,
    /// What makes its bytes: only what the stage that is built can see.
    pub(crate) inputs: BTreeMap<Input, String>,
    /// The targets that it is made from.
    pub(crate) edges: Vec<Edge<'a>>,
    /// Images, `target:name` for links, `stage:name` for a target whose stage it goes through.
    pub(crate) from: BTreeSet<String>,
    /// Images of our registry that must be there before it is built.
    pub(crate) needs: BTreeSet<String>,
    /// Images of our registry that no target publishes, with what names each.
    pub(crate) unplanned: Vec<(String, Via)>,
    /// A fault of its Dockerfile that a plan can live with.
    pub(crate) fault: Option<Fault>,
    file: Option<(Rc<Dockerfile>, Reach)>,
}

/// A part of what makes a target's bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Input {
    /// A build argument.
    Argument(String),
    /// A named context.
    Context(String),
    /// Another attribute: `dockerfile`, `target`, …
    Attribute(&'static str),
}

/// How one target is made from another.
#[derive(Debug, Clone)]
pub(crate) struct Edge<'a> {
    pub(crate) to: &'a str,
    pub(crate) via: Via,
    /// Whether the bytes come from there: a stage of the same file is only built before, and a link may
    /// be one that nothing uses.
    pub(crate) counts: bool,
}

/// What names the other target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Via {
    /// `contexts = { x = "target:y" }`
    Link(String),
    /// A build argument that holds a planned reference.
    Argument(String),
    /// `contexts = { x = "docker-image://y" }`
    Context(String),
    /// A reference that is written out in the Dockerfile.
    File,
    /// A stage of the same Dockerfile: an order worth keeping, nothing more.
    Stage,
}

/// What is wrong with the Dockerfile of a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is not there.
    Missing(String),
    /// It has no such stage.
    NoStage {
        /// The file.
        file: String,
        /// The stage.
        stage: String,
    },
}

/// Attributes that change what is built. Labels and annotations describe an image, caches and outputs
/// only move it.
const BYTES: [&str; 5] = [
    "context",
    "dockerfile",
    "dockerfile-inline",
    "platforms",
    "target",
];

impl<'a> Graph<'a> {
    pub(crate) fn new(bake: &'a Bake, files: &Files) -> Result<Self, DockerfileError> {
        let registry = registry(bake);
        let known = Known {
            published: published(bake),
            registry: &registry,
        };
        let mut nodes = BTreeMap::new();
        for target in &bake.targets {
            let node = Node::new(target, files, &known)?;
            nodes.insert(target.name.as_str(), node);
        }
        let mut graph = Self {
            bake,
            registry,
            nodes,
        };
        graph.add_stage_edges();
        Ok(graph)
    }

    pub(crate) fn node(&self, name: &str) -> Option<&Node<'a>> {
        self.nodes.get(name)
    }

    pub(crate) fn nodes(&self) -> impl Iterator<Item = &Node<'a>> {
        self.bake
            .targets
            .iter()
            .filter_map(|target| self.nodes.get(target.name.as_str()))
    }

    /// A target whose stage another one goes through comes first, although nothing forces it.
    fn add_stage_edges(&mut self) {
        let mut extra: Vec<(&'a str, &'a str)> = Vec::new();
        for node in self.nodes() {
            let Some((_, reach)) = &node.file else {
                continue;
            };
            for other in self.nodes().filter(|other| !other.target.tags().is_empty()) {
                let same_file =
                    path(node.target).is_some() && path(node.target) == path(other.target);
                let start = other.start();
                if same_file
                    && node.target.name != other.target.name
                    && node.start() != start
                    && start.is_some_and(|start| reach.stages.contains(&start))
                {
                    extra.push((&node.target.name, &other.target.name));
                }
            }
        }
        for (from, to) in extra {
            if let Some(node) = self.nodes.get_mut(from) {
                node.from.insert(format!("stage:{to}"));
                node.edges.push(Edge {
                    to,
                    via: Via::Stage,
                    counts: false,
                });
            }
        }
    }
}

/// Every tag that the file publishes, and the target that does it first.
fn published(bake: &Bake) -> BTreeMap<String, &str> {
    let mut published = BTreeMap::new();
    for target in &bake.targets {
        for tag in target.tags() {
            published.entry(full(tag)).or_insert(target.name.as_str());
        }
    }
    published
}

/// A reference with its tag, and without a digest or the scheme of a context.
fn full(reference: &str) -> String {
    let reference = reference
        .strip_prefix("docker-image://")
        .unwrap_or(reference);
    let Reference { repository, tag } = Reference::split(reference);
    format!("{repository}:{tag}")
}

/// The variable REGISTRY, or else the folders that all repositories share.
fn registry(bake: &Bake) -> String {
    if let Some(crate::value::Value::Text(registry)) = bake.variables.get("REGISTRY")
        && !registry.is_empty()
    {
        return registry.trim_end_matches('/').to_owned();
    }
    let mut shared: Option<Vec<&str>> = None;
    for target in &bake.targets {
        for tag in target.tags() {
            let mut parts: Vec<&str> = Reference::split(tag).repository.split('/').collect();
            parts.pop();
            shared = Some(match shared {
                None => parts,
                Some(known) => {
                    let same = known.iter().zip(&parts).take_while(|(a, b)| a == b).count();
                    known[..same].to_vec()
                }
            });
        }
    }
    shared.unwrap_or_default().join("/")
}

impl<'a> Node<'a> {
    fn new(
        target: &'a Target,
        files: &Files,
        known: &Known<'_, 'a>,
    ) -> Result<Self, DockerfileError> {
        let args: BTreeMap<String, String> = target
            .map("args")
            .into_iter()
            .map(|(name, placed)| (name.to_owned(), placed.value.to_owned()))
            .collect();
        let contexts: BTreeMap<&str, &str> = target
            .map("contexts")
            .into_iter()
            .map(|(name, placed)| (name, placed.value))
            .collect();
        let (file, fault) = located(target, files, &args, &contexts)?;
        let mut node = Self {
            target,
            inputs: BTreeMap::new(),
            edges: Vec::new(),
            from: BTreeSet::new(),
            needs: BTreeSet::new(),
            unplanned: Vec::new(),
            fault,
            file,
        };
        for name in BYTES {
            let value = target.text(name).map(|placed| placed.value.to_owned());
            let list = || {
                target
                    .list(name)
                    .iter()
                    .map(|p| p.value)
                    .collect::<Vec<_>>()
                    .join(",")
            };
            node.inputs
                .insert(Input::Attribute(name), value.unwrap_or_else(list));
        }
        node.add_arguments(&args, known);
        node.add_contexts(&contexts, known);
        node.add_images(known);
        Ok(node)
    }

    /// Without its Dockerfile every argument counts.
    fn add_arguments(&mut self, args: &BTreeMap<String, String>, known: &Known<'_, 'a>) {
        for (name, value) in args {
            if let Some((_, reach)) = &self.file
                && !reach.args.contains(name)
            {
                continue;
            }
            self.inputs
                .insert(Input::Argument(name.clone()), value.clone());
            if known.is_ours(value) {
                self.add_image(value, Via::Argument(name.clone()), known);
            }
        }
    }

    fn add_contexts(&mut self, contexts: &BTreeMap<&str, &str>, known: &Known<'_, 'a>) {
        for (name, value) in contexts {
            let used = self
                .file
                .as_ref()
                .is_none_or(|(_, reach)| reach.contexts.contains(*name));
            if used {
                self.inputs
                    .insert(Input::Context((*name).to_owned()), (*value).to_owned());
            }
            if let Some(image) = value.strip_prefix("docker-image://").filter(|_| used) {
                self.add_image(image, Via::Context((*name).to_owned()), known);
            }
        }
        // A link is built in any case, whether the stage uses it or not.
        for (name, to) in self.target.links() {
            let counts = self.inputs.contains_key(&Input::Context(name.to_owned()));
            let via = Via::Link(name.to_owned());
            self.from.insert(format!("target:{to}"));
            self.edges.push(Edge { to, via, counts });
        }
    }

    /// Images that the Dockerfile names itself; those that an argument names are known by now.
    fn add_images(&mut self, known: &Known<'_, 'a>) {
        let Some((_, reach)) = &self.file else { return };
        for image in reach.images.keys().cloned().collect::<Vec<_>>() {
            if !self.from.contains(&full(&image)) {
                self.add_image(&image, Via::File, known);
            }
        }
    }

    fn add_image(&mut self, image: &str, via: Via, known: &Known<'_, 'a>) {
        let image = full(image);
        match known.published.get(&image) {
            Some(to) => self.edges.push(Edge {
                to,
                via,
                counts: true,
            }),
            None if known.is_ours(&image) => self.unplanned.push((image.clone(), via)),
            None => {
                self.from.insert(image);
                return;
            }
        }
        self.needs.insert(image.clone());
        self.from.insert(image);
    }

    /// The position of the stage that is built.
    fn start(&self) -> Option<usize> {
        let (file, _) = self.file.as_ref()?;
        start(file, self.target)
    }

    /// Where an argument enters the Dockerfile, and the stages from there to the one that is built.
    pub(crate) fn route(&self, argument: &str) -> Option<String> {
        let (file, reach) = self.file.as_ref()?;
        file.route(self.start()?, reach, argument)
    }
}

/// What a reference can be compared with.
struct Known<'k, 'a> {
    published: BTreeMap<String, &'a str>,
    registry: &'k str,
}

impl Known<'_, '_> {
    /// Whether a text is an image of our registry.
    fn is_ours(&self, text: &str) -> bool {
        let below = text
            .strip_prefix(self.registry)
            .is_some_and(|rest| rest.starts_with('/'));
        (!self.registry.is_empty() && below) || self.published.contains_key(&full(text))
    }
}

type Located = (Option<(Rc<Dockerfile>, Reach)>, Option<Fault>);

fn located(
    target: &Target,
    files: &Files,
    args: &BTreeMap<String, String>,
    contexts: &BTreeMap<&str, &str>,
) -> Result<Located, DockerfileError> {
    let file = match files.of(target)? {
        Found::Here(file) => file,
        Found::Missing(path) => {
            return Ok((None, Some(Fault::Missing(path.display().to_string()))));
        }
        Found::Elsewhere => return Ok((None, None)),
    };
    let Some(start) = start(&file, target) else {
        let stage = target.stage().unwrap_or_default().to_owned();
        let file = file.name.clone();
        return Ok((None, Some(Fault::NoStage { file, stage })));
    };
    let names = contexts.keys().map(|name| (*name).to_owned()).collect();
    let reach = file.reach(start, args, &names);
    Ok((Some((file, reach)), None))
}

fn start(file: &Dockerfile, target: &Target) -> Option<usize> {
    match target.stage() {
        Some(stage) => file.stage(stage),
        None => file.stages.len().checked_sub(1),
    }
}
