//! The Dockerfiles of a bake file's targets, each read once.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::bake::Bake;
use crate::dockerfile::{Dockerfile, DockerfileError};
use crate::target::Target;
use crate::text_file;

/// Dockerfiles by path. The paths of a bake file start at the working directory, as they do in bake.
#[derive(Debug, Default)]
pub(crate) struct Files {
    by_path: BTreeMap<PathBuf, Option<Rc<Dockerfile>>>,
}

/// What a target's Dockerfile is.
pub(crate) enum Found {
    /// Read.
    Here(Rc<Dockerfile>),
    /// Named, and not there.
    Missing(PathBuf),
    /// In a context that is no folder, a repository's address for example.
    Elsewhere,
}

impl Files {
    /// Reads what `bake` names and was not read yet.
    pub(crate) fn read(&mut self, bake: &Bake, root: &Path) -> Result<(), DockerfileError> {
        for target in &bake.targets {
            let Some(path) = path(target) else { continue };
            if let Entry::Vacant(entry) = self.by_path.entry(path.clone()) {
                entry.insert(load(&root.join(&path), path)?);
            }
        }
        Ok(())
    }

    /// The Dockerfile of a target.
    pub(crate) fn of(&self, target: &Target) -> Result<Found, DockerfileError> {
        if let Some(inline) = target.text("dockerfile-inline") {
            let name = format!("{} (inline)", inline.location());
            let file = Dockerfile::parse(&name, inline.value)?;
            return Ok(Found::Here(Rc::new(file)));
        }
        let Some(path) = path(target) else {
            return Ok(Found::Elsewhere);
        };
        Ok(match self.by_path.get(&path) {
            Some(Some(file)) => Found::Here(Rc::clone(file)),
            _ => Found::Missing(path),
        })
    }
}

/// `None` when the file is not there.
fn load(place: &Path, path: PathBuf) -> Result<Option<Rc<Dockerfile>>, DockerfileError> {
    let name = path.display().to_string();
    match text_file::read(place) {
        Ok(text) => Ok(Some(Rc::new(Dockerfile::parse(&name, &text)?))),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(DockerfileError::Io { path, cause }),
    }
}

/// Where the Dockerfile of a target is, from the working directory.
pub(crate) fn path(target: &Target) -> Option<PathBuf> {
    let context = target.context();
    let is_remote = context.contains("://") || context.starts_with("git@") || context == "-";
    if is_remote {
        return None;
    }
    // Without its dots, so that `.` and `./` name one file.
    let joined = Path::new(context).join(target.dockerfile()?);
    Some(
        joined
            .components()
            .filter(|part| *part != std::path::Component::CurDir)
            .collect(),
    )
}
