//! Nothing of ROCm is grafted: by name, by place, and by the budget.

use std::fs;
use std::os::unix::fs::symlink;

use crate::desk::Desk;
use crate::project::{ANSWER, WHEEL};

const OURS: &str = "out/demo-1.0-py3-none-linux_x86_64.whl";

/// A fake ROCm with the marker file, and a member that needs three libraries of it and libfoo.
fn rocm() -> Desk {
    let desk = Desk::new();
    fs::create_dir_all(desk.path("rocm/lib/rocm_sysdeps/lib")).unwrap();
    fs::create_dir_all(desk.path("rocm/.info")).unwrap();
    fs::write(desk.path("rocm/.info/version"), "10.1.0\n").unwrap();
    desk.foo(&[]);
    let libraries = [
        ("rocm/lib/libamdhip64.so.7", "hip"),
        ("rocm/lib/librocblas.so.5", "blas"),
        (
            "rocm/lib/rocm_sysdeps/lib/librocm_sysdeps_numa.so.1",
            "numa",
        ),
    ];
    for (path, function) in libraries {
        let soname = format!("-Wl,-soname,{}", path.rsplit('/').next().unwrap());
        desk.link(
            path,
            &format!("int {function}(void) {{ return 0; }}"),
            &[&soname],
        );
    }
    let needed: Vec<&str> = libraries.iter().map(|(path, _)| *path).collect();
    desk.answer(&[&["-Wl,--no-as-needed"], &needed[..]].concat());
    desk
}

const FOLDERS: [&str; 6] = [
    "--lib-dir",
    "lib",
    "--lib-dir",
    "rocm/lib",
    "--lib-dir",
    "rocm/lib/rocm_sysdeps/lib",
];

#[test]
fn of_what_a_rocm_wheel_needs_only_the_foreign_library_is_grafted() {
    let desk = rocm();
    desk.package(&[]);
    let set = desk
        .vendor(&[&["--out", "out"], &FOLDERS[..]].concat())
        .succeeded()
        .stdout;
    let grafted: Vec<String> = desk.grafted(OURS).into_iter().collect();
    assert_eq!(grafted.len(), 1, "{grafted:?}");
    assert!(grafted[0].starts_with("demo.libs/libfoo-"), "{grafted:?}");
    assert_eq!(desk.tags(&set)[WHEEL], "manylinux_2_5_x86_64");
}

#[test]
fn a_library_below_a_rocm_prefix_stays_out_whatever_its_name() {
    for (named, arguments) in [
        (false, &["--lib-dir", "lib", "--lib-dir", "prefix/lib"][..]),
        (
            true,
            &[
                "--lib-dir",
                "lib",
                "--lib-dir",
                "prefix/lib",
                "--rocm-prefix",
                "prefix",
            ],
        ),
    ] {
        let desk = Desk::new();
        fs::create_dir_all(desk.path("prefix/lib")).unwrap();
        if !named {
            fs::create_dir_all(desk.path("prefix/.info")).unwrap();
            fs::write(desk.path("prefix/.info/version"), "10.1.0\n").unwrap();
        }
        desk.foo(&[]);
        desk.link(
            "prefix/lib/libplain.so.2",
            "int plain(void) { return 0; }",
            &["-Wl,-soname,libplain.so.2"],
        );
        desk.answer(&["-Wl,--no-as-needed", "prefix/lib/libplain.so.2"]);
        desk.package(&[]);
        let all = [&["--out", "out"], arguments].concat();
        desk.vendor(&all).succeeded();
        let grafted: Vec<String> = desk.grafted(OURS).into_iter().collect();
        assert_eq!(grafted.len(), 1, "{grafted:?}");
        assert!(grafted[0].contains("libfoo"), "{grafted:?}");
    }
}

#[test]
fn a_link_that_leads_below_a_rocm_prefix_is_rocms_too() {
    let desk = Desk::new();
    fs::create_dir_all(desk.path("prefix/.info")).unwrap();
    fs::create_dir_all(desk.path("prefix/lib")).unwrap();
    fs::write(desk.path("prefix/.info/version"), "10.1.0\n").unwrap();
    desk.foo(&[]);
    fs::rename(
        desk.path("lib/libfoo.so.1.2"),
        desk.path("prefix/lib/libfoo.so.1.2"),
    )
    .unwrap();
    fs::remove_file(desk.path("lib/libfoo.so.1")).unwrap();
    symlink("../prefix/lib/libfoo.so.1.2", desk.path("lib/libfoo.so.1")).unwrap();
    desk.answer(&[]);
    desk.package(&[]);
    let before = fs::read(desk.path("in").join(WHEEL)).unwrap();
    desk.vendor(&["--out", "out", "--lib-dir", "lib"])
        .succeeded();
    assert_eq!(fs::read(desk.path(OURS)).unwrap(), before);
}

