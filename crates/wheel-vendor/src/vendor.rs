//! The order of work: each wheel's needs, then, when all of them can be met, the wheels.

use std::collections::BTreeSet;

use anyhow::Context;
use native::exclude::Excludes;
use pipe::{Config, Outcome, Stop, WheelSet};

use crate::Args;
use crate::output::{self, Output};
use crate::patchelf::Patchelf;
use crate::plan::{Job, Plan, World};
use crate::rocm_prefix::RocmPrefixes;
use crate::search::Search;
use crate::write::write;

const TOOL: &str = "wheel-vendor";

/// Reads the set, works out every graft, and writes the wheels when nothing is missing.
pub(crate) fn vendor(args: &Args) -> Result<Outcome, Stop> {
    let config = Config::load(args.config.as_deref()).map_err(anyhow::Error::from)?;
    let globs: Vec<String> = args
        .exclude
        .iter()
        .chain(&config.exclude.libraries)
        .cloned()
        .collect();
    let world = World {
        excludes: Excludes::new(&globs, true).map_err(anyhow::Error::from)?,
        rocm: RocmPrefixes::new(&args.rocm_prefix),
        search: Search::new(&args.lib_dir, args.system_libs),
        plat: args.plat.clone(),
        max_graft: args.max_graft,
    };
    check_folders(args)?;
    let set = pipe::stdin_set()?;

    let mut jobs = Vec::new();
    let mut faults = Vec::new();
    let mut reasons = Vec::new();
    let mut libraries: BTreeSet<String> = BTreeSet::new();
    for wheel in &set.wheels {
        match Plan::of(wheel, &world) {
            Ok(plan) => {
                reasons.extend(plan.no);
                libraries.extend(plan.libraries);
                jobs.push(plan.job);
            }
            Err(error) => faults.push(format!("{}: {error:#}", wheel.path)),
        }
    }
    if !faults.is_empty() {
        return Err(Stop::Cannot(faults));
    }
    if !args.shared.quiet {
        for warning in world.excludes.unused(&libraries) {
            pipe::note(TOOL, &warning);
        }
    }
    let told: String = jobs.iter().map(|job| job.told.as_str()).collect();
    if args.dry_run {
        // Also when the answer is no: the tree says where a missing library is needed.
        pipe::print_text(&told)?;
    }
    if !reasons.is_empty() {
        return Err(Stop::No(reasons));
    }
    if args.dry_run {
        return Ok(Outcome::Done);
    }
    let mut done = write_all(jobs, args)?;
    done.more = set.more;
    if args.shared.explain {
        pipe::print_text(&told)?;
    } else {
        pipe::print(&done)?;
    }
    Ok(Outcome::Done)
}

/// A folder that is not there would make every library missing.
fn check_folders(args: &Args) -> Result<(), Stop> {
    let gone: Vec<String> = args
        .lib_dir
        .iter()
        .filter(|folder| !folder.is_dir())
        .map(|folder| format!("{}: --lib-dir is no folder", folder.display()))
        .collect();
    if gone.is_empty() {
        Ok(())
    } else {
        Err(Stop::Cannot(gone))
    }
}

/// Writes every wheel beside its final place and, when all of them are whole, gives them their names.
fn write_all(jobs: Vec<Job>, args: &Args) -> anyhow::Result<WheelSet> {
    let changed = jobs.iter().any(|job| !job.grafts.is_empty());
    let patchelf = changed.then(Patchelf::find).transpose()?;
    let new_folder = !args.out.exists();
    std::fs::create_dir_all(&args.out).with_context(|| args.out.display().to_string())?;
    let mut wheels = Vec::new();
    let work = || -> anyhow::Result<()> {
        let mut outputs = Vec::new();
        for job in jobs {
            let path = job.wheel.path.clone();
            let (wheel, output) = write(job, &args.out, patchelf).context(path)?;
            wheels.push(wheel);
            outputs.push(output);
        }
        outputs.into_iter().try_for_each(Output::commit)
    };
    let result = work();
    if result.is_err() && new_folder {
        output::remove_empty(&args.out);
    }
    result.map(|()| WheelSet::new(wheels))
}
