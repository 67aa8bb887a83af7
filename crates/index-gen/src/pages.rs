//! The index of one architecture: every page, its twin, and what is uploaded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use pipe::Architecture;
use serde::Serialize;
use wheel::Version;

use crate::address::AddressError;
use crate::admission::Admitted;
use crate::facts::Facts;
use crate::options::Options;
use crate::simple_page;
use crate::twin::{File, Hashes, ListTwin, Meta, Project, ProjectTwin, Yanked};
use crate::view::{IndexView, TWIN};

/// Takes a file of the site, and says whether to go on.
pub(crate) type Put<'a> = dyn FnMut(&Path, &[u8]) -> anyhow::Result<bool> + 'a;

/// What the pages are made of.
pub(crate) struct Pages<'a> {
    pub(crate) options: &'a Options,
    /// The wheels of the set.
    pub(crate) admitted: &'a [Admitted],
    /// Files of earlier sets that stay, by project.
    pub(crate) kept: &'a BTreeMap<String, Vec<(Version, File)>>,
    /// What the landing page says about the index.
    pub(crate) notes: &'a [String],
}

/// The folder of an architecture's index in the site; pip is given this one.
pub(crate) fn index_folder(arch: &Architecture) -> PathBuf {
    indexes().join(arch.as_str())
}

/// The folder of all indexes in the site.
pub(crate) fn indexes() -> PathBuf {
    Path::new("data").join("wheels")
}

impl Pages<'_> {
    /// Every project of the index with the wheels of the set that belong to it, sorted by name.
    pub(crate) fn projects(&self) -> BTreeMap<&str, Vec<&Admitted>> {
        let mut projects: BTreeMap<&str, Vec<&Admitted>> = BTreeMap::new();
        for admitted in self.admitted {
            projects
                .entry(admitted.entrant.project())
                .or_default()
                .push(admitted);
        }
        for project in self.kept.keys() {
            projects.entry(project).or_default();
        }
        projects
    }

    /// Makes every page and its twin. Returns what the landing page shows of them, or nothing when
    /// `put` said to stop.
    pub(crate) fn make(&self, put: &mut Put) -> anyhow::Result<Option<IndexView>> {
        let folder = index_folder(&self.options.arch);
        let projects = self.projects();
        let list = ListTwin {
            meta: Meta::current(),
            projects: projects
                .keys()
                .map(|&name| Project {
                    name: name.to_owned(),
                })
                .collect(),
            notes: self.notes.to_vec(),
        };
        let names: Vec<&str> = projects.keys().copied().collect();
        let page = simple_page::list(self.options.arch.as_str(), &names);
        if !put(&folder.join("index.html"), page.as_bytes())?
            || !put(&folder.join(TWIN), &to_json(&list)?)?
        {
            return Ok(None);
        }
        let mut view = IndexView::new(&self.options.arch, self.notes.to_vec());
        for (name, admitted) in projects {
            let (mut versions, files): (Vec<Version>, Vec<File>) =
                self.files(name, &admitted)?.into_iter().unzip();
            let page = simple_page::project(name, &files);
            let mut twin = ProjectTwin {
                meta: Meta::current(),
                name: name.to_owned(),
                versions: vec![],
                files,
            };
            let by_file = versions.clone();
            versions.dedup();
            twin.versions = versions.iter().map(ToString::to_string).collect();
            let folder = folder.join(name);
            if !put(&folder.join("index.html"), page.as_bytes())?
                || !put(&folder.join(TWIN), &to_json(&twin)?)?
            {
                return Ok(None);
            }
            view.add(name, by_file.into_iter().zip(twin.files).collect());
        }
        Ok(Some(view))
    }

    /// The files of a project in PEP 440 order, then by name.
    fn files(&self, project: &str, admitted: &[&Admitted]) -> anyhow::Result<Vec<(Version, File)>> {
        let mut files = Vec::with_capacity(admitted.len());
        for admitted in admitted {
            files.push((admitted.entrant.version().clone(), self.file(admitted)?));
        }
        files.extend(self.kept.get(project).into_iter().flatten().cloned());
        files.sort_by(|(a, x), (b, y)| (a, &x.filename).cmp(&(b, &y.filename)));
        Ok(files)
    }

    fn file(&self, admitted: &Admitted) -> Result<File, AddressError> {
        let Admitted { entrant, known, .. } = admitted;
        let wheel = &entrant.wheel;
        let extra = self.options.arch.extra();
        let metadata = Hashes {
            sha256: known.told.metadata_sha256.clone(),
        };
        let mut facts = Facts::of(wheel);
        facts.installs = known.told.extras.iter().find(|&e| *e == extra).cloned();
        let yanks = &self.options.yanks;
        let reason = yanks.reason(&wheel.filename, entrant.name.name(), entrant.version());
        Ok(File {
            filename: wheel.filename.clone(),
            url: self
                .options
                .location
                .of(&self.options.arch, &wheel.filename)?,
            hashes: Hashes {
                sha256: wheel.sha256.clone(),
            },
            requires_python: known.told.requires_python.clone(),
            size: wheel.size,
            upload_time: entrant.upload_time().map(ToOwned::to_owned),
            yanked: reason.map_or(Yanked::Flag(false), |r| Yanked::Reason(r.to_owned())),
            core_metadata: metadata.clone(),
            dist_info_metadata: metadata,
            facts,
        })
    }
}

/// Indented JSON and a line end.
pub(crate) fn to_json<T: Serialize>(document: &T) -> anyhow::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(document).context("JSON")?;
    bytes.push(b'\n');
    Ok(bytes)
}
