//! `wheelhouse pull` from a registry: what it writes, keeps and shares.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use oci_distribution::secrets::RegistryAuth;

use crate::debian::DebianRegistry;
use crate::images::{Image, digest, gzip_layer, plain_layer, plan, wheels_archive};
use crate::layouts::files;
use crate::mock::{Answer, Mock, Request, serve};
use crate::run::{Said, command, finish, start, wheelhouse};

pub(crate) const TAG: &str = "2.15.0-10.1.0-full-gfx950";
pub(crate) const WHEEL: &str = "torch-2.15.0a0+git31a77fc-cp314-cp314-linux_x86_64.whl";

pub(crate) fn torch_plan(host: &str) -> String {
    plan(
        &format!("{host}/rocm"),
        &[("pytorch-wheel", Some("gfx950"), TAG)],
    )
}

pub(crate) fn pull(host: &str, out: &Path, more: &[&str]) -> Said {
    let arguments = [
        &["pull", "--out", out.to_str().unwrap(), "--plain-http", host][..],
        more,
    ]
    .concat();
    wheelhouse(&arguments, &torch_plan(host))
}

/// Bytes that do not compress, like those of a wheel.
pub(crate) fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    let mut bytes: Vec<u8> = std::iter::repeat_with(&mut next)
        .take(length / 8 + 1)
        .flatten()
        .collect();
    bytes.truncate(length);
    bytes
}

/// A torch image of one layer, and the digest of that layer.
pub(crate) fn torch(length: usize) -> (Image, String, Vec<u8>) {
    let bytes = noise(length);
    let layer = gzip_layer(&wheels_archive(&[(WHEEL, &bytes)]));
    (
        Image::new(std::slice::from_ref(&layer)),
        digest(&layer.blob),
        bytes,
    )
}

/// A registry with the torch image that answers requests for its layer as `blob` says.
pub(crate) fn torch_registry(
    image: Image,
    blob: impl Fn(&Request, &[u8], usize) -> Answer + Send + Sync + 'static,
) -> Mock {
    let layer = image
        .blobs
        .iter()
        .find(|(_, bytes)| bytes.starts_with(&[0x1f, 0x8b]))
        .unwrap();
    let (layer, bytes) = (layer.0.clone(), layer.1.clone());
    let images = [(format!("rocm/pytorch-wheel:{TAG}"), image)];
    Mock::new(move |request, before| {
        if request.path().ends_with(&layer) {
            return blob(request, &bytes, before);
        }
        serve(&images, request)
    })
}

#[test]
fn a_real_registry_gives_its_wheels_once() {
    let registry = DebianRegistry::start();
    let (image, layer, bytes) = torch(1 << 20);
    registry.push(
        "rocm/pytorch-wheel",
        &[TAG.to_owned()],
        &image.in_index(),
        &RegistryAuth::Anonymous,
    );
    let out = tempfile::tempdir().unwrap();
    let first = pull(&registry.host, out.path(), &["-v"]);
    assert_eq!(first.wheels(), [WHEEL]);
    assert_eq!(fs::read(out.path().join(WHEEL)).unwrap(), bytes);
    assert!(first.stderr.contains(&layer), "{}", first.stderr);
    let again = pull(&registry.host, out.path(), &["-v"]);
    assert_eq!(again.stdout, first.stdout);
    assert!(!again.stderr.contains(&layer), "{}", again.stderr);
    // A wheel that was changed since is not the one that was pulled.
    fs::write(out.path().join(WHEEL), b"changed").unwrap();
    assert_eq!(pull(&registry.host, out.path(), &[]).stdout, first.stdout);
    assert_eq!(fs::read(out.path().join(WHEEL)).unwrap(), bytes);
}

#[test]
fn what_is_published_is_kept_when_something_is_not() {
    let (image, layer, _) = torch(1000);
    let mock = torch_registry(image, |request, blob, _| Answer::ranged(request, blob));
    let plan = plan(
        &format!("{}/rocm", mock.host),
        &[
            ("pytorch-wheel", Some("gfx950"), TAG),
            ("vllm-wheel", Some("gfx950"), "v0.33.0-10.1.0-full-gfx950"),
        ],
    );
    let out = tempfile::tempdir().unwrap();
    let arguments = [
        "pull",
        "--out",
        out.path().to_str().unwrap(),
        "--plain-http",
        &mock.host,
    ];
    let missing = format!(
        "wheelhouse: {}/rocm/vllm-wheel:v0.33.0-10.1.0-full-gfx950: not published",
        mock.host
    );
    let said = wheelhouse(&arguments, &plan);
    let refusal = format!(
        "{missing}\nwheelhouse: {}: the other images' wheels are here; publish what is missing and run it again, or leave it out: --partial",
        out.path().display()
    );
    assert_eq!(said.refusal(), (1, refusal.as_str()));
    assert_eq!(said.stdout, "");
    assert_eq!(files(out.path()), [WHEEL]);
    let partial = wheelhouse(&[&arguments[..], &["--partial"]].concat(), &plan);
    assert_eq!(partial.wheels(), [WHEEL]);
    assert_eq!(partial.stderr.trim_end(), missing);
    assert_eq!(mock.offsets(&layer), [0]);
}

