//! What the tests share: running the probe from outside, building wheels, finding judges and real wheels.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

pub(crate) use crate::elf::Elf;
pub(crate) use crate::wheel::Wheel;

/// What a run of the probe came to.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// The document on stdout; fails when the run did not end with 0 or 1.
    pub(crate) fn document(&self) -> Value {
        assert!(self.code < 2, "{self:?}");
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// The only wheel of the document.
    pub(crate) fn wheel(&self) -> Value {
        let document = self.document();
        let wheels = document["wheels"].as_array().unwrap();
        assert_eq!(wheels.len(), 1);
        wheels[0].clone()
    }

    /// Rules of the findings of the only wheel, each with its member.
    pub(crate) fn findings(&self) -> Vec<(String, String)> {
        let wheel = self.wheel();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        wheel["platform"]["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|finding| (text(&finding["rule"]), text(&finding["member"])))
            .collect()
    }

    /// `platform.tag` and `platform.symbols_tag` of the only wheel.
    pub(crate) fn tags(&self) -> (String, String) {
        let wheel = self.wheel();
        let tag = |name: &str| wheel["platform"][name].as_str().unwrap().to_owned();
        (tag("tag"), tag("symbols_tag"))
    }
}

/// Runs the probe in a folder.
pub(crate) fn probe(folder: &Path, arguments: &[&str]) -> Run {
    probe_fed(folder, arguments, b"")
}

/// Runs the probe in a folder with something on stdin.
pub(crate) fn probe_fed(folder: &Path, arguments: &[&str], stdin: &[u8]) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_glibc-probe"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // A probe that does not read may be gone already.
    let _ = pipe.write_all(stdin);
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Builds one wheel in a folder of its own and measures it.
pub(crate) fn measure(wheel: &Wheel, arguments: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let name = wheel.write(folder.path());
    probe(folder.path(), &[arguments, &[&name]].concat())
}

/// The workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A program of the oracles' environment.
pub(crate) fn oracle(program: &str) -> PathBuf {
    let path = root().join("build/oracles/bin").join(program);
    assert!(path.exists(), "run `make oracles` first");
    path
}

/// Real wheels of these sets in `tests/data/wheels.tsv`, as they lie in the cache.
pub(crate) fn real_wheels(sets: &[&str]) -> Vec<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache")))
        .unwrap()
        .join("rocm-bake/wheels");
    let table = std::fs::read_to_string(root().join("tests/data/wheels.tsv")).unwrap();
    let wheels: Vec<PathBuf> = table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .filter(|fields| sets.contains(&fields[0]))
        .map(|fields| cache.join(fields[3]))
        .collect();
    for wheel in &wheels {
        assert!(
            wheel.exists(),
            "{} is not in the cache; run `make fetch-test` first",
            wheel.display()
        );
    }
    wheels
}

/// An `x86_64` library that asks glibc for one version.
pub(crate) fn library(version: &str) -> Elf {
    Elf {
        needed: vec!["libc.so.6".to_owned()],
        versions: vec![("libc.so.6".to_owned(), version.to_owned())],
        undefined: vec![("malloc".to_owned(), Some(0))],
        ..Elf::default()
    }
}

/// The same as a Python extension module of the name `t`.
pub(crate) fn extension(version: &str) -> Elf {
    Elf {
        defined: vec!["PyInit_t".to_owned()],
        ..library(version)
    }
}

/// Where an extension module of that name stands.
pub(crate) const MODULE: &str = "p/t.cpython-314-x86_64-linux-gnu.so";
