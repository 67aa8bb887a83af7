//! Projects of every shape that linkers make, against auditwheel and the loader.

use std::fs;

use crate::desk::Desk;
use crate::judges::{dynamic_of, patchelf};
use crate::project::{ANSWER, FOO, WHEEL};

const CALLS: (&str, &str) = ("import demo; print(demo.answer())", "42");
const OURS: &str = "out/demo-1.0-py3-none-linux_x86_64.whl";

fn grafted(desk: &Desk, stem: &str) -> String {
    let names = desk.grafted(OURS);
    let name = names.iter().find(|name| name.contains(stem));
    name.unwrap_or_else(|| panic!("{stem} is not in {names:?}"))
        .clone()
}

#[test]
fn what_each_linker_writes_is_grafted() {
    for linker in ["bfd", "lld", "mold"] {
        let desk = Desk::new();
        let with = format!("-fuse-ld={linker}");
        desk.foo(&[&with]);
        desk.answer(&[&with]);
        desk.package(&[]);
        desk.agree(WHEEL, CALLS);
    }
}

#[test]
fn a_library_with_versions_of_its_own_keeps_them_under_its_new_name() {
    for linker in ["bfd", "lld", "mold"] {
        let desk = Desk::new();
        fs::write(
            desk.path("build/foo.map"),
            "FOO_1.0 { global: foo; local: *; };",
        )
        .unwrap();
        let with = format!("-fuse-ld={linker}");
        desk.foo(&[&with, "-Wl,--version-script=build/foo.map"]);
        desk.answer(&[&with]);
        desk.package(&[]);
        desk.agree(WHEEL, CALLS);
        let name = grafted(&desk, "libfoo-");
        let name = name.rsplit('/').next().unwrap();
        let member = dynamic_of(&desk, OURS, "demo/a.so");
        assert!(
            member["version needs"].contains(&name.to_owned()),
            "{member:?}"
        );
    }
}

#[test]
fn thread_local_storage_survives() {
    for linker in ["bfd", "lld", "mold"] {
        let desk = Desk::new();
        let with = format!("-fuse-ld={linker}");
        desk.link(
            "lib/libfoo.so.1",
            "static __thread int large[64] = {41}; int foo(void) { return ++large[0]; }",
            &[&with, "-Wl,-soname,libfoo.so.1"],
        );
        desk.answer(&[&with]);
        desk.package(&[]);
        desk.agree(WHEEL, CALLS);
    }
}

#[test]
fn packed_relative_relocations_survive() {
    let table = "static int x = 42; int *table[64] = {[0 ... 63] = &x}; int foo(void) { return *table[63]; }";
    for linker in ["-fuse-ld=bfd", "-fuse-ld=lld", "-fuse-ld=mold"] {
        let desk = Desk::new();
        desk.link(
            "lib/libfoo.so.1",
            table,
            &[
                linker,
                "-Wl,-soname,libfoo.so.1",
                "-Wl,-z,pack-relative-relocs",
            ],
        );
        desk.answer(&[linker]);
        desk.package(&[]);
        desk.agree(WHEEL, CALLS);
    }
}

#[test]
fn a_musl_wheel_is_given_its_library_and_not_musl_itself() {
    let desk = Desk::new();
    let bare = "-nostdlib";
    desk.link(
        "build/libc.so",
        "int puts(const char *text) { return *text; }",
        &[bare, "-Wl,-soname,libc.musl-x86_64.so.1"],
    );
    let foo = "int puts(const char *); int foo(void) { return puts(\"42\"); }";
    desk.link(
        "lib/libfoo.so.1",
        foo,
        &[bare, "build/libc.so", "-Wl,-soname,libfoo.so.1"],
    );
    desk.answer(&[bare, "-Wl,--no-as-needed", "build/libc.so"]);
    desk.package(&[]);
    desk.agree_without_a_call(WHEEL, &[]);
    assert_eq!(desk.grafted(OURS).len(), 1);
}

