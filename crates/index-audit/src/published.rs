//! What one architecture's index publishes.

use std::collections::BTreeMap;

use pipe::Architecture;
use wheel::{ProjectName, WheelFilename};

use crate::address::{Address, AddressError};
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
}

/// One project's page.
#[derive(Debug)]
pub(crate) struct Project {
    /// Where the page is, after redirects.
    pub(crate) page: Address,
    /// Its wheels, in the order of the page.
    pub(crate) files: Vec<File>,
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
    /// # Errors
    /// See [`PublishedError`]; a project that is listed and has no page is one.
    pub(crate) fn read(
        reach: &Reach,
        root: &Address,
        arch: &Architecture,
    ) -> Result<Self, PublishedError> {
        let (folder, listed) = links(reach, &below(root, arch.as_str())?)?;
        let mut projects = BTreeMap::new();
        for link in listed {
            let segments = link.address.segments();
            let named = segments
                .iter()
                .rfind(|segment| !segment.is_empty() && *segment != "index.html");
            let name = named
                .and_then(|segment| ProjectName::new(segment).ok())
                .ok_or_else(|| no_index(&folder, format!("it links to {}", link.address)))?;
            let (page, links) = links_of_project(reach, &link.address)?;
            let mut files = Vec::new();
            for link in links {
                let filename = link.address.filename().parse().map_err(|cause| {
                    no_index(&page, format!("it links to {}: {cause}", link.address))
                })?;
                files.push(File { filename, link });
            }
            projects.insert(name, Project { page, files });
        }
        if projects.is_empty() {
            return Err(no_index(&folder, "it lists no project".to_owned()));
        }
        Ok(Self {
            arch: arch.clone(),
            folder,
            projects,
        })
    }
}

impl Published {
    /// How many segments of an address name the folder that holds the whole index: its pages, and the
    /// files that they link to relatively.
    pub(crate) fn depth(&self) -> usize {
        let own = self.folder.segments();
        let own = own.split_last().map_or(own, |(_, folder)| folder);
        self.projects
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
}

impl Project {
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

/// A list may link to a project's folder with or without the final slash.
fn links_of_project(
    reach: &Reach,
    address: &Address,
) -> Result<(Address, Vec<Link>), PublishedError> {
    if address.filename() == "index.html" {
        links(reach, address)
    } else {
        links(reach, &address.clone().into_folder())
    }
}

fn below(root: &Address, folder: &str) -> Result<Address, PublishedError> {
    root.clone()
        .into_folder()
        .join(&format!("{folder}/"))
        .map_err(|cause| no_index(root, cause.to_string()))
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
