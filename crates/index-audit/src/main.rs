//! Resolves a published index for real and says what in it is foreign.

mod address;
mod audit;
mod client;
mod explain;
mod judge;
mod links;
mod live;
mod metapackage;
mod origin;
mod page;
mod proof;
mod published;
mod radar;
mod reach;
mod report;
mod resolved;
mod summary;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use pipe::{Architecture, Outcome, Shared};
use wheel::ProjectName;

const TOOL: &str = "index-audit";

/// Prove by a real resolve that nothing foreign comes in with an index
///
/// Checks every link of the index, resolves its metapackage with pip and with uv from PATH, in an environment
/// without their own settings of indexes, and judges what came: every distribution whose name the index carries
/// must come from it, by exact address and sha256; nothing may bring CUDA; every pin must arrive. Then it tells
/// where each name would come from without the metapackage.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "\
EXAMPLE
  index-audit --index https://…/data/wheels --arch gfx950,gfx1201 --explain
  pip install --dry-run --ignore-installed --quiet --report - \\
    --extra-index-url https://…/data/wheels/gfx950/ \\
    'rocm-torch[device-gfx950]' \\
    | index-audit --index https://…/data/wheels --arch gfx950 --report -

EXIT
  0  clean
  1  something of ours came from elsewhere, CUDA came in, a pin did not come,
     a link is broken, nothing resolves
  2  the index could not be reached, a client could not be run, the report
     could not be read"
)]
struct Args {
    /// Root of the index, which holds a folder per architecture: https://…/data/wheels, or a folder
    #[arg(long, value_name = "URL|DIR")]
    index: String,
    /// GPU architectures, separated by commas
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', required = true)]
    arch: Vec<Architecture>,
    /// The public index; by default what pip and uv are configured for, or their own default
    #[arg(long, value_name = "URL", conflicts_with = "report")]
    upstream: Option<String>,
    /// Ask one client only
    #[arg(long, value_name = "CLIENT", conflicts_with = "report")]
    with: Option<With>,
    /// The Python that the resolve is for
    #[arg(long, value_name = "VERSION", default_value = "3.14", value_parser = python)]
    python: String,
    /// Name of the metapackage
    #[arg(long, value_name = "NAME", default_value = "rocm-torch")]
    name: ProjectName,
    /// Judge a saved resolve instead: pip's --report, or a pylock.toml; `-` is stdin
    #[arg(long, value_name = "FILE|-")]
    report: Option<PathBuf>,
    /// Read and hash every byte of every wheel, not only its size and start
    #[arg(long, conflicts_with = "report")]
    download: bool,
    /// Give up after this many seconds in all
    #[arg(long, value_name = "SECONDS", default_value_t = 900, value_parser = clap::value_parser!(u64).range(1..=604_800))]
    deadline: u64,
    /// Write the judgement in Markdown, for the page of a CI job
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
    /// The document of the last audit, to tell names that were registered since
    #[arg(long, value_name = "FILE", conflicts_with = "report")]
    previous: Option<PathBuf>,
    #[command(flatten)]
    shared: Shared,
}

/// A client that can be asked alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum With {
    Pip,
    Uv,
}

fn main() -> ExitCode {
    let args: Args = pipe::arguments(TOOL);
    pipe::run(TOOL, || {
        let report = audit::audit(&args)?;
        if let Some(summary) = &args.summary {
            pipe::write_whole(summary, summary::markdown(&report).as_bytes())?;
        }
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

/// A minor release: `3.14`.
fn python(text: &str) -> Result<String, String> {
    let is_number = |part: &str| {
        part.parse::<u8>()
            .is_ok_and(|number| number.to_string() == part)
    };
    match text.split_once('.') {
        Some((major, minor)) if is_number(major) && is_number(minor) => Ok(text.to_owned()),
        _ => Err(format!(
            "`{text}` is not a minor release of Python like `3.14`"
        )),
    }
}