#[test]
fn odd_layouts_survive() {
    let layouts: [&[&str]; 5] = [
        &["-Wl,-z,noseparate-code"],
        &["-Wl,-z,max-page-size=65536"],
        &["-Wl,--hash-style=sysv"],
        &["-g", "-Wl,-z,now"],
        &["-fcf-protection=full", "-Wl,-z,ibt,-z,shstk"],
    ];
    for layout in layouts {
        let desk = Desk::new();
        desk.foo(layout);
        desk.answer(layout);
        desk.package(&[]);
        desk.agree(WHEEL, CALLS);
    }
}

#[test]
fn a_cxx_library_that_throws_is_caught_across_the_border() {
    let desk = Desk::new();
    desk.link_cxx(
        "lib/libfoo.so.1",
        "#include <stdexcept>\nextern \"C\" int foo() { throw std::runtime_error(\"42\"); }",
        &["-Wl,-soname,libfoo.so.1"],
    );
    desk.link_cxx(
        "build/a.so",
        "#include <stdexcept>\n#include <string>\nextern \"C\" int foo();\n\
         extern \"C\" int answer() { try { return foo(); } catch (std::exception &e) { return std::stoi(e.what()); } }",
        &["lib/libfoo.so.1"],
    );
    desk.package(&[]);
    desk.agree(WHEEL, CALLS);
}

#[test]
fn a_library_that_patchelf_had_before_is_patched_again() {
    let desk = Desk::new();
    desk.foo(&[]);
    desk.answer(&[]);
    for file in ["lib/libfoo.so.1.2", "build/a.so"] {
        patchelf(
            &desk,
            &["--set-rpath", "/a/long/path/of/another/machine", file],
        );
        patchelf(
            &desk,
            &["--force-rpath", "--set-rpath", "$ORIGIN/some/more", file],
        );
    }
    desk.package(&[]);
    desk.agree(WHEEL, CALLS);
    let library = dynamic_of(&desk, OURS, &grafted(&desk, "libfoo-"));
    assert!(!library.contains_key("RPATH"), "{library:?}");
}

#[test]
fn a_chain_of_needs_is_followed_to_its_end() {
    let desk = Desk::new();
    desk.link(
        "lib/libend.so.3",
        "int last(void) { return 40; }",
        &["-Wl,-soname,libend.so.3"],
    );
    desk.link(
        "lib/libmiddle.so",
        "int last(void); int middle(void) { return last() + 1; }",
        &["-Wl,-soname,libmiddle.so", "lib/libend.so.3"],
    );
    desk.link(
        "lib/libfoo.so.1",
        "int middle(void); int foo(void) { return middle() + 1; }",
        &["-Wl,-soname,libfoo.so.1", "lib/libmiddle.so"],
    );
    desk.answer(&["-Wl,-rpath-link,lib"]);
    desk.package(&[]);
    desk.agree(WHEEL, CALLS);
    assert_eq!(desk.grafted(OURS).len(), 3);
    let middle = dynamic_of(&desk, OURS, &grafted(&desk, "libmiddle-"));
    assert_eq!(middle["RPATH"], ["$ORIGIN"]);
}

#[test]
fn a_circle_of_needs_ends() {
    let desk = Desk::new();
    desk.link(
        "lib/libloop.so",
        "int loop(void) { return 42; }",
        &["-Wl,-soname,libloop.so"],
    );
    desk.link(
        "lib/libfoo.so.1",
        "int loop(void); int foo(void) { return loop(); }",
        &["-Wl,-soname,libfoo.so.1", "lib/libloop.so"],
    );
    desk.link(
        "lib/libloop.so",
        "int foo(void); int loop(void) { return 42; } int unused(void) { return foo(); }",
        &["-Wl,-soname,libloop.so", "lib/libfoo.so.1"],
    );
    desk.answer(&["-Wl,-rpath-link,lib"]);
    desk.package(&[]);
    desk.agree(WHEEL, CALLS);
    assert_eq!(desk.grafted(OURS).len(), 2);
}

