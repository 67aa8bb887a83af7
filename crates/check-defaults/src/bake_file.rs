//! The bake file as the rules look at it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use bake::{Cause, Definitions, Location, Outside, ReadError};

use crate::read::Unreadable;

/// The bake file, evaluated with the defaults of its variables.
#[derive(Debug, Default)]
pub(crate) struct BakeFile {
    /// As it was named.
    pub(crate) file: String,
    pub(crate) variables: BTreeMap<String, Placed<String>>,
    /// Members in the order of the file, repetitions too.
    pub(crate) groups: BTreeMap<String, Placed<Vec<Member>>>,
    pub(crate) targets: BTreeMap<String, Target>,
}

/// A value and the line of the bake file that gives it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Placed<T> {
    pub(crate) value: T,
    pub(crate) line: u64,
}

/// A name in a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) line: u64,
}

/// A bake target, its parents merged in.
#[derive(Debug, Default)]
pub(crate) struct Target {
    pub(crate) line: u64,
    pub(crate) context: Placed<String>,
    pub(crate) dockerfile: Placed<String>,
    /// The stage; none is the last one.
    pub(crate) stage: Option<Placed<String>>,
    pub(crate) args: BTreeMap<String, Placed<String>>,
    pub(crate) contexts: BTreeSet<String>,
    /// Full references.
    pub(crate) tags: Vec<String>,
    /// `cache-from` as it stands.
    pub(crate) cache_from: Vec<Placed<String>>,
    /// `cache-to` as it stands.
    pub(crate) cache_to: Vec<Placed<String>>,
}

impl Target {
    /// Its arguments without their places, as the graph of a Dockerfile takes them.
    pub(crate) fn arguments(&self) -> BTreeMap<String, String> {
        let pair = |(name, value): (&String, &Placed<String>)| (name.clone(), value.value.clone());
        self.args.iter().map(pair).collect()
    }
}

/// Reads and evaluates the bake file; the environment of this process does not reach it.
///
/// # Errors
/// [`Unreadable`], with the place.
pub(crate) fn read(path: &Path) -> Result<(Definitions, BakeFile), Unreadable> {
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
    Ok((definitions, file))
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
