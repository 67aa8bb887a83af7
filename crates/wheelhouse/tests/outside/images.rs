//! Wheel images made by hand: archives, layers, manifests, and layouts on disk that hold them.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub(crate) const GZIP: &str = "application/vnd.oci.image.layer.v1.tar+gzip";
pub(crate) const PLAIN: &str = "application/vnd.oci.image.layer.v1.tar";
pub(crate) const ZSTD: &str = "application/vnd.oci.image.layer.v1.tar+zstd";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";

pub(crate) fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(&Sha256::digest(bytes))
}

pub(crate) fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(bytes))
}

/// One entry of an archive: path, type flag and content (or, for a link, its target).
pub(crate) fn entry(path: &str, flag: u8, content: &[u8]) -> Vec<u8> {
    let is_link = flag == b'1' || flag == b'2';
    let stored = if is_link { &[][..] } else { content };
    let mut header = [0_u8; 512];
    if path.len() > 100 {
        let record = format!(" path={path}\n");
        let digits = (record.len() + 3).to_string().len();
        let record = format!("{}{record}", record.len() + digits);
        let extension = entry("PaxHeader", b'x', record.as_bytes());
        return [extension, entry(&path[..100], flag, content)].concat();
    }
    header[..path.len()].copy_from_slice(path.as_bytes());
    header[100..108].copy_from_slice(b"0000644\0");
    header[124..136].copy_from_slice(format!("{:011o}\0", stored.len()).as_bytes());
    header[136..148].copy_from_slice(b"00000000000\0");
    header[148..156].copy_from_slice(b"        ");
    header[156] = flag;
    if is_link {
        header[157..157 + content.len()].copy_from_slice(content);
    }
    header[257..265].copy_from_slice(b"ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let mut bytes = [&header[..], stored].concat();
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

/// A whole archive.
pub(crate) fn archive(entries: &[Vec<u8>]) -> Vec<u8> {
    [entries.concat(), vec![0; 1024]].concat()
}

/// The archive that a wheel stage makes: the folder and the wheels in it.
pub(crate) fn wheels_archive(wheels: &[(&str, &[u8])]) -> Vec<u8> {
    let folder = entry("wheels/", b'5', b"");
    let files = wheels
        .iter()
        .map(|(name, bytes)| entry(&format!("wheels/{name}"), b'0', bytes));
    archive(&std::iter::once(folder).chain(files).collect::<Vec<_>>())
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A layer: its media type, its blob, and the archive in it.
#[derive(Clone)]
pub(crate) struct Layer {
    pub(crate) media_type: String,
    pub(crate) blob: Vec<u8>,
    pub(crate) diff_id: String,
}

pub(crate) fn gzip_layer(archive: &[u8]) -> Layer {
    Layer {
        media_type: GZIP.to_owned(),
        blob: gzip(archive),
        diff_id: digest(archive),
    }
}

pub(crate) fn plain_layer(archive: &[u8]) -> Layer {
    Layer {
        media_type: PLAIN.to_owned(),
        blob: archive.to_vec(),
        diff_id: digest(archive),
    }
}

/// Everything that makes up an image, by digest, and the manifest or index that a tag names.
#[derive(Clone, Default)]
pub(crate) struct Image {
    pub(crate) blobs: BTreeMap<String, Vec<u8>>,
    pub(crate) manifest: String,
    pub(crate) media_type: String,
}

impl Image {
    pub(crate) fn new(layers: &[Layer]) -> Self {
        Self::with_config(layers, |_| {})
    }

    /// An image with one wheel in one gzip layer.
    pub(crate) fn of_wheel(name: &str, bytes: &[u8]) -> Self {
        Self::new(&[gzip_layer(&wheels_archive(&[(name, bytes)]))])
    }

    /// An image whose configuration was changed.
    pub(crate) fn with_config(layers: &[Layer], change: impl Fn(&mut Value)) -> Self {
        let diff_ids: Vec<_> = layers.iter().map(|layer| layer.diff_id.clone()).collect();
        let mut config = json!({"architecture": "amd64", "os": "linux", "created": "2026-11-30T12:00:00Z",
            "config": {}, "rootfs": {"type": "layers", "diff_ids": diff_ids}});
        change(&mut config);
        let mut image = Self::default();
        let mut descriptors = vec![];
        for layer in layers {
            descriptors.push(image.add(&layer.media_type, layer.blob.clone()));
        }
        let config = image.add(CONFIG, config.to_string().into_bytes());
        image.name(MANIFEST, &json!({"schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": descriptors}));
        image
    }

    /// Adds a blob and returns its descriptor.
    pub(crate) fn add(&mut self, media_type: &str, bytes: Vec<u8>) -> Value {
        let descriptor =
            json!({"mediaType": media_type, "digest": digest(&bytes), "size": bytes.len()});
        self.blobs.insert(digest(&bytes), bytes);
        descriptor
    }

    /// Makes a manifest the one that tags name.
    pub(crate) fn name(&mut self, media_type: &str, manifest: &Value) {
        let bytes = manifest.to_string().into_bytes();
        (self.manifest, self.media_type) = (digest(&bytes), media_type.to_owned());
        self.blobs.insert(digest(&bytes), bytes);
    }

    pub(crate) fn manifest_bytes(&self) -> &[u8] {
        &self.blobs[&self.manifest]
    }

    /// This image in an index, behind attestations and an image for another machine.
    pub(crate) fn in_index(mut self) -> Self {
        let image = (
            self.manifest.clone(),
            json!({"os": "linux", "architecture": "amd64"}),
        );
        let statement = Layer {
            media_type: "application/vnd.in-toto+json".to_owned(),
            blob: b"{}".to_vec(),
            diff_id: digest(b"{}"),
        };
        let unknown = json!({"os": "unknown", "architecture": "unknown"});
        let attestation = (self.take(Self::new(&[statement])), unknown);
        let other = Self::with_config(&[], |config| config["architecture"] = "arm64".into());
        let other = (
            self.take(other),
            json!({"os": "linux", "architecture": "arm64", "variant": "v8"}),
        );
        let entries = [attestation, other, image].map(|(digest, platform)| {
            let size = self.blobs[&digest].len();
            json!({"mediaType": MANIFEST, "digest": digest, "size": size, "platform": platform})
        });
        self.name(
            INDEX,
            &json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries}),
        );
        self
    }

    /// Takes in what another image is made of, and returns the digest of its manifest.
    fn take(&mut self, other: Self) -> String {
        self.blobs.extend(other.blobs);
        other.manifest
    }
}

/// Writes an OCI layout that holds these images by `repository:tag`.
pub(crate) fn write_layout(folder: &Path, images: &[(&str, &Image)]) {
    let blobs = folder.join("blobs/sha256");
    fs::create_dir_all(&blobs).unwrap();
    fs::write(
        folder.join("oci-layout"),
        r#"{"imageLayoutVersion": "1.0.0"}"#,
    )
    .unwrap();
    let mut manifests = vec![];
    for (name, image) in images {
        for (digest, bytes) in &image.blobs {
            fs::write(blobs.join(digest.trim_start_matches("sha256:")), bytes).unwrap();
        }
        manifests.push(
            json!({"mediaType": image.media_type, "digest": image.manifest,
            "size": image.manifest_bytes().len(),
            "annotations": {"org.opencontainers.image.ref.name": name}}),
        );
    }
    let index = json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests});
    fs::write(folder.join("index.json"), index.to_string()).unwrap();
}

/// A plan of images below `registry`: target, architecture, tag.
pub(crate) fn plan(registry: &str, targets: &[(&str, Option<&str>, &str)]) -> String {
    let targets = targets.iter().map(|(name, architecture, tag)| {
        let reference = format!("{registry}/{name}:{tag}");
        json!({"name": name, "repository": name, "dockerfile": null, "stage": "wheel",
            "architecture": architecture, "groups": ["wheels"], "args": {}, "contexts": {},
            "needs_published": [], "caches": [],
            "tags": [{"reference": reference, "tag": tag, "class": "versioned"}]})
    });
    json!({"schema": "tag-plan/1", "registry": registry, "targets": targets.collect::<Vec<_>>(),
        "groups": {}, "findings": []})
    .to_string()
}
