//! `--check`: a lint for wheels.

use crate::elf::Elf;
use crate::support::{MODULE, Run, extension, measure};
use crate::wheel::Wheel;

fn check(wheel: &Wheel) -> Run {
    measure(wheel, &["--check"])
}

fn needing(version: &str, platform: &str) -> Wheel {
    Wheel::new(platform).with(MODULE, extension(version).bytes())
}

#[test]
fn a_kept_claim_passes_in_silence() {
    for platform in [
        "manylinux_2_28_x86_64",
        "manylinux2014_x86_64.manylinux_2_17_x86_64",
        "linux_x86_64",
    ] {
        let version = if platform.contains("28") {
            "GLIBC_2.28"
        } else {
            "GLIBC_2.17"
        };
        let run = check(&needing(version, platform));
        assert_eq!(run.code, 0, "{run:?}");
        if platform != "linux_x86_64" {
            assert_eq!(run.stderr, "");
        }
    }
}

#[test]
fn a_claim_between_two_policies_is_kept() {
    let run = check(&needing("GLIBC_2.32", "manylinux_2_32_x86_64"));
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(run.tags().0, "manylinux_2_34_x86_64");
}

#[test]
fn a_broken_promise_is_a_no_that_prints_the_document_all_the_same() {
    let run = check(&needing("GLIBC_2.38", "manylinux_2_32_x86_64"));
    assert_eq!(run.code, 1);
    assert_eq!(run.tags().0, "manylinux_2_38_x86_64");
    assert_eq!(
        run.stderr,
        format!(
            "glibc-probe: demo-1.0-cp314-cp314-manylinux_2_32_x86_64.whl: the tag manylinux_2_32_x86_64 promises more than the code keeps: it needs GLIBC_2.38 of libc.so.6 in {MODULE}; measured manylinux_2_38_x86_64\n"
        )
    );
}

#[test]
fn every_kind_of_broken_promise_says_why() {
    let hip = Elf {
        needed: vec!["libcuda.so.1".to_owned(), "libc.so.6".to_owned()],
        ..extension("GLIBC_2.17")
    };
    let v3 = Elf {
        isa: Some(7),
        ..extension("GLIBC_2.17")
    };
    for (platform, elf, because) in [
        ("any", extension("GLIBC_2.17"), "it holds code for x86_64"),
        (
            "win_amd64",
            extension("GLIBC_2.17"),
            "it holds Linux code for x86_64",
        ),
        (
            "linux_aarch64",
            extension("GLIBC_2.17"),
            "it holds code for x86_64 and none for aarch64",
        ),
        (
            "musllinux_1_2_x86_64",
            extension("GLIBC_2.17"),
            "it is x86_64 code linked against glibc",
        ),
        (
            "manylinux_2_17_x86_64",
            hip,
            "it needs libcuda.so.1 in p/t.cpython-314-x86_64-linux-gnu.so",
        ),
        (
            "manylinux_2_17_x86_64",
            v3,
            "it needs x86-64-v3 in p/t.cpython-314-x86_64-linux-gnu.so",
        ),
    ] {
        let run = check(&Wheel::new(platform).with(MODULE, elf.bytes()));
        assert_eq!(run.code, 1, "{platform}");
        let line =
            format!("the tag {platform} promises more than the code keeps: {because}; measured ");
        assert!(run.stderr.contains(&line), "{}", run.stderr);
    }
}

#[test]
fn a_manylinux_claim_of_a_wheel_without_host_code_is_a_no() {
    let run = check(&Wheel::new("manylinux_2_17_x86_64").with("p/__init__.py", ""));
    assert_eq!(run.code, 1);
    assert!(
        run.stderr.contains("it holds no code for a host processor that the tag could be about; measured linux_x86_64"),
        "{}",
        run.stderr
    );
}

#[test]
fn file_name_and_wheel_file_must_agree() {
    let wheel = Wheel {
        written_platform: Some("linux_x86_64".to_owned()),
        ..needing("GLIBC_2.28", "manylinux_2_28_x86_64")
    };
    let run = check(&wheel);
    assert_eq!(run.code, 1);
    assert!(
        run.stderr.contains("wheel.tags-mismatch: "),
        "{}",
        run.stderr
    );
}

#[test]
fn a_wrong_record_is_a_no() {
    let run = check(&needing("GLIBC_2.28", "manylinux_2_28_x86_64").without_record());
    assert_eq!(run.code, 1);
    assert_eq!(
        run.stderr,
        "glibc-probe: demo-1.0-cp314-cp314-manylinux_2_28_x86_64.whl: record.missing: there is no RECORD in it\n"
    );
}

#[test]
fn a_modest_wheel_gets_a_note() {
    for platform in ["manylinux_2_39_x86_64", "linux_x86_64"] {
        let run = check(&needing("GLIBC_2.17", platform));
        assert_eq!(run.code, 0);
        assert_eq!(
            run.stderr,
            format!(
                "glibc-probe: demo-1.0-cp314-cp314-{platform}.whl: note: its code keeps manylinux_2_17_x86_64 too\n"
            )
        );
        let quiet = measure(&needing("GLIBC_2.17", platform), &["--check", "--quiet"]);
        assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""));
    }
}
