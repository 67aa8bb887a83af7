//! `wheelhouse pull`: the wheels of a plan, out of their images.

use std::path::PathBuf;

use pipe::{Outcome, Stop, Wheel, WheelSet};

use crate::Reach;
use crate::gather::{Report, gather};
use crate::planned::Planned;
use crate::session::Session;

/// The arguments of `wheelhouse pull`.
#[derive(Debug, clap::Args)]
pub(crate) struct PullArgs {
    /// The folder that the wheels are written to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print the set of what is published, also when something planned is not
    #[arg(long)]
    partial: bool,
    #[command(flatten)]
    reach: Reach,
}

/// Pulls the wheels of the plan on stdin.
///
/// # Errors
/// Exit 1 when something planned is not published, or two images hold one file name with different bytes;
/// exit 2 when something could not be fetched. What was fetched is kept for the next try.
pub(crate) fn pull(args: &PullArgs) -> Result<Outcome, Stop> {
    let plan = pipe::stdin_plan()?;
    let planned = Planned::new(&plan, args.reach.registry.as_ref())?;
    let images = planned.wheel_images(&plan)?;
    let session = Session::new(&args.reach, &planned.place)?;
    let report = gather(&session, &planned, &args.out, images)?;
    for warning in &report.warnings {
        session.log.note(warning);
    }
    if !report.missing.is_empty() {
        if !args.partial {
            return Err(incomplete(report, args));
        }
        report
            .missing
            .iter()
            .for_each(|line| session.log.note(line));
    }
    if args.reach.shared.explain {
        pipe::print_text(&explained(&report.set))?;
    } else {
        pipe::print(&report.set)?;
    }
    Ok(Outcome::Done)
}

/// Something planned is not published; what is, is here all the same.
fn incomplete(report: Report, args: &PullArgs) -> Stop {
    let mut causes = report.missing;
    if !report.set.wheels.is_empty() {
        causes.push(format!(
            "{}: the other images' wheels are here; publish what is missing and run it again, or leave it out: --partial",
            args.out.display()
        ));
    }
    Stop::No(causes)
}

fn explained(set: &WheelSet) -> String {
    let row = |wheel: &Wheel| {
        let source = wheel.source.as_ref();
        let from = source.map(|source| format!("{}:{}", source.repository, source.tag));
        let name = [
            wheel.name.clone(),
            wheel.version.clone(),
            wheel.size.to_string(),
        ];
        name.into_iter()
            .chain([wheel.path.clone(), from.unwrap_or_default()])
            .collect()
    };
    let rows: Vec<Vec<String>> = set.wheels.iter().map(row).collect();
    pipe::table(&["distribution", "version", "size", "path", "image"], &rows)
}
