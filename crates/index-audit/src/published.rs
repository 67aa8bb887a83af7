//! What one architecture's index publishes.

use std::collections::BTreeMap;

use pipe::{Architecture, AuditFinding};
use wheel::{ProjectName, WheelFilename};

use crate::address::{Address, AddressError};
use crate::judge::Verdict;
use crate::page::{self, Link};
use crate::reach::{Reach, ReachError};

/// The longest page that is read: 64 MiB is a hundred thousand links.
const LONGEST_PAGE: u64 = 64 << 20;

/// One architecture's index, read whole.
#[derive(Debug)]
pub(crate) struct Published {
    /// The architecture.
    pub(crate) arch: Architecture,
    /// What pip and uv are given: the folder with a page per project.
    pub(crate) folder: Address,
    /// Its projects by canonical name.
    pub(crate) projects: BTreeMap<ProjectName, Project>,
    /// How many segments of an address name the folder that holds the whole index: its pages, and the
    /// files that they link to relatively.
    pub(crate) depth: usize,
}

/// One project's page.
#[derive(Debug)]
pub(crate) struct Project {
    /// Where the page is, after redirects.
    pub(crate) page: Address,
    /// Its wheels, in the order of the page.
    pub(crate) files: Vec<File>,
    /// Where else it links: to what is no wheel, or one of another project. Clients pass over those.
    pub(crate) strays: Vec<Address>,
    /// Why there is no page, though the index lists the project.
    pub(crate) missing: Option<String>,
}

/// One wheel on a page.
#[derive(Debug)]
pub(crate) struct File {
    /// The name, as the address ends.
    pub(crate) filename: WheelFilename,
    /// What the page says of it.
    pub(crate) link: Link,
}

/// Why an index cannot be judged.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PublishedError {
    /// There is no folder of this architecture: mostly `--index` is a folder too high or too low.
    #[error("{page}: {cause}; --index names the folder that holds one folder per architecture")]
    Architecture {
        /// Its address.
        page: String,
        /// What the server says.
        cause: ReachError,
    },
    /// A page that the server does not give.
    #[error("{page}: {cause}")]
    Page {
        /// Its address.
        page: String,
        /// Why.
        cause: ReachError,
    },
    /// A page that is not text, or links to nowhere.
    #[error("{page}: not a page of an index: {cause}")]
    NoIndex {
        /// Its address.
        page: String,
        /// What is wrong with it.
        cause: String,
    },
}

impl Published {
    /// Reads the index of `arch` below `root`: the list of projects and every project's page.
    ///
    /// Pip and uv never read the list. They ask for the folder of the canonical name, so that is what is
    /// asked for here too; links on the list that lead elsewhere are no projects.
    ///
    /// # Errors
    /// See [`PublishedError`]. A project that is listed and has no page is none: that is an answer.
    pub(crate) fn read(
        reach: &Reach,
        root: &Address,
        arch: &Architecture,
    ) -> Result<Self, PublishedError> {
        let (folder, listed) = links(
            reach,
            &root
                .clone()
                .into_folder()
                .below(arch.as_str())
                .into_folder(),
        )
        .map_err(|error| match error {
            PublishedError::Page { page, cause } if cause.is_no() => {
                PublishedError::Architecture { page, cause }
            }
            other => other,
        })?;
        let mut projects = BTreeMap::new();
        for link in listed {
            if let Some(name) = listed_name(&folder, &link.address)
                && !projects.contains_key(&name)
            {
                let page = folder.below(name.as_str()).into_folder();
                let project = Project::read(reach, page, &name)?;
                projects.insert(name, project);
            }
        }
        if projects.is_empty() {
            return Err(no_index(&folder, "it lists no project".to_owned()));
        }
        let depth = depth(&folder, &projects);
        Ok(Self {
            arch: arch.clone(),
            folder,
            projects,
            depth,
        })
    }

