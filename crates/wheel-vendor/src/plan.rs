//! What has to be done to one wheel.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, ensure};
use native::exclude::Excludes;
use native::policy::{Policy, SymbolVersion, policies};
use native::verdict::is_loader;
use pipe::{Platform, Wheel};
use wheel::Archive;

use crate::explain::explain;
use crate::graft::Grafts;
use crate::rocm_prefix::RocmPrefixes;
use crate::search::Search;
use crate::start::{in_wheel, starts};
use crate::target::{Target, TargetError};
use crate::walk::{Tree, Walk};
use crate::write::Draft;

/// What all wheels of a run are planned in.
#[derive(Debug)]
pub(crate) struct World {
    /// What must not be grafted, by name.
    pub(crate) excludes: Excludes,
    /// What must not be grafted, by place.
    pub(crate) rocm: RocmPrefixes,
    /// Where libraries are looked for.
    pub(crate) search: Search,
    /// The policy that was asked for.
    pub(crate) plat: Option<String>,
    /// Most bytes that may be grafted into one wheel.
    pub(crate) max_graft: u64,
    /// Whether the tree of needs is asked for.
    pub(crate) tells: bool,
}

/// One wheel and what goes into it.
#[derive(Debug)]
pub(crate) struct Job {
    /// The wheel as it was measured.
    pub(crate) wheel: Wheel,
    /// What changes; nothing for a wheel that is passed on.
    pub(crate) grafts: Grafts,
    /// The tree of needs, for a person.
    pub(crate) told: String,
    /// The wheel on its way, when members were unpacked already.
    pub(crate) draft: Option<Draft>,
}

/// A job, and why it must not be done.
#[derive(Debug)]
pub(crate) struct Plan {
    /// What would be done.
    pub(crate) job: Job,
    /// Why not: one line each. Empty when the job can be done.
    pub(crate) no: Vec<String>,
    /// Every library that was met, for excludes that match none.
    pub(crate) libraries: BTreeSet<String>,
}

impl Plan {
    /// Follows a wheel's needs. `place` is where the wheel goes, when it is to be written: members that will have to change
    /// are unpacked there and then, since reading them takes inflating them.
    ///
    /// # Errors
    /// When the wheel was not measured, is not the one that was, or something on the way is damaged.
    pub(crate) fn of(wheel: &Wheel, world: &World, place: Option<&Path>) -> anyhow::Result<Self> {
        let Some(platform) = &wheel.platform else {
            anyhow::bail!("was not measured; pipe the set through glibc-probe first");
        };
        let mut plan = Self {
            job: Job {
                wheel: wheel.clone(),
                grafts: Grafts::default(),
                told: format!("{}\n  {}\n", wheel.filename, nothing(platform)),
                draft: None,
            },
            no: Vec::new(),
            libraries: platform
                .excluded
                .iter()
                .map(|one| one.library.clone())
                .collect(),
        };
        let target = match platform.machine {
            None => Target::None,
            Some(_) => match Target::choose(world.plat.as_deref(), platform) {
                Err(error @ TargetError::TooOld { .. }) => {
                    plan.no.push(format!("{}: {error}", wheel.path));
                    return Ok(plan);
                }
                target => target?,
            },
        };
        let Target::Policy(policy) = target else {
            return Ok(plan);
        };
        plan.follow(world, platform, policy, place)?;
        Ok(plan)
    }

    fn follow(
        &mut self,
        world: &World,
        platform: &Platform,
        policy: &'static Policy,
        place: Option<&Path>,
    ) -> anyhow::Result<()> {
        let wheel = &self.job.wheel;
        if !platform.external.is_empty() {
            self.job.draft = place.map(Draft::new).transpose()?;
        }
        let archive = Archive::open(Path::new(&wheel.path))?;
        let (name, version) = (archive.filename().name(), &archive.filename().version);
        ensure!(
            name.to_string() == wheel.name && wheel.version.parse().as_ref() == Ok(version),
            "is `{} {}` in the document; measure it again",
            wheel.name,
            wheel.version
        );
        let data = format!(
            "{}.data",
            archive.dist_info().trim_end_matches(".dist-info")
        );
        let bench = self.job.draft.as_mut().map(|draft| &mut draft.bench);
        let starts = starts(&archive, platform, policy, world.plat.is_some(), bench)?;
        let machine = platform.machine.as_deref().unwrap_or_default();
        let mut walk = Walk {
            policy,
            machine,
            excludes: &world.excludes,
            rocm: &world.rocm,
            search: &world.search,
            in_wheel: in_wheel(&archive, &starts, &data)?,
        };
        let mut tree = Tree::grow(&starts, &walk)?;
        // A library that is grafted can ask for a newer system than the wheel did, and that one grants more. The policy only
        // ever gets newer, so this ends.
        while world.plat.is_none()
            && let Some(newer) = newer(walk.policy, &tree, machine)
        {
            walk.policy = newer;
            tree = Tree::grow(&starts, &walk)?;
        }
        let policy = walk.policy;
        let mut no = missing(&tree);
        let grafts = if let Some(reason) = one_over_budget(&tree, world.max_graft)? {
            // Not worth its hash: a file with a hole can claim any size.
            no.push(reason);
            Grafts::default()
        } else {
            let name = archive.filename();
            let grafts = Grafts::plan(&tree, &starts, name.distribution(), &data)?;
            no.extend(over_budget(&grafts, world.max_graft));
            grafts
        };
        if let Some(plat) = &world.plat {
            no.extend(too_new(&tree, plat, policy, machine));
        }
        self.no
            .extend(no.iter().map(|reason| format!("{}: {reason}", wheel.path)));
        self.libraries
            .extend(tree.needs.iter().map(|need| need.library.clone()));
        if world.tells {
            self.job.told = explain(wheel, &policy.name, &starts, &tree, &grafts);
        }
        self.job.grafts = grafts;
        Ok(())
    }
}

