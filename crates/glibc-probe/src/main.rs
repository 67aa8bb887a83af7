//! Measures what wheels promise: the platform verdict, RECORD, and which GPUs they carry code for.

mod check;
mod explain;
mod inputs;
mod library;
mod measure;
mod member;
mod pool;
mod probe;
mod record;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

/// Measure what each wheel promises: the newest glibc it asks for, the libraries it leaves to the
/// system, whether RECORD is true, and which GPUs it carries code for.
///
/// Reads wheels, and prints the set of them as one JSON document. Nothing is unpacked to disk, and
/// nothing of this machine's libraries is looked at.
#[derive(Debug, Parser)]
#[command(name = "glibc-probe", version, after_help = AFTER_HELP)]
struct Args {
    /// Wheels, folders of wheels, or with --explain a shared library; none reads a set from stdin
    #[arg(value_name = "WHEEL|DIR")]
    inputs: Vec<PathBuf>,
    /// Leave these libraries out of the verdict, beside the built-in lists (may be repeated)
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Do not leave out what ROCm ships and what comes with torch
    #[arg(long)]
    no_default_excludes: bool,
    /// Answer no (exit 1) when a tag promises more than the code keeps, or RECORD is wrong
    #[arg(long)]
    check: bool,
    /// Do not compare the members with RECORD; saves a hash of every member
    #[arg(long)]
    no_verify_record: bool,
    /// Threads [default: as many as there are processors]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// The project's configuration [default: rocm-bake.toml, where there is one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    shared: pipe::Shared,
}

const AFTER_HELP: &str = "\
EXAMPLES
  glibc-probe wheels/ > measured.json
  glibc-probe --check torch-2.15.0-cp314-cp314-linux_x86_64.whl
  glibc-probe --explain libtorch_hip.so

EXIT
  0  all measured
  1  with --check: a tag promises more than its code keeps
  2  could not measure: an unreadable or faulty wheel; every one is named";

fn main() -> ExitCode {
    let args: Args = pipe::arguments("glibc-probe");
    pipe::run("glibc-probe", || probe::run(&args))
}