#[test]
fn ways_inside_the_wheel_are_kept_others_dropped_and_runpath_removed() {
    for flag in ["-Wl,--enable-new-dtags", "-Wl,--disable-new-dtags"] {
        let desk = Desk::new();
        desk.foo(&[]);
        desk.answer(&[
            flag,
            "-Wl,-rpath,/usr/lib/here:$ORIGIN/inner:$ORIGIN/../torch/lib:$ORIGIN/../../../x",
        ]);
        desk.package(&[]);
        desk.agree(WHEEL, CALLS);
        let member = dynamic_of(&desk, OURS, "demo/a.so");
        assert_eq!(
            member["RPATH"],
            ["$ORIGIN/inner:$ORIGIN/../torch/lib:$ORIGIN/../demo.libs"]
        );
        assert!(!member.contains_key("RUNPATH"), "{member:?}");
    }
}

#[test]
fn a_member_of_the_platlib_scheme_finds_its_library_where_it_is_installed() {
    let desk = Desk::new();
    desk.foo(&[]);
    desk.answer(&[]);
    desk.wheel(WHEEL, &[("demo-1.0.data/platlib/demo/a.so", "build/a.so")]);
    desk.vendor(&["--out", "out", "--lib-dir", "lib"])
        .succeeded();
    assert_eq!(desk.python(OURS, CALLS.0).trim_end(), "42");
}

#[test]
fn a_library_of_the_wheel_is_reused_by_a_grafted_one() {
    let desk = Desk::new();
    desk.link(
        "build/libown.so",
        "int own(void) { return 42; }",
        &["-Wl,-soname,libown.so"],
    );
    desk.link(
        "lib/libfoo.so.1",
        "int own(void); int foo(void) { return own(); }",
        &["-Wl,-soname,libfoo.so.1", "build/libown.so"],
    );
    desk.answer(&["build/libown.so", "-Wl,-rpath,$ORIGIN/lib"]);
    desk.package(&[("demo/lib/libown.so", "build/libown.so")]);
    desk.vendor(&["--out", "out", "--lib-dir", "lib"])
        .succeeded();
    assert_eq!(desk.grafted(OURS).len(), 1);
    assert_eq!(
        dynamic_of(&desk, OURS, &grafted(&desk, "libfoo-"))["RPATH"],
        ["$ORIGIN/../demo/lib"]
    );
    assert_eq!(desk.python(OURS, CALLS.0).trim_end(), "42");
}

#[test]
fn a_library_of_the_wheel_that_no_search_path_leads_to_is_not_grafted_again() {
    let desk = Desk::new();
    desk.foo(&[]);
    desk.answer(&[]);
    desk.package(&[("demo/lib/libfoo.so.1", "lib/libfoo.so.1.2")]);
    let set = desk
        .vendor(&["--out", "out", "--lib-dir", "lib"])
        .succeeded()
        .stdout;
    assert!(desk.grafted(OURS).is_empty());
    assert_eq!(
        dynamic_of(&desk, OURS, "demo/a.so")["RPATH"],
        ["$ORIGIN/lib"]
    );
    assert_eq!(desk.tags(&set)[WHEEL], "manylinux_2_5_x86_64");
    assert_eq!(desk.python(OURS, CALLS.0).trim_end(), "42");
}

