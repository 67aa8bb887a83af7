//! Images that are not what they say, or that reach for what is not theirs.

use crate::images::{Image, Layer, archive, digest, entry, gzip_layer, wheels_archive};
use crate::layouts::{WHEEL, files, pull};

fn refused(image: &Image) -> String {
    let out = tempfile::tempdir().unwrap();
    let said = pull(image, out.path());
    let (code, stderr) = said.refusal();
    assert_eq!(code, 2, "{stderr}");
    assert_eq!(files(out.path()), [""; 0]);
    let lines: Vec<_> = stderr.lines().collect();
    assert_eq!(
        lines[1..],
        [
            "wheelhouse: fetched: nothing; not fetched: oci:DIR/triton-wheel:3.9.0-10.1.0-full; run it again to go on"
        ]
    );
    let cause = lines[0].strip_prefix("wheelhouse: oci:DIR/triton-wheel:3.9.0-10.1.0-full: ");
    cause.unwrap_or(lines[0]).to_owned()
}

#[test]
fn an_image_that_is_not_what_it_says_gives_no_wheel() {
    let good = gzip_layer(&wheels_archive(&[(WHEEL, b"bytes")]));
    let other = digest(b"another archive");
    let wrong_diff_id = Layer {
        diff_id: other.clone(),
        ..good.clone()
    };
    let layer = digest(&good.blob);
    assert_eq!(
        refused(&Image::new(&[wrong_diff_id])),
        format!(
            "layer {layer} unpacks to {}, and the image's configuration says {other}; push the image again",
            good.diff_id
        )
    );

    let cut = Layer {
        blob: good.blob[..good.blob.len() - 9].to_vec(),
        ..good.clone()
    };
    let layer = digest(&cut.blob);
    assert_eq!(
        refused(&Image::new(&[cut])),
        format!(
            "layer {layer} cannot be unpacked: incomplete deflate stream; push the image again"
        )
    );

    let mut swapped = Image::new(std::slice::from_ref(&good));
    let name = digest(&good.blob);
    let mut flipped = good.blob.clone();
    flipped[40] ^= 1;
    swapped.blobs.insert(name.clone(), flipped.clone());
    assert_eq!(
        refused(&swapped),
        format!(
            "layer {name}: the blob has digest {}, expected {name}",
            digest(&flipped)
        )
    );

    let mut swapped = Image::new(std::slice::from_ref(&good));
    let mut text = swapped.manifest_bytes().to_vec();
    text.push(b' ');
    let expected = swapped.manifest.clone();
    let found = digest(&text);
    swapped.blobs.insert(expected.clone(), text);
    assert_eq!(
        refused(&swapped),
        format!("the manifest has digest {found}, expected {expected}")
    );
}

#[test]
fn an_image_for_another_machine_or_of_another_kind_is_refused() {
    let layer = gzip_layer(&wheels_archive(&[(WHEEL, b"bytes")]));
    let arm = Image::with_config(std::slice::from_ref(&layer), |config| {
        config["architecture"] = "arm64".into();
    });
    assert_eq!(
        refused(&arm),
        "it is for linux/arm64, not for linux/amd64; push one that is"
    );
    let foreign = Layer {
        media_type: "application/vnd.wasm.content.layer.v1+wasm".to_owned(),
        ..layer
    };
    let name = digest(&foreign.blob);
    assert_eq!(
        refused(&Image::new(&[foreign])),
        format!(
            "layer {name} is `application/vnd.wasm.content.layer.v1+wasm`, which is no tar archive with gzip, zstd or nothing; push it as one"
        )
    );
    let empty = Image::new(&[gzip_layer(&archive(&[entry("dist/a.whl", b'0', b"")]))]);
    assert_eq!(
        refused(&empty),
        "there is no wheel in /wheels of this image; build its wheel stage"
    );
    assert_eq!(
        refused(&Image::of_wheel("README.whl", b"")),
        format!(
            "`/wheels/README.whl` has not the name of a wheel: {}; rename it in the image's build",
            name_error("README.whl")
        )
    );
}

fn name_error(name: &str) -> String {
    name.parse::<wheel::WheelFilename>()
        .unwrap_err()
        .to_string()
}

#[test]
fn entries_that_could_reach_outside_are_refused() {
    let cases = [
        (
            entry("wheels/../../../../tmp/a-1-py3-none-any.whl", b'0', b"x"),
            "a path that leads elsewhere",
        ),
        (
            entry("/wheels/a-1-py3-none-any.whl", b'0', b"x"),
            "an absolute path",
        ),
        (
            entry("wheels/a-1-py3-none-any.whl", b'2', b"/etc/passwd"),
            "a link, which is not followed",
        ),
        (
            entry("wheels/a-1-py3-none-any.whl", b'1', b"etc/passwd"),
            "a link, which is not followed",
        ),
        (
            entry("wheels", b'2', b"/tmp"),
            "a link, which is not followed",
        ),
        (entry("wheels/a-1-py3-none-any.whl", b'3', b""), "a device"),
        (entry("wheels/a-1-py3-none-any.whl", b'6', b""), "a device"),
        (
            entry("wheels/a-1-py3-none-any.whl", b'S', b"x"),
            "no ordinary file",
        ),
    ];
    for (hostile, what) in cases {
        let path = String::from_utf8_lossy(hostile[..100].split(|byte| *byte == 0).next().unwrap())
            .into_owned();
        let layer = gzip_layer(&archive(&[
            entry("wheels/b-1-py3-none-any.whl", b'0', b"good"),
            hostile,
        ]));
        let name = digest(&layer.blob);
        assert_eq!(
            refused(&Image::new(&[layer])),
            format!("layer {name} is refused: `{path}` is {what}; build the image without it")
        );
    }
}

#[test]
fn a_layer_that_grows_without_end_is_stopped() {
    let mut bomb = entry("wheels/a-1-py3-none-any.whl", b'0', &vec![0; 64 << 20]);
    bomb.resize(bomb.len() + 1024, 0);
    let layer = gzip_layer(&bomb);
    let name = digest(&layer.blob);
    assert_eq!(
        refused(&Image::new(&[layer])),
        format!(
            "layer {name} cannot be unpacked: it grows to more than 100 times its size; push the image again"
        )
    );
}

#[test]
fn a_layout_whose_blob_is_cut_is_refused_at_once() {
    let mut image = Image::of_wheel(WHEEL, b"bytes");
    let layer = image
        .blobs
        .iter()
        .find(|(_, bytes)| bytes.starts_with(&[0x1f, 0x8b]))
        .unwrap();
    let (layer, size) = (layer.0.clone(), layer.1.len());
    image.blobs.get_mut(&layer).unwrap().truncate(50);
    assert_eq!(
        refused(&image),
        format!("layer {layer}: the blob ended after 50 of {size} bytes")
    );
}

#[test]
fn layers_that_hold_little_each_and_much_together_are_refused() {
    let whiteouts = |layer: usize| {
        let one = |number| entry(&format!("wheels/.wh.{layer}.{number}"), b'0', b"");
        gzip_layer(&archive(&(0..5001).map(one).collect::<Vec<_>>()))
    };
    assert_eq!(
        refused(&Image::new(&[whiteouts(0), whiteouts(1)])),
        "its layers hold more than 10000 wheels and whiteouts; build it anew from fewer"
    );
}
