//! What a person is told.

use std::fs;

use crate::desk::Desk;
use crate::project::{FOO, WHEEL};

/// A member with every fate that a need can have.
fn every_fate() -> Desk {
    let desk = Desk::new();
    fs::create_dir_all(desk.path("prefix/lib")).unwrap();
    let libraries = [
        ("build/libamdhip64.so.7", "hip"),
        ("prefix/lib/libplain.so.2", "plain"),
        ("build/libpython3.12.so.1.0", "python"),
        ("lib/libexpat.so.1", "expat"),
        ("build/libown.so", "own"),
        ("lib/libinner.so.4", "inner"),
    ];
    for (path, function) in libraries {
        let soname = format!("-Wl,-soname,{}", path.rsplit('/').next().unwrap());
        desk.link(
            path,
            &format!("int {function}(void) {{ return 0; }}"),
            &[&soname],
        );
    }
    desk.link(
        "lib/libfoo.so.1",
        FOO,
        &[
            "-Wl,-soname,libfoo.so.1",
            "-Wl,--no-as-needed",
            "lib/libinner.so.4",
            "build/libown.so",
        ],
    );
    let needed: Vec<&str> = libraries[..4].iter().map(|(path, _)| *path).collect();
    let flags = [
        "-Wl,-rpath-link,lib:build",
        "-Wl,-rpath,/opt/here",
        "-Wl,--no-as-needed",
    ];
    desk.answer(&[&flags[..], &needed].concat());
    desk.package(&[("demo/libown.so", "build/libown.so")]);
    desk
}

/// The text without what depends on the linker: hashes, sizes, and the folder of the test.
fn plain(desk: &Desk, text: &str) -> String {
    let folder = desk.path("").canonicalize().unwrap().display().to_string();
    let text = text.replace(&folder, "HERE");
    let mut plain = String::new();
    for word in text.split_inclusive([' ', '\n']) {
        let (stem, rest) = word.split_once('-').unwrap_or((word, ""));
        let hashed = rest.len() > 8 && rest[..8].chars().all(|c| c.is_ascii_hexdigit());
        if hashed && stem.starts_with("lib") {
            plain.extend([stem, "-HASH", &rest[8..]]);
        } else if word.trim_end().len() > 3
            && word.trim_end().bytes().all(|byte| byte.is_ascii_digit())
        {
            plain.push_str("SIZE ");
        } else {
            plain.push_str(word);
        }
    }
    plain
}

const TREE: &str = "\
demo-1.0-py3-none-linux_x86_64.whl
  for manylinux_2_5: 3 libraries to graft, SIZE bytes
  libamdhip64.so.7: left out by `libamdhip64.so*` (rocm: ships with ROCm)
  demo/a.so
    libfoo.so.1: grafted from HERE/lib/libfoo.so.1 as libfoo-HASH.so.1
      libinner.so.4: grafted from HERE/lib/libinner.so.4 as libinner-HASH.so.4
      libown.so: the wheel brings it: demo/libown.so
    libplain.so.2: left out: prefix/lib/libplain.so.2 lies below the ROCm prefix prefix
    libpython3.12.so.1.0: the interpreter brings it; the need is removed
    libexpat.so.1: grafted from HERE/lib/libexpat.so.1 as libexpat-HASH.so.1
    search path `/opt/here` is dropped: it leads out of site-packages
";

const ARGUMENTS: [&str; 8] = [
    "--out",
    "out",
    "--lib-dir",
    "lib",
    "--lib-dir",
    "prefix/lib",
    "--rocm-prefix",
    "prefix",
];

#[test]
fn a_dry_run_tells_every_need_and_writes_nothing() {
    let desk = every_fate();
    for more in [&["--dry-run"][..], &["--dry-run", "--explain"]] {
        let all = [&ARGUMENTS[..], more].concat();
        let ran = desk.vendor(&all).succeeded();
        assert_eq!(plain(&desk, &ran.stdout), TREE);
    }
    assert!(!desk.path("out").exists());
}

