//! An image: its manifest resolved to linux/amd64, its layers and what they unpack to.

use std::collections::BTreeSet;

use oci_distribution::manifest::{
    IMAGE_CONFIG_MEDIA_TYPE, IMAGE_DOCKER_CONFIG_MEDIA_TYPE, ImageIndexEntry, OciDescriptor,
    OciImageIndex, OciImageManifest,
};
use serde::Deserialize;

use crate::digest::{Digest, DigestError};
use crate::layer::Compression;
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
    #[error("its manifest cannot be read: {0}")]
    Manifest(String),
    /// An index, or a configuration, for other platforms only.
    #[error("it is for {0}, not for linux/amd64")]
    Platform(String),
    /// An artefact, a signature, a Helm chart.
    #[error("it is no image: its configuration is `{0}`")]
    NotAnImage(String),
    /// A layer type that is no tar archive.
    #[error("layer {digest} is `{media_type}`, which is no tar archive with gzip, zstd or nothing")]
    LayerType {
        /// The layer.
        digest: String,
        /// Its media type.
        media_type: String,
    },
    /// A configuration that does not fit the manifest.
    #[error("its configuration names {diff_ids} layers and its manifest {layers}")]
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
    diff_ids: Vec<String>,
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
        let (digest, manifest) = match Document::read(&bytes)? {
            Document::Manifest(manifest) => (tagged.clone(), manifest),
            Document::Index(index) => {
                let digest: Digest = linux_amd64(&index.manifests)?.parse()?;
                let found = registry.manifest(repository, Wanted::Digest(&digest)).await;
                let (digest, bytes) =
                    found.map_err(|cause| incomplete(cause, "manifest", &digest))?;
                match Document::read(&bytes)? {
                    Document::Manifest(manifest) => (digest, manifest),
                    Document::Index(_) => {
                        return Err(ImageError::Manifest("an index inside an index".to_owned()));
                    }
                }
            }
        };
        let media_type = manifest.config.media_type.as_str();
        if ![IMAGE_CONFIG_MEDIA_TYPE, IMAGE_DOCKER_CONFIG_MEDIA_TYPE].contains(&media_type) {
            return Err(ImageError::NotAnImage(media_type.to_owned()));
        }
        let named: Digest = manifest.config.digest.parse()?;
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
        let layers = layers(&manifest.layers, &config.rootfs.diff_ids)?;
        Ok(Self {
            manifest: digest,
            tagged,
            created: config.created,
            layers,
        })
    }

    /// Bytes of all layers as they are stored.
    pub(crate) fn size(&self) -> u64 {
        self.layers.iter().map(|layer| layer.size).sum()
    }
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

enum Document {
    Manifest(Box<OciImageManifest>),
    Index(OciImageIndex),
}

impl Document {
    fn read(bytes: &[u8]) -> Result<Self, ImageError> {
        let failed = |cause: serde_json::Error| ImageError::Manifest(cause.to_string());
        let value: serde_json::Value = serde_json::from_slice(bytes).map_err(failed)?;
        if value["schemaVersion"] != 2 {
            let version = &value["schemaVersion"];
            return Err(ImageError::Manifest(format!(
                "schema version {version}, expected 2"
            )));
        }
        // One document that is read as either by different tools is an attack (CVE-2021-41190).
        match (
            value.get("layers").is_some(),
            value.get("manifests").is_some(),
        ) {
            (true, false) => Ok(Self::Manifest(
                serde_json::from_value(value).map_err(failed)?,
            )),
            (false, true) => Ok(Self::Index(serde_json::from_value(value).map_err(failed)?)),
            (true, true) => Err(ImageError::Manifest("it is an index as well".to_owned())),
            (false, false) => Err(ImageError::Manifest("it has no layers".to_owned())),
        }
    }
}

