//! Lint: what is written twice about the images agrees, and the Dockerfiles do what the bake file takes them for.

mod bake_file;
mod dockerfile;
mod makefile;
mod read;
mod report;
mod repository;
mod rules;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use pipe::{Drift, Outcome, Stop};

use crate::read::Unreadable;
use crate::report::Format;
use crate::repository::Report;

const HELP: &str = "\
The defaults are compared: of docker-bake.hcl without an environment, of the Makefile as make \
evaluates it. Notes (an image that no digest pins yet) are printed and are no findings.

EXAMPLE
  check-defaults --format github

EXIT
  0  everything agrees
  1  a drift was found
  2  a file could not be read";

/// Check that Makefile, bake file, Dockerfiles and pages agree
#[derive(Parser)]
#[command(version, after_help = HELP)]
struct Args {
    /// The Makefile; its includes are read, too
    #[arg(long, default_value = "Makefile", value_name = "FILE")]
    makefile: PathBuf,
    /// The bake file; docker/ and docs/ are looked for beside it
    #[arg(short, long, default_value = "docker-bake.hcl", value_name = "FILE")]
    file: PathBuf,
    /// The project's configuration [default: rocm-bake.toml, where there is one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// How findings are printed
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    #[command(flatten)]
    shared: pipe::Shared,
}

fn main() -> ExitCode {
    let args: Args = pipe::arguments("check-defaults");
    pipe::run("check-defaults", || check(&args))
}

fn check(args: &Args) -> Result<Outcome, Stop> {
    let found = match read::read(&args.makefile, &args.file, args.config.as_deref()) {
        Ok(repository) => rules::check(&repository),
        Err(Unreadable::UnknownMember { at, name }) => Report::of_unknown_member(at, &name),
        Err(Unreadable::Other(error)) => return Err(error.into()),
    };
    let drift = Drift {
        schema: Drift::SCHEMA.to_owned(),
        findings: found.findings.into_iter().collect(),
        notes: found.notes.into_iter().collect(),
    };
    if args.shared.explain {
        report::explain(&drift, &found.compared, args.shared.quiet)?;
    } else {
        report::print(&drift, args.format, args.shared.quiet)?;
    }
    Ok(if drift.findings.is_empty() {
        Outcome::Done
    } else {
        Outcome::No
    })
}
