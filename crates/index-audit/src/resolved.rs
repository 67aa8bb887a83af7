//! What a resolve brought in, whichever client did it.

use std::fmt;

use wheel::{Environment, ProjectName, Requirement, Version};

/// A client that resolves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Client {
    /// pip: one heap of candidates from all indexes.
    Pip,
    /// uv: the first index that has a name, has it alone.
    Uv,
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pip => "pip",
            Self::Uv => "uv",
        })
    }
}

/// A finished resolve.
#[derive(Debug)]
pub(crate) struct Resolved {
    /// Who resolved.
    pub(crate) client: Client,
    /// Sorted by name.
    pub(crate) distributions: Vec<Distribution>,
    /// Where markers were evaluated, as far as it is told.
    pub(crate) target: Target,
}

/// What a resolve tells about the Python that it was for.
#[derive(Debug)]
pub(crate) enum Target {
    /// pip: markers were evaluated by the Python that pip runs on.
    Ran {
        /// `3.13`.
        python: String,
        /// All of its marker variables.
        environment: Environment,
    },
    /// uv: the oldest Python that the lock is for, `3.14`.
    Oldest(String),
    /// Not told.
    Unknown,
}

/// One distribution that came in.
#[derive(Debug, Clone)]
pub(crate) struct Distribution {
    /// Canonical name.
    pub(crate) name: ProjectName,
    /// Full version.
    pub(crate) version: Version,
    /// The exact addresses of its files: one, or all that a lock allows.
    pub(crate) files: Vec<ResolvedFile>,
    /// Requires-Dist, where the client tells it; what cannot be read is left out.
    pub(crate) requires: Option<Vec<Requirement>>,
    /// Extras that were asked for.
    pub(crate) extras: Vec<ProjectName>,
}

/// A file that would be installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResolvedFile {
    /// Its address as the client wrote it.
    pub(crate) url: String,
    /// Its sha256, where the client told it.
    pub(crate) sha256: Option<String>,
}

impl Resolved {
    /// The distribution of this name.
    pub(crate) fn find(&self, name: &ProjectName) -> Option<&Distribution> {
        self.distributions.iter().find(|one| one.name == *name)
    }
}

impl Distribution {
    /// How findings call it: `torch 2.15.0`.
    pub(crate) fn called(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    /// The requirements that count in `environment` with the extras that were asked for. A marker
    /// that hangs on something unknown counts.
    pub(crate) fn required_in<'a>(
        &'a self,
        environment: &'a Environment,
    ) -> impl Iterator<Item = &'a Requirement> {
        self.requires.iter().flatten().filter(move |requirement| {
            let Some(marker) = &requirement.marker else {
                return true;
            };
            let holds = |extra: &str| {
                marker
                    .evaluate(&environment.clone().with_extra(extra))
                    .unwrap_or(true)
            };
            holds("") || self.extras.iter().any(|extra| holds(extra.as_str()))
        })
    }
}
