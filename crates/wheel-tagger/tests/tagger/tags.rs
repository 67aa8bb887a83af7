//! The platform tag: what was measured goes into the file name and into WHEEL.

use serde_json::{Value, json};

use crate::desk::{Desk, Wheel};

#[test]
fn linux_becomes_the_measured_tag_in_file_name_and_wheel() {
    let desk = Desk::new();
    let set = desk
        .set(&[Wheel::new("demo-1.0-py2.py3-none-linux_x86_64")
            .measured("manylinux_2_39_x86_64", "2.38")]);
    let document = desk.tag(&set, &[]).succeeded().document();
    let name = "demo-1.0+rocm10.1.0-py2.py3-none-manylinux_2_39_x86_64.whl";
    assert_eq!(desk.names("out"), [name]);
    assert_eq!(
        desk.member(name, "demo-1.0+rocm10.1.0.dist-info/WHEEL"),
        "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: py2-none-manylinux_2_39_x86_64\n\
         Tag: py3-none-manylinux_2_39_x86_64\n"
    );
    let wheel = &document["wheels"][0];
    assert_eq!(wheel["filename"], name);
    assert_eq!(wheel["path"], format!("out/{name}"));
    assert_eq!(
        wheel["tags"],
        json!([
            "py2-none-manylinux_2_39_x86_64",
            "py3-none-manylinux_2_39_x86_64"
        ])
    );
    assert_eq!(
        wheel["origin"]["filename"],
        "demo-1.0-py2.py3-none-linux_x86_64.whl"
    );
    assert_eq!(wheel["origin"]["version"], "1.0");
    assert_eq!(wheel["origin"]["tags"], set["wheels"][0]["tags"]);
    assert_eq!(wheel["origin"]["sha256"], set["wheels"][0]["sha256"]);
    let (sha256, size) = wheel::sha256_file(&desk.path("out").join(name)).unwrap();
    assert_eq!(
        (wheel["sha256"].as_str(), wheel["size"].as_u64()),
        (Some(sha256.as_str()), Some(size))
    );
}

#[test]
fn a_tag_that_promises_more_than_is_kept_is_corrected_and_under_strict_a_no() {
    let desk = Desk::new();
    let set = desk.set(&[Wheel::new("demo-1.0-cp314-cp314-manylinux_2_32_x86_64")
        .measured("manylinux_2_38_x86_64", "2.38")]);
    let told = "wheel-tagger: demo-1.0-cp314-cp314-manylinux_2_32_x86_64.whl: tag.not-kept: `manylinux_2_32_x86_64` promises \
                more than is kept: demo/code.so needs GLIBC_2.38; it becomes `manylinux_2_38_x86_64`\n";
    assert_eq!(
        desk.tag(&set, &["--strict"]).refused(),
        (1, told.to_owned())
    );
    assert!(desk.names("out").is_empty());
    let ran = desk.tag(&set, &[]).succeeded();
    assert_eq!(ran.stderr, told);
    assert_eq!(
        desk.names("out"),
        ["demo-1.0+rocm10.1.0-cp314-cp314-manylinux_2_38_x86_64.whl"]
    );
    assert_eq!(
        ran.document()["wheels"][0]["notes"][0]["rule"],
        "tag.not-kept"
    );
}

#[test]
fn a_claim_that_is_kept_stays_in_its_order() {
    for platform in [
        "manylinux_2_39_x86_64",
        "manylinux_2_38_x86_64.linux_x86_64",
        "manylinux_2_40_x86_64",
    ] {
        let desk = Desk::new();
        let set = desk.set(&[Wheel::new(&format!("demo-1.0-cp314-cp314-{platform}"))
            .measured("manylinux_2_38_x86_64", "2.38")]);
        let ran = desk.tag(&set, &["--strict"]).succeeded();
        assert_eq!(ran.stderr, "");
        assert_eq!(
            desk.names("out"),
            [format!("demo-1.0+rocm10.1.0-cp314-cp314-{platform}.whl")]
        );
    }
}

