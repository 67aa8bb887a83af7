//! Images of several GB, served from a file and pulled in a memory that does not grow with them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde_json::json;
use sha2::{Digest, Sha256};

const TAG: &str = "2.15.0-10.1.0-full-gfx950";
const WHEEL: &str = "torch-2.15.0a0+git31a77fc-cp314-cp314-linux_x86_64.whl";
/// Most that the tool may take; kB.
const MEMORY: u64 = 64 << 10;

/// Hashes what passes.
struct Hashed<W> {
    inner: W,
    hasher: Sha256,
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<W> Hashed<W> {
    fn new(inner: W) -> Self {
        let hasher = Sha256::new();
        Self { inner, hasher }
    }

    fn finish(self) -> (W, String) {
        (
            self.inner,
            format!(
                "sha256:{}",
                data_encoding::HEXLOWER.encode(&self.hasher.finalize())
            ),
        )
    }
}

/// 24 mebibytes that do not compress, and that no window of 16 can find again.
fn noise() -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    std::iter::repeat_with(next)
        .take(24 << 17)
        .flatten()
        .collect()
}

/// Writes the archive of one wheel of so many mebibytes.
fn write_archive(mebibytes: u64, target: &mut impl Write) {
    let mut header = [0_u8; 512];
    let path = format!("wheels/{WHEEL}");
    header[..path.len()].copy_from_slice(path.as_bytes());
    header[124..136].copy_from_slice(format!("{:011o}\0", mebibytes << 20).as_bytes());
    header[148..156].copy_from_slice(b"        ");
    header[156] = b'0';
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    target.write_all(&header).unwrap();
    let noise = noise();
    let blocks = noise.chunks(1 << 20).cycle();
    for block in blocks.take(usize::try_from(mebibytes).unwrap()) {
        target.write_all(block).unwrap();
    }
    target.write_all(&[0; 1024]).unwrap();
}

/// A registry with one image, whose layer is a file.
struct Served {
    layer: PathBuf,
    layer_digest: String,
    config: Vec<u8>,
    manifest: Vec<u8>,
}

impl Served {
    fn new(layer: &Path, kind: &str, layer_digest: &str, diff_id: &str) -> Self {
        let digest = |bytes: &[u8]| Hashed::new(io::sink()).tap(bytes);
        let oci = "application/vnd.oci.image";
        let config = json!({"architecture": "amd64", "os": "linux", "config": {},
            "rootfs": {"type": "layers", "diff_ids": [diff_id]}});
        let config = config.to_string().into_bytes();
        let size = fs::metadata(layer).unwrap().len();
        let manifest = json!({"schemaVersion": 2, "mediaType": format!("{oci}.manifest.v1+json"),
            "config": {"mediaType": format!("{oci}.config.v1+json"), "digest": digest(&config), "size": config.len()},
            "layers": [{"mediaType": format!("{oci}.layer.v1.{kind}"), "digest": layer_digest, "size": size}]});
        Self {
            layer: layer.to_owned(),
            layer_digest: layer_digest.to_owned(),
            config,
            manifest: manifest.to_string().into_bytes(),
        }
    }

    /// Serves it until the process ends; returns `host:port`.
    fn serve(self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let served = Arc::new(self);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let served = Arc::clone(&served);
                // A client that is killed in the middle is what a test is about.
                thread::spawn(move || drop(served.answer(stream)));
            }
        });
        host
    }

    fn answer(&self, mut stream: TcpStream) -> io::Result<()> {
        let mut lines = BufReader::new(stream.try_clone()?).lines();
        let request = lines.next().unwrap()?;
        let mut offset = 0;
        for line in lines
            .map_while(Result::ok)
            .take_while(|line| !line.is_empty())
        {
            if let Some(range) = line.to_ascii_lowercase().strip_prefix("range: bytes=") {
                offset = range.trim_end_matches('-').parse().unwrap();
            }
        }
        let mut content: Box<dyn Read> = if request.contains("/manifests/") {
            Box::new(&self.manifest[..])
        } else if request.contains(&self.layer_digest) {
            let mut file = File::open(&self.layer)?;
            file.seek(io::SeekFrom::Start(offset))?;
            Box::new(file)
        } else {
            Box::new(&self.config[..])
        };
        let status = if offset > 0 { "206 x" } else { "200 x" };
        write!(
            stream,
            "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Range: bytes {offset}-\r\n\r\n"
        )?;
        io::copy(&mut content, &mut stream).map(drop)
    }
}

