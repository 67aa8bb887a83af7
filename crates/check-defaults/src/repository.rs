//! Everything that the rules compare, read once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use bake::Location;
use pipe::{Config, DriftFinding};

use crate::bake_file::{BakeFile, Target};
use crate::dockerfile::Dockerfile;
use crate::makefile;

/// A checkout, as far as the rules look at it.
#[derive(Debug)]
pub(crate) struct Repository {
    /// The folder of the bake file: what its paths and the build context are relative to.
    pub(crate) root: PathBuf,
    pub(crate) bake: BakeFile,
    /// The Makefile as it was named.
    pub(crate) makefile: String,
    /// Variables of the Makefile, of those that a rule asks for.
    pub(crate) make: BTreeMap<String, makefile::Variable>,
    /// Every `docker/Dockerfile.*` and every other that a target names and that is there, by its path from the root.
    pub(crate) dockerfiles: BTreeMap<String, Dockerfile>,
    /// The pages of `docs/` that have tables of the plan, by path from the root.
    pub(crate) pages: BTreeMap<String, String>,
    /// Those tables as they should be; empty where no page has any.
    pub(crate) tables: String,
    pub(crate) config: Config,
    /// The configuration file as it was named.
    pub(crate) config_file: String,
}

/// One side of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: String,
    pub(crate) line: u64,
}

impl Repository {
    /// A line of the bake file.
    pub(crate) fn in_bake(&self, line: u64) -> Place {
        Place {
            file: self.bake.file.clone(),
            line,
        }
    }

    /// A line of a file that is named from the root.
    pub(crate) fn in_file(&self, path: &str, line: u64) -> Place {
        Place {
            file: self.root.join(path).display().to_string(),
            line,
        }
    }

    /// Where the Makefile assigns a variable, or its first line.
    pub(crate) fn in_make(&self, name: &str) -> Place {
        match self.make.get(name) {
            Some(variable) => {
                let folder = std::path::Path::new(&self.makefile)
                    .parent()
                    .unwrap_or(std::path::Path::new(""));
                Place {
                    file: folder.join(&variable.file).display().to_string(),
                    line: variable.line,
                }
            }
            None => Place {
                file: self.makefile.clone(),
                line: 1,
            },
        }
    }

    /// The words of a variable of the Makefile; none where it assigns it nowhere.
    pub(crate) fn make_words(&self, name: &str) -> Option<Vec<&str>> {
        Some(self.make.get(name)?.value.split_whitespace().collect())
    }

    /// The default of `REGISTRY`: what every image of ours begins with.
    pub(crate) fn registry(&self) -> &str {
        self.bake
            .variables
            .get("REGISTRY")
            .map_or("", |registry| &registry.value)
    }

    /// The part of a reference between the registry and the tag; none for an image that is not ours.
    pub(crate) fn repository_of<'a>(&self, reference: &'a str) -> Option<&'a str> {
        let rest = reference.strip_prefix(self.registry())?.strip_prefix('/')?;
        Some(
            rest.split_once(':')
                .map_or(rest, |(repository, _)| repository),
        )
    }

    /// The Dockerfile of a target and the number of the stage that it builds, where both are there.
    pub(crate) fn built(&self, target: &Target) -> Option<(&Dockerfile, usize)> {
        let file = self.dockerfiles.get(&target.dockerfile.value)?;
        let stage = match &target.stage {
            Some(name) => file.graph.stage(&name.value)?,
            None => file.graph.stages.len().checked_sub(1)?,
        };
        Some((file, stage))
    }

    /// A line of a Dockerfile, as `bake` counts them.
    pub(crate) fn in_dockerfile(&self, path: &str, line: usize) -> Place {
        self.in_file(path, line as u64)
    }
}

/// What the rules found. Equal findings fold.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) findings: BTreeSet<DriftFinding>,
    pub(crate) notes: BTreeSet<DriftFinding>,
    /// How many things each rule looked at, so that a clean run can be told from an empty one.
    pub(crate) compared: BTreeMap<&'static str, u64>,
}

impl Report {
    /// The one finding of a bake file that bake itself refuses.
    pub(crate) fn of_unknown_member(at: Location, name: &str) -> Self {
        let mut report = Self::default();
        let place = Place {
            file: at.file,
            line: at.line as u64,
        };
        let message = format!("`{name}` is neither a target nor a group");
        report.finding(
            "group-member",
            &place,
            None,
            message,
            "add the target, or remove the name".to_owned(),
        );
        report
    }

    /// Counts one comparison by `rule`.
    pub(crate) fn count(&mut self, rule: &'static str) {
        *self.compared.entry(rule).or_default() += 1;
    }

    /// Adds a finding.
    pub(crate) fn finding(
        &mut self,
        rule: &'static str,
        at: &Place,
        other: Option<&Place>,
        message: String,
        fix: String,
    ) {
        self.findings.insert(made(rule, at, other, message, fix));
    }

    /// Adds a note: accepted, and told all the same.
    pub(crate) fn note(
        &mut self,
        rule: &'static str,
        at: &Place,
        other: Option<&Place>,
        message: String,
        fix: String,
    ) {
        self.notes.insert(made(rule, at, other, message, fix));
    }
}

fn made(
    rule: &str,
    at: &Place,
    other: Option<&Place>,
    message: String,
    fix: String,
) -> DriftFinding {
    DriftFinding {
        file: at.file.clone(),
        line: at.line,
        rule: rule.to_owned(),
        other_file: other.map(|other| other.file.clone()),
        other_line: other.map(|other| other.line),
        message,
        fix,
    }
}