#[test]
fn explain_tells_the_same_and_writes() {
    let desk = every_fate();
    let all = [&ARGUMENTS[..], &["--explain"]].concat();
    let ran = desk.vendor(&all).succeeded();
    assert_eq!(plain(&desk, &ran.stdout), TREE);
    assert_eq!(desk.names("out"), [WHEEL]);
}

#[test]
fn a_dry_run_shows_the_tree_also_when_the_answer_is_no() {
    let desk = Desk::new();
    desk.foo(&[]);
    desk.answer(&[]);
    desk.package(&[]);
    let ran = desk.vendor(&["--out", "out", "--dry-run"]);
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.stdout,
        "demo-1.0-py3-none-linux_x86_64.whl\n  for manylinux_2_5: nothing that is needed was found\n  demo/a.so\n    \
         libfoo.so.1: not found\n"
    );
}

#[test]
fn an_older_policy_that_is_asked_for_grants_less() {
    let desk = Desk::new();
    desk.link(
        "lib/libexpat.so.1",
        "int expat(void) { return 42; }",
        &["-Wl,-soname,libexpat.so.1"],
    );
    desk.link("build/a.so", "int expat(void); int answer(void) { return expat(); }\n#include <unistd.h>\nint z(void) { return pipe2(0, 0); }\n int pipe2(int *, int);", &["lib/libexpat.so.1"]);
    desk.package(&[]);
    let tree = |plat: &str| {
        let ran = desk.vendor(&[
            "--out",
            "out",
            "--lib-dir",
            "lib",
            "--plat",
            plat,
            "--dry-run",
        ]);
        ran.succeeded().stdout
    };
    assert!(!tree("manylinux_2_28_x86_64").contains("libexpat.so.1: grafted"));
    let older = desk.vendor(&[
        "--out",
        "out",
        "--lib-dir",
        "lib",
        "--plat",
        "manylinux_2_5_x86_64",
    ]);
    assert_eq!(
        older.refused(),
        (
            1,
            format!(
                "wheel-vendor: in/{WHEEL}: --plat `manylinux_2_5_x86_64` does not grant GLIBC_2.9, which the code needs; the best is manylinux_2_12_x86_64\n"
            )
        )
    );
}

#[test]
fn a_wheel_without_host_code_is_passed_on() {
    let desk = Desk::new();
    desk.wheel("demo-1.0-py3-none-any.whl", &[]);
    let ran = desk.vendor(&["--out", "out", "--dry-run"]).succeeded();
    assert_eq!(
        ran.stdout,
        "demo-1.0-py3-none-any.whl\n  no compiled host code, passed on as it is\n"
    );
}

#[test]
fn what_the_system_that_a_graft_needs_anyway_grants_is_not_grafted() {
    let desk = Desk::new();
    desk.link(
        "build/libmvec.so.1",
        "int vector(void) { return 0; }",
        &["-Wl,-soname,libmvec.so.1"],
    );
    desk.link(
        "lib/libfoo.so.1",
        "int close_range(unsigned, unsigned, int); int foo(void) { return close_range(1000, 1001, 0); }",
        &[
            "-Wl,-soname,libfoo.so.1",
            "-Wl,--no-as-needed",
            "build/libmvec.so.1",
        ],
    );
    desk.answer(&["-Wl,-rpath-link,build"]);
    desk.package(&[]);
    let ran = desk.vendor(&["--out", "out", "--lib-dir", "lib", "--dry-run"]);
    let tree = plain(&desk, &ran.succeeded().stdout);
    assert_eq!(
        tree,
        "demo-1.0-py3-none-linux_x86_64.whl\n  for manylinux_2_34: 1 library to graft, SIZE bytes\n  demo/a.so\n    \
         libfoo.so.1: grafted from HERE/lib/libfoo.so.1 as libfoo-HASH.so.1\n"
    );
}
