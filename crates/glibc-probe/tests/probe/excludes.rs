//! Libraries that are left out on purpose.

use crate::elf::Elf;
use crate::support::{MODULE, extension, measure};
use crate::wheel::Wheel;

fn needing(libraries: &[&str]) -> Wheel {
    let mut needed: Vec<String> = libraries.iter().map(|&name| name.to_owned()).collect();
    needed.push("libc.so.6".to_owned());
    let module = Elf {
        needed,
        ..extension("GLIBC_2.28")
    };
    Wheel::new("linux_x86_64").with(MODULE, module.bytes())
}

#[test]
fn what_rocm_and_torch_bring_does_not_hold_a_wheel_back() {
    let wheel = needing(&[
        "libamdhip64.so.7",
        "libomp.so",
        "libtorch_hip.so",
        "libc10.so",
    ]);
    let run = measure(&wheel, &[]);
    assert_eq!(run.tags().0, "manylinux_2_28_x86_64");
    let wheel_document = run.wheel();
    let excluded = wheel_document["platform"]["excluded"].as_array().unwrap();
    assert_eq!(excluded.len(), 4);
    assert_eq!(excluded[0]["library"], "libamdhip64.so.7");
    assert_eq!(excluded[0]["pattern"], "libamdhip64.so*");
    assert_eq!(excluded[0]["reason"], "rocm: ships with ROCm");
    assert_eq!(excluded[0]["needed_by"][0], MODULE);
    assert_eq!(run.stderr, "");
}

#[test]
fn names_that_begin_like_rocms_are_somebody_elses() {
    for library in ["librocksdb.so.8", "libhippo.so", "libMIOpenish.so"] {
        let run = measure(&needing(&[library]), &[]);
        assert_eq!(run.tags().0, "linux_x86_64", "{library}");
        assert_eq!(run.wheel()["platform"]["external"][0]["library"], library);
    }
}

#[test]
fn the_built_in_lists_can_be_turned_off() {
    let run = measure(&needing(&["libamdhip64.so.7"]), &["--no-default-excludes"]);
    assert_eq!(
        run.tags(),
        (
            "linux_x86_64".to_owned(),
            "manylinux_2_28_x86_64".to_owned()
        )
    );
}

#[test]
fn a_glob_adds_to_them_and_says_when_it_matched_nothing() {
    let wheel = needing(&["libdrm.so.2", "librocblas.so.5"]);
    let run = measure(&wheel, &["--exclude", "libdrm.so*"]);
    assert_eq!(run.tags().0, "manylinux_2_28_x86_64");
    assert_eq!(run.stderr, "");
    let run = measure(&wheel, &["--exclude", "libdrm.so", "--exclude", "libq*"]);
    assert_eq!(run.tags().0, "linux_x86_64");
    assert_eq!(
        run.stderr,
        "glibc-probe: --exclude `libdrm.so` matched no library; the nearest is `libdrm.so.2`, which `libdrm.so*` matches\n\
         glibc-probe: --exclude `libq*` matched no library\n"
    );
}

#[test]
fn the_configuration_adds_globs_too() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("policy.toml");
    std::fs::write(&config, "[exclude]\nlibraries = [\"libdrm.so*\"]\n").unwrap();
    let run = measure(
        &needing(&["libdrm.so.2"]),
        &["--config", config.to_str().unwrap()],
    );
    assert_eq!(run.tags().0, "manylinux_2_28_x86_64");
}

#[test]
fn a_broken_glob_is_an_error() {
    let run = measure(&needing(&[]), &["--exclude", "lib[.so"]);
    assert_eq!(run.code, 2);
    assert_eq!(
        run.stderr,
        "glibc-probe: --exclude `lib[.so` is not a pattern: unclosed character class; missing ']'\n"
    );
}

#[test]
fn a_library_that_the_wheel_brings_is_not_left_out() {
    let module = Elf {
        needed: vec!["librccl.so.1".to_owned(), "libc.so.6".to_owned()],
        runpath: Some("$ORIGIN".to_owned()),
        ..extension("GLIBC_2.28")
    };
    let own = Elf {
        needed: vec!["libstrange.so".to_owned(), "libc.so.6".to_owned()],
        ..crate::support::library("GLIBC_2.17")
    };
    let wheel = Wheel::new("linux_x86_64")
        .with(MODULE, module.bytes())
        .with("p/librccl.so.1", own.bytes());
    let run = measure(&wheel, &[]);
    assert_eq!(run.tags().0, "linux_x86_64");
    assert_eq!(
        run.wheel()["platform"]["excluded"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
    assert_eq!(
        run.wheel()["platform"]["external"][0]["library"],
        "libstrange.so"
    );
}
