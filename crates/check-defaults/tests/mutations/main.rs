//! Each rule is broken in a copy of the repository by a small edit, and has to be found, named and located; the tree as it
//! is has no finding.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod cases;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use cases::{Edit, cases};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What check-defaults reads of the repository, in a folder of its own.
fn copy() -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for file in ["Makefile", "docker-bake.hcl", "rocm-bake.toml"] {
        fs::copy(root().join(file), copy.path().join(file)).unwrap();
    }
    for folder in ["docker", "docs"] {
        fs::create_dir(copy.path().join(folder)).unwrap();
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_file() {
                fs::copy(
                    entry.path(),
                    copy.path().join(folder).join(entry.file_name()),
                )
                .unwrap();
            }
        }
    }
    copy
}

fn check(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_check-defaults"))
        .args(arguments)
        .current_dir(folder)
        // What a make that runs the tests would hand on.
        .env("MAKEFLAGS", "n")
        .env("ARCH", "gfx1201")
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn edit(folder: &Path, edit: &Edit) {
    let path = folder.join(edit.file);
    let text = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        text.contains(edit.old),
        "{}: `{}` is gone",
        edit.file,
        edit.old
    );
    let text = if edit.old.is_empty() {
        text + edit.new
    } else {
        text.replacen(edit.old, edit.new, 1)
    };
    fs::write(&path, text).unwrap();
}

/// `file:line` of where `text`, which may be several lines, ends for the first time in `file`.
fn place(folder: &Path, (file, text): (&str, &str)) -> String {
    let content = fs::read_to_string(folder.join(file)).unwrap();
    let start = content
        .find(text)
        .unwrap_or_else(|| panic!("{file} has no `{text}`"));
    let line = content[..start + text.len()].matches('\n').count() + 1;
    format!("{file}:{line}")
}

#[test]
fn the_tree_as_it_is_has_no_finding() {
    let output = check(&root(), &["--quiet"]);
    assert_eq!(stdout(&output), "");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn each_rule_that_is_broken_is_found_named_and_located() {
    for (edits, found) in cases() {
        let folder = copy();
        for one in &edits {
            edit(folder.path(), one);
        }
        let what = format!("{}: {} -> {}", edits[0].file, edits[0].old, edits[0].new);
        let output = check(folder.path(), &["--quiet"]);
        let text = stdout(&output);
        assert_eq!(
            output.status.code(),
            Some(1),
            "{what}\n{text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let start = format!("{}: {}: ", place(folder.path(), found.at), found.rule);
        let other = found
            .other
            .map(|other| format!("({}); ", place(folder.path(), other)))
            .unwrap_or_default();
        let line = text.lines().find(|line| {
            line.starts_with(&start) && line.contains(found.message) && line.contains(&other)
        });
        assert!(
            line.is_some(),
            "{what}\nwanted: {start}… {} … {other}\ngot:\n{text}",
            found.message
        );
    }
}

#[test]
fn every_rule_has_a_mutation() {
    let document: serde_json::Value =
        serde_json::from_slice(&check(&root(), &["--format", "json"]).stdout).unwrap();
    assert_eq!(document["schema"], "drift/1");
    let explained = stdout(&check(&root(), &["--explain", "--quiet"]));
    let rules: Vec<_> = explained
        .lines()
        .skip(1)
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    assert!(rules.len() > 10, "{explained}");
    for rule in rules {
        assert!(
            cases().iter().any(|(_, found)| found.rule == rule),
            "nothing breaks {rule}"
        );
    }
}

#[test]
fn an_image_without_a_digest_is_a_note_and_no_finding() {
    let output = check(&root(), &[]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0));
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    let start = format!(
        "{}: note: unpinned-image: ROCM_DIGEST is empty: the image rocm/dev-ubuntu-26.04:10.1.0-full is followed by its tag",
        place(&root(), ("docker-bake.hcl", "variable \"ROCM_DIGEST\""))
    );
    assert!(lines[0].starts_with(&start), "{text}");
}

#[test]
fn a_finding_annotates_its_line() {
    let folder = copy();
    edit(
        folder.path(),
        &Edit {
            file: "docker/build.mk",
            old: "aiter-wheel nixl-wheel",
            new: "aiter-wheel",
        },
    );
    let text = stdout(&check(folder.path(), &["--format", "github", "--quiet"]));
    let line =
        place(folder.path(), ("docker/build.mk", "WHEEL_REPOS :=")).replace("docker/build.mk:", "");
    let other = place(folder.path(), ("docker-bake.hcl", "target \"nixl-wheel\""));
    assert_eq!(
        text,
        format!(
            "::error file=docker/build.mk,line={line},title=wheel-repos::WHEEL_REPOS lacks `nixl-wheel`, which the bake group `wheels` publishes ({other}); add `nixl-wheel` to WHEEL_REPOS\n"
        )
    );
}

#[test]
fn a_missing_bake_file_is_told() {
    let folder = copy();
    fs::remove_file(folder.path().join("docker-bake.hcl")).unwrap();
    let output = check(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stdout(&output), "");
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "check-defaults: docker-bake.hcl: No such file or directory (os error 2); check the path\n"
    );
}

#[test]
fn a_dockerfile_that_does_not_parse_is_told_with_its_place() {
    let folder = copy();
    edit(
        folder.path(),
        &Edit {
            file: "docker/Dockerfile.cupy",
            old: "WORKDIR /src",
            new: "WORKDUR /src",
        },
    );
    let output = check(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    let line = place(folder.path(), ("docker/Dockerfile.cupy", "WORKDUR"))
        .replace("docker/Dockerfile.cupy:", "");
    assert_eq!(
        text,
        format!("check-defaults: docker/Dockerfile.cupy:{line}:1: unknown instruction 'WORKDUR'\n")
    );
}
