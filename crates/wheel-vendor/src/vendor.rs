//! The order of work: each wheel's needs and the wheel, then, when all of them could be met, the wheels' names.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context;
use native::exclude::Excludes;
use pipe::{Config, Outcome, Progress, Stop, Wheel, WheelSet};

use crate::Args;
use crate::output::{self, Output};
use crate::patchelf::Patchelf;
use crate::plan::{Plan, World};
use crate::rocm_prefix::RocmPrefixes;
use crate::search::Search;
use crate::write::write;

const TOOL: &str = "wheel-vendor";

/// Reads the set and writes its wheels with their grafts when nothing is missing.
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

    let new_folder = !args.out.exists();
    let result = all(set, args, &world);
    if result.is_err() && new_folder && !args.dry_run {
        output::remove_empty(&args.out);
    }
    result
}

/// Does one wheel after another. From the first that cannot be written on, the others are only looked at, so that every
/// reason is told at once; the wheels get their names when all of them are whole.
fn all(set: WheelSet, args: &Args, world: &World) -> Result<Outcome, Stop> {
    let mut faults = Vec::new();
    let mut reasons = Vec::new();
    let mut libraries: BTreeSet<String> = BTreeSet::new();
    let mut told = String::new();
    let (mut wheels, mut outputs) = (Vec::new(), Vec::new());
    let mut patchelf = None;
    if !args.dry_run {
        let made = std::fs::create_dir_all(&args.out);
        made.with_context(|| args.out.display().to_string())?;
    }
    let sizes = set.wheels.iter().map(|wheel| wheel.size);
    let total = sizes.fold(0, u64::saturating_add);
    let progress = Progress::bytes(total, args.shared.quiet || args.dry_run);
    for wheel in &set.wheels {
        progress.on(&wheel.filename);
        let writes = !args.dry_run && faults.is_empty() && reasons.is_empty();
        let plan = match plan(wheel, args, world, writes) {
            Ok(plan) => plan,
            Err(error) => {
                faults.push(format!("{}: {error:#}", wheel.path));
                continue;
            }
        };
        told.push_str(&plan.job.told);
        libraries.extend(plan.libraries);
        reasons.extend(plan.no);
        if !writes || !reasons.is_empty() {
            continue;
        }
        if patchelf.is_none() && !plan.job.grafts.is_empty() {
            patchelf = Some(Patchelf::find()?);
        }
        match write(plan.job, &args.out, patchelf, &progress) {
            Ok((wheel, output)) => {
                wheels.push(wheel);
                outputs.push(output);
            }
            Err(error) => faults.push(format!("{}: {error:#}", wheel.path)),
        }
    }
    progress.done();
    if !faults.is_empty() {
        return Err(Stop::Cannot(faults));
    }
    if !args.shared.quiet {
        for warning in world.excludes.unused(&libraries) {
            pipe::note(TOOL, &warning);
        }
    }
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
    outputs.into_iter().try_for_each(Output::commit)?;
    let mut done = WheelSet::new(wheels);
    done.more = set.more;
    if args.shared.explain {
        pipe::print_text(&told)?;
    } else {
        pipe::print(&done)?;
    }
    Ok(Outcome::Done)
}

fn plan(wheel: &Wheel, args: &Args, world: &World, writes: bool) -> anyhow::Result<Plan> {
    let place = output::place(&args.out, Path::new(&wheel.path), &wheel.filename)?;
    Plan::of(wheel, world, writes.then_some(&*place))
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
