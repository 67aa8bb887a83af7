//! The stage `wheel` of each Dockerfile is really built, by buildah, without a daemon and without a network.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Every repository of wheels.
const REPOSITORIES: [&str; 8] = [
    "pytorch-wheel",
    "triton-wheel",
    "aiter-wheel",
    "torchvision-wheel",
    "cupy-wheel",
    "nixl-wheel",
    "vllm-wheel",
    "lmcache-wheel",
];

const TAG: &str = "2.15.0-10.1.0-full-gfx950";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// A folder with files that have a wheel's name; what is in them does not matter here.
fn wheels(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        fs::write(folder.path().join(name), format!("the bytes of {name}")).unwrap();
    }
    folder
}

fn build(wheels: &Path, repository: &str, destination: &str, commit: Option<&str>) -> Output {
    let available = Command::new("buildah").arg("--version").output().is_ok();
    assert!(
        available,
        "buildah is missing: run `make test-services` first"
    );
    Command::new(root().join("tests/wheel-images/build.sh"))
        .args([
            wheels.as_os_str(),
            repository.as_ref(),
            TAG.as_ref(),
            destination.as_ref(),
        ])
        .env("VCS_REF", commit.unwrap_or_default())
        .output()
        .unwrap()
}

fn built(wheels: &Path, repository: &str, layout: &Path, commit: Option<&str>) {
    let output = build(
        wheels,
        repository,
        &format!("oci:{}", layout.display()),
        commit,
    );
    assert!(
        output.status.success(),
        "{repository}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn blob(layout: &Path, digest: &serde_json::Value) -> PathBuf {
    layout
        .join("blobs/sha256")
        .join(digest.as_str().unwrap().strip_prefix("sha256:").unwrap())
}

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The manifest of `repository:TAG` in an OCI layout.
fn manifest(layout: &Path, repository: &str) -> serde_json::Value {
    let index = json(&layout.join("index.json"));
    let name = format!("{repository}:{TAG}");
    let entries = index["manifests"].as_array().unwrap();
    let entry = entries
        .iter()
        .find(|entry| entry["annotations"]["org.opencontainers.image.ref.name"] == name.as_str());
    json(&blob(layout, &entry.unwrap()["digest"]))
}

fn listing(layer: &Path) -> Vec<String> {
    let output = Command::new("tar").arg("-tzf").arg(layer).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_wheel_image_is_one_layer_that_holds_the_wheels_and_nothing_else() {
    let names = [
        "nixl-1.5.2-py3-none-any.whl",
        "nixl_rocm-1.5.2-cp314-cp314-manylinux_2_39_x86_64.whl",
    ];
    let wheels = wheels(&names);
    let layout = tempfile::tempdir().unwrap();
    for repository in REPOSITORIES {
        built(wheels.path(), repository, layout.path(), Some("aad2a60d"));
        let manifest = manifest(layout.path(), repository);
        let layers = manifest["layers"].as_array().unwrap();
        assert_eq!(layers.len(), 1, "{repository}");
        let layer = blob(layout.path(), &layers[0]["digest"]);
        assert_eq!(
            listing(&layer),
            [
                "wheels/",
                "wheels/nixl-1.5.2-py3-none-any.whl",
                "wheels/nixl_rocm-1.5.2-cp314-cp314-manylinux_2_39_x86_64.whl"
            ],
            "{repository}"
        );
        let config = json(&blob(layout.path(), &manifest["config"]["digest"]));
        assert_eq!(
            config["config"]["Labels"]["org.opencontainers.image.revision"], "aad2a60d",
            "{repository}"
        );
        assert_eq!(
            (&config["os"], &config["architecture"]),
            (&"linux".into(), &"amd64".into()),
            "{repository}"
        );
    }
}

#[test]
fn a_wheel_comes_out_as_it_went_in_even_with_a_name_over_100_bytes() {
    let name = "amd_aiter-0.1.29.dev0+g0123456789abcdef0123456789abcdef01234567.d20261109.rocm10.1.0-cp314-cp314-linux_x86_64.whl";
    assert!(name.len() > 100);
    let wheels = wheels(&[name]);
    let layout = tempfile::tempdir().unwrap();
    built(wheels.path(), "aiter-wheel", layout.path(), None);
    let layer = blob(
        layout.path(),
        &manifest(layout.path(), "aiter-wheel")["layers"][0]["digest"],
    );
    let output = Command::new("tar")
        .arg("-xzOf")
        .arg(&layer)
        .arg(format!("wheels/{name}"))
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        format!("the bytes of {name}")
    );
}

#[test]
fn equal_wheels_make_equal_images() {
    let wheels = wheels(&["torch-2.15.0a0+git31a77fc-cp314-cp314-linux_x86_64.whl"]);
    let [first, second] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    built(wheels.path(), "pytorch-wheel", first.path(), None);
    let later = wheels
        .path()
        .join("torch-2.15.0a0+git31a77fc-cp314-cp314-linux_x86_64.whl");
    let file = fs::File::options().write(true).open(later).unwrap();
    file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000))
        .unwrap();
    built(wheels.path(), "pytorch-wheel", second.path(), None);
    assert_eq!(
        json(&first.path().join("index.json")),
        json(&second.path().join("index.json"))
    );
}

#[test]
fn what_is_not_a_wheel_repository_is_refused() {
    let wheels = wheels(&["a-1-py3-none-any.whl"]);
    let layout = tempfile::tempdir().unwrap();
    let destination = format!("oci:{}", layout.path().display());
    let output = build(wheels.path(), "pytorch", &destination, None);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "build.sh: pytorch is not a wheel repository of docker/\n"
    );
    let output = build(layout.path(), "pytorch-wheel", &destination, None);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        format!("build.sh: {} holds no wheel\n", layout.path().display())
    );
}
