//! `wheelhouse pull` across a network that misbehaves.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use oci_distribution::secrets::RegistryAuth;

use crate::debian::DebianRegistry;
use crate::images::{Image, digest, gzip_layer, plain_layer, plan, wheels_archive};
use crate::layouts::files;
use crate::mock::{Answer, Mock, Request, serve};
use crate::run::{Said, command, finish, start, wheelhouse};

const TAG: &str = "2.15.0-10.1.0-full-gfx950";
const WHEEL: &str = "torch-2.15.0a0+git31a77fc-cp314-cp314-linux_x86_64.whl";

fn torch_plan(host: &str) -> String {
    plan(
        &format!("{host}/rocm"),
        &[("pytorch-wheel", Some("gfx950"), TAG)],
    )
}

fn pull(host: &str, out: &Path, more: &[&str]) -> Said {
    let arguments = [
        &["pull", "--out", out.to_str().unwrap(), "--plain-http", host][..],
        more,
    ]
    .concat();
    wheelhouse(&arguments, &torch_plan(host))
}

/// Bytes that do not compress, like those of a wheel.
fn noise(length: usize) -> Vec<u8> {
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
fn torch(length: usize) -> (Image, String, Vec<u8>) {
    let bytes = noise(length);
    let layer = gzip_layer(&wheels_archive(&[(WHEEL, &bytes)]));
    (
        Image::new(std::slice::from_ref(&layer)),
        digest(&layer.blob),
        bytes,
    )
}

/// A registry with the torch image that answers requests for its layer as `blob` says.
fn torch_registry(
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
fn a_download_that_breaks_goes_on_where_it_was_cut() {
    let (image, layer, bytes) = torch(1 << 20);
    let mock = torch_registry(image, |request, blob, before| {
        let answer = Answer::ranged(request, blob);
        if before < 2 {
            answer.cut(300_000)
        } else {
            answer
        }
    });
    let out = tempfile::tempdir().unwrap();
    assert_eq!(pull(&mock.host, out.path(), &[]).wheels(), [WHEEL]);
    assert_eq!(fs::read(out.path().join(WHEEL)).unwrap(), bytes);
    assert_eq!(mock.offsets(&layer), [0, 300_000, 600_000]);
}

#[test]
fn a_registry_that_ignores_ranges_is_understood() {
    let (image, layer, bytes) = torch(1 << 20);
    let mock = torch_registry(image, |_, blob, before| {
        let answer = Answer::new(200, blob);
        if before == 0 {
            answer.cut(300_000)
        } else {
            answer
        }
    });
    let out = tempfile::tempdir().unwrap();
    assert_eq!(pull(&mock.host, out.path(), &[]).wheels(), [WHEEL]);
    assert_eq!(fs::read(out.path().join(WHEEL)).unwrap(), bytes);
    assert_eq!(mock.offsets(&layer), [0, 300_000]);
}

#[test]
fn another_range_than_asked_for_is_refused() {
    let (image, layer, _) = torch(1 << 20);
    let mock = torch_registry(image, |_, blob, before| match before {
        0 => Answer::new(200, blob).cut(300_000),
        _ => Answer::new(206, &blob[..10]).header("Content-Range", "bytes 0-9/10"),
    });
    let out = tempfile::tempdir().unwrap();
    let said = pull(&mock.host, out.path(), &[]);
    let (code, stderr) = said.refusal();
    assert_eq!(code, 2);
    let expected = format!(
        "layer {layer}: the blob cannot be read: asked from byte 300000 on, the registry sent `bytes 0-9/10`"
    );
    assert!(stderr.contains(&expected), "{stderr}");
}

#[test]
fn flipped_bytes_are_fetched_again_and_never_kept() {
    let (image, layer, bytes) = torch(1 << 20);
    let flipped = |blob: &[u8]| {
        let mut blob = blob.to_vec();
        blob[500_000] ^= 1;
        blob
    };
    let once = torch_registry(image.clone(), move |_, blob, before| match before {
        0 => Answer::new(200, flipped(blob)),
        _ => Answer::new(200, blob),
    });
    let out = tempfile::tempdir().unwrap();
    assert_eq!(pull(&once.host, out.path(), &[]).wheels(), [WHEEL]);
    assert_eq!(fs::read(out.path().join(WHEEL)).unwrap(), bytes);
    assert_eq!(once.offsets(&layer), [0, 0]);

    let always = torch_registry(image, move |_, blob, _| Answer::new(200, flipped(blob)));
    let out = tempfile::tempdir().unwrap();
    let said = pull(&always.host, out.path(), &[]);
    let (code, stderr) = said.refusal();
    assert_eq!(code, 2);
    assert!(
        stderr.contains(&format!("layer {layer}: the blob has digest sha256:")),
        "{stderr}"
    );
    assert!(files(out.path()).is_empty());
    let left: Vec<_> = fs::read_dir(out.path().join(".wheelhouse"))
        .unwrap()
        .flatten()
        .collect();
    assert_eq!(left.len(), 1, "only the lock: {left:?}");
}

#[test]
fn a_blob_longer_than_its_manifest_says_is_refused() {
    let (image, layer, _) = torch(1000);
    let size = image.blobs[&layer].len();
    let mock = torch_registry(image, |_, blob, _| {
        Answer::new(200, [blob, b"more"].concat())
    });
    let out = tempfile::tempdir().unwrap();
    let said = pull(&mock.host, out.path(), &[]);
    let expected = format!("layer {layer}: the blob is longer than {size} bytes");
    assert!(said.refusal().1.contains(&expected), "{}", said.stderr);
}

#[test]
fn a_registry_that_is_busy_is_asked_again_when_it_says() {
    let (image, layer, _) = torch(1000);
    let mock = torch_registry(image, |request, blob, before| match before {
        0 => Answer::new(
            429,
            r#"{"errors": [{"code": "TOOMANYREQUESTS", "message": "slow down"}]}"#,
        )
        .header("Retry-After", "1"),
        1 => Answer::new(503, ""),
        2 => Answer::new(200, blob).cut(0),
        _ => Answer::ranged(request, blob),
    });
    let out = tempfile::tempdir().unwrap();
    let begin = Instant::now();
    assert_eq!(pull(&mock.host, out.path(), &[]).wheels(), [WHEEL]);
    assert!(begin.elapsed() >= Duration::from_secs(1));
    assert_eq!(mock.offsets(&layer).len(), 4);
}

#[test]
fn a_registry_that_stays_down_is_given_up() {
    let mock = Mock::new(|_, _| Answer::new(503, ""));
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().join("new");
    let said = pull(&mock.host, &folder, &[]);
    let image = format!("{}/rocm/pytorch-wheel:{TAG}", mock.host);
    let expected = format!(
        "wheelhouse: {image}: the registry answered 503 Service Unavailable, 6 times\n\
         wheelhouse: fetched: nothing; not fetched: {image}; run it again to go on"
    );
    assert_eq!(said.refusal(), (2, expected.as_str()));
    assert!(!folder.exists());
}

#[test]
fn a_wait_beyond_the_deadline_is_not_begun() {
    let mock = Mock::new(|_, _| Answer::new(429, "").header("Retry-After", "3600"));
    let out = tempfile::tempdir().unwrap();
    let begin = Instant::now();
    let said = pull(&mock.host, out.path(), &["--deadline", "60"]);
    assert!(begin.elapsed() < Duration::from_secs(20));
    let cause = "the registry answered 429 Too Many Requests; it asks to wait 3600 s, which is more than the deadline leaves";
    assert!(said.refusal().1.contains(cause), "{}", said.stderr);
}

#[test]
fn a_registry_that_hangs_meets_the_deadline() {
    let (image, layer, _) = torch(1 << 20);
    let mock = torch_registry(image, |_, blob, _| Answer::new(200, blob).hanging(300_000));
    let out = tempfile::tempdir().unwrap();
    let begin = Instant::now();
    let said = pull(&mock.host, out.path(), &["--deadline", "2"]);
    assert!(begin.elapsed() < Duration::from_secs(20));
    let image = format!("{}/rocm/pytorch-wheel:{TAG}", mock.host);
    let expected = format!(
        "wheelhouse: not done after 2 s; give it more time with --deadline\n\
         wheelhouse: fetched: nothing; not fetched: {image}; run it again to go on"
    );
    assert_eq!(said.refusal(), (2, expected.as_str()));
    assert!(files(out.path()).is_empty());
    assert_eq!(mock.offsets(&layer), [0]);
}

#[test]
fn a_killed_pull_leaves_no_wheel_and_the_next_goes_on() {
    let (image, layer, bytes) = torch(1 << 20);
    let second = Duration::from_millis(1200);
    let mock = torch_registry(image, move |request, blob, before| match before {
        0 => Answer::new(200, blob)
            .pausing(300_000, second)
            .hanging(600_000),
        _ => Answer::ranged(request, blob),
    });
    let out = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    let arguments = [
        "pull",
        "--out",
        out.path().to_str().unwrap(),
        "--plain-http",
        &mock.host,
    ];
    let mut child = start(command(home.path(), &arguments), &torch_plan(&mock.host));
    // What comes slowly is kept, from the moment on that it is known to be slow.
    let part = out
        .path()
        .join(".wheelhouse")
        .join(part_name(&layer, 300_000));
    let begin = Instant::now();
    while fs::metadata(&part).map_or(0, |part| part.len()) < 300_000 {
        assert!(begin.elapsed() < Duration::from_secs(30), "nothing arrives");
        thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(9));
    assert!(files(out.path()).is_empty());

    assert_eq!(pull(&mock.host, out.path(), &[]).wheels(), [WHEEL]);
    assert_eq!(fs::read(out.path().join(WHEEL)).unwrap(), bytes);
    assert_eq!(mock.offsets(&layer), [0, 0, 600_000]);
    assert!(!part.exists());
}

fn part_name(layer: &str, begin: usize) -> String {
    format!("{}.{begin}.part", layer.trim_start_matches("sha256:"))
}

#[test]
fn what_an_earlier_run_left_is_not_trusted() {
    let (image, layer, bytes) = torch(1 << 20);
    let mock = torch_registry(image, |request, blob, _| Answer::ranged(request, blob));
    let out = tempfile::tempdir().unwrap();
    let work = out.path().join(".wheelhouse");
    fs::create_dir(&work).unwrap();
    fs::write(work.join(part_name(&layer, 0)), noise(400_001)).unwrap();
    assert_eq!(pull(&mock.host, out.path(), &[]).wheels(), [WHEEL]);
    assert_eq!(fs::read(out.path().join(WHEEL)).unwrap(), bytes);
    assert_eq!(mock.offsets(&layer), [400_001, 0]);
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
    assert_eq!(said.refusal(), (1, missing.as_str()));
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
