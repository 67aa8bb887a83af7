//! What the recipes of docker/build.mk have buildx do, judged by the real buildx, which prints in the place of building.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// Runs make with a `docker` that is buildx and only prints.
fn make(arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    let buildx = root().join("build/oracles/docker-buildx");
    assert!(
        buildx.exists(),
        "{} is missing: run `make oracles` first",
        buildx.display()
    );
    let bin = tempfile::tempdir().unwrap();
    let docker = bin.path().join("docker");
    fs::write(
        &docker,
        format!(
            "#!/bin/sh\nshift\nexec {} \"$@\" --print\n",
            buildx.display()
        ),
    )
    .unwrap();
    fs::set_permissions(&docker, fs::Permissions::from_mode(0o755)).unwrap();
    Command::new("make")
        .args(["--silent", "--no-print-directory"])
        .args(arguments)
        .current_dir(root())
        .env_clear()
        .env("HOME", bin.path())
        .env(
            "PATH",
            format!(
                "{}:{}",
                bin.path().display(),
                std::env::var("PATH").unwrap()
            ),
        )
        .envs(environment.iter().copied())
        .output()
        .unwrap()
}

fn printed(arguments: &[&str], environment: &[(&str, &str)]) -> serde_json::Value {
    let output = make(arguments, environment);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_group_is_built_for_one_card_and_published() {
    let secret = tempfile::NamedTempFile::new().unwrap();
    let file = format!("SCCACHE_ENV_FILE={}", secret.path().display());
    let bake = printed(
        &[
            "images",
            "GROUP=wheels",
            "ARCH=gfx1201",
            "PUSH=1",
            "MAX_JOBS=8",
            &file,
        ],
        &[("VCS_REF", "aad2a60d")],
    );
    let target = &bake["target"]["cupy-wheel"];
    assert_eq!(bake["target"].as_object().unwrap().len(), 8);
    assert_eq!(target["args"]["PYTORCH_ROCM_ARCH"], "gfx1201");
    assert_eq!(target["args"]["MAX_JOBS"], "8");
    let date: u64 = target["args"]["SOURCE_DATE_EPOCH"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!(date > 1_700_000_000, "{date}");
    assert_eq!(target["secret"][0], "type=env,id=sccache,env=SCCACHE_ENV");
    assert!(target["output"][0].as_str().unwrap().contains("push=true"));
    let tags: Vec<_> = target["tags"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tag| tag.as_str().unwrap())
        .collect();
    assert!(
        tags[2].ends_with("/cupy-wheel:v14.2.0-10.1.0-full-gfx1201-gaad2a60d"),
        "{tags:?}"
    );
}

#[test]
fn one_target_is_built_into_the_local_daemon() {
    let bake = printed(
        &["image", "TARGET=triton-wheel", "TRITON_VERSION=3.9.1"],
        &[],
    );
    let target = &bake["target"]["triton-wheel"];
    assert_eq!(target["args"]["TRITON_VERSION"], "3.9.1");
    assert_eq!(target["output"][0], "type=docker");
    assert!(target["secret"].is_null());
}

#[test]
fn a_target_has_to_be_named() {
    let output = make(&["image"], &[]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.contains("name the target: make image TARGET=pytorch ARCH=gfx950"),
        "{text}"
    );
}
