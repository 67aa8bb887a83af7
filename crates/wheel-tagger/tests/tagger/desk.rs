//! A folder to work in: wheels made for one test, their document, the tool.

use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use wheel::{Record, RecordRow, sha256_file};
use zip::write::SimpleFileOptions;

pub(crate) const TOOL: &str = env!("CARGO_BIN_EXE_wheel-tagger");

/// A folder that goes with the test. The tool runs in it.
pub(crate) struct Desk {
    folder: TempDir,
}

/// What a run of the tool came to.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    /// Exit 0, or the test ends with what was said.
    #[track_caller]
    pub(crate) fn succeeded(self) -> Self {
        assert_eq!(self.code, 0, "{}", self.stderr);
        self
    }

    /// Exit code and stderr; stdout must be empty.
    #[track_caller]
    pub(crate) fn refused(self) -> (i32, String) {
        assert_eq!(self.stdout, "");
        (self.code, self.stderr)
    }

    pub(crate) fn document(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap()
    }
}

/// A small wheel of one package.
#[derive(Debug, Clone)]
pub(crate) struct Wheel {
    pub(crate) file: String,
    pub(crate) requires: Vec<String>,
    pub(crate) files: Vec<(String, String)>,
    /// The `platform` of its document entry, when it was measured.
    pub(crate) platform: Option<Value>,
    /// The `device` of its document entry.
    pub(crate) device: Value,
}

impl Wheel {
    /// `torch-2.15.0a0+git31a77fc-cp314-cp314-linux_x86_64`; measured as what its tag says.
    pub(crate) fn new(stem: &str) -> Self {
        let platform = stem.rsplit('-').next().unwrap();
        let pure = platform == "any";
        Self {
            file: format!("{stem}.whl"),
            requires: Vec::new(),
            files: vec![("code.py".to_owned(), "x = 1\n".to_owned())],
            platform: Some(platform_of(
                if pure { "any" } else { "linux_x86_64" },
                if pure { None } else { Some("2.43") },
            )),
            device: json!({"kind": "none", "targets": [], "common": [], "members": []}),
        }
    }

    pub(crate) fn requires(mut self, requirement: &str) -> Self {
        self.requires.push(requirement.to_owned());
        self
    }

    pub(crate) fn measured(mut self, tag: &str, glibc: &str) -> Self {
        self.platform = Some(platform_of(tag, Some(glibc)));
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut parts = self.file.trim_end_matches(".whl").split('-');
        let (name, version) = (parts.next().unwrap(), parts.next().unwrap());
        let tags: Vec<&str> = parts.collect();
        let tags = tags[tags.len() - 3..].join("-");
        let package = name.to_lowercase();
        let dist_info = format!("{name}-{version}.dist-info");
        let mut metadata = format!(
            "Metadata-Version: 2.4\nName: {name}\nVersion: {version}\nSummary: for a test\n"
        );
        for requirement in &self.requires {
            metadata.extend(["Requires-Dist: ", requirement, "\n"]);
        }
        let mut members: Vec<(String, String)> = self
            .files
            .iter()
            .map(|(path, content)| {
                let top = path.contains('/');
                (
                    if top {
                        path.clone()
                    } else {
                        format!("{package}/{path}")
                    },
                    content.clone(),
                )
            })
            .collect();
        members.push((
            format!("{package}/__init__.py"),
            format!("__version__ = {version:?}\n"),
        ));
        members.push((format!("{dist_info}/METADATA"), metadata + "\nA wheel.\n"));
        let head = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\n";
        let lines = expanded(&tags).join("\nTag: ");
        members.push((
            format!("{dist_info}/WHEEL"),
            format!("{head}Tag: {lines}\n"),
        ));
        let record = format!("{dist_info}/RECORD");
        let mut rows: Vec<RecordRow> = members
            .iter()
            .map(|(path, content)| RecordRow::of(path, content.as_bytes()))
            .collect();
        rows.push(RecordRow::bare(&record));
        members.push((record, Record::new(rows).to_text()));
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (path, content) in &members {
            writer
                .start_file(path.as_str(), SimpleFileOptions::default())
                .unwrap();
            writer.write_all(content.as_bytes()).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }
}

fn expanded(tags: &str) -> Vec<String> {
    let filename: wheel::WheelFilename = format!("a-1-{tags}.whl").parse().unwrap();
    filename.tags()
}

fn platform_of(tag: &str, glibc: Option<&str>) -> Value {
    let required = match glibc {
        Some(glibc) => json!({"GLIBC": glibc}),
        None => json!({}),
    };
    let findings = match glibc {
        Some(glibc) => json!([{
            "rule": "symbol-version", "member": "demo/code.so", "library": "libc.so.6", "version": format!("GLIBC_{glibc}"),
        }]),
        None => json!([]),
    };
    json!({
        "tag": tag, "symbols_tag": tag, "required": required, "external": [], "excluded": [], "findings": findings,
        "machine": glibc.map(|_| "x86_64"), "libc": glibc.map(|_| "glibc"),
    })
}

impl Desk {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("in")).unwrap();
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes these wheels to `in/` and gives the document that describes them.
    pub(crate) fn set(&self, wheels: &[Wheel]) -> Value {
        let entries: Vec<Value> = wheels.iter().map(|wheel| self.entry(wheel)).collect();
        json!({"schema": "wheel-set/1", "wheels": entries})
    }