/// The one image for linux/amd64. `BuildKit` adds entries of an unknown platform that hold attestations.
fn linux_amd64(entries: &[ImageIndexEntry]) -> Result<&str, ImageError> {
    let mut platforms = BTreeSet::new();
    let mut found = vec![];
    for entry in entries {
        let reference_type = entry
            .annotations
            .as_ref()
            .and_then(|all| all.get("vnd.docker.reference.type"));
        let platform = entry.platform.as_ref();
        let platform =
            platform.map(|platform| format!("{}/{}", platform.os, platform.architecture));
        if reference_type.is_some() || platform.as_deref() == Some("unknown/unknown") {
            continue;
        }
        if platform.as_deref() == Some("linux/amd64") {
            found.push(entry.digest.as_str());
        }
        platforms.insert(platform.unwrap_or_else(|| "no platform".to_owned()));
    }
    found.dedup();
    match found[..] {
        [digest] => Ok(digest),
        [] if platforms.is_empty() => Err(ImageError::Platform("no platform at all".to_owned())),
        [] => Err(ImageError::Platform(Vec::from_iter(platforms).join(", "))),
        _ => Err(ImageError::Manifest(
            "its index has several images for linux/amd64".to_owned(),
        )),
    }
}

fn layers(stored: &[OciDescriptor], diff_ids: &[String]) -> Result<Vec<Layer>, ImageError> {
    if stored.len() != diff_ids.len() {
        return Err(ImageError::LayerCount {
            diff_ids: diff_ids.len(),
            layers: stored.len(),
        });
    }
    let layer = |(stored, diff_id): (&OciDescriptor, &String)| {
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
    use serde_json::json;

    fn chosen(platforms: &[(&str, &str)]) -> String {
        let entries = platforms.iter().enumerate().map(|(i, (os, architecture))| {
            json!({"mediaType": "application/vnd.oci.image.manifest.v1+json", "size": 1,
                "digest": i.to_string(), "platform": {"os": os, "architecture": architecture}})
        });
        let index = json!({"schemaVersion": 2, "manifests": entries.collect::<Vec<_>>()});
        match Document::read(index.to_string().as_bytes()).unwrap() {
            Document::Index(index) => match linux_amd64(&index.manifests) {
                Ok(digest) => digest.to_owned(),
                Err(error) => error.to_string(),
            },
            Document::Manifest(_) => "a manifest".to_owned(),
        }
    }

    #[test]
    fn an_index_leads_to_its_one_image_for_linux_amd64() {
        let attestation = ("unknown", "unknown");
        assert_eq!(
            chosen(&[attestation, ("linux", "arm64"), ("linux", "amd64")]),
            "2"
        );
        assert_eq!(
            chosen(&[("windows", "amd64"), ("linux", "arm64"), attestation]),
            "it is for linux/arm64, windows/amd64, not for linux/amd64"
        );
        assert_eq!(
            chosen(&[attestation]),
            "it is for no platform at all, not for linux/amd64"
        );
        assert_eq!(
            chosen(&[("linux", "amd64"), ("linux", "amd64")]),
            "its manifest cannot be read: its index has several images for linux/amd64"
        );
    }

    #[test]
    fn a_document_that_is_two_things_is_refused() {
        let cases = [
            (
                r#"{"schemaVersion": 2, "layers": [], "manifests": []}"#,
                "it is an index as well",
            ),
            (r#"{"schemaVersion": 2}"#, "it has no layers"),
            (
                r#"{"schemaVersion": 1, "fsLayers": []}"#,
                "schema version 1, expected 2",
            ),
        ];
        for (text, expected) in cases {
            let error = Document::read(text.as_bytes()).err().unwrap().to_string();
            assert_eq!(error, format!("its manifest cannot be read: {expected}"));
        }
    }

    #[test]
    fn layers_and_diff_ids_must_pair_up() {
        let digest = Digest::of(b"").to_string();
        let descriptor = |media_type: &str| OciDescriptor {
            media_type: media_type.to_owned(),
            digest: digest.clone(),
            size: 1,
            ..OciDescriptor::default()
        };
        let gzip = descriptor("application/vnd.oci.image.layer.v1.tar+gzip");
        let error = layers(&[gzip], &[]).unwrap_err().to_string();
        assert_eq!(error, "its configuration names 0 layers and its manifest 1");
        let signature = descriptor("application/vnd.dev.cosign.simplesigning.v1+json");
        let error = layers(&[signature], std::slice::from_ref(&digest))
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            format!(
                "layer {digest} is `application/vnd.dev.cosign.simplesigning.v1+json`, which is no tar archive with gzip, zstd or nothing"
            )
        );
    }
}
