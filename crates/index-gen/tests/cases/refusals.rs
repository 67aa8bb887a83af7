//! What keeps a set off the index: told by name and reason, with nothing written.

use std::fs;

use serde_json::{Value, json};

use crate::desk::{Desk, Ran};

const SITE: [&str; 4] = ["--arch", "gfx950", "--out", "site"];

/// Asserts an exit code and a whole message, and that nothing was written.
#[track_caller]
fn refused(desk: &Desk, ran: &Ran, code: i32, message: &str) {
    assert_eq!((ran.stderr.as_str(), ran.code), (message, code));
    assert_eq!(ran.stdout, "");
    for left in ["site", ".site.index-gen"] {
        assert!(!desk.path(left).exists(), "{left} was left behind");
    }
}

/// One stub wheel, the document about it, and what the tool says to it.
fn one(desk: &Desk, arguments: &[&str]) -> Ran {
    desk.stubs(&[&["one", "w"], arguments].concat());
    desk.publish("w", "site", &[])
}

#[test]
fn a5a_metadata_with_another_version_is_refused() {
    let desk = Desk::new();
    let ran = one(&desk, &["torch", "2.0+rocm10.1.0", "--meta-version", "2.0"]);
    refused(
        &desk,
        &ran,
        2,
        "index-gen: w/torch-2.0+rocm10.1.0-py3-none-any.whl: wheel.version-mismatch: METADATA says version `2.0`, the file name `2.0+rocm10.1.0`\n",
    );
}

#[test]
fn metadata_that_spells_an_equal_version_otherwise_is_refused() {
    let desk = Desk::new();
    let ran = one(&desk, &["atom", "2.0", "--meta-version", "2.0.0"]);
    refused(
        &desk,
        &ran,
        2,
        "index-gen: w/atom-2.0-py3-none-any.whl: METADATA spells its version `2.0.0`, its file name `2.0`; rebuild it\n",
    );
}

#[test]
fn a5b_two_spellings_of_one_release_are_refused() {
    let desk = Desk::new();
    desk.stubs(&["one", "w", "foo_bar", "1.0"]);
    let ran = one(&desk, &["foo.bar", "1.0"]);
    refused(
        &desk,
        &ran,
        1,
        "index-gen: foo_bar-1.0-py3-none-any.whl: `foo.bar-1.0-py3-none-any.whl` is the same release of foo-bar, spelled \
         otherwise; keep one of them\n",
    );
}

#[test]
fn one_release_under_two_spellings_of_its_version_is_refused() {
    let desk = Desk::new();
    desk.stubs(&["one", "w", "atom", "1.0+rocm10.1.0"]);
    let ran = one(&desk, &["atom", "1.0.0+rocm10.1.0"]);
    refused(
        &desk,
        &ran,
        1,
        "index-gen: atom-1.0.0+rocm10.1.0-py3-none-any.whl: `atom-1.0+rocm10.1.0-py3-none-any.whl` is the same release of \
         atom, its version spelled otherwise; keep one of them\n",
    );
}

#[test]
fn a_requirement_that_no_installer_can_read_is_refused() {
    let desk = Desk::new();
    let ran = one(&desk, &["atom", "1.0", "--req", "foo>=1.0+local"]);
    refused(
        &desk,
        &ran,
        2,
        "index-gen: w/atom-1.0-py3-none-any.whl: Requires-Dist: `>=1.0+local` in `foo>=1.0+local`: a local version can only \
         be compared with `==`, `!=` or `===`; no installer takes it so: rebuild it\n",
    );
}

