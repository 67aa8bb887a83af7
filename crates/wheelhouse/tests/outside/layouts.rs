//! Images of every shape, pulled out of a layout on disk.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::images::{
    Image, Layer, ZSTD, archive, digest, entry, gzip, gzip_layer, hex, plain_layer, plan,
    wheels_archive, write_layout,
};
use crate::run::{Said, wheelhouse};

pub(crate) const WHEEL: &str = "triton-3.9.0+gitaad2a60d-cp314-cp314-linux_x86_64.whl";
const IMAGE: &str = "triton-wheel:3.9.0-10.1.0-full";

/// Pulls one image into `out`.
pub(crate) fn pull(image: &Image, out: &Path) -> Said {
    let folder = tempfile::tempdir().unwrap();
    write_layout(folder.path(), &[(IMAGE, image)]);
    let plan = plan("h:1/rocm", &[("triton-wheel", None, "3.9.0-10.1.0-full")]);
    let place = format!("oci:{}", folder.path().display());
    let said = wheelhouse(
        &["pull", "--out", out.to_str().unwrap(), "--registry", &place],
        &plan,
    );
    let stderr = said
        .stderr
        .replace(&place, "oci:DIR")
        .replace(folder.path().to_str().unwrap(), "DIR");
    Said { stderr, ..said }
}

/// The files in a folder that a user sees.
pub(crate) fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| name != ".wheelhouse").collect();
    names.sort();
    names
}

fn pulled(image: &Image) -> Vec<String> {
    let out = tempfile::tempdir().unwrap();
    let said = pull(image, out.path());
    let wheels = said.wheels();
    assert_eq!(files(out.path()), wheels);
    wheels
}

#[test]
fn a_set_tells_what_each_wheel_is_and_where_it_came_from() {
    let out = tempfile::tempdir().unwrap();
    let layer = gzip_layer(&wheels_archive(&[(WHEEL, b"bytes")]));
    let image = Image::new(std::slice::from_ref(&layer));
    let said = pull(&image, out.path());
    let document = said.document();
    let path = out.path().join(WHEEL);
    assert_eq!(fs::read(&path).unwrap(), b"bytes");
    let wheel = &document["wheels"][0];
    let repository = wheel["source"]["repository"].as_str().unwrap();
    assert!(
        repository.starts_with("oci:") && repository.ends_with("/triton-wheel"),
        "{repository}"
    );
    assert_eq!(
        *wheel,
        json!({"path": path, "filename": WHEEL, "name": "triton", "version": "3.9.0+gitaad2a60d",
            "tags": ["cp314-cp314-linux_x86_64"], "size": 5, "sha256": hex(b"bytes"),
            "source": {"repository": repository, "tag": "3.9.0-10.1.0-full", "manifest": image.manifest,
                "layer": digest(&layer.blob)}})
    );
}

#[test]
fn an_index_is_followed_and_told() {
    let out = tempfile::tempdir().unwrap();
    let image = Image::of_wheel(WHEEL, b"bytes");
    let manifest = image.manifest.clone();
    let image = image.in_index();
    let source = pull(&image, out.path()).document()["wheels"][0]["source"].clone();
    assert_eq!(source["manifest"], manifest);
    assert_eq!(source["index"], image.manifest);
}

#[test]
fn layers_of_every_kind_are_unpacked() {
    let archive = wheels_archive(&[(WHEEL, b"bytes")]);
    let zstd = ruzstd::encoding::compress_to_vec(
        &archive[..],
        ruzstd::encoding::CompressionLevel::Fastest,
    );
    // One member per entry and a table of contents at the end, as estargz has it.
    let members = archive.chunks(512).map(gzip).collect::<Vec<_>>().concat();
    let docker = "application/vnd.docker.image.rootfs.diff.tar";
    let layer = |media_type: &str, blob: Vec<u8>| Layer {
        media_type: media_type.to_owned(),
        blob,
        diff_id: digest(&archive),
    };
    let layers = [
        plain_layer(&archive),
        gzip_layer(&archive),
        layer(ZSTD, zstd),
        layer("application/vnd.oci.image.layer.v1.tar+gzip", members),
        layer(docker, archive.clone()),
        layer(&format!("{docker}.gzip"), gzip(&archive)),
    ];
    for layer in layers {
        assert_eq!(
            pulled(&Image::new(std::slice::from_ref(&layer))),
            [WHEEL],
            "{}",
            layer.media_type
        );
    }
}

#[test]
fn a_layer_that_zstd_itself_made_is_unpacked() {
    // `tar c wheels | zstd -19 --long=24`: two frames with a skippable one between them.
    let blob = include_bytes!("../data/layer.tar.zst").to_vec();
    let layer = Layer {
        media_type: ZSTD.to_owned(),
        blob,
        diff_id: include_str!("../data/layer.diff-id").trim().to_owned(),
    };
    assert_eq!(
        pulled(&Image::new(&[layer])),
        ["zstandard-1.0-py3-none-any.whl"]
    );
}

#[test]
fn a_wheel_with_a_long_name_keeps_it() {
    let name = format!("{}-1.0-py3-none-any.whl", "long_name".repeat(20));
    assert_eq!(pulled(&Image::of_wheel(&name, b"bytes")), [name]);
}

