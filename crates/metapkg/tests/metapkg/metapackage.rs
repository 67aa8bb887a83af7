//! What is written for a set that holds together.

use crate::stub::{Desk, Stub, metadata, metapackage};
use serde_json::json;

/// The set of the project's own installation page, in small.
fn sound() -> Vec<Stub> {
    let cp314 = "cp314-cp314-linux_x86_64";
    vec![
        Stub::new("torch", "2.15.0a0+git31a77fc.rocm10.1.0")
            .tag(cp314)
            .python(">=3.10")
            .requires("triton==3.9.0+gitaad2a60d.rocm10.1.0; platform_system == \"Linux\"")
            .requires("numpy")
            .needs("libamdhip64.so.7"),
        Stub::new("triton", "3.9.0+gitaad2a60d.rocm10.1.0")
            .tag(cp314)
            .needs("libamdhip64.so.7"),
        Stub::new("nixl_rocm", "1.5.2+rocm10.1.0").tag(cp314),
        Stub::new("nixl", "1.5.2+rocm10.1.0").requires("nixl_rocm==1.5.2"),
        Stub::new("vllm", "0.33.0+rocm101")
            .tag(cp314)
            .requires("torch (>=2.14)"),
    ]
}

#[test]
fn every_wheel_is_pinned_at_its_full_version_under_the_extra() {
    let desk = Desk::with(&sound());
    let ran = desk.run(&[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    // printf 'nixl==…\nnixl-rocm==…\ntorch==…\ntriton==…\nvllm==0.33.0+rocm101\n' | sha256sum
    let head = "Metadata-Version: 2.4\n\
        Name: rocm-torch\n\
        Version: 10.1.0+gfx950.a93b653d\n\
        Summary: The wheels built together for ROCm 10.1.0 on gfx950, pinned; ask for rocm-torch[device-gfx950]\n\
        License-Expression: MIT OR Apache-2.0\n\
        Classifier: Environment :: GPU\n\
        Classifier: Operating System :: POSIX :: Linux\n\
        Classifier: Programming Language :: Python :: 3\n\
        Requires-Python: >=3.14\n\
        Provides-Extra: device-gfx950\n\
        Requires-Dist: nixl==1.5.2+rocm10.1.0; extra == \"device-gfx950\"\n\
        Requires-Dist: nixl-rocm==1.5.2+rocm10.1.0; extra == \"device-gfx950\"\n\
        Requires-Dist: torch==2.15.0a0+git31a77fc.rocm10.1.0; extra == \"device-gfx950\"\n\
        Requires-Dist: triton==3.9.0+gitaad2a60d.rocm10.1.0; extra == \"device-gfx950\"\n\
        Requires-Dist: vllm==0.33.0+rocm101; extra == \"device-gfx950\"\n\
        Description-Content-Type: text/markdown\n\n";
    let metadata = metadata(&desk);
    assert!(metadata.starts_with(head), "{metadata}");
    for command in [
        "$ pip install --extra-index-url INDEX \"rocm-torch[device-gfx950]\"",
        "$ uv pip install --index INDEX \"rocm-torch[device-gfx950]\"",
    ] {
        assert!(metadata.contains(command), "{metadata}");
    }
}

#[test]
fn the_set_comes_out_with_the_metapackage_added() {
    let desk = Desk::with(&sound());
    let document = desk.run(&[]).document();
    let wheels = document["wheels"].as_array().unwrap();
    assert_eq!(wheels.len(), 6);
    let file = metapackage(&desk);
    let bytes = std::fs::read(&file).unwrap();
    let entry = wheels
        .iter()
        .find(|wheel| wheel["name"] == "rocm-torch")
        .unwrap();
    let expected = json!({
        "path": file.to_str().unwrap(),
        "filename": "rocm_torch-10.1.0+gfx950.a93b653d-py3-none-any.whl",
        "name": "rocm-torch",
        "version": "10.1.0+gfx950.a93b653d",
        "tags": ["py3-none-any"],
        "size": bytes.len(),
        "sha256": wheel::sha256_hex(&bytes),
        "requires_python": ">=3.14",
        "record": "verified",
        "platform": {"tag": "any", "symbols_tag": "any", "machine": null, "libc": null,
            "required": {}, "external": [], "excluded": [], "findings": []},
        "device": {"kind": "none", "targets": [], "common": [], "members": []},
    });
    assert_eq!(*entry, expected);
    let others: Vec<_> = wheels
        .iter()
        .filter(|wheel| wheel["name"] != "rocm-torch")
        .collect();
    for wheel in &desk.entries {
        assert!(others.contains(&wheel), "{wheel}");
    }
}

#[test]
fn the_same_pins_are_the_same_bytes_whatever_their_order() {
    let one = Desk::with(&sound());
    let mut stubs = sound();
    stubs.reverse();
    let other = Desk::with(&stubs);
    one.run(&[]).document();
    other.run(&[]).document();
    assert_eq!(
        std::fs::read(metapackage(&one)).unwrap(),
        std::fs::read(metapackage(&other)).unwrap()
    );
}

#[test]
fn a_second_run_replaces_the_metapackage_of_the_first() {
    let desk = Desk::with(&sound());
    let first = desk.run(&[]);
    let again = desk.run_on(&first.stdout, &[]);
    assert_eq!(again.stdout, first.stdout);
    let file = metapackage(&desk);
    assert_eq!(
        again.stderr,
        format!(
            "metapkg: {}: left out, a new rocm-torch takes its place\n",
            file.display()
        )
    );
}

#[test]
fn rebuilt_wheels_make_a_new_metapackage_only_with_digest_files() {
    let version = |requires: &str, more: &[&str]| {
        let desk = Desk::with(&[Stub::new("atom", "0.1.9+rocm10.1.0").requires(requires)]);
        let document = desk.run(more).document();
        let wheels = document["wheels"].as_array().unwrap().clone();
        let entry = wheels
            .iter()
            .find(|wheel| wheel["name"] == "rocm-torch")
            .unwrap();
        entry["version"].as_str().unwrap().to_owned()
    };
    assert_eq!(version("numpy", &[]), version("scipy", &[]));
    assert_ne!(
        version("numpy", &["--digest-files"]),
        version("scipy", &["--digest-files"])
    );
}

#[test]
fn the_name_can_be_another() {
    let desk = Desk::with(&sound());
    desk.run(&["--name", "Our.Torch"]).document();
    let name = metapackage(&desk)
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    assert_eq!(name, "our_torch-10.1.0+gfx950.a93b653d-py3-none-any.whl");
    assert!(metadata(&desk).contains("\nName: our-torch\n"));
}

#[test]
fn the_pins_are_shown_to_a_person() {
    let desk = Desk::with(&[
        Stub::new("nixl", "1.5.2+rocm10.1.0"),
        Stub::new("triton_kernels", "1.0.0").python(">=3.10"),
    ]);
    let ran = desk.run(&["--explain", "--quiet"]);
    let name = metapackage(&desk)
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    let version = name.split('-').nth(1).unwrap();
    assert_eq!(
        ran.stdout,
        format!(
            "distribution    version           satisfied by             python\n\
             nixl            1.5.2+rocm10.1.0  only here                py3-none\n\
             triton-kernels  1.0.0             anyone who publishes it  py3-none, Requires-Python >=3.10\n\
             \n\
             rocm-torch {version}, Requires-Python >=3.10\n\
             pip install --extra-index-url INDEX \"rocm-torch[device-gfx950]\"\n\
             uv pip install --index INDEX \"rocm-torch[device-gfx950]\"\n"
        )
    );
}