#[test]
fn a5c_one_name_with_two_contents_is_refused() {
    let desk = Desk::new();
    desk.stubs(&["one", "w", "atom", "1.0"]);
    desk.stubs(&["one", "v", "atom", "1.0", "--req", "numpy"]);
    let both = format!("{}\n{}", desk.measured("v"), desk.measured("w"));
    let ran = desk.index_gen(&SITE, &both);
    let sha256 = |folder| {
        desk.measured(folder)["wheels"][0]["sha256"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    refused(
        &desk,
        &ran,
        1,
        &format!(
            "index-gen: `atom-1.0-py3-none-any.whl` came twice with different bytes: sha256 {} and {}; keep one of them\n",
            sha256("v"),
            sha256("w")
        ),
    );
}

#[test]
fn a5d_a_file_that_is_no_wheel_is_refused() {
    let desk = Desk::new();
    fs::create_dir(desk.path("w")).unwrap();
    fs::write(
        desk.path("w/ccc-1.0-py3-none-any.whl"),
        "<!DOCTYPE html><title>404</title>",
    )
    .unwrap();
    let ran = desk.publish("w", "site", &[]);
    assert!(
        ran.stderr
            .starts_with("index-gen: w/ccc-1.0-py3-none-any.whl: zip."),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.stderr.lines().count(), 1);
    let message = ran.stderr.clone();
    refused(&desk, &ran, 2, &message);
}

#[test]
fn a5e_a_wheel_at_the_asset_limit_is_refused_unread() {
    let desk = Desk::new();
    fs::create_dir(desk.path("w")).unwrap();
    let name = "big-1.0-py3-none-any.whl";
    let file = fs::File::create(desk.path("w").join(name)).unwrap();
    file.set_len(1 << 31).unwrap();
    let mut document = json!({"path": format!("w/{name}"), "filename": name, "name": "big", "version": "1.0",
        "tags": ["py3-none-any"], "size": 1_u64 << 31, "sha256": "0".repeat(64), "record": "verified"});
    document["device"] = json!({"kind": "none", "targets": [], "common": [], "members": []});
    let document = json!({"schema": "wheel-set/1", "wheels": [document]}).to_string();
    let ran = desk.index_gen(&SITE, &document);
    refused(
        &desk,
        &ran,
        1,
        "index-gen: big-1.0-py3-none-any.whl: has 2147483648 bytes, and release hosts take fewer than 2147483648; host it \
         elsewhere with --no-asset-limit\n",
    );
}

#[test]
fn a5f_versions_that_are_not_in_normal_form_are_refused() {
    for (version, normal) in [
        ("1.0+Rocm10", "1.0+rocm10"),
        ("1.0+g.01234567", "1.0+g.1234567"),
    ] {
        let desk = Desk::new();
        let ran = one(&desk, &["atom", version]);
        refused(
            &desk,
            &ran,
            2,
            &format!(
                "index-gen: w/atom-{version}-py3-none-any.whl: its version is not in normal form; name it \
                 `atom-{normal}-py3-none-any.whl`\n"
            ),
        );
    }
}

#[test]
fn a13_two_rocm_lines_on_one_page_are_refused() {
    let desk = Desk::new();
    desk.stubs(&["one", "w", "vision", "2.15.0+rocm7.15.0"]);
    let ran = one(&desk, &["vision", "2.15.0+rocm10.1.0"]);
    refused(
        &desk,
        &ran,
        1,
        "index-gen: vision: two ROCm lines on one page (2.15.0+rocm10.1.0, 2.15.0+rocm7.15.0), and pip would choose \
         2.15.0+rocm7.15.0: `rocm…` is compared as text; keep one line in an index\n",
    );
}

#[test]
fn a14_an_asset_that_the_host_renamed_is_refused() {
    let desk = Desk::new();
    desk.stubs(&["one", "w", "atom", "1.0+rocm10.1.0"]);
    let map = json!({"atom-1.0+rocm10.1.0-py3-none-any.whl": "https://host.example/atom-1.0.rocm10.1.0-py3-none-any.whl"});
    fs::write(desk.path("map.json"), map.to_string()).unwrap();
    let ran = desk.publish("w", "site", &["--url-map", "map.json"]);
    refused(
        &desk,
        &ran,
        2,
        "index-gen: atom-1.0+rocm10.1.0-py3-none-any.whl: its address ends in `atom-1.0.rocm10.1.0-py3-none-any.whl`; pip and \
         uv would skip it, so upload it under its own name\n",
    );
    fs::write(desk.path("map.json"), "{}").unwrap();
    let ran = desk.publish("w", "site", &["--url-map", "map.json"]);
    refused(
        &desk,
        &ran,
        2,
        "index-gen: atom-1.0+rocm10.1.0-py3-none-any.whl: the URL map has no address for it; add one\n",
    );
}

/// The document about one stub wheel, with this about its GPU code.
fn with_code(desk: &Desk, name: &str, targets: &[&str], common: &[&str]) -> Value {
    desk.stubs(&["one", "w", name, "1.0"]);
    let mut document = desk.measured("w");
    document["wheels"][0]["device"] = json!({"kind": "code", "targets": targets, "common": common, "members": [
        {"member": "a.so", "carrier": "fatbin", "bundles": 2, "targets": targets, "common": common}]});
    document
}

#[test]
fn a_wheel_with_code_for_other_gpus_only_is_refused() {
    let desk = Desk::new();
    let ran = desk.index_gen(
        &SITE,
        &with_code(&desk, "sglang", &["gfx1100"], &["gfx1100"]).to_string(),
    );
    refused(
        &desk,
        &ran,
        1,
        "index-gen: sglang-1.0-py3-none-any.whl: its GPU code is for gfx1100 and none of it for gfx950; leave it out, or \
         publish it in an index of its own architecture\n",
    );
}

#[test]
fn a_wheel_whose_gpu_code_is_damaged_or_not_measured_in_full_is_refused() {
    let desk = Desk::new();
    desk.stubs(&["one", "w", "atom", "1.0"]);
    let mut document = with_code(&desk, "petit", &["gfx950"], &["gfx950"]);
    let finding =
        |rule: &str, member: &str| json!({"rule": rule, "member": member, "message": "…"});
    for wheel in document["wheels"].as_array_mut().unwrap() {
        wheel["platform"]["findings"] = json!([
            finding("device.bundle-bounds", "b.so"),
            finding("device.limit", "a.so"),
            finding("device.unknown-machine", "c.so"),
        ]);
    }
    let ran = desk.index_gen(&SITE, &document.to_string());
    let told = "its GPU code is damaged or was not measured in full (a.so: device.limit, b.so: device.bundle-bounds); \
                build it again";
    refused(
        &desk,
        &ran,
        1,
        &format!(
            "index-gen: atom-1.0-py3-none-any.whl: {told}\nindex-gen: petit-1.0-py3-none-any.whl: {told}\n"
        ),
    );
    for wheel in document["wheels"].as_array_mut().unwrap() {
        wheel["platform"]["findings"] = json!([finding("device.unknown-machine", "c.so")]);
    }
    desk.index_gen(&SITE, &document.to_string()).succeeded();
}

#[test]
fn names_out_of_a_wheel_do_not_steer_the_page() {
    let desk = Desk::new();
    let mut document = with_code(&desk, "petit", &["gfx90a", "gfx950"], &["gfx90a"]);
    let wheel = &mut document["wheels"][0];
    wheel["device"]["members"][0]["member"] = json!("a\u{202e}os.so");
    wheel["platform"] = json!({"tag": "linux_x86_64", "symbols_tag": "manylinux_2_39_x86_64", "machine": "x86_64",
        "libc": "glibc", "required": {"GLIBC": "2.\u{1b}[31m"}, "external":
        [{"library": "lib\u{202e}evil.so", "needed_by": ["a.so"]}], "excluded": [], "findings": []});
    desk.index_gen(&SITE, &document.to_string()).succeeded();
    for (file, bytes) in desk.tree("site") {
        if !file.starts_with("assets/") {
            let text = String::from_utf8(bytes).unwrap();
            let steers = text.chars().find(|&c| c != '\n' && pipe::steers(c));
            assert_eq!(steers, None, "{file}");
        }
    }
}

#[test]
fn a_wheel_that_has_the_target_in_some_bundles_only_is_taken_with_a_note() {
    let desk = Desk::new();
    let document = with_code(&desk, "petit", &["gfx90a", "gfx950"], &["gfx90a"]);
    let ran = desk.index_gen(&SITE, &document.to_string()).succeeded();
    assert_eq!(
        ran.stderr,
        "index-gen: petit-1.0-py3-none-any.whl: some of its GPU code is not there for gfx950: a.so\n"
    );
    let quiet = [&SITE[..], &["--quiet"]].concat();
    assert_eq!(
        desk.index_gen(&quiet, &document.to_string())
            .succeeded()
            .stderr,
        ""
    );
}

#[test]
fn a_name_that_promises_more_than_the_code_keeps_is_a_note() {
    let desk = Desk::new();
    for tag in [
        "manylinux2014_x86_64.manylinux_2_17_x86_64",
        "manylinux_2_38_x86_64",
        "linux_x86_64",
        "any",
    ] {
        let tag = format!("py3-none-{tag}");
        desk.stubs(&["one", "w", "atom", "1.0", "--tag", &tag]);
    }
    let mut document = desk.measured("w");
    for wheel in document["wheels"].as_array_mut().unwrap() {
        let tag = "manylinux_2_38_x86_64";
        wheel["platform"] = json!({"tag": tag, "symbols_tag": tag, "machine": "x86_64", "libc": "glibc",
            "required": {"GLIBC": "2.38"}, "external": [], "excluded": [], "findings": []});
    }
    let note = "atom-1.0-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl: its name promises \
                manylinux2014_x86_64 and manylinux_2_17_x86_64, its code needs manylinux_2_38_x86_64; run wheel-tagger first";
    let ran = desk.index_gen(&SITE, &document.to_string()).succeeded();
    assert_eq!(ran.stderr, format!("index-gen: {note}\n"));
    assert!(desk.read("site/index.html").contains(note));
    for wheel in document["wheels"].as_array_mut().unwrap() {
        wheel["platform"]["tag"] = json!("linux_x86_64");
        wheel["platform"]["required"]["GLIBC"] = json!("2.43");
    }
    let note = |file: &str, promise: &str| {
        format!(
            "index-gen: atom-1.0-py3-none-{file}.whl: its name promises {promise}, its code keeps no more than linux_x86_64; \
             run wheel-tagger first\n"
        )
    };
    let ran = desk.index_gen(&SITE, &document.to_string()).succeeded();
    assert_eq!(
        ran.stderr,
        note(
            "manylinux2014_x86_64.manylinux_2_17_x86_64",
            "manylinux2014_x86_64 and manylinux_2_17_x86_64"
        ) + &note("manylinux_2_38_x86_64", "manylinux_2_38_x86_64")
    );
    let quiet = [&SITE[..], &["--quiet"]].concat();
    let ran = desk.index_gen(&quiet, &document.to_string()).succeeded();
    assert_eq!(ran.stderr, "");
}

#[test]
fn what_must_carry_code_is_refused_without_it() {
    let desk = Desk::new();
    fs::write(
        desk.path("policy.toml"),
        "[index]\nmust-carry = [\"Foo_Kernels\"]\n",
    )
    .unwrap();
    desk.stubs(&["one", "w", "foo_kernels", "1.0"]);
    let ran = desk.publish("w", "site", &["--config", "policy.toml"]);
    refused(
        &desk,
        &ran,
        1,
        "index-gen: foo_kernels-1.0-py3-none-any.whl: it must carry code for gfx950 (`must-carry`) and has none: no GPU code; \
         build it for gfx950\n",
    );
}

#[test]
fn the_metapackage_of_another_gpu_is_refused() {
    let desk = Desk::new();
    let ran = one(
        &desk,
        &[
            "rocm_torch",
            "10.1.0+gfx1201.424e84fe",
            "--extra",
            "device-gfx1201",
        ],
    );
    refused(
        &desk,
        &ran,
        1,
        "index-gen: rocm_torch-10.1.0+gfx1201.424e84fe-py3-none-any.whl: is the metapackage of gfx1201, and versions of two \
         architectures on one page sort as text; publish it in the index of gfx1201\n",
    );
}

#[test]
fn a_set_that_was_not_measured_is_refused_unless_that_is_wanted() {
    let desk = Desk::new();
    desk.stubs(&["one", "w", "atom", "1.0"]);
    let document = desk.unmeasured("w").to_string();
    let ran = desk.index_gen(&SITE, &document);
    refused(
        &desk,
        &ran,
        2,
        "index-gen: atom-1.0-py3-none-any.whl: was not measured; pipe the set through glibc-probe, or pass --unmeasured\n",
    );
    desk.index_gen(&[&SITE[..], &["--unmeasured"]].concat(), &document)
        .succeeded();
    assert!(desk.read("site/index.html").contains("not measured"));
}

#[test]
fn a_wheel_whose_record_is_wrong_is_refused() {
    let desk = Desk::new();
    desk.stubs(&["one", "w", "atom", "1.0"]);
    let mut document = desk.measured("w");
    document["wheels"][0]["record"] = json!("mismatch");
    let ran = desk.index_gen(&SITE, &document.to_string());
    refused(
        &desk,
        &ran,
        2,
        "index-gen: w/atom-1.0-py3-none-any.whl: its RECORD does not match its members; rebuild it\n",
    );
}

#[test]
fn bytes_that_are_not_those_of_the_document_are_refused() {
    let desk = Desk::new();
    desk.stubs(&["one", "w", "atom", "1.0"]);
    let mut document = desk.measured("w");
    let truth = document["wheels"][0]["sha256"].as_str().unwrap().to_owned();
    let lie = "0".repeat(64);
    document["wheels"][0]["sha256"] = json!(lie);
    let ran = desk.index_gen(&SITE, &document.to_string());
    refused(
        &desk,
        &ran,
        2,
        &format!(
            "index-gen: w/atom-1.0-py3-none-any.whl: its sha256 is {truth}, the document says {lie}; measure it again\n"
        ),
    );
    document["wheels"][0]["size"] = json!(7);
    let size = fs::metadata(desk.path("w/atom-1.0-py3-none-any.whl"))
        .unwrap()
        .len();
    let ran = desk.index_gen(&SITE, &document.to_string());
    refused(
        &desk,
        &ran,
        2,
        &format!(
            "index-gen: w/atom-1.0-py3-none-any.whl: has {size} bytes, the document says 7; measure it again\n"
        ),
    );
    fs::remove_file(desk.path("w/atom-1.0-py3-none-any.whl")).unwrap();
    let ran = desk.index_gen(&SITE, &document.to_string());
    refused(
        &desk,
        &ran,
        2,
        "index-gen: w/atom-1.0-py3-none-any.whl: No such file or directory (os error 2); check the path\n",
    );
}

#[test]
fn every_wheel_that_is_wrong_is_named() {
    let desk = Desk::new();
    desk.stubs(&["one", "w", "atom", "1.0", "--meta-version", "1.1"]);
    desk.stubs(&["one", "w", "cupy", "1.0", "--meta-version", "1.1"]);
    let ran = desk.publish("w", "site", &[]);
    assert_eq!(
        (ran.code, ran.stderr.lines().count()),
        (2, 2),
        "{}",
        ran.stderr
    );
}

#[test]
fn input_that_is_no_set_is_refused() {
    let desk = Desk::new();
    for (document, message) in [
        ("", "nothing came in, see the message above"),
        (
            "{\"schema\": \"tag-plan/1\"}",
            "this is a `tag-plan/1` document, expected `wheel-set/1`",
        ),
        (
            "{\"schema\": \"wheel-set/1\", \"wheels\": []}",
            "the set holds no wheel; nothing would be left on the index",
        ),
    ] {
        let ran = desk.index_gen(&SITE, document);
        refused(&desk, &ran, 2, &format!("index-gen: {message}\n"));
    }
}

#[test]
fn arguments_that_cannot_be_are_refused() {
    let desk = Desk::new();
    for (arguments, said) in [
        (
            &["--arch", "../x", "--out", "site"][..],
            "`../x` is not a GPU architecture",
        ),
        (
            &["--arch", "gfx950", "--out", "site", "--base-url", "host/x"],
            "`host/x` is not an address",
        ),
        (
            &["--arch", "gfx950", "--out", "site", "--python", "3"],
            "`3` is not a Python of the form 3.14",
        ),
        (
            &["--arch", "gfx950", "--out", "site", "--replace", "../x"],
            "`../x` is neither a wheel's file name nor a project's name",
        ),
        (
            &[
                "--arch",
                "gfx950",
                "--out",
                "site",
                "--url-map",
                "x",
                "--base-url",
                "https://x",
            ],
            "cannot be used with",
        ),
    ] {
        let ran = desk.index_gen(arguments, "");
        assert_eq!(ran.code, 2, "{arguments:?}");
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
}

#[test]
fn files_that_arguments_name_are_read_or_named() {
    let desk = Desk::new();
    desk.stubs(&["one", "w", "atom", "1.0"]);
    fs::write(desk.path("bad.toml"), "torch = \"x\"\n").unwrap();
    fs::write(desk.path("bad.json"), "[]").unwrap();
    fs::write(desk.path("map.json"), "{}").unwrap();
    fs::write(
        desk.path("twice.json"),
        r#"{"a.whl": "https://x/a.whl", "a.whl": "https://y/a.whl"}"#,
    )
    .unwrap();
    fs::write(
        desk.path("twice.toml"),
        "\"atom==1.0\" = \"x\"\n\"Atom==1\" = \"y\"\n",
    )
    .unwrap();
    fs::write(desk.path("number.toml"), "\n\"atom==1.0\" = 3\n").unwrap();
    fs::write(desk.path("red.toml"), "\"atom==1.0\" = \"\\u001b[31m\"\n").unwrap();
    for (more, message) in [
        (
            ["--yanked", "none.toml"],
            "none.toml: No such file or directory (os error 2); check the path",
        ),
        (
            ["--yanked", "bad.toml"],
            "bad.toml: `torch` names no wheel; write a file name (`….whl`) or a name and a version (`torch==2.15.0`)",
        ),
        (
            ["--yanked", "red.toml"],
            "red.toml: the reason of `atom==1.0` holds U+001B, which does not belong on a page; write it as plain text on \
             one line",
        ),
        (
            ["--yanked", "number.toml"],
            "number.toml: line 2: invalid type: integer `3`, expected a string; write a file name or a release to its \
             reason: `\"torch==2.15.0\" = \"wrong results\"`",
        ),
        (
            ["--quiet", "map.json"],
            "map.json: this is a `unnamed` document, expected `wheel-set/1`",
        ),
        (
            ["--yanked", "/dev/zero"],
            "/dev/zero: more than 32 MiB; give what the documentation names",
        ),
        (
            ["--url-map", "/dev/zero"],
            "/dev/zero: more than 32 MiB; give what the documentation names",
        ),
        (
            ["--config", "/dev/zero"],
            "/dev/zero: more than 32 MiB; give what the documentation names",
        ),
        (
            ["--quiet", "/dev/zero"],
            "/dev/zero: this is a device; name a file",
        ),
        (
            ["--quiet", "none.json"],
            "none.json: No such file or directory (os error 2); check the path",
        ),
        (
            ["--quiet", "w"],
            "w: this is a folder, and a set is wanted; pipe the folder through glibc-probe",
        ),
        (
            ["--yanked", "twice.toml"],
            "twice.toml: `Atom==1` and `atom==1.0` mean the same release; keep one of them",
        ),
        (
            ["--url-map", "twice.json"],
            "twice.json: not a JSON object of file name to address: `a.whl` has two addresses at line 1 column 56",
        ),
        (
            ["--url-map", "bad.json"],
            "bad.json: not a JSON object of file name to address: invalid type: sequence, expected a map at line 1 column 0",
        ),
        (
            ["--config", "none.toml"],
            "none.toml: No such file or directory (os error 2); check the path",
        ),
    ] {
        let ran = desk.publish("w", "site", &more);
        refused(&desk, &ran, 2, &format!("index-gen: {message}\n"));
    }
}
