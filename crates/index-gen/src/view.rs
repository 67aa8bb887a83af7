//! What the landing page shows of an index: the newest release of every project.

use std::io::ErrorKind;
use std::path::Path;

use anyhow::{anyhow, bail};
use pipe::Architecture;
use wheel::{ProjectName, Version, WheelFilename};

use crate::address::check_address;
use crate::twin::{File, ListTwin, Project, ProjectTwin};

/// One architecture's index, as far as the landing page tells it.
#[derive(Debug)]
pub(crate) struct IndexView {
    pub(crate) arch: Architecture,
    /// What a user should know before installing.
    pub(crate) notes: Vec<String>,
    /// Sorted by name.
    pub(crate) projects: Vec<ProjectView>,
    /// Files on all pages.
    pub(crate) wheels: usize,
    /// Their bytes.
    pub(crate) bytes: u64,
}

/// One project: the files of its newest release.
#[derive(Debug)]
pub(crate) struct ProjectView {
    pub(crate) name: String,
    pub(crate) version: Version,
    /// Not empty.
    pub(crate) files: Vec<File>,
    /// Files of earlier or yanked releases, which the project's page has.
    pub(crate) earlier: usize,
}

impl IndexView {
    /// An index without projects so far.
    pub(crate) fn new(arch: &Architecture, notes: Vec<String>) -> Self {
        Self {
            arch: arch.clone(),
            notes,
            projects: vec![],
            wheels: 0,
            bytes: 0,
        }
    }

    /// Takes in a project's page: its files in PEP 440 order.
    pub(crate) fn add(&mut self, name: &str, files: Vec<(Version, File)>) {
        self.wheels += files.len();
        self.bytes += files.iter().map(|(_, file)| file.size).sum::<u64>();
        // What an installer would take: the newest that is not yanked.
        let open = |(_, file): &&(Version, File)| file.yanked.reason().is_none();
        let Some((newest, _)) = files.iter().rfind(open).or(files.last()) else {
            return;
        };
        let newest = newest.clone();
        let all = files.len();
        let shown: Vec<File> = files
            .into_iter()
            .filter_map(|(version, file)| (version == newest).then_some(file))
            .collect();
        self.projects.push(ProjectView {
            name: name.to_owned(),
            version: newest,
            earlier: all - shown.len(),
            files: shown,
        });
    }

    /// Reads an index that is published already, from the twins of its pages.
    pub(crate) fn load(indexes: &Path, arch: &Architecture) -> anyhow::Result<Self> {
        let folder = indexes.join(arch.as_str());
        let list = read_list(&folder)?;
        let mut view = Self::new(arch, list.notes);
        for Project { name } in list.projects {
            view.add(&name, read_project(&folder, &name)?);
        }
        Ok(view)
    }
}

/// The name of every page's twin.
pub(crate) const TWIN: &str = "index.v1.json";

/// Reads the list of projects that an earlier run wrote.
pub(crate) fn read_list(folder: &Path) -> anyhow::Result<ListTwin> {
    let list: ListTwin = read_twin(folder)?;
    for Project { name } in &list.projects {
        // Folders are made by these names.
        if !ProjectName::new(name).is_ok_and(|canonical| canonical.as_str() == name) {
            return Err(not_ours(
                folder,
                format!("`{name}` is not a project's name"),
            ));
        }
    }
    Ok(list)
}

/// Reads the files of a project's page that an earlier run wrote, each with its version.
pub(crate) fn read_project(index: &Path, project: &str) -> anyhow::Result<Vec<(Version, File)>> {
    let folder = index.join(project);
    let twin: ProjectTwin = read_twin(&folder)?;
    let files = twin.files.into_iter().map(|file| {
        let name: WheelFilename = file
            .filename
            .parse()
            .map_err(|error| not_ours(&folder, error))?;
        if name.name().as_str() != project {
            let cause = format!("`{}` is not a file of {project}", file.filename);
            return Err(not_ours(&folder, cause));
        }
        if !file.is_in_site() {
            check_address(&file.url).map_err(|error| not_ours(&folder, error))?;
        }
        Ok((name.version, file))
    });
    files.collect()
}

fn not_ours(folder: &Path, cause: impl std::fmt::Display) -> anyhow::Error {
    let path = folder.join(TWIN);
    anyhow!(
        "{}: not a page of index-gen's: {cause}; restore it",
        path.display()
    )
}

/// Reads a twin that an earlier run wrote.
fn read_twin<T: serde::de::DeserializeOwned>(folder: &Path) -> anyhow::Result<T> {
    let path = folder.join(TWIN);
    let bytes = match pipe::read_document(&path) {
        Ok(bytes) => bytes,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            bail!(
                "{}: not a folder of index-gen's, since it holds no {TWIN}; move it out of the site, or restore that",
                folder.display()
            )
        }
        Err(error) => return Err(pipe::failed(&path, &error)),
    };
    serde_json::from_slice(&bytes).map_err(|error| not_ours(folder, error))
}
