//! The set together: who pins whom, before and after.

use crate::desk::{Desk, Wheel};

const TORCH: &str = "torch-2.15.0a0+git31a77fc-cp314-cp314-linux_x86_64";
const TRITON: &str = "triton-3.9.0+gitaad2a60d-cp314-cp314-linux_x86_64";

/// The `Requires-Dist` lines of torch after a run with triton beside it, and what was said.
fn followed(requirements: &[&str]) -> (Vec<String>, Vec<String>) {
    let desk = Desk::new();
    let torch = requirements
        .iter()
        .fold(Wheel::new(TORCH), |wheel, requirement| {
            wheel.requires(requirement)
        });
    let set = desk.set(&[torch, Wheel::new(TRITON)]);
    let ran = desk.tag(&set, &[]).succeeded();
    let metadata = desk.member(
        "torch-2.15.0a0+git31a77fc.rocm10.1.0-cp314-cp314-linux_x86_64.whl",
        "torch-2.15.0a0+git31a77fc.rocm10.1.0.dist-info/METADATA",
    );
    let lines = metadata
        .lines()
        .filter_map(|line| line.strip_prefix("Requires-Dist: "))
        .map(str::to_owned)
        .collect();
    let said = ran
        .stderr
        .lines()
        .map(|line| line.split_once(".whl: ").unwrap().1.to_owned())
        .collect();
    (lines, said)
}

#[test]
fn a_pin_on_the_old_version_follows_the_mark_and_nothing_else_of_its_line_changes() {
    for (before, after) in [
        (
            "triton==3.9.0+gitaad2a60d",
            "triton==3.9.0+gitaad2a60d.rocm10.1.0",
        ),
        (
            "Triton == 3.9.0+gitaad2a60d ",
            "Triton == 3.9.0+gitaad2a60d.rocm10.1.0 ",
        ),
        (
            "triton (==3.9.0+gitaad2a60d)",
            "triton (==3.9.0+gitaad2a60d.rocm10.1.0)",
        ),
        (
            "triton===3.9.0+gitaad2a60d",
            "triton===3.9.0+gitaad2a60d.rocm10.1.0",
        ),
        (
            "triton[all,x]==3.9.0+GITAAD2A60D; extra == 'opt'",
            "triton[all,x]==3.9.0+gitaad2a60d.rocm10.1.0; extra == 'opt'",
        ),
        (
            "triton!=3.8, ==3.9.0+gitaad2a60d ; sys_platform == 'win32'",
            "triton!=3.8, ==3.9.0+gitaad2a60d.rocm10.1.0 ; sys_platform == 'win32'",
        ),
        (
            "torch[opt]==2.15.0a0+git31a77fc; extra == 'all'",
            "torch[opt]==2.15.0a0+git31a77fc.rocm10.1.0; extra == 'all'",
        ),
    ] {
        let (lines, said) = followed(&[before]);
        assert_eq!(lines, [after]);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].starts_with("pin.rewritten: "), "{said:?}");
    }
    let (_, said) = followed(&["triton==3.9.0+gitaad2a60d"]);
    assert_eq!(
        said,
        [
            "pin.rewritten: `triton` is asked for as `3.9.0+gitaad2a60d.rocm10.1.0` instead of `3.9.0+gitaad2a60d`"
        ]
    );
}

#[test]
fn what_is_met_by_a_marked_version_is_left_alone() {
    for requirement in [
        "triton==3.9.0",
        "triton~=3.9.0",
        "triton==3.9.*",
        "triton<=3.9.0",
        "triton>=3.8",
        "triton",
        "numpy==2.0",
    ] {
        let (lines, said) = followed(&[requirement]);
        assert_eq!(lines, [requirement]);
        assert!(said.is_empty(), "{said:?}");
    }
}

#[test]
fn a_pin_that_nobody_meets_is_told_and_never_rewritten() {
    for (requirement, told) in [
        (
            "triton==3.9.0+git0000000",
            "pin.unmet: `triton==3.9.0+git0000000` is not met: the set has `triton` 3.9.0+gitaad2a60d.rocm10.1.0",
        ),
        (
            "flash-attn==2.8.0+git1",
            "pin.unmet: `flash-attn==2.8.0+git1` is not met: `flash-attn` is not in the set",
        ),
        (
            "triton>=3.9.0+gitaad2a60d",
            "pin.invalid: `>=3.9.0+gitaad2a60d` in `triton>=3.9.0+gitaad2a60d`: a local version can only be compared with \
             `==`, `!=` or `===`",
        ),
        (
            "triton!=3.9.0+gitaad2a60d",
            "pin.exclusion: `triton!=3.9.0+gitaad2a60d` no longer excludes anything: that build is renamed",
        ),
        (
            "nonsense here",
            "requirement.invalid: `here` in `nonsense here` is not a comparison with a version",
        ),
    ] {
        let (lines, said) = followed(&[requirement]);
        assert_eq!(lines, [requirement]);
        assert_eq!(said, [told]);
    }
    let (_, said) = followed(&["triton-windows==3.9.0+git1; sys_platform == 'win32'"]);
    assert!(said.is_empty(), "{said:?}");
}

#[test]
fn an_exact_text_without_a_local_version_follows_too() {
    let desk = Desk::new();
    let set = desk.set(&[
        Wheel::new("cupy-14.2.0-cp314-cp314-linux_x86_64"),
        Wheel::new("demo-1.0-py3-none-any").requires("cupy===14.2.0"),
    ]);
    desk.tag(&set, &[]).succeeded();
    let metadata = desk.member("demo-1.0-py3-none-any.whl", "demo-1.0.dist-info/METADATA");
    assert!(
        metadata.contains("Requires-Dist: cupy===14.2.0+rocm10.1.0\n"),
        "{metadata}"
    );
    // A wheel that keeps its name and changes all the same is told by its origin.
    let set = desk.tag(&set, &[]).succeeded().document();
    let demo = &set["wheels"][1];
    assert_eq!(demo["origin"]["filename"], demo["filename"]);
    assert_ne!(demo["origin"]["sha256"], demo["sha256"]);
}

#[test]
fn under_strict_an_unmet_pin_writes_nothing() {
    for (requirement, code) in [
        ("triton==3.9.0+git0000000", 1),
        ("triton>=3.9.0+gitaad2a60d", 1),
        ("triton==3.9.0+gitaad2a60d", 0),
        ("triton!=3.9.0+gitaad2a60d", 0),
    ] {
        let desk = Desk::new();
        let set = desk.set(&[Wheel::new(TORCH).requires(requirement), Wheel::new(TRITON)]);
        let ran = desk.tag(&set, &["--strict"]);
        assert_eq!(ran.code, code, "{requirement}: {}", ran.stderr);
        assert_eq!(desk.names("out").is_empty(), code == 1, "{requirement}");
    }
}
