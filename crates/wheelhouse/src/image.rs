//! An image: its manifest resolved to linux/amd64, its layers and what they unpack to.

use chrono::DateTime;
use oci_distribution::manifest::{IMAGE_CONFIG_MEDIA_TYPE, IMAGE_DOCKER_CONFIG_MEDIA_TYPE};
use serde::Deserialize;

use crate::digest::{Digest, DigestError};
use crate::few::Few;
use crate::layer::Compression;
use crate::manifest::{Descriptor, Document, MOST, linux_amd64};
use crate::registry::{Registry, RegistryError, Wanted};

/// An image whose manifest and configuration were verified.
#[derive(Debug, Clone)]
pub(crate) struct Image {
    /// Digest of the image manifest.
    pub(crate) manifest: Digest,
    /// Digest of what the tag names: the manifest, or an index that leads to it.
    pub(crate) tagged: Digest,
    /// When it was made, as its configuration tells it (RFC 3339).
    pub(crate) created: Option<String>,
    /// The layers, lowest first.
    pub(crate) layers: Vec<Layer>,
}

/// One layer as it is stored.
#[derive(Debug, Clone)]
pub(crate) struct Layer {
    /// Digest of the blob.
    pub(crate) digest: Digest,
    /// Bytes of the blob.
    pub(crate) size: u64,
    /// How the blob is packed.
    pub(crate) compression: Compression,
    /// Digest of the tar archive in it.
    pub(crate) diff_id: Digest,
}

/// Why an image cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ImageError {
    /// See [`RegistryError`].
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// See [`DigestError`].
    #[error(transparent)]
    Digest(#[from] DigestError),
    /// A manifest or configuration that is named and not there: a push was cut, or a clean-up went too far.
    #[error("its {what} {digest} is not in the registry; push the image again")]
    Incomplete {
        /// What is not there.
        what: &'static str,
        /// Its digest.
        digest: Digest,
    },
    /// JSON of another shape, a manifest of schema 1, manifest and index in one.
    #[error("its manifest cannot be read: {0}; push the image again")]
    Manifest(String),
    /// An index, or a configuration, for other platforms only.
    #[error("it is for {0}, not for linux/amd64; push one that is")]
    Platform(String),
    /// An artefact, a signature, a Helm chart.
    #[error("it is no image: its configuration is `{0}`; push an image under this tag")]
    NotAnImage(String),
    /// A layer type that is no tar archive.
    #[error(
        "layer {digest} is `{media_type}`, which is no tar archive with gzip, zstd or nothing; push it as one"
    )]
    LayerType {
        /// The layer.
        digest: String,
        /// Its media type.
        media_type: String,
    },
    /// A configuration that does not fit the manifest.
    #[error(
        "its configuration names {diff_ids} layers and its manifest {layers}; push the image again"
    )]
    LayerCount {
        /// In the configuration.
        diff_ids: usize,
        /// In the manifest.
        layers: usize,
    },
}

/// What is read of an image configuration (config.md of the image specification).
#[derive(Deserialize)]
struct Config {
    architecture: String,
    os: String,
    created: Option<String>,
    rootfs: RootFs,
}

#[derive(Deserialize)]
struct RootFs {
    diff_ids: Few<String, MOST>,
}

impl Image {
    /// Finds what a tag names, and follows an index to its one linux/amd64 image.
    ///
    /// # Errors
    /// See [`ImageError`].
    pub(crate) async fn resolve(
        registry: &Registry,
        repository: &str,
        tag: &str,
    ) -> Result<Self, ImageError> {
        let (tagged, bytes) = registry.manifest(repository, Wanted::Tag(tag)).await?;
        let (digest, config, stored) = match Document::read(&bytes)? {
            Document::Manifest { config, layers } => (tagged.clone(), config, layers),
            Document::Index(images) => {
                let digest: Digest = linux_amd64(&images)?.parse()?;
                let found = registry.manifest(repository, Wanted::Digest(&digest)).await;
                let (digest, bytes) =
                    found.map_err(|cause| incomplete(cause, "manifest", &digest))?;
                match Document::read(&bytes)? {
                    Document::Manifest { config, layers } => (digest, config, layers),
                    Document::Index(_) => {
                        return Err(ImageError::Manifest("an index inside an index".to_owned()));
                    }
                }
            }
        };
        let media_type = config.media_type.as_str();
        if ![IMAGE_CONFIG_MEDIA_TYPE, IMAGE_DOCKER_CONFIG_MEDIA_TYPE].contains(&media_type) {
            return Err(ImageError::NotAnImage(media_type.to_owned()));
        }
        let named: Digest = config.digest.parse()?;
        let config = registry.config(repository, &named).await;
        let config = config.map_err(|cause| incomplete(cause, "configuration", &named))?;
        let config: Config = serde_json::from_slice(&config)
            .map_err(|cause| ImageError::Manifest(format!("configuration: {cause}")))?;
        if (config.os.as_str(), config.architecture.as_str()) != ("linux", "amd64") {
            return Err(ImageError::Platform(format!(
                "{}/{}",
                config.os, config.architecture
            )));
        }
        let layers = layers(&stored, &config.rootfs.diff_ids.0)?;
        Ok(Self {
            manifest: digest,
            tagged,
            created: config.created.filter(|text| is_time(text)),
            layers,
        })
    }

    /// Bytes of all layers as they are stored.
    pub(crate) fn size(&self) -> u64 {
        let sizes = self.layers.iter().map(|layer| layer.size);
        sizes.fold(0, u64::saturating_add)
    }
}

fn is_time(text: &str) -> bool {
    DateTime::parse_from_rfc3339(text).is_ok()
}

fn incomplete(cause: RegistryError, what: &'static str, digest: &Digest) -> ImageError {
    match cause {
        RegistryError::NotFound => ImageError::Incomplete {
            what,
            digest: digest.clone(),
        },
        cause => cause.into(),
    }
}

fn layers(stored: &[Descriptor], diff_ids: &[String]) -> Result<Vec<Layer>, ImageError> {
    if stored.len() != diff_ids.len() {
        return Err(ImageError::LayerCount {
            diff_ids: diff_ids.len(),
            layers: stored.len(),
        });
    }
    let layer = |(stored, diff_id): (&Descriptor, &String)| {
        let compression = Compression::of_media_type(&stored.media_type);
        Ok(Layer {
            digest: stored.digest.parse()?,
            size: u64::try_from(stored.size)
                .map_err(|_| ImageError::Manifest(format!("layer of {} bytes", stored.size)))?,
            compression: compression.ok_or_else(|| ImageError::LayerType {
                digest: stored.digest.clone(),
                media_type: stored.media_type.clone(),
            })?,
            diff_id: diff_id.parse()?,
        })
    };
    stored.iter().zip(diff_ids).map(layer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_and_diff_ids_must_pair_up() {
        let digest = Digest::of(b"").to_string();
        let descriptor = |media_type: &str| Descriptor {
            media_type: media_type.to_owned(),
            digest: digest.clone(),
            size: 1,
        };
        let gzip = descriptor("application/vnd.oci.image.layer.v1.tar+gzip");
        let error = layers(&[gzip], &[]).unwrap_err().to_string();
        assert_eq!(
            error,
            "its configuration names 0 layers and its manifest 1; push the image again"
        );
        let signature = descriptor("application/vnd.dev.cosign.simplesigning.v1+json");
        let error = layers(&[signature], std::slice::from_ref(&digest))
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            format!(
                "layer {digest} is `application/vnd.dev.cosign.simplesigning.v1+json`, which is no tar archive with gzip, zstd or nothing; push it as one"
            )
        );
    }
}
