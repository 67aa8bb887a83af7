//! The stand: our index, a stand-in for the public one, a server for both, and the tool with pip and uv on PATH.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

pub(crate) const ROCM_TORCH: &str = "rocm-torch[device-gfx950]";

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

pub(crate) fn oracle(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../build/oracles/bin")
        .join(name);
    assert!(
        path.exists(),
        "{} is missing: run `make oracles` first",
        path.display()
    );
    path
}

/// A stub wheel.
pub(crate) fn wheel(name: &str, version: &str) -> Value {
    json!({"name": name, "version": version})
}

/// A stub wheel that requires something.
pub(crate) fn requiring(name: &str, version: &str, requires: &[&str]) -> Value {
    json!({"name": name, "version": version, "requires": requires})
}

/// A stub wheel for a tag.
pub(crate) fn tagged(name: &str, version: &str, tag: &str) -> Value {
    json!({"name": name, "version": version, "tag": tag})
}

/// Our wheels as they should be.
pub(crate) fn ours() -> Vec<Value> {
    let cp314 = "cp314-cp314-linux_x86_64";
    let mut torch = tagged("torch", "2.15.0a0+git31a77fc.rocm10.1.0", cp314);
    torch["requires"] = json!(["triton==3.9.0+gitaad2a60d.rocm10.1.0", "numpy"]);
    vec![
        torch,
        tagged("triton", "3.9.0+gitaad2a60d.rocm10.1.0", cp314),
        tagged(
            "atom",
            "0.1.9+rocm10.1.0",
            "cp314-cp314-manylinux_2_38_x86_64",
        ),
        requiring("nixl", "1.5.2+rocm10.1.0", &["nixl_rocm==1.5.2+rocm10.1.0"]),
        tagged(
            "nixl_rocm",
            "1.5.2+rocm10.1.0",
            "cp314-cp314-manylinux_2_39_x86_64",
        ),
        wheel("triton_kernels", "1.0.0+rocm10.1.0"),
    ]
}

/// What others publish: higher or equal versions under our names, and CUDA.
pub(crate) fn theirs() -> Vec<Value> {
    vec![
        requiring("nixl", "1.5.2", &["nixl_cu12==1.5.2", "nixl_cu13==1.5.2"]),
        wheel("nixl_cu12", "1.5.2"),
        wheel("nixl_cu13", "1.5.2"),
        wheel("atom", "0.12.1"),
        requiring(
            "torch",
            "2.15.0",
            &["nvidia_cublas==13.0.0", "triton==3.9.0"],
        ),
        wheel("nvidia_cublas", "13.0.0"),
        wheel("triton", "3.9.0"),
        json!({"name": "triton_kernels", "version": "1.0.0", "payload": "# not ours\n"}),
        wheel("numpy", "2.4.0"),
    ]
}

/// Exact pins of all of these wheels.
pub(crate) fn pins(wheels: &[Value]) -> Value {
    let pins = wheels.iter().map(|wheel| {
        json!([
            wheel["name"].as_str().unwrap().replace('_', "-"),
            wheel["version"]
        ])
    });
    Value::Array(pins.collect())
}

/// Two indexes in one folder: `data/gfx950/` is ours, `public/` the stand-in. `served` makes links absolute.
pub(crate) struct Site {
    folder: tempfile::TempDir,
}

impl Site {
    pub(crate) fn new(ours: &[Value], theirs: &[Value]) -> Self {
        Self::pinning(ours, &pins(ours), theirs)
    }

    pub(crate) fn pinning(ours: &[Value], pins: &Value, theirs: &[Value]) -> Self {
        let site = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        site.index("data/gfx950", json!({"wheels": ours, "pin": pins}));
        site.index("public", json!({"wheels": theirs}));
        site
    }

    /// Adds an index below the site.
    pub(crate) fn index(&self, below: &str, mut spec: Value) {
        spec["out"] = json!(self.path(below));
        let mut child = Command::new(oracle("python"))
            .arg(data("site.py"))
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(spec.to_string().as_bytes())
            .unwrap();
        assert!(child.wait().unwrap().success());
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    /// A file of our index, by the start of its name.
    pub(crate) fn file(&self, start: &str, end: &str) -> PathBuf {
        let files = std::fs::read_dir(self.path("data/gfx950/files")).unwrap();
        let mut found = files.map(|entry| entry.unwrap().path()).filter(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name.starts_with(start) && name.ends_with(end)
        });
        found.next().unwrap()
    }

    pub(crate) fn serve(&self, faults: &[&str]) -> Server {
        Server::of(self.folder.path(), faults)
    }
}

