//! `index-gen`: wheel set in, static pip index for one GPU architecture out.

mod address;
mod admission;
mod arguments;
mod assets;
mod belongs;
mod cards;
mod collide;
mod digest;
mod entrant;
mod explain;
mod facts;
mod folder;
mod input;
mod judgement;
mod keep_old;
mod landing;
mod ledger;
mod memory;
mod options;
mod pages;
mod problems;
mod publish;
mod python;
mod reading;
mod replace;
mod run;
mod seal;
mod simple_page;
mod sink;
mod site;
mod size;
mod staging;
mod told;
mod twin;
mod upload;
mod view;
mod yanks;

use std::process::ExitCode;

/// The name in front of every line on stderr.
const TOOL: &str = "index-gen";

fn main() -> ExitCode {
    let arguments = pipe::arguments::<arguments::Arguments>(TOOL);
    pipe::run(TOOL, || run::run(&arguments))
}
