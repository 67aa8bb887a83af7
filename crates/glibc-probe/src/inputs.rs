//! What is to be measured: wheels, folders of wheels, or the set on stdin.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pipe::{Stop, Wheel};

/// Wheels by the path that they were given as, with what a document already says of each.
pub(crate) type Inputs = BTreeMap<PathBuf, Option<Wheel>>;

/// Wheels to measure, and shared libraries that were named beside them.
#[derive(Debug, Default)]
pub(crate) struct Named {
    pub(crate) wheels: Inputs,
    pub(crate) libraries: Vec<PathBuf>,
    /// Unknown fields of the set that came in.
    pub(crate) more: pipe::More,
}

/// Sorts out the arguments; without any, the set comes from stdin.
pub(crate) fn read(arguments: &[PathBuf]) -> Result<Named, Stop> {
    let Some(paths) = pipe::named_or_stdin(arguments) else {
        let set = pipe::stdin_set()?;
        return Ok(Named {
            wheels: set
                .wheels
                .into_iter()
                .map(|wheel| (PathBuf::from(&wheel.path), Some(wheel)))
                .collect(),
            more: set.more,
            ..Named::default()
        });
    };
    let mut named = Named::default();
    let mut causes = Vec::new();
    for path in paths {
        if path.is_dir() {
            match folder(path) {
                Ok(wheels) if wheels.is_empty() => causes.push(format!(
                    "{}: there is no *.whl in this folder (folders below it are not searched)",
                    path.display()
                )),
                Ok(wheels) => named
                    .wheels
                    .extend(wheels.into_iter().map(|wheel| (wheel, None))),
                Err(error) => causes.push(format!("{}: {error}", path.display())),
            }
        } else if crate::library::is_elf(path) {
            named.libraries.push(path.clone());
        } else if let Some(error) = misspelt(path) {
            causes.push(pipe::failed(path, &error).to_string());
        } else {
            named.wheels.insert(path.clone(), None);
        }
    }
    if causes.is_empty() {
        Ok(named)
    } else {
        Err(Stop::Cannot(causes))
    }
}

/// Why a path that is no wheel's cannot be looked up; of a wheel's the measurement itself tells.
fn misspelt(path: &Path) -> Option<std::io::Error> {
    if path.extension().is_some_and(|extension| extension == "whl") {
        return None;
    }
    std::fs::metadata(path).err()
}

fn folder(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut wheels = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "whl") {
            wheels.push(path);
        }
    }
    Ok(wheels)
}