    /// What the pages themselves have wrong: a finding for each page that is not there, a warning for each link
    /// that no client follows.
    pub(crate) fn told(&self, verdict: &mut Verdict) {
        let told = |rule: &str, name: &ProjectName, message: String| AuditFinding {
            architecture: self.arch.to_string(),
            rule: rule.to_owned(),
            name: name.to_string(),
            resolver: None,
            message,
        };
        for (name, project) in &self.projects {
            let page = &project.page;
            if let Some(cause) = &project.missing {
                let message =
                    format!("the index lists {name}, and clients ask for {page}: {cause}");
                verdict.findings.push(told("link.page", name, message));
            }
            for stray in &project.strays {
                let message =
                    format!("{page} links to {stray}, which clients pass over: no wheel of {name}");
                verdict.warnings.push(told("link.stray", name, message));
            }
        }
    }
}

/// The project that a link of the list is for: a folder directly below the index.
fn listed_name(folder: &Address, link: &Address) -> Option<ProjectName> {
    let segments = link.segments().strip_prefix(parents(folder))?;
    match segments {
        [name] | [name, _] if !name.is_empty() && name != "index.html" => {
            let rest = segments.get(1).map_or("", String::as_str);
            let is_folder = rest.is_empty() || rest == "index.html";
            is_folder.then(|| ProjectName::new(name).ok()).flatten()
        }
        _ => None,
    }
}

/// The segments that name a folder, without the empty one at the end.
fn parents(folder: &Address) -> &[String] {
    let segments = folder.segments();
    segments
        .split_last()
        .map_or(segments, |(_, parents)| parents)
}

fn depth(folder: &Address, projects: &BTreeMap<ProjectName, Project>) -> usize {
    let own = parents(folder);
    projects
        .values()
        .flat_map(|project| &project.files)
        .filter(|file| file.link.is_relative)
        .map(|file| {
            own.iter()
                .zip(file.link.address.segments())
                .take_while(|(one, other)| one == other)
                .count()
        })
        .min()
        .unwrap_or(own.len())
}

impl Project {
    fn read(reach: &Reach, page: Address, name: &ProjectName) -> Result<Self, PublishedError> {
        let (page, links) = match links(reach, &page) {
            Ok(read) => read,
            Err(PublishedError::Page { cause, .. }) if cause.is_no() => {
                return Ok(Self {
                    page,
                    files: Vec::new(),
                    strays: Vec::new(),
                    missing: Some(cause.to_string()),
                });
            }
            Err(error) => return Err(error),
        };
        let (mut files, mut strays) = (Vec::new(), Vec::new());
        for link in links {
            match link.address.filename().parse::<WheelFilename>() {
                Ok(filename) if filename.name() == name => files.push(File { filename, link }),
                _ => strays.push(link.address),
            }
        }
        Ok(Self {
            page,
            files,
            strays,
            missing: None,
        })
    }

    /// The wheels of one version.
    pub(crate) fn of_version(&self, version: &wheel::Version) -> impl Iterator<Item = &File> {
        self.files
            .iter()
            .filter(move |file| file.filename.version == *version)
    }

    /// The newest version that is not yanked.
    pub(crate) fn newest(&self) -> Option<&wheel::Version> {
        self.files
            .iter()
            .filter(|file| !file.link.is_yanked)
            .map(|file| &file.filename.version)
            .max()
    }
}

fn links(reach: &Reach, page: &Address) -> Result<(Address, Vec<Link>), PublishedError> {
    let answer = reach
        .get(page, LONGEST_PAGE)
        .map_err(|cause| PublishedError::Page {
            page: page.to_string(),
            cause,
        })?;
    let html = String::from_utf8(answer.bytes)
        .map_err(|_| no_index(page, "it is not UTF-8".to_owned()))?;
    let links = page::links(&html, &answer.address)
        .map_err(|cause: AddressError| no_index(page, cause.to_string()))?;
    Ok((answer.address, links))
}

fn no_index(page: &Address, cause: String) -> PublishedError {
    PublishedError::NoIndex {
        page: page.to_string(),
        cause,
    }
}
