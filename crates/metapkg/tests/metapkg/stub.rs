//! Stub wheels, sets of them, and the tool run on a set.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;

/// A wheel with METADATA and next to nothing else.
pub(crate) struct Stub {
    name: String,
    version: String,
    tag: String,
    headers: Vec<(&'static str, String)>,
    libraries: Vec<String>,
    measured: bool,
}

impl Stub {
    /// A pure wheel; `name` is spelled as file names do.
    pub(crate) fn new(name: &str, version: &str) -> Self {
        Self {
            name: name.to_owned(),
            version: version.to_owned(),
            tag: "py3-none-any".to_owned(),
            headers: Vec::new(),
            libraries: Vec::new(),
            measured: true,
        }
    }

    pub(crate) fn tag(mut self, tag: &str) -> Self {
        tag.clone_into(&mut self.tag);
        self
    }

    pub(crate) fn requires(mut self, requirement: &str) -> Self {
        self.headers.push(("Requires-Dist", requirement.to_owned()));
        self
    }

    pub(crate) fn extra(mut self, extra: &str) -> Self {
        self.headers.push(("Provides-Extra", extra.to_owned()));
        self
    }

    pub(crate) fn python(mut self, requires: &str) -> Self {
        self.headers.push(("Requires-Python", requires.to_owned()));
        self
    }

    /// A library of ROCm that the measured wheel needs.
    pub(crate) fn needs(mut self, soname: &str) -> Self {
        self.libraries.push(soname.to_owned());
        self
    }

    pub(crate) fn unmeasured(mut self) -> Self {
        self.measured = false;
        self
    }

    pub(crate) fn filename(&self) -> String {
        format!("{}-{}-{}.whl", self.name, self.version, self.tag)
    }

    /// Writes the wheel and gives its entry of a wheel set.
    pub(crate) fn write(&self, folder: &Path) -> Value {
        let info = format!("{}-{}.dist-info", self.name, self.version);
        let mut metadata = format!(
            "Metadata-Version: 2.1\nName: {}\nVersion: {}\n",
            self.name, self.version
        );
        for (name, value) in &self.headers {
            let _ = writeln!(metadata, "{name}: {value}");
        }
        let wheel = format!(
            "Wheel-Version: 1.0\nGenerator: stub\nRoot-Is-Purelib: true\nTag: {}\n",
            self.tag
        );
        let module = format!("{}/__init__.py", self.name);
        let files = [
            (module, String::new()),
            (format!("{info}/METADATA"), metadata),
            (format!("{info}/WHEEL"), wheel),
        ];
        let mut record = String::new();
        for (path, text) in &files {
            let hash = data_encoding::BASE64URL_NOPAD.encode(&Sha256::digest(text.as_bytes()));
            let _ = writeln!(record, "{path},sha256={hash},{}", text.len());
        }
        let _ = writeln!(record, "{info}/RECORD,,");

        let path = folder.join(self.filename());
        let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
        for (name, text) in files.iter().chain([&(format!("{info}/RECORD"), record)]) {
            zip.start_file(name, SimpleFileOptions::default()).unwrap();
            zip.write_all(text.as_bytes()).unwrap();
        }
        zip.finish().unwrap();
        self.entry(&path)
    }

    fn entry(&self, path: &Path) -> Value {
        let bytes = std::fs::read(path).unwrap();
        let mut entry = json!({
            "path": path.to_str().unwrap(),
            "filename": self.filename(),
            "name": self.name.to_lowercase().replace(['_', '.'], "-"),
            "version": self.version,
            "tags": [self.tag],
            "size": bytes.len(),
            "sha256": data_encoding::HEXLOWER.encode(&Sha256::digest(&bytes)),
        });
        let requires = self
            .headers
            .iter()
            .find(|(name, _)| *name == "Requires-Python");
        if let Some((_, requires)) = requires {
            entry["requires_python"] = json!(requires);
        }
        if self.measured {
            let excluded: Vec<Value> = self
                .libraries
                .iter()
                .map(|library| {
                    json!({"library": library, "pattern": "lib*.so*",
                        "reason": "rocm: comes with ROCm", "needed_by": ["a.so"]})
                })
                .collect();
            entry["platform"] = json!({"tag": "any", "symbols_tag": "any", "machine": null,
                "libc": null, "required": {}, "external": [], "excluded": excluded, "findings": []});
        }
        entry
    }
}

/// A folder with stub wheels and a place for what is written.
pub(crate) struct Desk {
    folder: tempfile::TempDir,
    pub(crate) entries: Vec<Value>,
}

impl Desk {
    pub(crate) fn with(stubs: &[Stub]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let entries = stubs.iter().map(|stub| stub.write(folder.path())).collect();
        Self { folder, entries }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn out(&self) -> PathBuf {
        self.path().join("out")
    }

    pub(crate) fn set(&self) -> String {
        json!({"schema": "wheel-set/1", "wheels": self.entries}).to_string()
    }

    /// Runs the tool for ROCm 10.1.0 and gfx950 on this set.
    pub(crate) fn run(&self, more: &[&str]) -> Ran {
        self.run_on(&self.set(), more)
    }

    pub(crate) fn run_on(&self, stdin: &str, more: &[&str]) -> Ran {
        let out = self.out();
        let mut args = vec![
            "--rocm",
            "10.1.0",
            "--arch",
            "gfx950",
            "--out",
            out.to_str().unwrap(),
        ];
        args.extend(more);
        run(&args, stdin)
    }
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
        assert_eq!(self.code, 0, "{}", self.stderr);
        serde_json::from_str(&self.stdout).unwrap()
    }
}

pub(crate) fn run(args: &[&str], stdin: &str) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_metapkg"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The tool may refuse its arguments and never read.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    told(child.wait_with_output().unwrap())
}

pub(crate) fn told(output: Output) -> Ran {
    Ran {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// METADATA of the one metapackage that was written.
pub(crate) fn metadata(desk: &Desk) -> String {
    let wheel = metapackage(desk);
    let mut zip = zip::ZipArchive::new(std::fs::File::open(wheel).unwrap()).unwrap();
    // Members stand in the order METADATA, WHEEL, RECORD.
    std::io::read_to_string(zip.by_index(0).unwrap()).unwrap()
}

/// The one file that was written.
pub(crate) fn metapackage(desk: &Desk) -> PathBuf {
    let mut files: Vec<_> = std::fs::read_dir(desk.out())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files.pop().unwrap()
}