#[test]
fn a_failure_tells_what_was_fetched_and_what_was_not() {
    let good = Image::of_wheel("aiter-1-py3-none-any.whl", b"good");
    let bad = Image::new(&[gzip_layer(&wheels_archive(&[("README.whl", b"bad")]))]);
    let mock = Mock::serving(vec![
        ("rocm/aiter-wheel:1-10.1.0", good),
        ("rocm/bad-wheel:1-10.1.0", bad),
    ]);
    let plan = plan(
        &format!("{}/rocm", mock.host),
        &[
            ("aiter-wheel", None, "1-10.1.0"),
            ("bad-wheel", None, "1-10.1.0"),
        ],
    );
    let out = tempfile::tempdir().unwrap();
    let said = wheelhouse(
        &[
            "pull",
            "--out",
            out.path().to_str().unwrap(),
            "--plain-http",
            &mock.host,
        ],
        &plan,
    );
    let (code, stderr) = said.refusal();
    assert_eq!(code, 2);
    let last = stderr.lines().last().unwrap();
    let at = format!("{}/rocm", mock.host);
    assert_eq!(
        last,
        format!(
            "wheelhouse: fetched: {at}/aiter-wheel:1-10.1.0; not fetched: {at}/bad-wheel:1-10.1.0; run it again to go on"
        )
    );
    assert_eq!(files(out.path()), ["aiter-1-py3-none-any.whl"]);
}

#[test]
fn images_that_share_a_layer_share_its_wheels() {
    let base = gzip_layer(&wheels_archive(&[(
        "base-1-py3-none-any.whl",
        &noise(200_000),
    )]));
    let own = |name: &str| gzip_layer(&wheels_archive(&[(name, b"own")]));
    let images = ["a-1-py3-none-any.whl", "b-1-py3-none-any.whl"]
        .map(|name| Image::new(&[base.clone(), own(name)]));
    let [a, b] = images;
    let mock = Mock::serving(vec![
        ("rocm/a-wheel:1-10.1.0", a),
        ("rocm/b-wheel:1-10.1.0", b),
    ]);
    let plan = plan(
        &format!("{}/rocm", mock.host),
        &[("a-wheel", None, "1-10.1.0"), ("b-wheel", None, "1-10.1.0")],
    );
    let out = tempfile::tempdir().unwrap();
    let said = wheelhouse(
        &[
            "pull",
            "--out",
            out.path().to_str().unwrap(),
            "--plain-http",
            &mock.host,
        ],
        &plan,
    );
    let all = [
        "a-1-py3-none-any.whl",
        "b-1-py3-none-any.whl",
        "base-1-py3-none-any.whl",
    ];
    assert_eq!(said.wheels(), all);
    assert_eq!(files(out.path()), all);
}

#[test]
fn a_second_pull_into_the_same_folder_is_refused() {
    let (image, ..) = torch(1 << 20);
    let mock = torch_registry(image, |_, blob, _| Answer::new(200, blob).hanging(100_000));
    let out = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    let arguments = [
        "pull",
        "--out",
        out.path().to_str().unwrap(),
        "--plain-http",
        &mock.host,
    ];
    let mut first = start(command(home.path(), &arguments), &torch_plan(&mock.host));
    while !out.path().join(".wheelhouse/lock").exists() {
        thread::sleep(Duration::from_millis(10));
    }
    let said = finish(start(
        command(home.path(), &arguments),
        &torch_plan(&mock.host),
    ));
    first.kill().unwrap();
    first.wait().unwrap();
    let expected = format!(
        "wheelhouse: {}: another wheelhouse pulls into this folder; wait for it, or name another --out",
        out.path().display()
    );
    assert_eq!(said.refusal().1.lines().next().unwrap(), expected);
}

#[test]
fn memory_stays_small_however_large_a_wheel_is() {
    let layers = [plain_layer(&wheels_archive(&[(
        WHEEL,
        &noise(1 << 20).repeat(128),
    )]))];
    let image = Image::new(&layers);
    let mock = Mock::serving(vec![(&format!("rocm/pytorch-wheel:{TAG}"), image)]);
    let out = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    let arguments = [
        "pull",
        "--out",
        out.path().to_str().unwrap(),
        "--plain-http",
        &mock.host,
    ];
    let child = start(command(home.path(), &arguments), &torch_plan(&mock.host));
    let status = format!("/proc/{}/status", child.id());
    let watch = thread::spawn(move || {
        let mut peak = 0;
        while let Ok(text) = fs::read_to_string(&status) {
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let Some(line) = line else { break };
            peak = line.trim().trim_end_matches(" kB").parse::<u64>().unwrap();
            thread::sleep(Duration::from_millis(5));
        }
        peak
    });
    assert_eq!(finish(child).wheels(), [WHEEL]);
    let peak = watch.join().unwrap();
    assert!((1..64 << 10).contains(&peak), "{peak} kB");
}
