//! `--keep-old`: the wheels of earlier sets, kept on the pages for lock files that name them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pipe::Architecture;
use wheel::Version;

use crate::admission::Admitted;
use crate::options::Options;
use crate::twin::{File, Project, Yanked};
use crate::view::{read_list, read_project};

/// Files of earlier sets, by project.
pub(crate) type Kept = BTreeMap<String, Vec<(Version, File)>>;

/// The published files of an architecture.
pub(crate) fn published(indexes: &Path, arch: &Architecture) -> anyhow::Result<Kept> {
    let folder = indexes.join(arch.as_str());
    if !folder.exists() {
        return Ok(Kept::new());
    }
    let mut published = Kept::new();
    for Project { name } in read_list(&folder)?.projects {
        let files = read_project(&folder, &name)?;
        published.insert(name, files);
    }
    Ok(published)
}

/// What is left of the published files beside a new set.
///
/// An earlier metapackage is yanked: a lock file that pins it goes on working, and everybody else gets
/// the one of the new set. Its digest says nothing about its age, so its version cannot.
pub(crate) fn beside(mut published: Kept, admitted: &[Admitted], options: &Options) -> Kept {
    let names: BTreeSet<&str> = admitted
        .iter()
        .map(|a| a.entrant.wheel.filename.as_str())
        .collect();
    let metapackages: BTreeMap<&str, &str> = admitted
        .iter()
        .filter(|a| a.known.told.provides(&options.arch.extra()))
        .map(|a| (a.entrant.project(), a.entrant.wheel.version.as_str()))
        .collect();
    for (project, files) in &mut published {
        files.retain(|(_, file)| !names.contains(file.filename.as_str()));
        for (version, file) in files {
            let yank = options.yanks.reason(&file.filename, project, version);
            let superseded = metapackages.get(project.as_str());
            file.yanked = match (yank, superseded) {
                (Some(reason), _) => Yanked::Reason(reason.to_owned()),
                (None, Some(newer)) if file.facts.installs.is_some() => {
                    Yanked::Reason(format!("superseded by {newer}"))
                }
                _ => Yanked::Flag(false),
            };
        }
    }
    published.retain(|_, files| !files.is_empty());
    published
}
