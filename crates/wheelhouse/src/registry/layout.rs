//! An OCI image layout on disk in a registry's place (image-layout.md of the image specification).

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use oci_distribution::manifest::{ImageIndexEntry, OciImageIndex};
use serde::Deserialize;

use super::error::RegistryError;
use super::{MANIFEST_LIMIT, Wanted};
use crate::digest::Digest;

/// What names an image in a layout: `<last repository part>:<tag>`.
const REF_NAME: &str = "org.opencontainers.image.ref.name";

/// A folder with `oci-layout`, `index.json` and `blobs/`.
#[derive(Debug)]
pub(crate) struct Layout {
    folder: PathBuf,
    images: Vec<ImageIndexEntry>,
}

impl Layout {
    /// Opens a layout.
    ///
    /// # Errors
    /// [`RegistryError::Layout`] when the folder is no layout.
    pub(crate) fn open(folder: &Path) -> Result<Self, RegistryError> {
        let failed = |file: &str, cause: String| {
            let path = folder.join(file);
            RegistryError::Layout(format!("{}: {cause}", path.display()))
        };
        let read = |file: &str| {
            let bytes = ordinary(&folder.join(file)).and_then(small);
            bytes.map_err(|cause| failed(file, pipe::advised(&cause)))
        };
        let malformed =
            |cause: serde_json::Error| format!("{cause}; name a folder with an OCI image layout");
        let marker: Marker = serde_json::from_slice(&read("oci-layout")?)
            .map_err(|cause| failed("oci-layout", malformed(cause)))?;
        if marker.version != "1.0.0" {
            return Err(failed(
                "oci-layout",
                "this is no OCI image layout 1.0.0; name a folder with one".to_owned(),
            ));
        }
        let index: OciImageIndex = serde_json::from_slice(&read("index.json")?)
            .map_err(|cause| failed("index.json", malformed(cause)))?;
        Ok(Self {
            folder: folder.to_owned(),
            images: index.manifests,
        })
    }

    /// The tags of a repository.
    pub(crate) fn tags(&self, repository: &str) -> Result<Vec<String>, RegistryError> {
        let prefix = format!("{}:", last_part(repository));
        let names = self.images.iter().filter_map(name);
        let mut tags: Vec<String> = names
            .filter_map(|name| name.strip_prefix(&prefix))
            .map(str::to_owned)
            .collect();
        tags.sort_unstable();
        tags.dedup();
        if tags.is_empty() {
            Err(RegistryError::NotFound)
        } else {
            Ok(tags)
        }
    }

    /// A manifest, unverified, and the digest that the index promises for it.
    pub(crate) fn manifest(
        &self,
        repository: &str,
        wanted: Wanted<'_>,
    ) -> Result<(Digest, Vec<u8>), RegistryError> {
        let digest = match wanted {
            Wanted::Digest(digest) => digest.clone(),
            Wanted::Tag(tag) => {
                let full = format!("{}:{tag}", last_part(repository));
                let mut found: Vec<&str> = self
                    .images
                    .iter()
                    .filter(|image| name(image) == Some(&full))
                    .map(|image| image.digest.as_str())
                    .collect();
                found.sort_unstable();
                found.dedup();
                match found[..] {
                    [] => return Err(RegistryError::NotFound),
                    [digest] => digest.parse()?,
                    _ => {
                        return Err(self.failed(&format!(
                            "index.json names `{full}` twice; remove one of them"
                        )));
                    }
                }
            }
        };
        let bytes = small(self.open_blob(&digest, 0)?).map_err(|cause| {
            RegistryError::Layout(pipe::failed(&self.blob(&digest), &cause).to_string())
        })?;
        Ok((digest, bytes))
    }

    /// A blob's file, read from `offset` on.
    pub(crate) fn open_blob(&self, digest: &Digest, offset: u64) -> Result<File, RegistryError> {
        let path = self.blob(digest);
        let open = || -> io::Result<File> {
            let mut file = ordinary(&path)?;
            file.seek(SeekFrom::Start(offset))?;
            Ok(file)
        };
        open().map_err(|cause| RegistryError::Layout(pipe::failed(&path, &cause).to_string()))
    }

    fn blob(&self, digest: &Digest) -> PathBuf {
        self.folder.join("blobs/sha256").join(digest.hex())
    }

    fn failed(&self, cause: &str) -> RegistryError {
        RegistryError::Layout(format!("{}: {cause}", self.folder.display()))
    }
}

/// What `oci-layout` says.
#[derive(Deserialize)]
struct Marker {
    #[serde(rename = "imageLayoutVersion")]
    version: String,
}

/// Opens a file that has an end, unlike a pipe, which even opening could wait for.
fn ordinary(path: &Path) -> io::Result<File> {
    if fs::metadata(path)?.is_file() {
        return File::open(path);
    }
    let what = "no ordinary file; name a folder with an OCI image layout";
    Err(io::Error::other(what))
}

/// Reads a manifest, or what is as small.
fn small(file: File) -> io::Result<Vec<u8>> {
    pipe::read_at_most(file, MANIFEST_LIMIT)
}

fn name(image: &ImageIndexEntry) -> Option<&str> {
    Some(image.annotations.as_ref()?.get(REF_NAME)?)
}

fn last_part(repository: &str) -> &str {
    repository
        .rsplit_once('/')
        .map_or(repository, |(_, last)| last)
}
