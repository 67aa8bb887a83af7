//! The order of work.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use native::exclude::Excludes;
use pipe::{Config, Outcome, Progress, Stop, WheelSet};

use crate::measure::Measured;
use crate::member::Wanted;
use crate::pool::{self, Plan};
use crate::{Args, check, explain, inputs, library};

/// Reads, measures, prints and, with `--check`, answers.
///
/// # Errors
/// [`Stop::Cannot`] with a line for every input that could not be measured, [`Stop::No`] when one file
/// name came with two contents.
pub(crate) fn run(args: &Args) -> Result<Outcome, Stop> {
    let config =
        Config::load(args.config.as_deref()).map_err(|error| Stop::cannot(error.to_string()))?;
    let mut globs = args.exclude.clone();
    globs.extend(config.exclude.libraries);
    let excludes = Excludes::new(&globs, !args.no_default_excludes)
        .map_err(|error| Stop::cannot(error.to_string()))?;
    let named = inputs::read(&args.inputs)?;
    if !args.shared.explain
        && let Some(path) = named.libraries.first()
    {
        return Err(Stop::cannot(format!(
            "{}: a library alone is no wheel; add --explain to have it explained",
            path.display()
        )));
    }
    let mut known = BTreeMap::new();
    for (path, wheel) in &named.wheels {
        if let Some(wheel) = wheel {
            known.insert(path.clone(), wheel.sha256.clone());
        }
    }
    let progress = Progress::bytes(total(named.wheels.keys()), args.shared.quiet);
    let results = pool::measure(
        named.wheels,
        Plan {
            threads: threads(args),
            wanted: Wanted {
                record: !args.no_verify_record,
                symbols: args.shared.explain,
            },
            excludes: &excludes,
            progress: &progress,
        },
    );
    progress.done();
    let mut measured = Vec::new();
    let mut causes = Vec::new();
    for (path, result) in results {
        match result {
            Ok(wheel) => measured.push(wheel),
            Err(cause) => causes.push(format!("{}: {cause}", path.display())),
        }
    }
    let mut libraries = Vec::new();
    for path in &named.libraries {
        match library::judge_file(path, &excludes) {
            Ok(verdict) => libraries.push((path, verdict)),
            Err(error) => causes.push(format!("{error:#}")),
        }
    }
    if !causes.is_empty() {
        return Err(Stop::Cannot(causes));
    }
    if args.shared.verbose > 0 {
        for wheel in &measured {
            pipe::note("glibc-probe", &wheel.summary());
        }
    }
    if !args.shared.quiet {
        let needed: BTreeSet<String> = measured
            .iter()
            .map(|wheel| &wheel.verdict)
            .chain(libraries.iter().map(|(_, verdict)| verdict))
            .flat_map(|verdict| verdict.libraries.iter().cloned())
            .collect();
        for warning in excludes.unused(&needed) {
            pipe::note("glibc-probe", &warning);
        }
        tell_changed(&measured, &known);
    }
    let mut set = WheelSet::merge(measured.iter().map(|wheel| wheel.wheel.clone()))?;
    set.more = named.more;
    if args.shared.explain {
        let mut text = String::new();
        for wheel in &measured {
            text.push_str(&explain::wheel(wheel));
        }
        for (path, verdict) in &libraries {
            text.push_str(&explain::library(path, verdict));
        }
        pipe::print_text(&text)?;
    } else {
        pipe::print(&set)?;
    }
    if args.check && !check::answer(&measured, args.shared.quiet) {
        return Ok(Outcome::No);
    }
    Ok(Outcome::Done)
}

fn threads(args: &Args) -> usize {
    args.jobs
        .or_else(|| std::thread::available_parallelism().ok())
        .map_or(1, std::num::NonZeroUsize::get)
}

/// Bytes to read: each file is hashed as a whole and its members are inflated.
fn total<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> u64 {
    paths
        .filter_map(|path| std::fs::metadata(path).ok())
        .map(|metadata| metadata.len() * 2)
        .sum()
}

/// A file that is no longer the one that the document on stdin described is measured as it is.
fn tell_changed(measured: &[Measured], known: &BTreeMap<PathBuf, String>) {
    for wheel in measured {
        let before = known.get(&PathBuf::from(&wheel.wheel.path));
        if before.is_some_and(|sha256| *sha256 != wheel.wheel.sha256) {
            pipe::note(
                "glibc-probe",
                &format!(
                    "{}: is not the file that the set describes (its sha256 changed); measured as it is now",
                    wheel.wheel.path
                ),
            );
        }
    }
}