#[test]
fn what_an_excluded_library_needs_is_not_followed() {
    let desk = Desk::new();
    desk.link(
        "lib/libinner.so",
        "int inner(void) { return 42; }",
        &["-Wl,-soname,libinner.so"],
    );
    desk.foo(&["-Wl,--no-as-needed", "lib/libinner.so"]);
    desk.answer(&[]);
    desk.package(&[]);
    let tree = desk
        .vendor(&[
            "--out",
            "out",
            "--lib-dir",
            "lib",
            "--exclude",
            "libfoo.so*",
            "--dry-run",
        ])
        .succeeded()
        .stdout;
    assert_eq!(
        tree,
        "demo-1.0-py3-none-linux_x86_64.whl\n  for manylinux_2_5: nothing to graft, passed on as it is\n  demo/a.so\n    \
         libfoo.so.1: left out by --exclude `libfoo.so*`\n"
    );
}

#[test]
fn an_exclude_that_matches_nothing_is_told_with_the_nearest_miss() {
    let desk = Desk::new();
    desk.foo(&[]);
    desk.answer(&[]);
    desk.package(&[]);
    let ran = desk.vendor(&["--out", "out", "--lib-dir", "lib", "--exclude", "libfoo.so"]);
    assert_eq!(ran.code, 0);
    assert_eq!(
        ran.stderr,
        "wheel-vendor: --exclude `libfoo.so` matched no library; the nearest is `libfoo.so.1`, which `libfoo.so*` matches\n"
    );
}

#[test]
fn more_than_the_budget_is_refused_with_the_largest_named() {
    let desk = Desk::new();
    desk.link(
        "lib/libbig.so",
        "char big[100000] = {1}; int big_one(void) { return 0; }",
        &["-Wl,-soname,libbig.so"],
    );
    desk.foo(&["-Wl,--no-as-needed", "lib/libbig.so"]);
    desk.answer(&["-Wl,-rpath-link,lib"]);
    desk.package(&[]);
    let size = |name: &str| fs::metadata(desk.path("lib").join(name)).unwrap().len();
    let (big, foo) = (size("libbig.so"), size("libfoo.so.1"));
    let place = |name: &str| {
        desk.path("lib")
            .canonicalize()
            .unwrap()
            .join(name)
            .display()
            .to_string()
    };
    let refused = desk
        .vendor(&["--out", "out", "--lib-dir", "lib", "--max-graft", "100000"])
        .refused();
    assert_eq!(
        refused,
        (
            1,
            format!(
                "wheel-vendor: in/{WHEEL}: {} bytes would be grafted, more than --max-graft 100000; the largest: {} ({big} bytes), {} ({foo} bytes)\n",
                big + foo,
                place("libbig.so"),
                place("libfoo.so.1.2"),
            )
        )
    );
    assert!(!desk.path("out").exists());
}

#[test]
fn a_second_member_that_needs_only_rocm_is_copied_as_it_is() {
    let desk = rocm();
    desk.link(
        "build/b.so",
        "int hip(void); int b(void) { return hip(); }",
        &["rocm/lib/libamdhip64.so.7"],
    );
    desk.link("build/c.so", ANSWER, &["lib/libfoo.so.1"]);
    desk.package(&[("demo/b.so", "build/b.so"), ("demo/c.so", "build/c.so")]);
    desk.vendor(&[&["--out", "out"], &FOLDERS[..]].concat())
        .succeeded();
    let same =
        |member: &str| desk.member(OURS, member) == desk.member(&format!("in/{WHEEL}"), member);
    assert!(same("demo/b.so"));
    assert!(!same("demo/c.so"));
}

#[test]
fn a_library_with_a_name_of_rocm_that_the_wheel_brings_is_used() {
    let desk = Desk::new();
    desk.link(
        "build/libomp.so",
        "int omp(void) { return 42; }",
        &["-Wl,-soname,libomp.so"],
    );
    desk.link(
        "lib/libfoo.so.1",
        "int omp(void); int foo(void) { return omp(); }",
        &["-Wl,-soname,libfoo.so.1", "build/libomp.so"],
    );
    desk.answer(&["-Wl,-rpath-link,build"]);
    desk.package(&[("demo/lib/libomp.so", "build/libomp.so")]);
    desk.vendor(&["--out", "out", "--lib-dir", "lib"])
        .succeeded();
    assert_eq!(
        desk.python(OURS, "import demo; print(demo.answer())")
            .trim_end(),
        "42"
    );
}
