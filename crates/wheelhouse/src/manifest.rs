//! What a tag names: the manifest of an image, or an index of several (manifest.md and image-index.md of the image
//! specification, and Docker's forms of the same).
//!
//! Only what is used is read, into memory that is a small multiple of the document's size: oci-client's types keep every
//! annotation.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::few::Few;
use crate::image::ImageError;

/// More layers, or images in an index, than any builder makes: container engines mount at most 128.
pub(crate) const MOST: usize = 1000;

/// A manifest or an index.
#[derive(Debug)]
pub(crate) enum Document {
    /// Of one image.
    Manifest {
        /// The configuration.
        config: Descriptor,
        /// The layers, lowest first.
        layers: Vec<Descriptor>,
    },
    /// Of several.
    Index(Vec<IndexEntry>),
}

/// What names a blob.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Descriptor {
    /// What it is.
    pub(crate) media_type: String,
    /// Its digest, unread.
    pub(crate) digest: String,
    /// Bytes.
    pub(crate) size: i64,
}

/// An image in an index.
#[derive(Debug, Deserialize)]
pub(crate) struct IndexEntry {
    digest: String,
    platform: Option<Platform>,
    annotations: Option<Annotations>,
}

#[derive(Debug, Deserialize)]
struct Platform {
    os: String,
    architecture: String,
}

#[derive(Debug, Deserialize)]
struct Annotations {
    #[serde(rename = "vnd.docker.reference.type")]
    reference_type: Option<IgnoredAny>,
}

/// All that either has.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Either {
    schema_version: Option<i64>,
    config: Option<Descriptor>,
    layers: Option<Few<Descriptor, MOST>>,
    manifests: Option<Few<IndexEntry, MOST>>,
}

impl Document {
    /// Reads either.
    ///
    /// # Errors
    /// [`ImageError::Manifest`]
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, ImageError> {
        let wrong = |cause: &str| Err(ImageError::Manifest(cause.to_owned()));
        let either: Either = serde_json::from_slice(bytes)
            .map_err(|cause| ImageError::Manifest(cause.to_string()))?;
        if either.schema_version != Some(2) {
            let version = either.schema_version;
            let version = version.map_or_else(|| "none".to_owned(), |version| version.to_string());
            return wrong(&format!("schema version {version}, expected 2"));
        }
        // One document that is read as either by different tools is an attack (CVE-2021-41190).
        match (either.layers, either.manifests, either.config) {
            (Some(_), Some(_), _) => wrong("it is an index as well"),
            (Some(Few(layers)), None, Some(config)) => Ok(Self::Manifest { config, layers }),
            (Some(_), None, None) => wrong("it has no configuration"),
            (None, Some(Few(images)), _) => Ok(Self::Index(images)),
            (None, None, _) => wrong("it has no layers"),
        }
    }
}

/// The digest of the one image for linux/amd64. `BuildKit` adds entries of an unknown platform that hold attestations.
///
/// # Errors
/// [`ImageError::Platform`] when there is none, [`ImageError::Manifest`] when there are several.
pub(crate) fn linux_amd64(entries: &[IndexEntry]) -> Result<&str, ImageError> {
    let (mut platforms, mut found) = (BTreeSet::new(), BTreeSet::new());
    for entry in entries {
        let annotations = entry.annotations.as_ref();
        let is_attestation = annotations.is_some_and(|all| all.reference_type.is_some());
        let platform = entry.platform.as_ref();
        let platform =
            platform.map(|platform| format!("{}/{}", platform.os, platform.architecture));
        if is_attestation || platform.as_deref() == Some("unknown/unknown") {
            continue;
        }
        if platform.as_deref() == Some("linux/amd64") {
            found.insert(entry.digest.as_str());
        }
        platforms.insert(platform.unwrap_or_else(|| "no platform".to_owned()));
    }
    match (found.pop_first(), found.is_empty()) {
        (Some(digest), true) => Ok(digest),
        (Some(_), false) => Err(ImageError::Manifest(
            "its index has several images for linux/amd64".to_owned(),
        )),
        (None, _) if platforms.is_empty() => {
            Err(ImageError::Platform("no platform at all".to_owned()))
        }
        (None, _) => Err(ImageError::Platform(Vec::from_iter(platforms).join(", "))),
    }
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
            Document::Index(images) => match linux_amd64(&images) {
                Ok(digest) => digest.to_owned(),
                Err(error) => error.to_string(),
            },
            Document::Manifest { .. } => "a manifest".to_owned(),
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
            "it is for linux/arm64, windows/amd64, not for linux/amd64; push one that is"
        );
        assert_eq!(
            chosen(&[attestation]),
            "it is for no platform at all, not for linux/amd64; push one that is"
        );
        assert_eq!(
            chosen(&[("linux", "amd64"), ("linux", "amd64")]),
            "its manifest cannot be read: its index has several images for linux/amd64; push the image again"
        );
    }

    #[test]
    fn a_document_that_is_no_image_is_refused() {
        let descriptor = r#"{"mediaType": "", "digest": "", "size": 0}"#;
        let many = format!("{descriptor},").repeat(MOST);
        let cases = [
            (
                r#"{"schemaVersion": 2, "layers": [], "manifests": []}"#.to_owned(),
                "it is an index as well",
            ),
            (r#"{"schemaVersion": 2}"#.to_owned(), "it has no layers"),
            (
                r#"{"schemaVersion": 2, "layers": []}"#.to_owned(),
                "it has no configuration",
            ),
            (
                r#"{"schemaVersion": 1, "fsLayers": []}"#.to_owned(),
                "schema version 1, expected 2",
            ),
            ("{}".to_owned(), "schema version none, expected 2"),
            (
                format!(r#"{{"schemaVersion": 2, "layers": [{many}{descriptor}]}}"#),
                "a list of more than 1000 items at line 1 column 43075",
            ),
            (
                format!(r#"{{"schemaVersion": 2, "manifests": [{many}{descriptor}]}}"#),
                "a list of more than 1000 items at line 1 column 43078",
            ),
        ];
        for (text, expected) in cases {
            let error = Document::read(text.as_bytes()).err().unwrap().to_string();
            let expected = format!("its manifest cannot be read: {expected}; push the image again");
            assert_eq!(error, expected);
        }
    }
}
