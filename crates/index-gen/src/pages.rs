//! The index of one architecture: every page, its twin, and what is uploaded.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use pipe::Architecture;
use serde::Serialize;
use wheel::Version;

use crate::admission::Admitted;
use crate::facts::Facts;
use crate::options::Options;
use crate::simple_page;
use crate::sink::{Out, Sink};
use crate::twin::{File, Hashes, ListTwin, Meta, Project, ProjectTwin, Yanked};
use crate::view::{IndexView, TWIN};

/// What the pages are made of.
pub(crate) struct Pages<'a> {
    pub(crate) options: &'a Options,
    /// The wheels of the set.
    pub(crate) admitted: &'a [Admitted<'a>],
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
    pub(crate) fn projects(&self) -> BTreeMap<&str, Vec<&Admitted<'_>>> {
        let mut projects: BTreeMap<&str, Vec<&Admitted<'_>>> = BTreeMap::new();
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

    /// Makes every page and its twin. Returns what the landing page shows of them, or nothing when the
    /// sink wants no more.
    pub(crate) fn make(&self, sink: &mut dyn Sink) -> anyhow::Result<Option<IndexView>> {
        let folder = index_folder(&self.options.arch);
        let projects = self.projects();
        let names: Vec<&str> = projects.keys().copied().collect();
        let list = ListTwin {
            meta: Meta::current(),
            projects: names
                .iter()
                .map(|&name| Project {
                    name: name.to_owned(),
                })
                .collect(),
            notes: self.notes.to_vec(),
        };
        let page = simple_page::list(self.options.arch.as_str(), &names);
        if !put_page(sink, &folder, &page, &list)? {
            return Ok(None);
        }
        let mut view = IndexView::new(&self.options.arch, self.notes.to_vec());
        for (name, admitted) in projects {
            let (versions, files): (Vec<Version>, Vec<File>) =
                self.files(name, &admitted)?.into_iter().unzip();
            let mut texts: Vec<String> = Vec::new();
            for (at, version) in versions.iter().enumerate() {
                if at == 0 || versions[at - 1] != *version {
                    texts.push(version.to_string());
                }
            }
            let page = simple_page::project(name, &files);
            let twin = ProjectTwin {
                meta: Meta::current(),
                name: name.to_owned(),
                versions: texts,
                files,
            };
            if !put_page(sink, &folder.join(name), &page, &twin)? {
                return Ok(None);
            }
            view.add(name, versions.into_iter().zip(twin.files).collect());
        }
        Ok(Some(view))
    }

    /// The files of a project in PEP 440 order, then by name.
    fn files(&self, project: &str, admitted: &[&Admitted]) -> anyhow::Result<Vec<(Version, File)>> {
        let mut files = Vec::with_capacity(admitted.len());
        for admitted in admitted {
            let version = admitted.entrant.version()?;
            let file = self.file(admitted, &version)?;
            files.push((version, file));
        }
        files.extend(self.kept.get(project).into_iter().flatten().cloned());
        files.sort_by(|(a, x), (b, y)| (a, &x.filename).cmp(&(b, &y.filename)));
        Ok(files)
    }

    fn file(&self, admitted: &Admitted, version: &Version) -> anyhow::Result<File> {
        let Admitted { entrant, known, .. } = admitted;
        let wheel = &entrant.wheel;
        let extra = self.options.arch.extra();
        let metadata = Hashes {
            sha256: known.told.metadata_sha256.to_string(),
        };
        let mut facts = Facts::of(wheel);
        facts.installs = known.told.provides(&extra).then_some(extra);
        let yanks = &self.options.yanks;
        let reason = yanks.reason(&wheel.filename, &wheel.name, version);
        Ok(File {
            filename: wheel.filename.clone(),
            url: self
                .options
                .location
                .of(&self.options.arch, &wheel.filename)?,
            hashes: Hashes {
                sha256: wheel.sha256.clone(),
            },
            // Blanks and controls mean nothing in a version range, so no client reads it otherwise.
            requires_python: known.told.requires_python.as_deref().map(pipe::one_line),
            size: wheel.size,
            upload_time: entrant.upload_time().map(ToOwned::to_owned),
            yanked: reason.map_or(Yanked::Flag(false), |r| Yanked::Reason(r.to_owned())),
            core_metadata: metadata.clone(),
            dist_info_metadata: metadata,
            facts,
        })
    }
}

/// A page and its twin.
fn put_page<T: Serialize>(
    sink: &mut dyn Sink,
    folder: &Path,
    page: &str,
    twin: &T,
) -> anyhow::Result<bool> {
    let text = |out: &mut Out| out.write_all(page.as_bytes());
    Ok(sink.put(&folder.join("index.html"), &text)?
        && sink.put(&folder.join(TWIN), &|out| write_json(out, twin))?)
}

/// JSON on one line.
pub(crate) fn write_json<T: Serialize>(out: &mut Out, document: &T) -> io::Result<()> {
    serde_json::to_writer(&mut *out, document)?;
    out.write_all(b"\n")
}
