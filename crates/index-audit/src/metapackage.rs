//! The metapackage of an index: what it pins.

use pipe::Architecture;
use wheel::{Environment, Metadata, ProjectName, Requirement, Version};

use crate::page::Sidecar;
use crate::published::{File, Published};
use crate::reach::Reach;

/// The longest METADATA that is read: 16 MiB.
const LONGEST_METADATA: u64 = 16 << 20;

/// What one version of the metapackage pins for one architecture.
#[derive(Debug)]
pub(crate) struct Pins {
    /// The metapackage.
    pub(crate) name: ProjectName,
    /// Its version.
    pub(crate) version: Version,
    /// Its requirements under the extra of the architecture.
    pub(crate) requirements: Vec<Requirement>,
}

/// Why the pins are not known.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PinsError {
    /// No page, or no such version on it.
    #[error("our index has no {0}, so the pins are unknown; name the metapackage with --name")]
    NotPublished(String),
    /// Its METADATA cannot be had.
    #[error("{address}: {cause}")]
    Unreadable {
        /// Where it should be.
        address: String,
        /// What is wrong.
        cause: String,
    },
    /// Every wheel's METADATA of this release names no requirement for the architecture.
    #[error("{0} pins nothing under the extra `{1}`")]
    NoPins(String, String),
}

impl Pins {
    /// How findings call it: `rocm-torch 10.1.0+gfx950.424e84fe`.
    pub(crate) fn called(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    /// Takes the requirements that count under the extra of `arch`.
    ///
    /// # Errors
    /// [`PinsError::NoPins`] when none does.
    pub(crate) fn of<'a>(
        name: &ProjectName,
        version: &Version,
        requires: impl Iterator<Item = &'a Requirement>,
        arch: &Architecture,
        python: &str,
    ) -> Result<Self, PinsError> {
        let extra = arch.extra();
        let asked = Environment::linux_cpython(python, "x86_64").with_extra(&extra);
        let pins: Vec<Requirement> = requires
            .filter(|one| {
                let marker = one.marker.as_ref();
                marker.is_none_or(|marker| marker.evaluate(&asked).unwrap_or(true))
            })
            .cloned()
            .collect();
        if pins.is_empty() {
            return Err(PinsError::NoPins(format!("{name} {version}"), extra));
        }
        Ok(Self {
            name: name.clone(),
            version: version.clone(),
            requirements: pins,
        })
    }

    /// Reads them from the METADATA that our index publishes beside the metapackage's wheel.
    ///
    /// # Errors
    /// See [`PinsError`].
    pub(crate) fn read(
        reach: &Reach,
        published: &Published,
        name: &ProjectName,
        version: &Version,
        python: &str,
    ) -> Result<Self, PinsError> {
        let file = published
            .projects
            .get(name)
            .and_then(|project| project.of_version(version).next())
            .ok_or_else(|| PinsError::NotPublished(format!("{name} {version}")))?;
        let metadata = metadata(reach, published, file)?;
        let requires: Vec<Requirement> = metadata
            .requires_dist()
            .into_iter()
            .filter_map(|line| line.requirement.ok())
            .collect();
        Self::of(name, version, requires.iter(), &published.arch, python)
    }
}

/// METADATA of one of our wheels: the `.metadata` beside it, or for a site on disk whose wheels are
/// elsewhere, the copy that waits in `assets/` to be uploaded with them.
fn metadata(reach: &Reach, published: &Published, file: &File) -> Result<Metadata, PinsError> {
    let beside = file.link.address.with_suffix(".metadata");
    let waiting = published
        .folder
        .join(&format!("../../../assets/{}/", published.arch))
        .map(|folder| folder.below(beside.filename()));
    let address = match waiting {
        Ok(waiting) if waiting.to_path().is_some_and(|path| path.is_file()) => waiting,
        _ => beside,
    };
    let unreadable = |cause: String| PinsError::Unreadable {
        address: address.to_string(),
        cause,
    };
    let bytes = reach
        .get(&address, LONGEST_METADATA)
        .map_err(|cause| unreadable(cause.to_string()))?
        .bytes;
    if let Sidecar::Hashed(promised) = &file.link.metadata
        && wheel::sha256_hex(&bytes) != *promised
    {
        return Err(unreadable(format!(
            "its sha256 is not {promised}, which the page promises"
        )));
    }
    Metadata::parse(bytes).map_err(|cause| unreadable(cause.to_string()))
}
