//! The order of work: each wheel's needs and the wheel, then, when all of them could be met, the wheels' names.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;

use native::exclude::Excludes;
use pipe::{Config, Outcome, Progress, Stop, Wheel, WheelSet};

use crate::Args;
use crate::output::{self, Folder};
use crate::patchelf::Patchelf;
use crate::plan::{Plan, World};
use crate::rocm_prefix::RocmPrefixes;
use crate::search::Search;
use crate::target;
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
        tells: args.dry_run || args.shared.explain,
    };
    if let Some(plat) = &args.plat {
        target::check(plat).map_err(|error| Stop::cannot(error.to_string()))?;
    }
    check_folders(args)?;
    if args.out.to_str().is_none() {
        let out = args.out.display();
        return Err(Stop::cannot(format!(
            "{out}: is not UTF-8, as the document is; give --out another name"
        )));
    }
    let set = pipe::stdin_set()?;

    if args.dry_run {
        return all(set, args, &world);
    }
    let folder = Folder::make(&args.out)?;
    let result = all(set, args, &world);
    if result.is_err() {
        folder.take_back();
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
    let sizes = set.wheels.iter().map(|wheel| wheel.size);
    let total = sizes.fold(0, u64::saturating_add);
    let progress = Progress::bytes(total, args.shared.quiet || args.dry_run);
    for wheel in &set.wheels {
        progress.on(&wheel.filename);
        let writes = !args.dry_run && faults.is_empty() && reasons.is_empty();
        let plan = match plan(wheel, args, world, writes) {
            Ok(plan) => plan,
            Err(error) => {
                faults.push(format!("{}: {}", wheel.path, pipe::told(&error)));
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
            Err(error) => faults.push(format!("{}: {}", wheel.path, pipe::told(&error))),
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
    output::commit(outputs)?;
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
        .filter_map(|folder| match folder.metadata() {
            Ok(metadata) if metadata.is_dir() => None,
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                Some(pipe::failed(folder, &error).to_string())
            }
            _ => Some(format!(
                "{}: --lib-dir is no folder; name one that is there",
                folder.display()
            )),
        })
        .collect();
    if gone.is_empty() {
        Ok(())
    } else {
        Err(Stop::Cannot(gone))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_wheel_that_cannot_be_read_is_told_with_what_to_do() {
        let error = wheel::Archive::open("/nowhere/a-1-py3-none-any.whl".as_ref()).unwrap_err();
        let expected =
            "file.unreadable: No such file or directory (os error 2); check the path".to_owned();
        let carried = anyhow::Error::from(std::io::Error::other(error));
        assert_eq!(pipe::told(&carried), expected);
    }
}
