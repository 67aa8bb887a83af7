//! A registry, or a layout in its place: what can be asked of it, with every answer verified.

mod challenge;
mod client;
pub(crate) mod credentials;
mod error;
mod layout;
mod proxy;
mod remote;
mod retry;
mod stream;
mod tags;
mod trust;

use std::path::Path;
use std::time::Instant;

use oci_distribution::manifest::{
    IMAGE_MANIFEST_LIST_MEDIA_TYPE, IMAGE_MANIFEST_MEDIA_TYPE, OCI_IMAGE_INDEX_MEDIA_TYPE,
    OCI_IMAGE_MEDIA_TYPE,
};

use oci_distribution::secrets::RegistryAuth;

use self::layout::Layout;
use self::remote::{Ask, Remote, Reply};
use crate::digest::Digest;
use crate::log::Log;
use crate::place::Place;

pub(crate) use self::client::PlainHosts;
pub(crate) use self::error::RegistryError;
pub(crate) use self::retry::{Attempts, Retry};
pub(crate) use self::stream::Chunks;

/// The largest manifest that registries take (distribution specification, "Pushing Manifests"); bytes.
const MANIFEST_LIMIT: u64 = 4 << 20;

/// What we can read; a registry that holds an image in several forms picks one of them.
const MANIFESTS: [&str; 4] = [
    OCI_IMAGE_INDEX_MEDIA_TYPE,
    OCI_IMAGE_MEDIA_TYPE,
    IMAGE_MANIFEST_LIST_MEDIA_TYPE,
    IMAGE_MANIFEST_MEDIA_TYPE,
];

/// How a manifest is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wanted<'a> {
    /// By a name that moves.
    Tag(&'a str),
    /// By content.
    Digest(&'a Digest),
}

/// Where images come from.
#[derive(Debug)]
pub(crate) enum Registry {
    /// Across the network.
    Remote(Box<Remote>),
    /// On disk.
    Layout(Layout),
}

/// How a registry is reached: the flags that all commands share.
#[derive(Debug, Clone)]
pub(crate) struct Connection<'a> {
    /// Hosts that are spoken to without TLS.
    pub(crate) plain: PlainHosts,
    /// Certificates that are trusted beside the system's.
    pub(crate) ca_file: Option<&'a Path>,
    /// When all work must have ended.
    pub(crate) deadline: Option<Instant>,
    /// What goes to stderr.
    pub(crate) log: Log,
}

impl Registry {
    /// Gets ready to talk to a registry, or opens a layout.
    ///
    /// # Errors
    /// When the certificates cannot be read, or when the folder is no layout.
    pub(crate) fn open(
        place: &Place,
        credentials: RegistryAuth,
        connection: &Connection<'_>,
    ) -> anyhow::Result<Self> {
        match place {
            Place::Layout(folder) => Ok(Self::Layout(Layout::open(folder)?)),
            Place::Registry { host, .. } => {
                let plain = connection.plain.clone();
                let client = client::build(plain.clone(), connection.ca_file)?;
                let retry = Retry::until(connection.deadline);
                let remote = Remote::new(client, plain, host, credentials, retry, connection.log)?;
                Ok(Self::Remote(Box::new(remote)))
            }
        }
    }

    /// All tags of a repository, each once, in no order.
    ///
    /// # Errors
    /// [`RegistryError::NotFound`] when there is no such repository.
    pub(crate) async fn tags(&self, repository: &str) -> Result<Vec<String>, RegistryError> {
        match self {
            Self::Remote(remote) => tags::list(remote, repository).await,
            Self::Layout(layout) => layout.tags(repository),
        }
    }

