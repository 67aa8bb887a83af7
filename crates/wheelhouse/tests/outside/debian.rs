//! A real registry: Debian's docker-registry, started on loopback for one test.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use oci_distribution::client::{ClientConfig, ClientProtocol};
use oci_distribution::secrets::RegistryAuth;
use oci_distribution::{Client, Reference, RegistryOperation};

use crate::images::Image;

/// A running registry with its storage; both go with it.
pub(crate) struct DebianRegistry {
    /// `127.0.0.1:PORT`
    pub(crate) host: String,
    process: Child,
    folder: tempfile::TempDir,
}

impl Drop for DebianRegistry {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn program() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders =
        std::iter::once(root.join("build/registry/usr/bin")).chain(std::env::split_paths(&path));
    let mut programs = folders.map(|folder| folder.join("docker-registry"));
    let found = programs.find(|program| program.exists());
    found.expect("no docker-registry: run `make test-services` first")
}

impl DebianRegistry {
    pub(crate) fn start() -> Self {
        Self::with("")
    }

    /// `http` is more of the `http` section, `\n`-separated with two blanks before each line; a line without
    /// them begins another section.
    pub(crate) fn with(http: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // The port is free now, and the registry takes it a moment later; nothing else asks for this one.
        let host = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .to_string();
        let storage = folder.path().join("storage");
        let config = format!(
            "version: 0.1\nlog:\n  level: error\nstorage:\n  filesystem:\n    rootdirectory: {}\nhttp:\n  addr: {host}\n{http}",
            storage.display()
        );
        let file = folder.path().join("config.yml");
        fs::write(&file, config).unwrap();
        let log = fs::File::create(folder.path().join("log")).unwrap();
        let process = Command::new(program())
            .args(["serve", file.to_str().unwrap()])
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let registry = Self {
            host,
            process,
            folder,
        };
        let begin = Instant::now();
        while TcpStream::connect(&registry.host).is_err() {
            let log = || fs::read_to_string(registry.folder.path().join("log")).unwrap();
            assert!(begin.elapsed() < Duration::from_secs(20), "{}", log());
            thread::sleep(Duration::from_millis(20));
        }
        registry
    }

    /// Pushes an image under some tags, through oci-client.
    pub(crate) fn push(
        &self,
        repository: &str,
        tags: &[String],
        image: &Image,
        auth: &RegistryAuth,
    ) {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let protocol = ClientProtocol::HttpsExcept(vec![self.host.clone()]);
        let client = Client::new(ClientConfig {
            protocol,
            ..ClientConfig::default()
        });
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let reference = |tag: &str| {
                Reference::with_tag(self.host.clone(), repository.to_owned(), tag.to_owned())
            };
            client
                .auth(&reference("latest"), auth, RegistryOperation::Push)
                .await
                .unwrap();
            for (digest, bytes) in &image.blobs {
                client
                    .push_blob(&reference("latest"), bytes.clone(), digest)
                    .await
                    .unwrap();
            }
            // What an index names must be there as a manifest, too.
            for (digest, bytes) in image
                .blobs
                .iter()
                .filter(|(digest, _)| **digest != image.manifest)
            {
                let Some(media_type) = media_type(bytes) else {
                    continue;
                };
                let by_digest = Reference::with_digest(
                    self.host.clone(),
                    repository.to_owned(),
                    digest.clone(),
                );
                client
                    .push_manifest_raw(&by_digest, bytes.clone(), media_type.parse().unwrap())
                    .await
                    .unwrap();
            }
            for tag in tags {
                let media_type = image.media_type.parse().unwrap();
                let bytes = image.manifest_bytes().to_vec();
                client
                    .push_manifest_raw(&reference(tag), bytes, media_type)
                    .await
                    .unwrap();
            }
        });
    }
}

fn media_type(bytes: &[u8]) -> Option<String> {
    let document: serde_json::Value = serde_json::from_slice(bytes).ok()?;
    document.get("layers")?;
    Some(document["mediaType"].as_str()?.to_owned())
}