#[test]
fn later_layers_remove_and_replace_wheels_of_earlier_ones() {
    let first = gzip_layer(&wheels_archive(&[
        ("a-1-py3-none-any.whl", b"old"),
        ("b-1-py3-none-any.whl", b"b"),
    ]));
    let removal = |name: &str| gzip_layer(&archive(&[entry(name, b'0', b"")]));
    let replaced = gzip_layer(&wheels_archive(&[("a-1-py3-none-any.whl", b"new")]));
    let fresh = gzip_layer(&archive(&[
        entry("wheels/c-1-py3-none-any.whl", b'0', b"c"),
        entry("wheels/.wh..wh..opq", b'0', b""),
    ]));
    let cases = [
        (
            vec![first.clone(), removal("wheels/.wh.a-1-py3-none-any.whl")],
            vec!["b-1-py3-none-any.whl"],
        ),
        (
            vec![first.clone(), replaced.clone()],
            vec!["a-1-py3-none-any.whl", "b-1-py3-none-any.whl"],
        ),
        (vec![first.clone(), fresh], vec!["c-1-py3-none-any.whl"]),
        (
            vec![first.clone(), removal(".wh.wheels"), replaced.clone()],
            vec!["a-1-py3-none-any.whl"],
        ),
    ];
    for (layers, expected) in cases {
        assert_eq!(pulled(&Image::new(&layers)), expected);
    }
    let out = tempfile::tempdir().unwrap();
    pull(&Image::new(&[first, replaced]), out.path()).document();
    assert_eq!(
        fs::read(out.path().join("a-1-py3-none-any.whl")).unwrap(),
        b"new"
    );
    assert_eq!(
        fs::read_dir(out.path().join(".wheelhouse"))
            .unwrap()
            .count(),
        3,
        "lock and two receipts"
    );
}

#[test]
fn a_version_that_does_not_fit_its_tag_is_a_warning() {
    let out = tempfile::tempdir().unwrap();
    let said = pull(
        &Image::of_wheel("triton-3.8.0-py3-none-any.whl", b"bytes"),
        out.path(),
    );
    assert_eq!(said.code, 0);
    assert_eq!(
        said.stderr,
        "wheelhouse: oci:DIR/triton-wheel:3.9.0-10.1.0-full: the tag says 3.9.0, and the image holds triton 3.8.0\n"
    );
    let alpha = pull(
        &Image::of_wheel("triton-3.9.0a0+git1-py3-none-any.whl", b"bytes"),
        out.path(),
    );
    assert_eq!((alpha.code, alpha.stderr.as_str()), (0, ""));
}

#[test]
fn one_file_name_with_two_contents_is_a_no() {
    let folder = tempfile::tempdir().unwrap();
    let out = tempfile::tempdir().unwrap();
    let images = [
        Image::of_wheel("a-1-py3-none-any.whl", b"one"),
        Image::of_wheel("a-1-py3-none-any.whl", b"two"),
    ];
    write_layout(
        folder.path(),
        &[
            ("a-wheel:1-10.1.0", &images[0]),
            ("b-wheel:1-10.1.0", &images[1]),
        ],
    );
    let plan = plan(
        "h:1/rocm",
        &[("a-wheel", None, "1-10.1.0"), ("b-wheel", None, "1-10.1.0")],
    );
    let place = format!("oci:{}", folder.path().display());
    let said = wheelhouse(
        &[
            "pull",
            "--out",
            out.path().to_str().unwrap(),
            "--registry",
            &place,
        ],
        &plan,
    );
    let (code, stderr) = said.refusal();
    assert_eq!(code, 1);
    assert!(
        stderr.contains("`a-1-py3-none-any.whl` is in ")
            && stderr.ends_with(" too, with different bytes; one index cannot hold both"),
        "{stderr}"
    );
}

#[test]
fn a_folder_that_cannot_be_written_to_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, b"").unwrap();
    let said = pull(&Image::of_wheel(WHEEL, b"bytes"), &file);
    let cause = format!(
        "wheelhouse: {}/.wheelhouse: Not a directory (os error 20); a file stands where a folder is needed: name another place",
        file.display()
    );
    assert_eq!(said.refusal().1.lines().next().unwrap(), cause);
}

#[test]
fn a_layout_of_pipes_is_not_waited_for() {
    let image = Image::of_wheel(WHEEL, b"bytes");
    let manifest = format!(
        "blobs/sha256/{}",
        image.manifest.trim_start_matches("sha256:")
    );
    for file in ["oci-layout", "index.json", &manifest] {
        let folder = tempfile::tempdir().unwrap();
        write_layout(folder.path(), &[("triton-wheel:3.9.0-10.1.0-full", &image)]);
        let path = folder.path().join(file);
        fs::remove_file(&path).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let out = folder.path().join("out");
        let place = format!("oci:{}", folder.path().display());
        let arguments = ["pull", "--registry", &place, "--out", out.to_str().unwrap()];
        let plan = plan("h:1", &[("triton-wheel", None, "3.9.0-10.1.0-full")]);
        let said = wheelhouse(&arguments, &plan);
        let cause = format!(
            "{}: no ordinary file; name a folder with an OCI image layout",
            path.display()
        );
        let (code, stderr) = said.refusal();
        assert_eq!(code, 2);
        assert!(stderr.lines().next().unwrap().ends_with(&cause), "{stderr}");
    }
}
