//! The tag plan of a bake file: what it publishes, in which order, and what is wrong with it.

mod change;
mod collision;
mod declared;
mod files;
mod grammar;
mod graph;
mod order;
mod reference;
mod sensitivity;
mod shape;
mod target;
mod variation;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pipe::{Architecture, More, PlanFinding, TagPlan, Tags};

use crate::bake::{Bake, UnknownName};
use crate::definitions::Definitions;
use crate::dockerfile::DockerfileError;
use crate::error::BakeError;
use crate::outside::Outside;
use declared::Declared;
use files::Files;
use graph::Graph;
use variation::Variation;

/// The variable that holds the GPU architecture.
pub(crate) const ARCH: &str = "ARCH";

/// What is to be planned.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Only the targets of this group (or this target); all that publish something otherwise.
    pub group: Option<String>,
    /// The architectures to plan for, each once; none plans for what `ARCH` says.
    pub architectures: Vec<Architecture>,
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The bake file does not evaluate.
    #[error(transparent)]
    Bake(#[from] BakeError),
    /// A Dockerfile that is there cannot be read.
    #[error(transparent)]
    Dockerfile(#[from] DockerfileError),
    /// `--group` names nothing.
    #[error(transparent)]
    Group(#[from] UnknownName),
    /// `--arch` for a file without the variable.
    #[error("there is no variable `ARCH`, so there is nothing to plan architectures with")]
    NoArchitecture,
    /// No target has a tag.
    #[error("no target publishes anything; give one `tags`")]
    NothingPublished,
}

/// One evaluation of the file.
pub(crate) struct Point {
    /// The value of `ARCH`, where there is one.
    pub(crate) architecture: Option<String>,
    pub(crate) bake: Bake,
}

/// Plans a bake file, and checks the plan.
///
/// `root` is the folder that the file's paths start at: the working directory, as in bake.
///
/// # Errors
/// [`PlanError`].
pub fn plan(
    definitions: &Definitions,
    outside: &Outside,
    root: &Path,
    request: &Request,
    tags: &Tags,
) -> Result<TagPlan, PlanError> {
    if !request.architectures.is_empty() && !definitions.has_variable(ARCH) {
        return Err(PlanError::NoArchitecture);
    }
    let points = points(definitions, outside, &request.architectures)?;
    let mut files = Files::default();
    for point in &points {
        files.read(&point.bake, root)?;
    }
    let graphs = points
        .iter()
        .map(|point| Graph::new(&point.bake, &files))
        .collect::<Result<Vec<_>, _>>()?;
    let (Some(first), Some(graph)) = (points.first(), graphs.first()) else {
        return Err(PlanError::NothingPublished);
    };
    let variations = points
        .iter()
        .map(|point| variation::all(definitions, outside, point))
        .collect::<Vec<_>>();
    for variation in variations.iter().flatten() {
        files.read(&variation.bake, root)?;
    }
    // For every architecture the file as it is, and with each variable changed.
    let mut compared: Vec<Vec<(&Variation, Graph<'_>)>> = Vec::with_capacity(points.len());
    for variations in &variations {
        let graphs = variations
            .iter()
            .map(|variation| Ok((variation, Graph::new(&variation.bake, &files)?)))
            .collect::<Result<_, DockerfileError>>()?;
        compared.push(graphs);
    }
    let chosen = chosen(&first.bake, request.group.as_deref())?;

    let mut declared = Declared::new(tags, graph);
    let mut findings = Vec::new();
    for (graph, variations) in graphs.iter().zip(&compared) {
        grammar::check(graph, variations, &mut findings);
        shape::check(graph, &mut findings);
    }
    sensitivity::check(&graphs, &compared, &mut declared, &mut findings);
    collision::check(&points, &graphs, &mut declared, &mut findings);
    for (point, variations) in points.iter().zip(&variations) {
        findings.extend(variation::unjudged(definitions, variations, point));
    }
    findings.extend(declared.stale());
    if request.group.is_some() {
        let is_other = |name: &str| graph.node(name).is_some() && !chosen.contains(name);
        findings.retain(|finding: &PlanFinding| !is_other(&finding.target));
    }
    findings.sort();
    findings.dedup();

    let noarch = declared.noarch(graph, compared.first().map_or(&[], Vec::as_slice));
    let targets = target::all(&points, &graphs, &chosen, &noarch);
    let groups = groups(&first.bake);
    let needs_published = groups
        .keys()
        .map(|group| {
            let needs = graphs.iter().flat_map(|graph| order::needs(graph, group));
            let needs: BTreeSet<String> = needs.collect();
            (group.clone(), needs.into_iter().collect())
        })
        .collect();
    Ok(TagPlan {
        schema: TagPlan::SCHEMA.to_owned(),
        registry: graph.registry.clone(),
        targets,
        groups,
        needs_published,
        findings,
        more: More::new(),
    })
}

/// One evaluation per architecture, in the order that was asked for.
fn points(
    definitions: &Definitions,
    outside: &Outside,
    architectures: &[Architecture],
) -> Result<Vec<Point>, BakeError> {
    let mut points: Vec<Point> = Vec::new();
    for architecture in architectures {
        let name = architecture.as_str();
        if points
            .iter()
            .any(|point| point.architecture.as_deref() == Some(name))
        {
            continue;
        }
        points.push(Point {
            architecture: Some(name.to_owned()),
            bake: definitions.evaluate(&outside.clone().with(ARCH, name))?,
        });
    }
    if points.is_empty() {
        let bake = definitions.evaluate(outside)?;
        let architecture = bake
            .variables
            .get(ARCH)
            .and_then(|value| value.to_text().ok())
            .filter(|architecture| !architecture.is_empty());
        points.push(Point { architecture, bake });
    }
    Ok(points)
}

/// The names of the targets to plan: of a group, or every one that has a tag.
fn chosen<'a>(bake: &'a Bake, group: Option<&str>) -> Result<BTreeSet<&'a str>, PlanError> {
    let targets: Vec<_> = match group {
        Some(group) => bake.members(group)?,
        None => bake.targets.iter().collect(),
    };
    let tagged = targets
        .into_iter()
        .filter(|target| !target.tags().is_empty());
    let names: BTreeSet<&str> = tagged.map(|target| target.name.as_str()).collect();
    if names.is_empty() {
        return Err(PlanError::NothingPublished);
    }
    Ok(names)
}

/// Every group with its targets, groups inside it resolved, in the order of the file.
fn groups(bake: &Bake) -> BTreeMap<String, Vec<String>> {
    bake.groups
        .iter()
        .map(|group| {
            let members = bake.members(&group.name).unwrap_or_default();
            let names = members
                .into_iter()
                .map(|target| target.name.clone())
                .collect();
            (group.name.clone(), names)
        })
        .collect()
}

/// A finding about a target.
pub(crate) fn finding<const N: usize>(
    rule: &str,
    target: &str,
    message: String,
    more: [(&str, String); N],
) -> PlanFinding {
    PlanFinding {
        rule: rule.to_owned(),
        target: target.to_owned(),
        message,
        more: more
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect(),
    }
}
