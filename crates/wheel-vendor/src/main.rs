//! Grafts the libraries that a platform policy asks for into wheels, never anything that ROCm ships.

mod bench;
mod debian;
mod difference;
mod edit;
mod elf_file;
mod explain;
mod graft;
mod need;
mod output;
mod patchelf;
mod payload;
mod plan;
mod read_back;
mod rewrite;
mod rocm_prefix;
mod rpath;
mod sbom;
mod search;
mod start;
mod tables;
mod target;
mod vendor;
mod walk;
mod write;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

/// Graft the libraries that a platform policy asks for into wheels, never anything that ROCm ships
///
/// Reads a measured set on stdin, follows the needs that no policy grants through the given folders, and writes each
/// wheel with those libraries under `<distribution>.libs/`. Measure the result again: a grafted library can need a newer
/// glibc. A wheel that needs nothing is passed on byte for byte.
#[derive(Parser, Debug)]
#[command(
    version,
    after_help = "\
Needs patchelf 0.14.5 or newer on PATH when there is something to graft.

EXAMPLE
  glibc-probe wheels/ \\
    | wheel-vendor --out vendored --lib-dir /opt/ucx/lib | glibc-probe

EXIT
  0  done
  1  a library was not found, or more would be grafted than --max-graft
  2  it could not do its work"
)]
struct Args {
    /// Folder for the wheels; a file that is there with other bytes is an error
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Look for libraries here (may be repeated: in that order)
    #[arg(long, value_name = "DIR")]
    lib_dir: Vec<PathBuf>,
    /// Look in this machine's own library folders as well, last
    #[arg(long)]
    system_libs: bool,
    /// Graft nothing below this folder, beside /opt/rocm* and folders with ROCm's .info/version (may be repeated)
    #[arg(long, value_name = "DIR")]
    rocm_prefix: Vec<PathBuf>,
    /// Graft no library whose name matches, beside the built-in lists of ROCm and torch (may be repeated)
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// The policy to graft for, such as `manylinux_2_28_x86_64`; without it the best that the symbols allow
    #[arg(long, value_name = "TAG")]
    plat: Option<String>,
    /// Most bytes that may be grafted into one wheel
    #[arg(long, value_name = "BYTES", default_value_t = 64_000_000)]
    max_graft: u64,
    /// Write nothing; print the tree of needs and what would happen to each
    #[arg(long)]
    dry_run: bool,
    /// The project's configuration [default: rocm-bake.toml, where there is one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    shared: pipe::Shared,
}

fn main() -> ExitCode {
    let args: Args = pipe::arguments("wheel-vendor");
    pipe::run("wheel-vendor", || vendor::vendor(&args))
}
