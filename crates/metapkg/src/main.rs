//! Checks that a set of wheels holds together and pins it in a metapackage.

mod checks;
mod explain;
mod interpreter;
mod member;
mod metapackage;
mod pins;
mod requires_python;
mod set;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use pipe::{Architecture, Outcome, Shared, Stop};
use wheel::{ProjectName, RocmVersion};

const TOOL: &str = "metapkg";

/// Check that a set of wheels holds together and pin it in a metapackage
///
/// Reads a wheel set from stdin, writes the metapackage wheel into DIR and prints the set with it added. Under
/// the extra `device-ARCH` the metapackage pins every distribution at its exact version.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "\
EXAMPLE
  glibc-probe wheels/ | wheel-tagger --rocm 10.1.0 --out out | metapkg --rocm 10.1.0 --arch gfx950 --out out >set.json

EXIT
  0  the metapackage is written and the set printed
  1  the set does not hold together: every reason is on stderr, nothing is written
  2  a wheel could not be read, or DIR not be written"
)]
struct Args {
    /// The ROCm release the wheels were built against, without an image variant
    #[arg(long, value_name = "VERSION")]
    rocm: RocmVersion,
    /// The GPU architecture of the index
    #[arg(long, value_name = "ARCH")]
    arch: Architecture,
    /// Folder for the metapackage wheel; it is made where missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// What the metapackage is called
    #[arg(long, value_name = "NAME", default_value = "rocm-torch")]
    name: ProjectName,
    /// Let the wheels' sha256 into the digest: equal versions with other bytes make a new metapackage
    #[arg(long)]
    digest_files: bool,
    /// Take warnings, such as a pin without local version, as errors
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    shared: Shared,
}

fn main() -> ExitCode {
    let args: Args = pipe::arguments(TOOL);
    pipe::run(TOOL, || pin(&args))
}

fn pin(args: &Args) -> Result<Outcome, Stop> {
    let mut set = set::without_metapackage(pipe::stdin_set()?, args)?;
    let members = set::members(&set.wheels)?;
    let (errors, warnings) = set::judged(&members, args);
    if !errors.is_empty() {
        return Err(Stop::No(errors));
    }
    if !args.shared.quiet {
        for warning in &warnings {
            pipe::note(TOOL, warning);
        }
    }
    let metapackage = set::pinned(&members, args)?;
    let entry = set::written(&metapackage, &args.out)?;
    if args.shared.explain {
        pipe::print_text(&explain::explain(&members, &metapackage))?;
    } else {
        set.wheels.push(entry);
        let more = std::mem::take(&mut set.more);
        let mut set = pipe::WheelSet::new(set.wheels);
        set.more = more;
        pipe::print(&set)?;
    }
    Ok(Outcome::Done)
}
