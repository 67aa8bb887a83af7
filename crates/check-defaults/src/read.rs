//! Reading a checkout: the bake file first, since it names what else there is to read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Context;
use bake::{Definitions, Location, MARKDOWN_BEGIN, Outside, Request};
use pipe::Config;

use crate::bake_file::{self, BakeFile};
use crate::dockerfile::Dockerfile;
use crate::makefile;
use crate::repository::Repository;

/// Variables of the Makefile that have no namesake in the bake file.
const ASKED: [&str; 3] = ["WHEEL_REPOS", "CLEAN_CACHES", "BAKE_VARIABLES"];

/// Why there is nothing to compare.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unreadable {
    /// A group of the bake file names what is not there: bake refuses the file, and it is a finding here.
    #[error("{at}: there is no target or group `{name}`")]
    UnknownMember { at: Location, name: String },
    /// Everything else: a file is missing or malformed.
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}

/// Reads what the rules compare.
///
/// # Errors
/// [`Unreadable`], with the file and the place in it.
pub(crate) fn read(
    makefile: &Path,
    bake_file: &Path,
    config_file: Option<&Path>,
) -> Result<Repository, Unreadable> {
    let config = Config::load(config_file).map_err(anyhow::Error::from)?;
    let (definitions, bake) = bake_file::read(bake_file)?;
    let root = bake_file.parent().unwrap_or(Path::new("")).to_owned();
    let names = bake.variables.keys().map(String::as_str).chain(ASKED);
    let make = makefile::variables(makefile, names).map_err(anyhow::Error::from)?;
    let dockerfiles = dockerfiles(&root, &bake)?;
    let pages = pages(&root)?;
    let tables = if pages.is_empty() {
        String::new()
    } else {
        tables(&definitions, &root, &config)?
    };
    let config_file = config_file.unwrap_or(Path::new(Config::DEFAULT_FILE));
    Ok(Repository {
        root,
        makefile: makefile.display().to_string(),
        make,
        dockerfiles,
        bake,
        pages,
        tables,
        config,
        config_file: config_file.display().to_string(),
    })
}

/// The pages of `docs/` that have tables of the plan.
fn pages(root: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let mut pages = BTreeMap::new();
    for name in names_in(&root.join("docs"))? {
        let path = format!("docs/{name}");
        let full = root.join(&path);
        if full.extension().is_some_and(|extension| extension == "md") && full.is_file() {
            let text =
                std::fs::read_to_string(&full).with_context(|| full.display().to_string())?;
            if text.contains(MARKDOWN_BEGIN) {
                pages.insert(path, text);
            }
        }
    }
    Ok(pages)
}

/// What `tag-planner --format markdown` prints without an environment.
fn tables(definitions: &Definitions, root: &Path, config: &Config) -> anyhow::Result<String> {
    let request = Request::default();
    let plan = bake::plan(
        definitions,
        &Outside::nothing(),
        root,
        &request,
        &config.tags,
    )?;
    Ok(bake::markdown(definitions, &plan))
}

/// The names in a folder; none where there is no folder.
fn names_in(folder: &Path) -> anyhow::Result<Vec<String>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let context = || folder.display().to_string();
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(context)? {
        names.extend(entry.with_context(context)?.file_name().into_string());
    }
    Ok(names)
}

/// Every Dockerfile in `docker/` and every one that a target names, where it is there.
fn dockerfiles(root: &Path, bake: &BakeFile) -> anyhow::Result<BTreeMap<String, Dockerfile>> {
    let mut paths: BTreeSet<String> = bake
        .targets
        .values()
        .map(|target| target.dockerfile.value.clone())
        .collect();
    let in_docker = names_in(&root.join("docker"))?.into_iter();
    let in_docker = in_docker.filter(|name| name.starts_with("Dockerfile."));
    paths.extend(in_docker.map(|name| format!("docker/{name}")));
    let mut files = BTreeMap::new();
    for path in paths {
        let full: PathBuf = root.join(&path);
        // That it is missing is a finding.
        if !full.is_file() {
            continue;
        }
        let text = std::fs::read_to_string(&full).with_context(|| full.display().to_string())?;
        let file = Dockerfile::parse(&full.display().to_string(), &text)?;
        files.insert(path, file);
    }
    Ok(files)
}