#[test]
fn a_library_of_the_wheel_for_another_machine_is_none() {
    let desk = Desk::new();
    desk.foo(&[]);
    desk.answer(&[]);
    let mut other = fs::read(desk.path("lib/libfoo.so.1")).unwrap();
    // e_machine: EM_AARCH64.
    other[18..20].copy_from_slice(&183u16.to_le_bytes());
    fs::write(desk.path("build/other.so"), other).unwrap();
    desk.package(&[("demo/arm/libfoo.so.1", "build/other.so")]);
    let ran = desk.vendor(&["--out", "out", "--lib-dir", "lib"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(desk.grafted(OURS).len(), 1);
    assert_eq!(desk.python(OURS, CALLS.0).trim_end(), "42");
}

#[test]
fn the_need_for_the_interpreters_library_is_removed() {
    let desk = Desk::new();
    desk.foo(&[]);
    desk.link(
        "build/libpython3.12.so.1.0",
        "int unused;",
        &["-Wl,-soname,libpython3.12.so.1.0"],
    );
    desk.answer(&["-Wl,--no-as-needed", "build/libpython3.12.so.1.0"]);
    desk.package(&[]);
    desk.agree(WHEEL, CALLS);
    let member = dynamic_of(&desk, OURS, "demo/a.so");
    assert!(
        !member["NEEDED"]
            .iter()
            .any(|library| library.starts_with("libpython")),
        "{member:?}"
    );
}

#[test]
fn two_members_share_one_graft() {
    let desk = Desk::new();
    desk.foo(&[]);
    desk.answer(&[]);
    desk.link("build/b.so", ANSWER, &["lib/libfoo.so.1"]);
    desk.package(&[("demo/deep/er/b.so", "build/b.so")]);
    desk.agree(WHEEL, CALLS);
    assert_eq!(
        dynamic_of(&desk, OURS, "demo/deep/er/b.so")["RPATH"],
        ["$ORIGIN/../../../demo.libs"]
    );
}

#[test]
fn a_library_that_is_needed_by_two_names_is_grafted_once() {
    let desk = Desk::new();
    desk.foo(&[]);
    desk.answer(&[]);
    desk.link("build/libfoo.so", FOO, &["-Wl,-soname,libfoo.so"]);
    std::os::unix::fs::symlink("libfoo.so.1.2", desk.path("lib/libfoo.so")).unwrap();
    desk.link("build/b.so", ANSWER, &["build/libfoo.so"]);
    desk.package(&[("demo/b.so", "build/b.so")]);
    desk.agree(WHEEL, CALLS);
    assert_eq!(desk.grafted(OURS).len(), 1);
}

#[test]
fn copies_of_a_library_in_two_folders_are_grafted_once() {
    let desk = Desk::new();
    desk.foo(&[]);
    fs::create_dir(desk.path("lib/inner")).unwrap();
    fs::copy(
        desk.path("lib/libfoo.so.1"),
        desk.path("lib/inner/libfoo.so.1.2"),
    )
    .unwrap();
    std::os::unix::fs::symlink("libfoo.so.1.2", desk.path("lib/inner/libfoo.so.1")).unwrap();
    desk.link(
        "lib/libuser.so",
        "int foo(void); int user(void) { return foo(); }",
        &[
            "-Wl,-soname,libuser.so",
            "-Wl,--disable-new-dtags,-rpath,$ORIGIN/inner",
            "lib/inner/libfoo.so.1",
        ],
    );
    desk.answer(&["-Wl,--no-as-needed", "lib/libuser.so"]);
    desk.package(&[]);
    desk.agree(WHEEL, CALLS);
    assert_eq!(desk.grafted(OURS).len(), 2);
}

#[test]
fn a_grafted_library_that_needs_a_newer_glibc_lowers_the_measured_tag() {
    let desk = Desk::new();
    desk.link(
        "lib/libfoo.so.1",
        "#include <unistd.h>\nint close_range(unsigned, unsigned, int); int foo(void) { close_range(1000, 1001, 0); return 42; }",
        &["-Wl,-soname,libfoo.so.1"],
    );
    desk.answer(&[]);
    desk.package(&[]);
    let set = desk
        .vendor(&["--out", "out", "--lib-dir", "lib"])
        .succeeded()
        .stdout;
    assert_eq!(desk.tags(&set)[WHEEL], "manylinux_2_34_x86_64");
}
