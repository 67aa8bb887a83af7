//! `wheelhouse pull` across a network that misbehaves.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::thread;
use std::time::{Duration, Instant};

use crate::layouts::files;
use crate::mock::{Answer, Mock};
use crate::pull::{TAG, WHEEL, noise, pull, torch, torch_plan, torch_registry};
use crate::run::{command, start};

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
fn a_registry_that_does_ranges_wrong_is_asked_for_all_of_it() {
    let answers: [fn(&[u8], usize) -> Answer; 4] = [
        |_, _| Answer::new(416, ""),
        |blob, _| Answer::new(206, &blob[5..]).header("Content-Range", "bytes 5-9/10"),
        |blob, offset| Answer::new(206, &blob[offset..]),
        // The range is another than it says.
        |blob, offset| {
            Answer::new(206, &blob[5..]).header("Content-Range", format!("bytes {offset}-9/10"))
        },
    ];
    for answer in answers {
        let (image, layer, bytes) = torch(1 << 20);
        let mock = torch_registry(image, move |request, blob, _| match request.offset() {
            0 => Answer::new(200, blob),
            offset => answer(blob, offset),
        });
        let out = tempfile::tempdir().unwrap();
        let work = out.path().join(".wheelhouse");
        fs::create_dir(&work).unwrap();
        fs::write(work.join(part_name(&layer, 0)), noise(400_000)).unwrap();
        assert_eq!(pull(&mock.host, out.path(), &[]).wheels(), [WHEEL]);
        assert_eq!(fs::read(out.path().join(WHEEL)).unwrap(), bytes);
    }
}

#[test]
fn a_layer_that_is_not_there_is_no_missing_image() {
    let (image, layer, _) = torch(1000);
    let mock = torch_registry(image, |_, _, _| Answer::new(404, ""));
    let out = tempfile::tempdir().unwrap();
    let said = pull(&mock.host, out.path(), &[]);
    let image = format!("{}/rocm/pytorch-wheel:{TAG}", mock.host);
    let expected = format!(
        "wheelhouse: {image}: layer {layer} is not in the registry; push the image again\n\
         wheelhouse: fetched: nothing; not fetched: {image}; run it again to go on"
    );
    assert_eq!(said.refusal(), (2, expected.as_str()));
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
        "wheelhouse: {image}: the registry answered 503 Service Unavailable, 6 times; try again later\n\
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
    let cause = "the registry answered 429 Too Many Requests; it asks to wait 3600 s, which is more than the deadline leaves; run it again then";
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
