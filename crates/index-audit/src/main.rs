//! Resolves a published index for real and says what in it is foreign.

mod address;
mod audit;
mod explain;
mod judge;
mod metapackage;
mod origin;
mod page;
mod published;
mod reach;
mod report;
mod resolved;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use pipe::{Architecture, Outcome, Shared};
use wheel::ProjectName;

const TOOL: &str = "index-audit";

/// Prove by a resolve that nothing foreign comes in with an index
///
/// Judges what pip or uv resolved against a published index: every distribution whose name the index carries must
/// come from it, by exact address and sha256; nothing may bring CUDA; every pin of the metapackage must arrive.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "\
EXAMPLE
  pip install --dry-run --ignore-installed --report - --extra-index-url https://…/data/wheels/gfx950/ \\
    'rocm-torch[device-gfx950]' --quiet | index-audit --index https://…/data/wheels --arch gfx950 --report -

EXIT
  0  clean
  1  something of ours came from elsewhere, CUDA came in, or a pin did not come
  2  the index or the report could not be read"
)]
struct Args {
    /// Root of the index, which holds a folder per architecture: https://…/data/wheels, or a folder
    #[arg(long, value_name = "URL|DIR")]
    index: String,
    /// Architectures, parted by commas
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', required = true)]
    arch: Vec<Architecture>,
    /// The Python that the resolve is for
    #[arg(long, value_name = "VERSION", default_value = "3.14")]
    python: String,
    /// The metapackage
    #[arg(long, value_name = "NAME", default_value = "rocm-torch")]
    name: ProjectName,
    /// Judge a saved resolve: pip's --report, or a pylock.toml; `-` is stdin
    #[arg(long, value_name = "FILE|-")]
    report: PathBuf,
    /// Give up after this many seconds in all
    #[arg(long, value_name = "SECONDS", default_value_t = 900)]
    deadline: u64,
    #[command(flatten)]
    shared: Shared,
}

fn main() -> ExitCode {
    let args = Args::parse();
    pipe::run(TOOL, || {
        let report = audit::audit(&args)?;
        if args.shared.explain {
            pipe::print_text(&explain::explain(&report))?;
        } else {
            pipe::print(&report)?;
        }
        Ok(if report.findings.is_empty() {
            Outcome::Done
        } else {
            Outcome::No
        })
    })
}
