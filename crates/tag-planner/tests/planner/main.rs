//! The tool from outside: arguments, exit code, stdout, stderr.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod checks;
mod command;
mod described;
mod equal;
mod mutations;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pipe::{PlanFinding, TagPlan};

/// What a run gave.
struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Ran {
    fn plan(&self) -> TagPlan {
        pipe::read_plan(self.stdout.as_bytes()).unwrap()
    }

    /// The findings, each as `rule target: message`.
    fn findings(&self) -> Vec<String> {
        let show = |f: &PlanFinding| format!("{} {}: {}", f.rule, f.target, f.message);
        self.plan().findings.iter().map(show).collect()
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// Runs the tool in `folder`, with nothing in the environment but `environment`.
fn run_with(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_tag-planner"))
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    Ran {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn run(folder: &Path, arguments: &[&str]) -> Ran {
    run_with(folder, arguments, &[])
}

/// A folder with a bake file, a Dockerfile of one stage that declares A and B, and a policy.
fn project(bake: &str, config: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("docker-bake.hcl"), bake).unwrap();
    fs::write(folder.path().join("rocm-bake.toml"), config).unwrap();
    let dockerfile = "ARG IMAGE=scratch\nFROM ${IMAGE}\nARG A\nARG B\n";
    fs::write(folder.path().join("Dockerfile"), dockerfile).unwrap();
    folder
}

/// A copy of what a plan of this repository reads.
fn copy() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["docker-bake.hcl", "rocm-bake.toml"] {
        fs::copy(root().join(name), folder.path().join(name)).unwrap();
    }
    fs::create_dir(folder.path().join("docker")).unwrap();
    for entry in fs::read_dir(root().join("docker")).unwrap() {
        let entry = entry.unwrap();
        if entry
            .file_name()
            .to_str()
            .unwrap()
            .starts_with("Dockerfile.")
        {
            fs::copy(
                entry.path(),
                folder.path().join("docker").join(entry.file_name()),
            )
            .unwrap();
        }
    }
    folder
}
