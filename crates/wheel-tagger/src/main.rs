//! Marks a set of wheels with the ROCm release that they were built against, and sets the platform
//! tags that were measured.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use pipe::{Config, Outcome, Stop};
use wheel::{Inflater, RocmVersion};

mod choices;
mod explain;
mod facts;
mod mark;
mod note;
mod ordering;
mod outputs;
mod pins;
mod plan;
mod platform_tag;
mod renames;
mod subject;
mod write;

use choices::{Choices, Policy};
use mark::Mark;
use plan::Plan;
use subject::Subject;

const TOOL: &str = "wheel-tagger";

/// Append the ROCm mark to the versions of a set of wheels, and set the platform tags that were measured
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "\
The set comes from glibc-probe on stdin and goes out on stdout with the new \
facts. Wheels that are named instead keep their platform tags, since nothing was \
measured. Compiled wheels are marked, and the pure ones that [mark] of the \
configuration names.

EXAMPLE
  glibc-probe dist/ | wheel-tagger --rocm 10.1.0 --out out/ > tagged.json

EXIT
  0  all wheels are in --out
  1  two wheels become one file; with --strict: a tag promised more than was
     measured, a pin is not met, or a wheel is marked for another ROCm release
  2  a wheel is faulty or could not be written
  With 1 and 2 nothing is written."
)]
struct Args {
    /// Wheels to rewrite; none reads a set from stdin
    #[arg(value_name = "WHEEL")]
    wheels: Vec<PathBuf>,
    /// The ROCm release that the wheels were built against, such as 10.1.0
    #[arg(long, value_name = "RELEASE")]
    rocm: RocmVersion,
    /// Folder for the new wheels; it is made when it is not there
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The project's configuration [default: rocm-bake.toml, where there is one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Exit 1 and write nothing when a promise or a pin is not kept
    #[arg(long)]
    strict: bool,
    /// Keep the platform tags of the file names, whatever was measured
    #[arg(long)]
    keep_platform: bool,
    /// Replace files in --out that have other bytes; an input is never replaced
    #[arg(long)]
    force: bool,
    /// Print what would become what, and why, and write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    shared: pipe::Shared,
}

fn main() -> ExitCode {
    let args: Args = pipe::arguments(TOOL);
    pipe::run(TOOL, || tag(&args))
}

fn tag(args: &Args) -> Result<Outcome, Stop> {
    let config = Config::load(args.config.as_deref()).map_err(anyhow::Error::from)?;
    let mark = Mark::new(&args.rocm).map_err(anyhow::Error::from)?;
    let policy = Policy::new(&config.mark)?;
    let (subjects, more, keep_platform) = read(args)?;
    let choices = Choices {
        mark,
        policy,
        keep_platform,
    };
    let plans = plan::plan(subjects, &choices)?;
    let refused = args.strict
        && plans
            .iter()
            .flat_map(|plan| &plan.notes)
            .any(|note| note.strict);
    let implied = keep_platform && !args.keep_platform;
    if args.dry_run {
        say(&[], implied, args.shared.quiet);
        pipe::print_text(&explain::explain(&plans))?;
        return Ok(if refused { Outcome::No } else { Outcome::Done });
    }
    if refused {
        return Err(Stop::No(strict_reasons(&plans)));
    }
    let total = plans.iter().map(|plan| plan.subject.facts.size).sum();
    let progress = pipe::Progress::bytes(total, args.shared.quiet);
    let folder = outputs::Folder {
        path: &args.out,
        force: args.force,
    };
    let outputs = outputs::write_all(&plans, &folder, &progress)?;
    progress.done();
    if args.shared.explain {
        say(&[], implied, args.shared.quiet);
        pipe::print_text(&explain::explain(&plans))?;
        return Ok(Outcome::Done);
    }
    say(&plans, implied, args.shared.quiet);
    let wheels = plans
        .iter()
        .zip(&outputs)
        .map(|(plan, output)| facts::facts(plan, output));
    let mut set = pipe::WheelSet::new(wheels.collect());
    set.more = more;
    pipe::print(&set)?;
    Ok(Outcome::Done)
}

/// The set, what its document says besides, and whether platform tags stay as they are.
fn read(args: &Args) -> Result<(Vec<Subject>, pipe::More, bool), Stop> {
    let mut inflater = Inflater::default();
    let Some(named) = pipe::named_or_stdin(&args.wheels) else {
        let set = pipe::stdin_set()?;
        let subjects = set.wheels.into_iter().map(|facts| {
            let path = PathBuf::from(&facts.path);
            (path, Subject::measured(facts, &mut inflater))
        });
        return Ok((all(subjects)?, set.more, args.keep_platform));
    };
    let mut paths: Vec<&Path> = named.iter().map(PathBuf::as_path).collect();
    paths.sort_unstable();
    paths.dedup();
    let subjects = paths.into_iter().map(|path| {
        let subject = match misnamed(path) {
            Some(cause) => Err(cause),
            None => Subject::file(path, &mut inflater),
        };
        (path.to_owned(), subject)
    });
    Ok((all(subjects)?, pipe::More::new(), true))
}

/// What is told of an argument that is a folder, or nothing at all; of a file the archive tells itself.
fn misnamed(path: &Path) -> Option<String> {
    if path.is_dir() {
        return Some("is a folder; pipe it in through glibc-probe, or name its wheels".to_owned());
    }
    let is_wheel = path.extension().is_some_and(|extension| extension == "whl");
    let error = std::fs::metadata(path).err().filter(|_| !is_wheel)?;
    Some(pipe::advised(&error))
}

/// Every faulty wheel is named, not only the first.
fn all(
    subjects: impl Iterator<Item = (PathBuf, Result<Subject, String>)>,
) -> Result<Vec<Subject>, Stop> {
    let mut sound = Vec::new();
    let mut causes = Vec::new();
    for (path, subject) in subjects {
        match subject {
            Ok(subject) => sound.push(subject),
            Err(cause) => causes.push(format!("{}: {cause}", path.display())),
        }
    }
    if causes.is_empty() {
        Ok(sound)
    } else {
        Err(Stop::Cannot(causes))
    }
}

fn strict_reasons(plans: &[Plan]) -> Vec<String> {
    let notes = plans.iter().flat_map(|plan| &plan.notes);
    notes
        .filter(|note| note.strict)
        .map(note::Note::line)
        .collect()
}

fn say(plans: &[Plan], implied: bool, quiet: bool) {
    if quiet {
        return;
    }
    if implied {
        pipe::note(
            TOOL,
            "platform tags are kept as they are: nothing was measured",
        );
    }
    for note in plans.iter().flat_map(|plan| &plan.notes) {
        pipe::note(TOOL, &note.line());
    }
}