#[test]
fn any_stays_any() {
    let desk = Desk::new();
    let set = desk.set(&[
        Wheel::new("nixl-1.0-py3-none-any"),
        Wheel::new("demo-1.0-py3-none-any").measured("manylinux_2_38_x86_64", "2.38"),
    ]);
    let ran = desk.tag(&set, &[]).succeeded();
    assert_eq!(
        desk.names("out"),
        [
            "demo-1.0+rocm10.1.0-py3-none-any.whl",
            "nixl-1.0+rocm10.1.0-py3-none-any.whl"
        ]
    );
    assert_eq!(
        ran.stderr,
        "wheel-tagger: demo-1.0-py3-none-any.whl: tag.not-kept: `any` promises more than is kept: demo/code.so needs \
         GLIBC_2.38; it stays\n"
    );
    assert_eq!(desk.tag(&set, &["--strict"]).code, 1);
}

#[test]
fn a_set_that_was_not_measured_is_refused_unless_tags_are_kept() {
    let desk = Desk::new();
    let mut wheel = Wheel::new("demo-1.0-cp314-cp314-linux_x86_64");
    wheel.platform = None;
    let set = desk.set(&[wheel]);
    assert_eq!(
        desk.tag(&set, &[]).refused(),
        (
            2,
            "wheel-tagger: in/demo-1.0-cp314-cp314-linux_x86_64.whl: its platform was not measured; pass the set through \
             glibc-probe, or keep the tags as they are with --keep-platform\n"
                .to_owned()
        )
    );
    desk.tag(&set, &["--keep-platform"]).succeeded();
    assert_eq!(
        desk.names("out"),
        ["demo-1.0+rocm10.1.0-cp314-cp314-linux_x86_64.whl"]
    );
}

#[test]
fn a_wheel_that_was_renamed_by_hand_is_mended_by_what_was_measured() {
    let desk = Desk::new();
    let bytes = Wheel::new("demo-1.0-cp314-cp314-linux_x86_64").bytes();
    let made = Wheel::new("demo-1.0-cp314-cp314-manylinux_2_39_x86_64")
        .measured("manylinux_2_38_x86_64", "2.38");
    let mut set = desk.set(&[made]);
    let path = desk.path("in/demo-1.0-cp314-cp314-manylinux_2_39_x86_64.whl");
    std::fs::write(&path, bytes).unwrap();
    set["wheels"][0]["sha256"] = Value::from(wheel::sha256_file(&path).unwrap().0);
    let ran = desk.tag(&set, &[]).succeeded();
    assert_eq!(
        ran.stderr,
        "wheel-tagger: demo-1.0-cp314-cp314-manylinux_2_39_x86_64.whl: wheel.tags-mismatch: WHEEL has the tags \
         `cp314-cp314-linux_x86_64`, the file name says `cp314-cp314-manylinux_2_39_x86_64`\n"
    );
    let info = desk.member(
        "demo-1.0+rocm10.1.0-cp314-cp314-manylinux_2_39_x86_64.whl",
        "demo-1.0+rocm10.1.0.dist-info/WHEEL",
    );
    assert!(
        info.ends_with("Tag: cp314-cp314-manylinux_2_39_x86_64\n"),
        "{info}"
    );
}

#[test]
fn what_was_measured_names_members_by_their_new_names() {
    let desk = Desk::new();
    let mut wheel =
        Wheel::new("demo-1.0-cp314-cp314-linux_x86_64").measured("manylinux_2_38_x86_64", "2.38");
    wheel
        .files
        .push(("demo-1.0.data/purelib/a.so".to_owned(), "x".to_owned()));
    let platform = wheel.platform.as_mut().unwrap();
    platform["findings"][0]["member"] = json!("demo-1.0.data/purelib/a.so");
    platform["external"] =
        json!([{"library": "libx.so.1", "needed_by": ["demo-1.0.data/purelib/a.so"]}]);
    let set = desk.set(&[wheel]);
    let document = desk.tag(&set, &[]).succeeded().document();
    let platform = &document["wheels"][0]["platform"];
    let new = "demo-1.0+rocm10.1.0.data/purelib/a.so";
    assert_eq!(platform["findings"][0]["member"], new);
    assert_eq!(platform["external"][0]["needed_by"], json!([new]));
}