/// A server on loopback that ends with the test.
pub(crate) struct Server {
    child: Child,
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn of(folder: &Path, faults: &[&str]) -> Self {
        let mut child = Command::new(oracle("python"))
            .arg(data("server.py"))
            .arg(folder)
            .args(faults)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines.next().unwrap().unwrap().parse().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                seen.lock().unwrap().push(line);
            }
        });
        Self {
            child,
            port,
            requests,
        }
    }

    pub(crate) fn url(&self, below: &str) -> String {
        format!("http://127.0.0.1:{}/{below}", self.port)
    }

    /// The paths that were asked for so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// A text with the server's address as `HERE`.
    pub(crate) fn anonymous(&self, text: &str) -> String {
        text.replace(&format!("http://127.0.0.1:{}", self.port), "HERE")
    }

    /// Audits our index against the stand-in.
    pub(crate) fn audit(&self, more: &[&str]) -> Ran {
        let (index, upstream) = (self.url("data"), self.url("public/"));
        let mut args = vec![
            "--index",
            &index,
            "--upstream",
            &upstream,
            "--arch",
            "gfx950",
        ];
        args.extend(more);
        audit(&args, b"", &[])
    }

    /// What pip resolves with ours beside the stand-in.
    pub(crate) fn pip(&self, requirements: &[&str]) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let report = folder.path().join("report.json");
        let mut command = Command::new(oracle("pip"));
        command
            .args([
                "install",
                "--dry-run",
                "--ignore-installed",
                "--quiet",
                "--report",
            ])
            .arg(&report)
            .args([
                "--python-version",
                "3.14",
                "--implementation",
                "cp",
                "--only-binary",
                ":all:",
                "--target",
                "x",
            ])
            .args([
                "--platform",
                "linux_x86_64",
                "--platform",
                "manylinux_2_39_x86_64",
            ])
            .args(["--platform", "manylinux_2_38_x86_64", "--no-cache-dir"])
            .args([
                "--index-url",
                &self.url("data/gfx950/"),
                "--extra-index-url",
                &self.url("public/"),
            ])
            .args(requirements)
            .env("PIP_CONFIG_FILE", "/dev/null")
            .env_remove("PIP_FIND_LINKS")
            .env_remove("PIP_EXTRA_INDEX_URL");
        succeeds(&mut command);
        std::fs::read(report).unwrap()
    }

    /// What uv locks when it asks the stand-in first.
    pub(crate) fn uv_public_first(&self, requirements: &[&str]) -> Vec<u8> {
        let order = [
            "--index-url",
            &self.url("data/gfx950/"),
            "--extra-index-url",
            &self.url("public/"),
        ];
        uv(requirements, &order)
    }

    /// What uv locks when it asks ours first.
    pub(crate) fn uv_ours_first(&self, requirements: &[&str]) -> Vec<u8> {
        let order = [
            "--index",
            &self.url("data/gfx950/"),
            "--default-index",
            &self.url("public/"),
        ];
        uv(requirements, &order)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What uv locks with these indexes.
pub(crate) fn uv(requirements: &[&str], order: &[&str]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (wanted, lock) = (
        folder.path().join("requirements.in"),
        folder.path().join("pylock.toml"),
    );
    std::fs::write(&wanted, requirements.join("\n")).unwrap();
    let mut command = Command::new(oracle("uv"));
    command
        .args([
            "--no-config",
            "--no-cache",
            "--quiet",
            "pip",
            "compile",
            "--only-binary",
            ":all:",
        ])
        .args([
            "--format",
            "pylock.toml",
            "--python-version",
            "3.14",
            "--python-platform",
            "x86_64-manylinux_2_39",
        ])
        .args(order)
        .arg("-o")
        .arg(&lock)
        .arg(&wanted)
        .env("UV_PYTHON_DOWNLOADS", "never");
    succeeds(&mut command);
    std::fs::read(lock).unwrap()
}

fn succeeds(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{command:?}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// How a run of the tool ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn document(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The findings as `client rule name`.
    pub(crate) fn findings(&self) -> Vec<String> {
        let document = self.document();
        let findings = document["findings"].as_array().unwrap();
        let mut short: Vec<String> = findings
            .iter()
            .map(|one| {
                let client = one["resolver"].as_str().unwrap_or("-");
                format!(
                    "{client} {} {}",
                    one["rule"].as_str().unwrap(),
                    one["name"].as_str().unwrap()
                )
            })
            .collect();
        short.sort();
        short
    }

    /// The message of the only finding with this rule and name.
    pub(crate) fn message(&self, rule: &str, name: &str) -> String {
        let document = self.document();
        let mut found = document["findings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|one| one["rule"] == rule && one["name"] == name);
        let message = found
            .next()
            .unwrap_or_else(|| panic!("no {rule} {name}: {self:?}"));
        message["message"].as_str().unwrap().to_owned()
    }

    /// One check's answer.
    pub(crate) fn check(&self, check: &str, client: Option<&str>) -> Value {
        let document = self.document();
        let checks = document["checks"].as_array().unwrap();
        let found = checks
            .iter()
            .find(|one| one["check"] == check && one["resolver"].as_str() == client);
        found
            .unwrap_or_else(|| panic!("no check {check}: {self:?}"))
            .clone()
    }
}

/// Runs the tool with pip and uv of the oracles on PATH.
pub(crate) fn audit(args: &[&str], stdin: &[u8], variables: &[(&str, &str)]) -> Ran {
    let bin = oracle("pip").parent().unwrap().to_owned();
    let mut child = Command::new(env!("CARGO_BIN_EXE_index-audit"))
        .args(args)
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
        .env_remove("PIP_FIND_LINKS")
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The tool may refuse its arguments and never read.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
