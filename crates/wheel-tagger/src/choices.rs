//! What the command line and the configuration ask for.

use wheel::ProjectName;

use crate::mark::Mark;

/// The choices that a plan follows.
#[derive(Debug, Clone)]
pub(crate) struct Choices {
    /// The mark of the ROCm release.
    pub(crate) mark: Mark,
    /// Which wheels are marked.
    pub(crate) policy: Policy,
    /// File names keep their platform tags.
    pub(crate) keep_platform: bool,
}

/// Which wheels are marked: `[mark]` of the configuration with its names read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Policy {
    /// All of them.
    pub(crate) everything: bool,
    /// Pure ones that are marked all the same.
    pub(crate) pure: Vec<ProjectName>,
    /// Those that never are.
    pub(crate) leave: Vec<ProjectName>,
}

impl Policy {
    /// Reads the names of the configuration; one that no project can have is told, since it would
    /// never match.
    pub(crate) fn new(mark: &pipe::Mark) -> anyhow::Result<Self> {
        let names = |key: &str, names: &[String]| {
            let read = names.iter().map(|name| ProjectName::new(name));
            read.collect::<Result<Vec<_>, _>>()
                .map_err(|error| anyhow::anyhow!("[mark] {key}: {error}"))
        };
        Ok(Self {
            everything: mark.everything,
            pure: names("pure", &mark.pure)?,
            leave: names("leave", &mark.leave)?,
        })
    }
}
