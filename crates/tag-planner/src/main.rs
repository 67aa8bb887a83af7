//! The tag plan of a bake file, and what is wrong with it.

mod setting;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bake::{Definitions, Request};
use clap::{Parser, ValueEnum};
use pipe::{Architecture, Config, Outcome, Shared, Stop};

use setting::Setting;

/// Plan every tag that a bake file publishes, and check the plan
#[derive(Parser)]
#[command(version, after_help = setting::AFTER_HELP)]
struct Args {
    /// Bake file, HCL or JSON; may be repeated, and is then merged in order
    #[arg(short, long, default_value = "docker-bake.hcl", value_name = "FILE")]
    file: Vec<PathBuf>,
    /// The project's configuration [default: rocm-bake.toml, where there is one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Plan only this group, or this target
    #[arg(long, value_name = "NAME")]
    group: Option<String>,
    /// Plan for these GPU architectures, separated by commas, and compare them
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    arch: Vec<Architecture>,
    /// How to print the plan
    #[arg(long, value_enum, default_value_t = Format::Json)]
    format: Format,
    /// Values of bake variables; they win over the environment
    #[arg(value_name = "VAR=VALUE")]
    settings: Vec<Setting>,
    #[command(flatten)]
    shared: Shared,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The document tag-plan/1
    Json,
    /// A table for a person, as --explain
    Table,
    /// Tables for the documentation
    Markdown,
}

fn main() -> ExitCode {
    let args: Args = pipe::arguments("tag-planner");
    pipe::run("tag-planner", || plan(&args))
}

fn plan(args: &Args) -> Result<Outcome, Stop> {
    let config = Config::load(args.config.as_deref()).map_err(|e| Stop::cannot(e.to_string()))?;
    let definitions = Definitions::read(&args.file).map_err(|e| Stop::cannot(e.to_string()))?;
    let file = args
        .file
        .iter()
        .map(|file| file.display().to_string())
        .collect::<Vec<_>>()
        .join(", ");
    let outside = setting::apply(&args.settings, &args.arch, &definitions, &file)?;
    let request = Request {
        group: args.group.clone(),
        architectures: args.arch.clone(),
    };
    let plan = bake::plan(
        &definitions,
        &outside,
        Path::new("."),
        &request,
        &config.tags,
    )
    .map_err(|error| setting::stop(&error, &file))?;
    if args.format != Format::Table && !args.shared.explain && !args.shared.quiet {
        setting::tell(&plan, &file);
    }
    match args.format {
        _ if args.shared.explain => pipe::print_text(&bake::table(&plan))?,
        Format::Json => pipe::print(&plan)?,
        Format::Table => pipe::print_text(&bake::table(&plan))?,
        Format::Markdown => pipe::print_text(&bake::markdown(&definitions, &plan))?,
    }
    Ok(if plan.findings.is_empty() {
        Outcome::Done
    } else {
        Outcome::No
    })
}
