//! Runs the tool as a user does.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// What a run said.
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Said {
    /// The document of a run that went well.
    pub(crate) fn document(&self) -> Value {
        assert_eq!(self.code, 0, "{}", self.stderr);
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// The wheels of a pulled set: file name and where it came from.
    pub(crate) fn wheels(&self) -> Vec<String> {
        let document = self.document();
        let wheels = document["wheels"].as_array().unwrap();
        wheels
            .iter()
            .map(|wheel| wheel["filename"].as_str().unwrap().to_owned())
            .collect()
    }

    /// A run that was refused: its exit code and all that it said; it must not have printed a document.
    pub(crate) fn refusal(&self) -> (i32, &str) {
        assert_eq!(self.stdout, "", "{}", self.stderr);
        (self.code, self.stderr.trim_end())
    }
}

/// The tool with no credentials but those that `home` holds.
pub(crate) fn command(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wheelhouse"));
    command
        .args(arguments)
        .env("HOME", home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for name in [
        "REGISTRY_AUTH_FILE",
        "DOCKER_CONFIG",
        "XDG_RUNTIME_DIR",
        "XDG_CONFIG_HOME",
    ] {
        command.env_remove(name);
    }
    for name in [
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "http_proxy",
        "https_proxy",
        "all_proxy",
        "NO_PROXY",
        "no_proxy",
    ] {
        command.env_remove(name);
    }
    command
}

/// Starts it and gives it its input.
pub(crate) fn start(mut command: Command, input: &str) -> Child {
    let mut child = command.spawn().unwrap();
    // It may refuse its arguments before it reads.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child
}

/// Runs it to its end.
pub(crate) fn finish(child: Child) -> Said {
    let output = child.wait_with_output().unwrap();
    Said {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs it with input, without any credentials.
pub(crate) fn wheelhouse(arguments: &[&str], input: &str) -> Said {
    let home = tempfile::tempdir().unwrap();
    finish(start(command(home.path(), arguments), input))
}
