//! One layer from the registry: downloaded, verified and unpacked at the same time.

use std::path::Path;
use std::time::Instant;

use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use tokio::sync::{Semaphore, mpsc};

use super::Compression;
use super::contents::Contents;
use super::part::{Part, PartError};
use super::queue::queue;
use super::unpack::{UnpackError, unpack};
use crate::digest::Digest;
use crate::image::Layer;
use crate::registry::{Registry, RegistryError};

/// So many bytes after a break make up for it; bytes.
const PROGRESS: u64 = 64 * 1024;

/// What arrives faster is not kept for another run, since fetching it again costs less than writing all of it
/// twice; bytes a second. It is what a network of 1 Gbit/s cannot reach.
const FAST: u64 = 150_000_000;

/// How long it takes until the speed is known; milliseconds.
const WARM_UP: u128 = 1000;

/// A zstd window is large; one at a time keeps the memory within its bounds.
static ZSTD: Semaphore = Semaphore::const_new(1);

/// Why a layer was not fetched.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    /// See [`RegistryError`].
    #[error("layer {layer}: {cause}")]
    Registry {
        /// The layer.
        layer: Digest,
        /// Why.
        cause: RegistryError,
    },
    /// A layer that the manifest names: a push was cut, or a clean-up went too far.
    #[error("layer {0} is not in the registry; push the image again")]
    Missing(Digest),
    /// See [`UnpackError`].
    #[error(transparent)]
    Unpack(#[from] UnpackError),
    /// See [`PartError`].
    #[error(transparent)]
    Part(#[from] PartError),
    /// The thread that unpacks went away.
    #[error("unpacking stopped: {0}")]
    Stopped(String),
}

/// Fetches a layer and unpacks its wheels into `folder`, which also keeps what came of a download that broke.
///
/// Nothing is returned before the digest of the whole blob and that of the archive in it were seen. Bytes
/// that do not have the digest are fetched once more from the start.
///
/// # Errors
/// See [`FetchError`].
pub(crate) async fn fetch(
    registry: &Registry,
    repository: &str,
    layer: &Layer,
    folder: &Path,
    arrived: &(dyn Fn(u64) + Send + Sync),
) -> Result<Contents, FetchError> {
    let _permit = match layer.compression {
        // The semaphore is never closed.
        Compression::Zstd => ZSTD.acquire().await.ok(),
        Compression::None | Compression::Gzip => None,
    };
    let mut is_second = false;
    loop {
        let (sender, packed) = queue();
        let (unpacked_layer, unpacked_folder) = (layer.clone(), folder.to_owned());
        let unpacking =
            tokio::task::spawn_blocking(move || unpack(packed, &unpacked_layer, &unpacked_folder));
        let mut download = Download {
            registry,
            repository,
            layer,
            sender,
            arrived,
            part: Part::open(folder, layer)?,
            hasher: Sha256::new(),
            offset: 0,
            begin: Instant::now(),
        };
        let downloaded = download.run().await;
        let Download { part, sender, .. } = download;
        // The end of what is to be unpacked.
        drop(sender);
        let unpacked = unpacking
            .await
            .map_err(|cause| FetchError::Stopped(cause.to_string()))?;
        match (downloaded, unpacked) {
            // The disk is full, or the like; no download could help.
            (_, Err(local @ UnpackError::Local { .. })) => return Err(local.into()),
            (Ok(()), unpacked) => {
                part.remove()?;
                return Ok(unpacked?);
            }
            (Err(Cut::Registry(cause)), _) if !is_second && is_wrong(&cause) => {
                // Perhaps what an earlier run left behind is wrong.
                part.remove()?;
                is_second = true;
            }
            (Err(Cut::Registry(cause)), _) => {
                if is_wrong(&cause) {
                    part.remove()?;
                }
                let layer = layer.digest.clone();
                return Err(match cause {
                    RegistryError::NotFound => FetchError::Missing(layer),
                    cause => FetchError::Registry { layer, cause },
                });
            }
            (Err(Cut::Part(cause)), _) => return Err(cause.into()),
            (Err(Cut::Stopped), Err(cause)) => return Err(cause.into()),
            (Err(Cut::Stopped), Ok(_)) => {
                return Err(FetchError::Stopped(
                    "it did not wait for the end".to_owned(),
                ));
            }
        }
    }
}

/// Whether other bytes came than the blob has: on the way, in what was kept, or because a range was another.
fn is_wrong(cause: &RegistryError) -> bool {
    matches!(
        cause,
        RegistryError::Corrupt { .. } | RegistryError::TooLong { .. }
    )
}

/// Why a download ended early.
enum Cut {
    Registry(RegistryError),
    Part(PartError),
    /// Nobody takes the bytes any more.
    Stopped,
}

impl From<RegistryError> for Cut {
    fn from(error: RegistryError) -> Self {
        Self::Registry(error)
    }
}

impl From<PartError> for Cut {
    fn from(error: PartError) -> Self {
        Self::Part(error)
    }
}

/// A blob on its way to the thread that unpacks it.
struct Download<'a> {
    registry: &'a Registry,
    repository: &'a str,
    layer: &'a Layer,
    sender: mpsc::Sender<Bytes>,
    arrived: &'a (dyn Fn(u64) + Send + Sync),
    part: Part,
    hasher: Sha256,
    offset: u64,
    begin: Instant,
}