impl Hashed<io::Sink> {
    fn tap(mut self, bytes: &[u8]) -> String {
        self.hasher.update(bytes);
        self.finish().1
    }
}

fn plan(host: &str) -> String {
    json!({"schema": "tag-plan/1", "registry": format!("{host}/rocm"), "groups": {}, "findings": [],
        "targets": [{"name": "pytorch-wheel", "repository": "pytorch-wheel", "dockerfile": null, "stage": "wheel",
            "architecture": "gfx950", "groups": [], "args": {}, "contexts": {}, "needs_published": [], "caches": [],
            "tags": [{"reference": format!("{host}/rocm/pytorch-wheel:{TAG}"), "tag": TAG, "class": "versioned"}]}]})
    .to_string()
}

/// Pulls, killing the tool as often as `kills` says on the way, and returns its peak memory in kB.
fn pull(host: &str, out: &Path, kills: &[u64]) -> u64 {
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wheelhouse"));
        let command = command
            .args(["pull", "--plain-http", host, "--out"])
            .arg(out)
            .env("HOME", "/nowhere");
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(plan(host).as_bytes())
            .unwrap();
        child
    };
    for milliseconds in kills {
        let mut child = start();
        thread::sleep(Duration::from_millis(*milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!out.join(WHEEL).exists());
    }
    let mut child = start();
    let mut peak = 0;
    loop {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        if let Some(line) = status.lines().find_map(|line| line.strip_prefix("VmHWM:")) {
            peak = line.trim().trim_end_matches(" kB").parse().unwrap();
        }
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success());
            return peak;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_wheel_of_5_gb_streams_through_a_small_memory_and_survives_kills() {
    let folder = tempfile::tempdir().unwrap();
    let layer = folder.path().join("layer");
    let packed = Hashed::new(File::create(&layer).unwrap());
    // Stored, as gzip does with what does not compress.
    let mut archive = Hashed::new(flate2::write::GzEncoder::new(
        packed,
        flate2::Compression::none(),
    ));
    write_archive(5 << 10, &mut archive);
    let (encoder, diff_id) = archive.finish();
    let (_, digest) = encoder.finish().unwrap().finish();
    let host = Served::new(&layer, "tar+gzip", &digest, &diff_id).serve();
    let out = tempfile::tempdir().unwrap();
    let peak = pull(&host, out.path(), &[1000, 3000]);
    assert!(peak < MEMORY, "{peak} kB");
    assert_eq!(fs::metadata(out.path().join(WHEEL)).unwrap().len(), 5 << 30);
}

#[test]
fn a_zstd_layer_with_the_largest_window_fits_the_memory() {
    let folder = tempfile::tempdir().unwrap();
    let layer = folder.path().join("layer");
    let mut zstd = Command::new("zstd")
        .args(["-q", "-1", "--long=24", "-o"])
        .arg(&layer)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut archive = Hashed::new(zstd.stdin.take().unwrap());
    write_archive(400, &mut archive);
    let (pipe, diff_id) = archive.finish();
    drop(pipe);
    assert!(zstd.wait().unwrap().success());
    let mut packed = Hashed::new(io::sink());
    io::copy(&mut File::open(&layer).unwrap(), &mut packed).unwrap();
    let host = Served::new(&layer, "tar+zstd", &packed.finish().1, &diff_id).serve();
    let out = tempfile::tempdir().unwrap();
    let peak = pull(&host, out.path(), &[]);
    assert!(peak < MEMORY, "{peak} kB");
}