    fn entry(&self, made: &Wheel) -> Value {
        let path = format!("in/{}", made.file);
        fs::write(self.path(&path), made.bytes()).unwrap();
        let (sha256, size) = sha256_file(&self.path(&path)).unwrap();
        let filename: wheel::WheelFilename = made.file.parse().unwrap();
        let mut entry = json!({
            "path": path, "filename": made.file, "name": filename.name().as_str(),
            "version": filename.version.to_string(), "tags": filename.tags(), "size": size, "sha256": sha256,
            "record": "verified", "device": made.device,
        });
        if let Some(platform) = &made.platform {
            entry["platform"] = platform.clone();
        }
        entry
    }

    /// Runs the tool for ROCm 10.1.0 into `out/`, the document on stdin.
    pub(crate) fn tag(&self, document: &Value, arguments: &[&str]) -> Ran {
        let mut all = vec!["--rocm", "10.1.0", "--out", "out"];
        all.extend_from_slice(arguments);
        self.run(&all, &document.to_string())
    }

    pub(crate) fn run(&self, arguments: &[&str], stdin: &str) -> Ran {
        let mut child = Command::new(TOOL)
            .args(arguments)
            .current_dir(self.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A tool that refuses its arguments does not read.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        child.wait_with_output().unwrap().into()
    }

    /// The names in a folder, sorted, hidden ones too.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path(folder)) else {
            return Vec::new();
        };
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// A text member of a wheel in `out/`.
    pub(crate) fn member(&self, wheel: &str, member: &str) -> String {
        let archive = wheel::Archive::open(&self.path("out").join(wheel)).unwrap();
        let bytes = archive.read_member(member, 1 << 20).unwrap().unwrap();
        String::from_utf8(bytes).unwrap()
    }
}

/// The project's folder.
pub(crate) fn root() -> PathBuf {
    let here = fs::canonicalize(env!("CARGO_MANIFEST_DIR")).unwrap();
    here.ancestors().nth(2).unwrap().to_owned()
}

/// One of the pinned clients and judges.
pub(crate) fn oracle(name: &str) -> Command {
    let path = root().join("build/oracles/bin").join(name);
    assert!(
        path.exists(),
        "{} is missing: run `make oracles` first",
        path.display()
    );
    Command::new(path)
}

/// Runs a judge; what it says is in the failure.
#[track_caller]
pub(crate) fn judged(command: &mut Command) -> String {
    let ran = Ran::from(command.output().unwrap());
    assert_eq!(ran.code, 0, "{command:?}\n{}{}", ran.stdout, ran.stderr);
    ran.stdout
}

/// Where the pinned real wheels are.
pub(crate) fn cached(filename: &str) -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))
        .unwrap();
    let path = cache.join("rocm-bake/wheels").join(filename);
    assert!(
        path.exists(),
        "{} is missing: run `make fetch-test` first",
        path.display()
    );
    path
}

pub(crate) fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}
