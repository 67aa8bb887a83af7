//! The collision radar: where each of our names comes from when a user types it without the metapackage.

use std::collections::BTreeSet;
use std::time::Instant;

use pipe::{AuditAnswer, AuditCheck, BareName, PublicName};
use wheel::ProjectName;

use crate::client::{Answer, Indexes, Question, Resolver, RunError, order};
use crate::judge::Verdict;
use crate::origin::{Origin, origin};
use crate::published::Published;
use crate::resolved::Distribution;

/// What the radar looks with.
pub(crate) struct Radar<'a> {
    pub(crate) published: &'a Published,
    pub(crate) python: &'a str,
    pub(crate) deadline: Instant,
}

/// Why the radar saw nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RadarError {
    /// A client that could not be run to its end.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A client that could not look at everything.
    #[error("{client}: {cause}")]
    Failed {
        /// Which one.
        client: String,
        /// Its own words, on one line.
        cause: String,
    },
    /// No folder to work in.
    #[error("a folder for the clients: {0}")]
    Folder(#[from] std::io::Error),
}

impl Radar<'_> {
    /// Asks one client for all of our names, in each order of the two indexes that a user may give.
    ///
    /// # Errors
    /// See [`RadarError`].
    pub(crate) fn bare(
        &self,
        resolver: &dyn Resolver,
        verdict: &mut Verdict,
    ) -> Result<Vec<BareName>, RadarError> {
        let ours = &self.published.folder;
        let mut orders = vec![Indexes::Beside(ours)];
        if resolver.knows_public() {
            orders.push(Indexes::Main(ours));
        }
        let names: Vec<&ProjectName> = self.published.projects.keys().collect();
        let mut found = Vec::new();
        for indexes in &orders {
            for (name, came) in self.each(resolver, &names, *indexes)? {
                found.push(self.bare_name(resolver, *indexes, name, came.as_ref()));
            }
        }
        let client = resolver.client();
        let foreign = found.iter().filter(|one| !one.ours).count();
        verdict.checks.push(AuditCheck {
            architecture: self.published.arch.to_string(),
            check: "bare".to_owned(),
            resolver: Some(client.to_string()),
            answer: AuditAnswer::Passed,
            detail: format!(
                "{} names in {} order{} of indexes; {foreign} would not be ours{}",
                names.len(),
                orders.len(),
                if orders.len() == 1 { "" } else { "s" },
                if orders.len() == 1 {
                    ". The other order needs the public index by address: --upstream"
                } else {
                    ""
                }
            ),
        });
        Ok(found)
    }

    /// Which of our names somebody has registered publicly.
    ///
    /// # Errors
    /// See [`RadarError`].
    pub(crate) fn registered(
        &self,
        resolver: &dyn Resolver,
    ) -> Result<Vec<PublicName>, RadarError> {
        let mut open: Vec<&ProjectName> = self.published.projects.keys().collect();
        let mut unregistered = BTreeSet::new();
        // A client stops at the first name that no index has, and goes on without it.
        while !open.is_empty() {
            match self.ask(resolver, &open, Indexes::Public)? {
                Answer::Resolved(_) => break,
                Answer::Failed(cause) => return Err(failed(resolver, &cause)),
                Answer::Unsatisfiable { absent, .. } => {
                    let before = open.len();
                    open.retain(|name| !absent.contains(name));
                    unregistered.extend(absent);
                    if open.len() == before {
                        // Registered, but without a file that fits: it hides what comes after it.
                        open = self.one_by_one(resolver, &open, &mut unregistered)?;
                    }
                }
            }
        }
        let names = self.published.projects.keys();
        Ok(names
            .map(|name| PublicName {
                name: name.to_string(),
                registered: !unregistered.contains(name),
                new: false,
            })
            .collect())
    }

    /// Asks for each name alone; nothing is open after that.
    fn one_by_one<'a>(
        &self,
        resolver: &dyn Resolver,
        names: &[&'a ProjectName],
        unregistered: &mut BTreeSet<ProjectName>,
    ) -> Result<Vec<&'a ProjectName>, RadarError> {
        for name in names {
            match self.ask(resolver, &[name], Indexes::Public)? {
                Answer::Resolved(_) => {}
                Answer::Unsatisfiable { absent, .. } => unregistered.extend(absent),
                Answer::Failed(cause) => return Err(failed(resolver, &cause)),
            }
        }
        Ok(Vec::new())
    }

    /// All names at once, and one by one where that cannot be resolved.
    fn each<'a>(
        &self,
        resolver: &dyn Resolver,
        names: &[&'a ProjectName],
        indexes: Indexes,
    ) -> Result<Vec<(&'a ProjectName, Option<Distribution>)>, RadarError> {
        match self.ask(resolver, names, indexes)? {
            Answer::Resolved(all) => Ok(names
                .iter()
                .map(|name| (*name, all.find(name).cloned()))
                .collect()),
            Answer::Failed(cause) => Err(failed(resolver, &cause)),
            Answer::Unsatisfiable { .. } if names.len() == 1 => {
                Ok(names.iter().map(|name| (*name, None)).collect())
            }
            Answer::Unsatisfiable { .. } => {
                let mut found = Vec::new();
                for name in names {
                    found.extend(self.each(resolver, &[name], indexes)?);
                }
                Ok(found)
            }
        }
    }

    fn ask(
        &self,
        resolver: &dyn Resolver,
        names: &[&ProjectName],
        indexes: Indexes,
    ) -> Result<Answer, RadarError> {
        let question = Question {
            requirements: names.iter().map(ToString::to_string).collect(),
            dependencies: false,
            indexes,
            python: self.python,
        };
        let folder = tempfile::tempdir()?;
        Ok(resolver.ask(&question, folder.path(), self.deadline)?)
    }

    fn bare_name(
        &self,
        resolver: &dyn Resolver,
        indexes: Indexes,
        name: &ProjectName,
        came: Option<&Distribution>,
    ) -> BareName {
        let project = self.published.projects.get(name);
        let file = came.and_then(|came| came.files.first());
        let ours = file.zip(project).is_some_and(|(file, project)| {
            matches!(origin(self.published, project, file), Origin::Ours(_))
        });
        BareName {
            architecture: self.published.arch.to_string(),
            name: name.to_string(),
            resolver: resolver.client().to_string(),
            order: order(resolver.client(), indexes).to_owned(),
            version: came.map(|came| came.version.to_string()),
            url: file.map(|file| crate::judge::shown(&file.url)),
            ours,
        }
    }
}

fn failed(resolver: &dyn Resolver, cause: &str) -> RadarError {
    RadarError::Failed {
        client: resolver.client().to_string(),
        cause: cause.replace('\n', " "),
    }
}