/// Why a wheel is passed on without a look at its needs.
fn nothing(platform: &Platform) -> String {
    match platform.machine {
        None => "no compiled host code, passed on as it is".to_owned(),
        Some(_) => format!(
            "no policy allows its symbols ({}), so a graft would earn no tag; passed on as it is",
            platform.required.get("GLIBC").map_or_else(
                || platform.symbols_tag.clone(),
                |version| format!("GLIBC_{version}")
            )
        ),
    }
}

/// Every library that was found nowhere, at once: a build that is run again for each is a lost day.
fn missing(tree: &Tree) -> Vec<String> {
    tree.missing()
        .into_iter()
        .map(|(library, missing)| {
            let needers: Vec<String> = missing.needers.iter().map(ToString::to_string).collect();
            let said: Vec<&str> = [""].into_iter().chain(missing.unfit).collect();
            format!(
                "{library} was not found, needed by {}{}; name its folder with --lib-dir, or leave it out with --exclude '{library}'",
                needers.join(", "),
                said.join(", and "),
            )
        })
        .collect()
}

fn over_budget(grafts: &Grafts, most: u64) -> Option<String> {
    let libraries = grafts.libraries.iter();
    let sizes = libraries.map(|graft| (graft.size, graft.path.as_path()));
    (grafts.size() > most).then(|| too_much(sizes.collect(), most))
}

/// The same when one library alone is too much, which can be told without reading it.
fn one_over_budget(tree: &Tree, most: u64) -> anyhow::Result<Option<String>> {
    let mut sizes = Vec::new();
    for path in tree.grafts.keys() {
        let metadata = path.metadata();
        let metadata = metadata.with_context(|| path.display().to_string())?;
        sizes.push((metadata.len(), path.as_path()));
    }
    let over = sizes.iter().any(|(size, _)| *size > most);
    Ok(over.then(|| too_much(sizes, most)))
}

fn too_much(mut sizes: Vec<(u64, &Path)>, most: u64) -> String {
    let sum = sizes.iter().map(|(size, _)| size).sum::<u64>();
    sizes.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
    let largest: Vec<String> = sizes
        .iter()
        .take(3)
        .map(|(size, path)| format!("{} ({size} bytes)", path.display()))
        .collect();
    format!(
        "{sum} bytes would be grafted, more than --max-graft {most}; the largest: {}",
        largest.join(", ")
    )
}

/// Libraries that need a newer system than the policy that was asked for.
fn too_new(tree: &Tree, plat: &str, policy: &Policy, machine: &str) -> Vec<String> {
    let mut refused: BTreeMap<&Path, BTreeSet<&str>> = BTreeMap::new();
    for (path, version) in not_granted(tree, policy, machine) {
        refused.entry(path).or_default().insert(version);
    }
    refused
        .into_iter()
        .map(|(path, versions)| {
            let versions: Vec<&str> = versions.into_iter().collect();
            format!(
                "--plat `{plat}` does not grant {}, which {} needs; build it on an older system",
                versions.join(", "),
                path.display()
            )
        })
        .collect()
}

/// The versions that libraries on their way into the wheel need and a policy does not grant.
fn not_granted<'a>(
    tree: &'a Tree,
    policy: &'a Policy,
    machine: &'a str,
) -> impl Iterator<Item = (&'a Path, &'a str)> {
    tree.grafts.iter().flat_map(move |(path, facts)| {
        facts
            .version_needs
            .iter()
            .filter(|need| !is_loader(&need.library))
            .filter(move |need| !policy.grants(machine, &SymbolVersion::new(&need.version)))
            .map(|need| (path.as_path(), need.version.as_str()))
    })
}

/// The next policy that grants what the libraries need; `None` when this one does, or none would.
fn newer(policy: &Policy, tree: &Tree, machine: &str) -> Option<&'static Policy> {
    let fits = |policy| not_granted(tree, policy, machine).next().is_none();
    if fits(policy) {
        return None;
    }
    policies(policy.libc, machine)
        .into_iter()
        .find(|one| one.release > policy.release && fits(one))
}
