//! One layer from the registry: downloaded, verified and unpacked at the same time.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use tokio::sync::{Semaphore, mpsc};

use super::Compression;
use super::contents::Contents;
use super::queue::queue;
use super::unpack::{UnpackError, unpack};
use crate::digest::Digest;
use crate::image::Layer;
use crate::registry::{Registry, RegistryError};

/// So many bytes after a break make up for it; bytes.
const PROGRESS: u64 = 64 * 1024;

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
    /// See [`UnpackError`].
    #[error(transparent)]
    Unpack(#[from] UnpackError),
    /// The file that keeps a broken download.
    #[error("{}: {cause}", path.display())]
    Local {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
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
        let mut part = Part::open(folder, layer)?;
        let (sender, packed) = queue();
        let (unpacked_layer, unpacked_folder) = (layer.clone(), folder.to_owned());
        let unpacking =
            tokio::task::spawn_blocking(move || unpack(packed, &unpacked_layer, &unpacked_folder));
        let downloaded = download(registry, repository, layer, &mut part, sender, arrived).await;
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
            (Err(Download::Registry(RegistryError::Corrupt { .. })), _) if !is_second => {
                // Perhaps what an earlier run left behind is wrong.
                part.remove()?;
                is_second = true;
            }
            (Err(Download::Registry(cause)), _) => {
                if matches!(cause, RegistryError::Corrupt { .. }) {
                    part.remove()?;
                }
                return Err(FetchError::Registry {
                    layer: layer.digest.clone(),
                    cause,
                });
            }
            (Err(Download::Local(cause)), _) => return Err(part.failed(cause)),
            (Err(Download::Stopped), Err(cause)) => return Err(cause.into()),
            (Err(Download::Stopped), Ok(_)) => {
                return Err(FetchError::Stopped(
                    "it did not wait for the end".to_owned(),
                ));
            }
        }
    }
}

enum Download {
    Registry(RegistryError),
    Local(io::Error),
    /// Nobody takes the bytes any more.
    Stopped,
}

impl From<RegistryError> for Download {
    fn from(error: RegistryError) -> Self {
        Self::Registry(error)
    }
}

async fn download(
    registry: &Registry,
    repository: &str,
    layer: &Layer,
    part: &mut Part,
    sender: mpsc::Sender<Bytes>,
    arrived: &(dyn Fn(u64) + Send + Sync),
) -> Result<(), Download> {
    let mut hasher = Sha256::new();
    let mut offset = 0;
    while let Some(chunk) = part.next().map_err(Download::Local)? {
        hasher.update(&chunk);
        offset += chunk.len() as u64;
        arrived(chunk.len() as u64);
        sender.send(chunk).await.map_err(|_| Download::Stopped)?;
    }
    let mut attempts = registry.attempts();
    while offset < layer.size {
        let begin = offset;
        let mut chunks = match registry.blob(repository, &layer.digest, offset).await {
            Ok(chunks) => chunks,
            Err(failure) => {
                attempts.after(failure).await?;
                continue;
            }
        };
        let failure = loop {
            match chunks.next().await {
                Ok(Some(chunk)) => {
                    offset += chunk.len() as u64;
                    if offset > layer.size {
                        let (what, limit) = ("the blob", layer.size);
                        return Err(RegistryError::TooLong { what, limit }.into());
                    }
                    if offset - begin > PROGRESS {
                        attempts.progressed();
                    }
                    hasher.update(&chunk);
                    part.add(&chunk).map_err(Download::Local)?;
                    arrived(chunk.len() as u64);
                    sender.send(chunk).await.map_err(|_| Download::Stopped)?;
                }
                Ok(None) if offset == layer.size => break None,
                Ok(None) => {
                    let cause = format!("the blob ended after {offset} of {} bytes", layer.size);
                    break Some(RegistryError::Transport(cause));
                }
                Err(failure) => break Some(failure),
            }
        };
        if let Some(failure) = failure {
            attempts.after(failure).await?;
        }
    }
    let (found, expected) = (Digest::from_hasher(hasher), layer.digest.clone());
    if found == expected {
        return Ok(());
    }
    Err(RegistryError::Corrupt {
        what: "the blob",
        found,
        expected,
    }
    .into())
}

/// What has arrived of a blob, kept on disk so that the next run can go on where this one was cut.
struct Part {
    path: PathBuf,
    file: File,
    /// Bytes of an earlier run that were not read yet.
    old: u64,
}

impl Part {
    fn open(folder: &Path, layer: &Layer) -> Result<Self, FetchError> {
        let path = folder.join(format!("{}.part", layer.digest.hex()));
        let open = || -> io::Result<(File, u64)> {
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)?;
            let length = file.metadata()?.len();
            if length > layer.size {
                file.set_len(0)?;
                return Ok((file, 0));
            }
            Ok((file, length))
        };
        match open() {
            Ok((file, old)) => Ok(Self { path, file, old }),
            Err(cause) => Err(FetchError::Local { path, cause }),
        }
    }

    fn next(&mut self) -> io::Result<Option<Bytes>> {
        let most = usize::try_from(self.old.min(256 * 1024)).unwrap_or_default();
        let mut chunk = vec![0; most];
        let n = self.file.read(&mut chunk)?;
        chunk.truncate(n);
        self.old -= n as u64;
        Ok((n > 0).then(|| chunk.into()))
    }

    fn add(&mut self, chunk: &[u8]) -> io::Result<()> {
        self.file.write_all(chunk)
    }

    fn remove(self) -> Result<(), FetchError> {
        std::fs::remove_file(&self.path).map_err(|cause| self.failed(cause))
    }

    fn failed(self, cause: io::Error) -> FetchError {
        FetchError::Local {
            path: self.path,
            cause,
        }
    }
}