impl Download<'_> {
    /// Passes the whole blob on, from the registry and from what an earlier run kept of it, and checks its digest.
    async fn run(&mut self) -> Result<(), Cut> {
        if let Some(begin) = self.part.begin() {
            self.stream(begin, false).await?;
            while let Some(chunk) = self.part.read()? {
                self.pass(chunk).await?;
            }
        }
        self.stream(self.layer.size, true).await?;
        let found = Digest::from_hasher(std::mem::take(&mut self.hasher));
        let expected = self.layer.digest.clone();
        if found == expected {
            return Ok(());
        }
        let what = "the blob";
        Err(RegistryError::Corrupt {
            what,
            found,
            expected,
        }
        .into())
    }

    /// Passes on what the registry has, up to `end`; a connection that breaks is followed by another.
    async fn stream(&mut self, end: u64, may_keep: bool) -> Result<(), Cut> {
        let mut attempts = self.registry.attempts();
        while self.offset < end {
            let before = self.offset;
            let failure = match self.connection(end, may_keep).await {
                Ok(()) => continue,
                Err(Cut::Registry(failure)) => failure,
                Err(other) => return Err(other),
            };
            if self.offset - before > PROGRESS {
                attempts.progressed();
            }
            attempts.after(failure).await?;
        }
        Ok(())
    }

    /// Passes on what one connection gives, up to `end`.
    async fn connection(&mut self, end: u64, may_keep: bool) -> Result<(), Cut> {
        let (digest, size) = (&self.layer.digest, self.layer.size);
        let mut chunks = self
            .registry
            .blob(self.repository, digest, self.offset)
            .await?;
        while let Some(mut chunk) = chunks.next().await? {
            let left = end - self.offset;
            if chunk.len() as u64 > left {
                if end == size {
                    let (what, limit) = ("the blob", size);
                    return Err(RegistryError::TooLong { what, limit }.into());
                }
                chunk.truncate(usize::try_from(left).unwrap_or(usize::MAX));
            }
            if may_keep && (self.part.begin().is_some() || self.is_slow()) {
                self.part.add(self.offset, &chunk)?;
            }
            self.pass(chunk).await?;
            if self.offset == end && end < size {
                return Ok(());
            }
        }
        if self.offset == end {
            return Ok(());
        }
        let cause = format!("the blob ended after {} of {size} bytes", self.offset);
        Err(RegistryError::Transport(cause).into())
    }

    async fn pass(&mut self, chunk: Bytes) -> Result<(), Cut> {
        self.hasher.update(&chunk);
        self.offset += chunk.len() as u64;
        (self.arrived)(chunk.len() as u64);
        self.sender.send(chunk).await.map_err(|_| Cut::Stopped)
    }

    fn is_slow(&self) -> bool {
        let milliseconds = self.begin.elapsed().as_millis();
        let fast = u128::from(FAST) * milliseconds / 1000;
        self.registry.is_remote() && milliseconds >= WARM_UP && u128::from(self.offset) < fast
    }
}
