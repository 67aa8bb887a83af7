//! Generated texts, and the Python process that judges them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use proptest::strategy::{Strategy, ValueTree};
use proptest::string::string_regex;
use proptest::test_runner::TestRunner;
use serde_json::Value;

const PREAMBLE: &str = r"
import json, sys
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name, parse_wheel_filename
from packaging.version import Version
def ok(read, text):
    try:
        read(text)
        return True
    except Exception:
        return False
texts = json.load(sys.stdin)
";

/// Texts that fit an expression, the same ones in every run.
pub(crate) fn texts(count: usize, expression: &str) -> Vec<String> {
    let mut runner = TestRunner::deterministic();
    let strategy = string_regex(expression).unwrap();
    (0..count)
        .map(|_| strategy.new_tree(&mut runner).unwrap().current())
        .collect()
}

/// The value of a Python expression over `texts`.
pub(crate) fn ask(expression: &str, texts: &Value) -> Value {
    let python = python();
    let mut child = Command::new(&python)
        .args([
            "-c",
            &format!("{PREAMBLE}json.dump({expression}, sys.stdout)"),
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|_| panic!("{} is missing: run `make oracles` first", python.display()));
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(texts.to_string().as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

fn python() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build/oracles/bin/python")
}
