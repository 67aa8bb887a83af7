//! The command line.

use std::path::PathBuf;

use clap::Parser;
use pipe::{Architecture, Stop};

use crate::address::{Location, parse_address};
use crate::options::Options;
use crate::python::Python;
use crate::replace::Replace;
use crate::yanks::Yanks;

const AFTER_HELP: &str = "\
EXAMPLE
  glibc-probe wheels | wheel-tagger --rocm 10.1.0 --out marked | metapkg --rocm 10.1.0 --arch gfx950 --out marked \\
    | index-gen --arch gfx950 --out site > /dev/null

EXIT
  0  the index is published and the set printed
  1  a wheel does not belong into the index or collides with another: every reason is on stderr, nothing is written
  2  the index could not be made: a faulty wheel, bad input, no place to write; nothing is written";

/// Make a static pip index of a wheel set, for one GPU architecture, and the landing page
#[derive(Debug, Parser)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
#[command(version, after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// Wheel sets; none, or `-`, reads the set from stdin
    pub(crate) sets: Vec<PathBuf>,
    /// The GPU architecture that the index is for: gfx950
    #[arg(long)]
    pub(crate) arch: Architecture,
    /// The site's folder; other architectures in it are kept
    #[arg(long, value_name = "SITE")]
    pub(crate) out: PathBuf,
    /// Where the wheels will be, all in one place; without it they are put into the site
    #[arg(long, value_name = "URL", value_parser = parse_address)]
    pub(crate) base_url: Option<String>,
    /// Where each wheel will be: a JSON object of file name to URL
    #[arg(long, value_name = "FILE", conflicts_with = "base_url")]
    pub(crate) url_map: Option<PathBuf>,
    /// The site's public address, for the install commands on the page
    #[arg(long, value_name = "URL", value_parser = parse_address)]
    pub(crate) site_url: Option<String>,
    /// Name this index for everything else in the install commands, not the user's own
    #[arg(long, value_name = "URL", value_parser = parse_address)]
    pub(crate) public_index: Option<String>,
    /// The Python that the index is for; wheels that exclude it are named
    #[arg(long, value_name = "X.Y", default_value = "3.14")]
    pub(crate) python: Python,
    /// TOML: file name, or `name==version`, to the reason why it is yanked
    #[arg(long, value_name = "FILE")]
    pub(crate) yanked: Option<PathBuf>,
    /// Let this published file, or all of this project, change its bytes
    #[arg(long, value_name = "NAME")]
    pub(crate) replace: Vec<Replace>,
    /// Take wheels that were not measured
    #[arg(long)]
    pub(crate) unmeasured: bool,
    /// Keep the wheels of earlier sets on the pages
    #[arg(long)]
    pub(crate) keep_old: bool,
    /// Take wheels of 2 GiB and more, which release hosts do not
    #[arg(long)]
    pub(crate) no_asset_limit: bool,
    /// Read every wheel, also those that have not changed
    #[arg(long)]
    pub(crate) distrust_cache: bool,
    /// The policy; by default rocm-bake.toml, if it is there
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) shared: pipe::Shared,
}

impl Arguments {
    /// What the pages need, with the files read that the arguments name.
    pub(crate) fn options(&self) -> Result<Options, Stop> {
        let cannot =
            |path: &PathBuf, cause: String| Stop::cannot(format!("{}: {cause}", path.display()));
        let location = match (&self.base_url, &self.url_map) {
            (Some(base), _) => Location::Base(base.clone()),
            (None, Some(map)) => Location::from_map(map).map_err(|e| cannot(map, e.to_string()))?,
            (None, None) => Location::InSite,
        };
        let yanks = match &self.yanked {
            Some(file) => Yanks::load(file).map_err(|e| cannot(file, e.to_string()))?,
            None => Yanks::default(),
        };
        Ok(Options {
            arch: self.arch.clone(),
            location,
            site_url: self
                .site_url
                .as_ref()
                .map(|url| url.trim_end_matches('/').to_owned()),
            public_index: self.public_index.clone(),
            python: self.python.clone(),
            yanks,
            keep_old: self.keep_old,
        })
    }
}
