//! The mark: which wheels get one, and what it becomes.

use std::fs;

use serde_json::json;

use crate::desk::{Desk, Wheel};

/// The version that one wheel goes out with.
fn version(wheel: Wheel, config: &str, arguments: &[&str]) -> String {
    let desk = Desk::new();
    fs::write(desk.path("policy.toml"), config).unwrap();
    let set = desk.set(&[wheel]);
    let mut all = vec!["--config", "policy.toml"];
    all.extend_from_slice(arguments);
    let ran = desk.tag(&set, &all).succeeded();
    ran.document()["wheels"][0]["version"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn the_set_of_the_documentation_is_marked_as_it_says() {
    for (stem, expected) in [
        (
            "torch-2.15.0a0+git31a77fc-cp314-cp314-linux_x86_64",
            "2.15.0a0+git31a77fc.rocm10.1.0",
        ),
        (
            "triton-3.9.0+gitaad2a60d-cp314-cp314-linux_x86_64",
            "3.9.0+gitaad2a60d.rocm10.1.0",
        ),
        (
            "amd_aiter-0.1.29.dev0+g0f1e2d3.d20261109-cp314-cp314-linux_x86_64",
            "0.1.29.dev0+g0f1e2d3.d20261109.rocm10.1.0",
        ),
        (
            "cupy-14.2.0-cp314-cp314-manylinux_2_39_x86_64",
            "14.2.0+rocm10.1.0",
        ),
        ("nixl-1.5.2-py3-none-any", "1.5.2+rocm10.1.0"),
        (
            "vllm-0.33.0+rocm101-cp314-cp314-linux_x86_64",
            "0.33.0+rocm101",
        ),
        ("triton_kernels-1.0.0-py3-none-any", "1.0.0"),
    ] {
        let wheel = Wheel::new(stem).measured("linux_x86_64", "2.43");
        let wheel = if stem.ends_with("any") {
            Wheel::new(stem)
        } else {
            wheel
        };
        assert_eq!(version(wheel, "", &["--keep-platform"]), expected, "{stem}");
    }
}

#[test]
fn a_wheel_of_gpu_code_alone_is_marked_whatever_its_tag_says() {
    let mut aiter = Wheel::new("amd_aiter-0.1.7-py3-none-any");
    aiter.device =
        json!({"kind": "code", "targets": ["gfx950"], "common": ["gfx950"], "members": []});
    assert_eq!(version(aiter, "", &[]), "0.1.7+rocm10.1.0");
    for (kind, marked) in [
        ("runtime-compiled", true),
        ("caller", true),
        ("compiler", true),
        ("external", true),
        ("placeholder", false),
        ("none", false),
    ] {
        let mut wheel = Wheel::new("demo-1.0-py3-none-any");
        wheel.device = json!({"kind": kind, "targets": [], "common": [], "members": []});
        assert_eq!(version(wheel, "", &[]).contains("rocm"), marked, "{kind}");
    }
}

#[test]
fn the_policy_file_decides_about_pure_wheels() {
    let pure = || Wheel::new("Demo_Pure-1.0-py3-none-any");
    let compiled = || Wheel::new("demo-1.0-cp314-cp314-linux_x86_64");
    assert_eq!(version(pure(), "", &[]), "1.0");
    assert_eq!(
        version(pure(), "[mark]\npure = [\"demo.pure\"]\n", &[]),
        "1.0+rocm10.1.0"
    );
    assert_eq!(
        version(pure(), "[mark]\neverything = true\n", &[]),
        "1.0+rocm10.1.0"
    );
    assert_eq!(
        version(compiled(), "[mark]\nleave = [\"demo\"]\n", &[]),
        "1.0"
    );
    assert_eq!(
        version(
            compiled(),
            "[mark]\neverything = true\nleave = [\"demo\"]\n",
            &[]
        ),
        "1.0+rocm10.1.0"
    );
}

#[test]
fn a_mark_of_another_release_is_kept_and_under_strict_a_no() {
    let desk = Desk::new();
    let set = desk.set(&[Wheel::new("demo-1.0+rocm10.0.0-cp314-cp314-linux_x86_64")]);
    let expected = "wheel-tagger: demo-1.0+rocm10.0.0-cp314-cp314-linux_x86_64.whl: mark.other: `1.0+rocm10.0.0` carries \
                    `rocm10.0.0`, another ROCm release than the one given; it is kept\n";
    assert_eq!(
        desk.tag(&set, &["--strict"]).refused(),
        (1, expected.to_owned())
    );
    assert!(desk.names("out").is_empty());
    let ran = desk.tag(&set, &[]).succeeded();
    assert_eq!(ran.stderr, expected);
    assert_eq!(
        desk.names("out"),
        ["demo-1.0+rocm10.0.0-cp314-cp314-linux_x86_64.whl"]
    );
    for same in [
        "1.0+rocm10.1.0",
        "1.0+rocm10.1",
        "1.0+rocm101",
        "1.0+rocm10.1.0.gf46a9dfe2",
    ] {
        let desk = Desk::new();
        let set = desk.set(&[Wheel::new(&format!("demo-{same}-cp314-cp314-linux_x86_64"))]);
        desk.tag(&set, &["--strict"]).succeeded();
    }
}

#[test]
fn a_release_that_would_not_print_as_it_is_written_is_refused() {
    let desk = Desk::new();
    for (given, cause) in [
        (
            "10.1.0-full",
            "`10.1.0-full` carries the image variant `-full`; strip it and pass `10.1.0`",
        ),
        ("10.01.0", "`10.01.0` is not a ROCm release like `10.1.0`"),
        (
            "rocm10.1.0",
            "`rocm10.1.0` is not a ROCm release like `10.1.0`",
        ),
        ("", "`` is not a ROCm release like `10.1.0`"),
    ] {
        let (code, stderr) = desk.run(&["--rocm", given, "--out", "out"], "").refused();
        assert_eq!(code, 2, "{given}");
        assert!(stderr.contains(cause), "{given}: {stderr}");
    }
}

#[test]
fn two_rocm_lines_of_one_version_are_told() {
    let desk = Desk::new();
    let set = desk.set(&[
        Wheel::new("demo-1.0+rocm9.4.0-cp314-cp314-linux_x86_64"),
        Wheel::new("demo-1.0-cp314-cp314-linux_x86_64"),
    ]);
    let ran = desk.tag(&set, &[]).succeeded();
    let last = ran.stderr.lines().last().unwrap();
    assert_eq!(
        last,
        "wheel-tagger: demo-1.0+rocm9.4.0-cp314-cp314-linux_x86_64.whl: order.backwards: `demo` 1.0+rocm9.4.0 sorts above \
         1.0+rocm10.1.0, though ROCm is older: marks are compared as text; publish one ROCm line per index"
    );
}

#[test]
fn two_wheels_that_become_one_file_are_a_no() {
    let desk = Desk::new();
    let set = desk.set(&[
        Wheel::new("demo-1.0+rocm10.1.0-cp314-cp314-linux_x86_64"),
        Wheel::new("demo-1.0-cp314-cp314-linux_x86_64"),
    ]);
    assert_eq!(
        desk.tag(&set, &[]).refused(),
        (
            1,
            "wheel-tagger: in/demo-1.0+rocm10.1.0-cp314-cp314-linux_x86_64.whl and \
             in/demo-1.0-cp314-cp314-linux_x86_64.whl: both become `demo-1.0+rocm10.1.0-cp314-cp314-linux_x86_64.whl`; \
             keep one of them\n"
                .to_owned()
        )
    );
    assert!(desk.names("out").is_empty());
}

#[test]
fn a_policy_that_names_no_project_is_refused() {
    let desk = Desk::new();
    fs::write(desk.path("policy.toml"), "[mark]\nleave = [\"-x\"]\n").unwrap();
    let set = desk.set(&[Wheel::new("demo-1.0-cp314-cp314-linux_x86_64")]);
    let (code, stderr) = desk.tag(&set, &["--config", "policy.toml"]).refused();
    assert_eq!(
        (code, stderr.as_str()),
        (
            2,
            "wheel-tagger: [mark] leave: `-x` is not a project name: letters, digits, `.`, `_` and `-`, with a letter or \
             digit at both ends\n"
        )
    );
}
