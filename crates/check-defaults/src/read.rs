//! Reading a checkout: the bake file first, since it names what else there is to read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Context;
use bake::{Cause, Definitions, Location, Outside, ReadError};
use pipe::Config;

use crate::dockerfile::Dockerfile;
use crate::makefile;
use crate::repository::{BakeFile, Member, Placed, Repository, Target};

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
    config: Option<&Path>,
) -> Result<Repository, Unreadable> {
    let bake = bake(bake_file)?;
    let root = bake_file.parent().unwrap_or(Path::new("")).to_owned();
    let names = bake.variables.keys().map(String::as_str).chain(ASKED);
    let make = makefile::variables(makefile, names).map_err(anyhow::Error::from)?;
    let dockerfiles = dockerfiles(&root, &bake)?;
    Ok(Repository {
        root,
        makefile: makefile.display().to_string(),
        make,
        dockerfiles,
        bake,
        config: Config::load(config).map_err(anyhow::Error::from)?,
        config_file: config
            .unwrap_or(Path::new(Config::DEFAULT_FILE))
            .display()
            .to_string(),
    })
}

/// The bake file with the defaults of its variables; the environment of this process does not reach it.
fn bake(path: &Path) -> Result<BakeFile, Unreadable> {
    let told = |error: ReadError| match error {
        ReadError::Bake(error) => match error.cause {
            Cause::UnknownTarget(name) => Unreadable::UnknownMember { at: error.at, name },
            _ => Unreadable::Other(error.into()),
        },
        error @ ReadError::Io { .. } => Unreadable::Other(error.into()),
    };
    let definitions = Definitions::read(&[path]).map_err(told)?;
    let evaluated = definitions
        .evaluate(&Outside::nothing())
        .map_err(|error| told(error.into()))?;
    let mut file = BakeFile {
        file: path.display().to_string(),
        ..BakeFile::default()
    };
    for (name, location) in definitions.variables() {
        // A list or a number has no counterpart in a Makefile.
        if let Some(Ok(value)) = evaluated.variables.get(name).map(bake::Value::to_text) {
            file.variables.insert(
                name.to_owned(),
                Placed {
                    value,
                    line: line(&location),
                },
            );
        }
    }
    for group in &evaluated.groups {
        let value = group
            .members()
            .map(|(name, location)| Member {
                name: name.to_owned(),
                line: line(&location),
            })
            .collect();
        file.groups.insert(
            group.name.clone(),
            Placed {
                value,
                line: line(&group.location()),
            },
        );
    }
    for target in &evaluated.targets {
        // A parent that others inherit from is not built itself.
        let is_helper = target.tags().is_empty() && evaluated.groups_of(&target.name).is_empty();
        if !is_helper {
            file.targets.insert(target.name.clone(), built(target));
        }
    }
    Ok(file)
}

fn built(target: &bake::Target) -> Target {
    let own = line(&target.location());
    let text = |name: &str, default: &str| match target.text(name) {
        Some(placed) => Placed {
            value: placed.value.to_owned(),
            line: line(&placed.location()),
        },
        None => Placed {
            value: default.to_owned(),
            line: own,
        },
    };
    let placed = |placed: bake::Placed<'_>| Placed {
        value: placed.value.to_owned(),
        line: line(&placed.location()),
    };
    Target {
        line: own,
        context: text("context", "."),
        dockerfile: text("dockerfile", "Dockerfile"),
        stage: target.stage().map(|_| text("target", "")),
        args: target
            .map("args")
            .into_iter()
            .map(|(name, value)| (name.to_owned(), placed(value)))
            .collect(),
        contexts: target
            .map("contexts")
            .into_keys()
            .map(str::to_owned)
            .collect(),
        tags: target.tags().into_iter().map(str::to_owned).collect(),
        cache_from: target.list("cache-from").into_iter().map(placed).collect(),
        cache_to: target.list("cache-to").into_iter().map(placed).collect(),
    }
}

fn line(location: &Location) -> u64 {
    location.line as u64
}

/// Every Dockerfile in `docker/` and every one that a target names, where it is there.
fn dockerfiles(root: &Path, bake: &BakeFile) -> anyhow::Result<BTreeMap<String, Dockerfile>> {
    let mut paths: BTreeSet<String> = bake
        .targets
        .values()
        .map(|target| target.dockerfile.value.clone())
        .collect();
    let folder = root.join("docker");
    if folder.is_dir() {
        for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let name = entry
                .with_context(|| folder.display().to_string())?
                .file_name();
            if let Some(name) = name.to_str().filter(|name| name.starts_with("Dockerfile.")) {
                paths.insert(format!("docker/{name}"));
            }
        }
    }
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
