//! Lists what a registry holds, says what of a plan is missing, and pulls wheels out of images.

mod causes;
mod digest;
mod few;
mod gather;
mod image;
mod layer;
mod list;
mod log;
mod manifest;
mod missing;
mod place;
mod planned;
mod pull;
mod reference;
mod registry;
mod session;
mod store;
mod tag_name;
mod tag_order;
mod wheels;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::place::{Host, Place};

const AFTER: &str = "\
EXAMPLES
  wheelhouse tags --plain-http host:8080 host:8080/rocm-pytorch/pytorch
  tag-planner --arch gfx950 | wheelhouse missing --explain
  tag-planner --arch gfx950 | wheelhouse pull --out pulled | glibc-probe

EXIT
  0  done
  1  something planned is not published, or two images hold one wheel with
     different bytes
  2  could not be done; `pull` goes on where it was when run again

Credentials are those of `docker login` and `podman login`. HTTPS_PROXY,
HTTP_PROXY, ALL_PROXY and NO_PROXY are honoured; localhost and loopback
addresses are never sent to a proxy.";

/// Talk to the registry: list what is published, say what is missing, pull wheels out of images
#[derive(Debug, Parser)]
#[command(name = "wheelhouse", version, after_help = AFTER)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the tags of a repository, sorted by version, ROCm and architecture
    Tags(list::TagsArgs),
    /// Compare a tag plan (stdin) with what is published
    Missing(missing::MissingArgs),
    /// Pull the wheels of a tag plan (stdin) out of its *-wheel images
    Pull(pull::PullArgs),
}

/// How the registry is reached.
#[derive(Debug, Args)]
struct Reach {
    /// The registry, in place of the plan's own: HOST[:PORT][/PATH], or oci:DIR for a layout on disk
    #[arg(long, value_name = "HOST|oci:DIR")]
    registry: Option<Place>,
    /// Speak plain http with this host, and no other (may be repeated)
    #[arg(long, value_name = "HOST")]
    plain_http: Vec<Host>,
    /// Trust the certificates in this PEM file, beside the system's
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// Give up after so many seconds in all; without it, only a silent connection is given up
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    deadline: Option<u64>,
    #[command(flatten)]
    shared: pipe::Shared,
}

fn main() -> ExitCode {
    let cli: Cli = pipe::arguments("wheelhouse");
    pipe::run("wheelhouse", || {
        session::install_tls();
        let done = match &cli.command {
            Command::Tags(args) => list::tags(args),
            Command::Missing(args) => missing::missing(args),
            Command::Pull(args) => pull::pull(args),
        };
        done.map_err(log::told)
    })
}
