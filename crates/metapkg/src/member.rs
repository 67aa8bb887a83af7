//! One wheel of the set, and what its own METADATA asks for.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

use wheel::{Archive, ProjectName, Requirement, Version, VersionSpecifiers};

use crate::interpreter::Interpreter;

/// A wheel with its METADATA read from the file.
#[derive(Debug)]
pub(crate) struct Member<'a> {
    /// The document's entry.
    pub(crate) wheel: &'a pipe::Wheel,
    /// Canonical name, as file and document agree.
    pub(crate) name: ProjectName,
    /// Full version, as file and document agree.
    pub(crate) version: Version,
    /// Every Requires-Dist.
    pub(crate) requires: Vec<Requirement>,
    /// Every Provides-Extra, in canonical form.
    pub(crate) extras: BTreeSet<ProjectName>,
    /// Requires-Python, where it says something that can be read.
    pub(crate) requires_python: Option<VersionSpecifiers>,
    /// Where it installs, by its tags and its Requires-Python.
    pub(crate) interpreters: BTreeSet<Interpreter>,
}

/// Why a wheel of the set cannot be pinned. The caller adds the path.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MemberError {
    /// The file is gone, or cannot be read.
    #[error("{}", pipe::advised(.0))]
    Io(#[from] std::io::Error),
    /// Its size is not the document's: it was written again since.
    #[error("the file has {found} bytes and the set says {expected}; measure it again")]
    Changed {
        /// Bytes of the file now.
        found: u64,
        /// Bytes when it was measured.
        expected: u64,
    },
    /// `filename` or `tags` is not what the file is called.
    #[error("its file name does not say what the set says as {0}; measure it again")]
    Name(&'static str),
    /// `"sha256": ""`; with `--digest-files` it would go into the version.
    #[error("`{0}` is not a sha256; measure it again")]
    Sha256(String),
    /// No wheel, or a broken one.
    #[error(transparent)]
    Wheel(#[from] wheel::WheelError),
    /// METADATA names another distribution than the document.
    #[error("METADATA says {found} and the set says {expected}; measure it again")]
    Other {
        /// Name and version in METADATA.
        found: String,
        /// Name and version in the document.
        expected: String,
    },
    /// pip and uv discard a wheel whose Requires-Dist they cannot read.
    #[error("Requires-Dist: {0}")]
    Requirement(#[from] wheel::RequirementError),
}

impl<'a> Member<'a> {
    /// Reads the METADATA of a wheel from its file; the file's other bytes are not read.
    ///
    /// # Errors
    /// See [`MemberError`].
    pub(crate) fn read(wheel: &'a pipe::Wheel) -> Result<Self, MemberError> {
        let path = Path::new(&wheel.path);
        let size = std::fs::metadata(path)?.len();
        if size != wheel.size {
            return Err(MemberError::Changed {
                found: size,
                expected: wheel.size,
            });
        }
        let archive = Archive::open(path)?;
        check_name(wheel, &archive)?;
        let metadata = archive.metadata();
        let (name, version) = (metadata.name().clone(), metadata.version().clone());
        let found = format!("{name} {version}");
        let expected = format!("{} {}", wheel.name, wheel.version);
        if found != expected {
            return Err(MemberError::Other { found, expected });
        }
        let requires = metadata
            .requires_dist()
            .into_iter()
            .map(|line| line.requirement)
            .collect::<Result<_, _>>()?;
        let requires_python = metadata
            .requires_python()
            .and_then(|text| text.parse().ok());
        Ok(Self {
            wheel,
            name,
            version,
            requires,
            extras: metadata
                .all("Provides-Extra")
                .iter()
                .filter_map(|extra| ProjectName::new(extra).ok())
                .collect(),
            interpreters: Interpreter::all_of(&wheel.tags, requires_python.as_ref()),
            requires_python,
        })
    }

    /// How findings call it: `torch 2.15.0a0+git31a77fc.rocm10.1.0`.
    pub(crate) fn called(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    /// What findings say of its Python: its tags, and its Requires-Python.
    pub(crate) fn python(&self) -> String {
        let tags: BTreeSet<&str> = self
            .wheel
            .tags
            .iter()
            .filter_map(|tag| tag.rsplit_once('-'))
            .map(|(python_abi, _)| python_abi)
            .collect();
        let tags = tags.into_iter().collect::<Vec<_>>().join(", ");
        match &self.wheel.requires_python {
            Some(requires) => format!("{tags}, Requires-Python {requires}"),
            None => tags,
        }
    }
}

/// What the document says about the file's name, which goes on to the stages after this one.
fn check_name(wheel: &pipe::Wheel, archive: &Archive) -> Result<(), MemberError> {
    if Path::new(&wheel.path).file_name() != Some(OsStr::new(&wheel.filename)) {
        return Err(MemberError::Name("`filename`"));
    }
    let sorted = |mut tags: Vec<String>| {
        tags.sort();
        tags
    };
    if sorted(wheel.tags.clone()) != sorted(archive.filename().tags()) {
        return Err(MemberError::Name("`tags`"));
    }
    let hex = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
    if wheel.sha256.len() != 64 || !wheel.sha256.bytes().all(hex) {
        return Err(MemberError::Sha256(wheel.sha256.clone()));
    }
    Ok(())
}