    /// A manifest or index with its digest, verified.
    ///
    /// # Errors
    /// [`RegistryError::NotFound`], [`RegistryError::Corrupt`] when the bytes have another digest than the
    /// one asked for or the one that the registry tells beside them.
    pub(crate) async fn manifest(
        &self,
        repository: &str,
        wanted: Wanted<'_>,
    ) -> Result<(Digest, Vec<u8>), RegistryError> {
        let what = "the manifest";
        let verified = |expected: Option<Digest>, bytes: Vec<u8>| {
            let found = Digest::of(&bytes);
            match expected {
                Some(expected) if expected != found => Err(RegistryError::Corrupt {
                    what,
                    found,
                    expected,
                }),
                _ => Ok((found, bytes)),
            }
        };
        match self {
            Self::Layout(layout) => {
                let (digest, bytes) = layout.manifest(repository, wanted)?;
                verified(Some(digest), bytes)
            }
            Self::Remote(remote) => {
                let name = match wanted {
                    Wanted::Tag(tag) => tag.to_owned(),
                    Wanted::Digest(digest) => digest.to_string(),
                };
                let url = remote.url(repository, &format!("manifests/{name}"));
                let ask = Ask {
                    repository,
                    url,
                    accept: &MANIFESTS,
                    offset: 0,
                };
                let check = |reply: Reply| {
                    let promised = reply.headers.get("docker-content-digest");
                    let promised = promised.and_then(|value| value.to_str().ok()?.parse().ok());
                    let asked = match wanted {
                        Wanted::Digest(digest) => Some(digest.clone()),
                        Wanted::Tag(_) => None,
                    };
                    verified(asked.or(promised), reply.body)
                };
                remote.document(ask, what, MANIFEST_LIMIT, check).await
            }
        }
    }

    /// An image's configuration, verified. It is as small as a manifest.
    ///
    /// # Errors
    /// As for [`manifest`](Self::manifest).
    pub(crate) async fn config(
        &self,
        repository: &str,
        digest: &Digest,
    ) -> Result<Vec<u8>, RegistryError> {
        let what = "the image's configuration";
        let verified = |bytes: Vec<u8>| {
            let (found, expected) = (Digest::of(&bytes), digest.clone());
            if found == expected {
                return Ok(bytes);
            }
            Err(RegistryError::Corrupt {
                what,
                found,
                expected,
            })
        };
        match self {
            Self::Layout(layout) => {
                verified(layout.manifest(repository, Wanted::Digest(digest))?.1)
            }
            Self::Remote(remote) => {
                let url = remote.url(repository, &format!("blobs/{digest}"));
                let ask = Ask {
                    repository,
                    url,
                    accept: &[],
                    offset: 0,
                };
                remote
                    .document(ask, what, MANIFEST_LIMIT, |reply| verified(reply.body))
                    .await
            }
        }
    }

    /// A blob from `offset` on, as it comes: not verified, one try.
    ///
    /// # Errors
    /// Every failure of a request.
    pub(crate) async fn blob(
        &self,
        repository: &str,
        digest: &Digest,
        offset: u64,
    ) -> Result<Chunks, RegistryError> {
        match self {
            Self::Layout(layout) => Ok(Chunks::of_file(layout.open_blob(digest, offset)?)),
            Self::Remote(remote) => {
                let url = remote.url(repository, &format!("blobs/{digest}"));
                let ask = Ask {
                    repository,
                    url,
                    accept: &[],
                    offset,
                };
                let whole = Ask {
                    offset: 0,
                    ..ask.clone()
                };
                let answer = remote.get(ask).await;
                let chunks = answer.and_then(|answer| Chunks::of_response(answer, offset));
                match chunks {
                    // A registry that does ranges wrong gives all of it.
                    Err(failure) if offset > 0 && failure.is_about_range() => {
                        Chunks::of_response(remote.get(whole).await?, offset)
                    }
                    chunks => chunks,
                }
            }
        }
    }

    /// Whether blobs come across a network.
    pub(crate) fn is_remote(&self) -> bool {
        matches!(self, Self::Remote(_))
    }

    /// Counts the tries of one download.
    pub(crate) fn attempts(&self) -> Attempts {
        match self {
            Self::Remote(remote) => remote.retry().attempts(),
            Self::Layout(_) => Retry::never().attempts(),
        }
    }
}
