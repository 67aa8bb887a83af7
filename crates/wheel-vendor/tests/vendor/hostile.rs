//! Input that somebody made to do harm, or that a strange build made: refused, or put right.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::Command;

use crate::desk::{Desk, TOOL, feed};
use crate::project::{ANSWER, FOO, WHEEL};

const ARGUMENTS: [&str; 4] = ["--out", "out", "--lib-dir", "lib"];
const OURS: &str = "out/demo-1.0-py3-none-linux_x86_64.whl";
const CALL: &str = "import demo; print(demo.answer(), end='')";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.foo(&[]);
    desk.answer(&[]);
    desk.package(&[]);
    desk
}

#[test]
fn folders_that_were_made_for_nothing_are_taken_back() {
    let desk = desk();
    fs::create_dir(desk.path("there")).unwrap();
    for out in ["new/er/est", "there/new/er"] {
        let (code, _) = desk.vendor(&["--out", out, "--lib-dir", "build"]).refused();
        assert_eq!(code, 1);
    }
    assert!(!desk.path("new").exists());
    assert_eq!(desk.names("there"), Vec::<String>::new());
}

#[test]
fn a_wheel_is_passed_on_to_another_file_system() {
    let desk = desk();
    // Memory, and hence no second name of the same file.
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let out = memory.path().to_str().unwrap();
    desk.vendor(&["--out", out, "--exclude", "libfoo*"])
        .succeeded();
    assert_eq!(
        fs::read(memory.path().join(WHEEL)).unwrap(),
        fs::read(desk.path("in").join(WHEEL)).unwrap()
    );
    assert_eq!(fs::read_dir(memory.path()).unwrap().count(), 1);
}

#[test]
fn what_has_the_name_and_does_not_fit_is_told() {
    let desk = desk();
    let library = desk.path("lib/libfoo.so.1");
    let mut foreign = fs::read(&library).unwrap();
    fs::remove_file(&library).unwrap();
    // e_machine: EM_AARCH64.
    foreign[18] = 183;
    for (why, make) in [
        ("it is for aarch64", foreign.as_slice()),
        (
            "it is no ELF file",
            b"/* GNU ld script */ GROUP ( libfoo.a )",
        ),
        ("it is no file", b""),
        ("its link leads nowhere", b""),
    ] {
        match why {
            "it is no file" => {
                let made = Command::new("mkfifo").arg(&library).status();
                assert!(made.unwrap().success());
            }
            "its link leads nowhere" => symlink("libfoo.so.1", &library).unwrap(),
            _ => fs::write(&library, make).unwrap(),
        }
        assert_eq!(
            desk.vendor(&ARGUMENTS).refused(),
            (
                1,
                format!(
                    "wheel-vendor: in/{WHEEL}: libfoo.so.1 was not found, needed by demo/a.so, and lib/libfoo.so.1 does not fit: {why}; name its folder with --lib-dir, or leave it out with --exclude 'libfoo.so.1'\n"
                )
            )
        );
        fs::remove_file(&library).unwrap();
    }
}

#[test]
fn a_library_that_does_not_fit_gives_way_to_the_next() {
    let desk = desk();
    fs::create_dir(desk.path("first")).unwrap();
    fs::write(desk.path("first/libfoo.so.1"), "GROUP ( libfoo.a )").unwrap();
    let set = ["--out", "out", "--lib-dir", "first", "--lib-dir", "lib"];
    desk.vendor(&set).succeeded();
    assert_eq!(desk.python(OURS, CALL), "42");
}

#[test]
fn a_library_that_claims_any_size_is_not_read() {
    let desk = desk();
    let path = fs::canonicalize(desk.path("lib/libfoo.so.1")).unwrap();
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    // Only a hole: it takes no room.
    file.set_len(12 << 30).unwrap();
    let size = 12_u64 << 30;
    assert_eq!(
        desk.vendor(&ARGUMENTS).refused(),
        (
            1,
            format!(
                "wheel-vendor: in/{WHEEL}: {size} bytes would be grafted, more than --max-graft 64000000; the largest: {} ({size} bytes)\n",
                path.display()
            )
        )
    );
    file.set_len(100 << 30).unwrap();
    let all = [&ARGUMENTS[..], &["--max-graft", "18446744073709551615"]].concat();
    assert_eq!(
        desk.vendor(&all).refused(),
        (
            2,
            format!(
                "wheel-vendor: in/{WHEEL}: lib/libfoo.so.1: is larger than 16 GiB, as no library is; take it away\n"
            )
        )
    );
}

#[test]
fn a_library_of_an_odd_name_gets_one_that_installers_and_the_loader_take() {
    for name in [
        "lib\nfoo\u{1b}.so",
        "lib\\foo.so",
        "lib$ORIGIN.so",
        "lib\u{202e}foo.so",
    ] {
        let desk = Desk::new();
        desk.link("lib/libfoo.so.1", FOO, &["-Wl,-soname,libfoo.so.1"]);
        desk.answer(&[]);
        desk.package(&[]);
        fs::rename(desk.path("lib/libfoo.so.1"), desk.path("lib").join(name)).unwrap();
        symlink(name, desk.path("lib/libfoo.so.1")).unwrap();
        let set = desk.vendor(&ARGUMENTS).succeeded().stdout;
        assert_eq!(desk.tags(&set).len(), 1, "{name:?}");
        assert_eq!(desk.python(OURS, CALL), "42", "{name:?}");
    }
}

#[test]
fn a_name_cannot_add_a_line_to_the_tree() {
    let desk = Desk::new();
    let name = "lib\n    libbar.so: granted by the policy\u{1b}[8m.so";
    desk.link("build/foo.so", FOO, &[&format!("-Wl,-soname,{name}")]);
    desk.link("build/a.so", ANSWER, &["build/foo.so"]);
    desk.package(&[]);
    let all = [&ARGUMENTS[..], &["--dry-run"]].concat();
    let ran = desk.vendor(&all);
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.stdout,
        format!(
            "{WHEEL}\n  for manylinux_2_5: nothing that is needed was found\n  demo/a.so\n    lib     libbar.so: granted by the policy\u{fffd}[8m.so: not found\n"
        )
    );
}

#[test]
fn a_way_that_no_search_path_can_say_is_refused() {
    let desk = Desk::new();
    desk.link("build/libown.so.1", FOO, &["-Wl,-soname,libown.so.1"]);
    desk.link("build/a.so", ANSWER, &["build/libown.so.1"]);
    desk.package(&[("demo/o:wn/libown.so.1", "build/libown.so.1")]);
    assert_eq!(
        desk.vendor(&ARGUMENTS).refused(),
        (
            2,
            format!(
                "wheel-vendor: in/{WHEEL}: demo/o:wn/libown.so.1: no search path can lead to `demo/o:wn`; name the folder without `:` and `$`\n"
            )
        )
    );
}

#[test]
fn a_wheel_is_vendored_again_beside_what_it_has() {
    let desk = Desk::new();
    desk.link(
        "lib/libbar.so.2",
        "int bar(void) { return 42; }",
        &["-Wl,-soname,libbar.so.2"],
    );
    desk.link(
        "lib/libfoo.so.1",
        "int bar(void); int foo(void) { return bar(); }",
        &["-Wl,-soname,libfoo.so.1", "lib/libbar.so.2"],
    );
    desk.answer(&["-Wl,-rpath-link,lib"]);
    desk.package(&[]);
    let some = ["--out", "some", "--lib-dir", "lib", "--exclude", "libbar*"];
    let set = desk.vendor(&some).succeeded().stdout;
    let measured = feed(&mut desk.command(crate::desk::probe()), &set).succeeded();
    desk.vendor_set(&measured.stdout, &ARGUMENTS).succeeded();
    let bills: Vec<String> = desk
        .members(OURS)
        .into_iter()
        .filter(|name| name.contains("/sboms/"))
        .collect();
    assert_eq!(
        bills,
        [
            "demo-1.0.dist-info/sboms/wheel-vendor.cdx.json",
            "demo-1.0.dist-info/sboms/wheel-vendor.2.cdx.json"
        ]
    );
    assert_eq!(desk.python(OURS, CALL), "42");
}

#[test]
fn sections_that_hide_the_tables_do_not_hide_them_from_either_reader() {
    let desk = desk();
    let path = fs::canonicalize(desk.path("lib/libfoo.so.1")).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let word = |bytes: &[u8], at: usize, size: usize| {
        let mut word = [0; 8];
        word[..size].copy_from_slice(&bytes[at..at + size]);
        usize::try_from(u64::from_le_bytes(word)).unwrap()
    };
    let (start, count) = (word(&bytes, 0x28, 8), word(&bytes, 0x3c, 2));
    for section in 1..count {
        // sh_type: SHT_PROGBITS.
        let at = start + section * 64 + 4;
        bytes[at..at + 4].copy_from_slice(&1_u32.to_le_bytes());
    }
    fs::write(&path, bytes).unwrap();
    desk.vendor(&ARGUMENTS).succeeded();
    assert_eq!(desk.python(OURS, CALL), "42");
}

#[test]
fn a_chain_of_needs_may_be_longer_than_the_stack() {
    let desk = Desk::new();
    desk.link("build/next", "int x;", &["-Wl,-soname,lib11111.so"]);
    let flags = [
        "-Wl,--no-as-needed",
        "-Wl,-soname,lib00000.so",
        "build/next",
    ];
    desk.link("build/stub.so", "int x;", &flags);
    let stub = fs::read(desk.path("build/stub.so")).unwrap();
    let count = 2000;
    for number in 0..count {
        // The last needs the first.
        let names = [number, (number + 1) % count].map(|number| format!("lib{number:05}.so"));
        let mut library = stub.clone();
        for (old, new) in [b"lib00000.so", b"lib11111.so"].iter().zip(&names) {
            let at = stub
                .windows(old.len())
                .position(|part| part == *old)
                .unwrap();
            library[at..at + old.len()].copy_from_slice(new.as_bytes());
        }
        fs::write(desk.path("lib").join(&names[0]), library).unwrap();
    }
    desk.link(
        "build/a.so",
        "int x;",
        &[
            "-Wl,--no-as-needed",
            "lib/lib00000.so",
            "-Wl,--allow-shlib-undefined",
        ],
    );
    desk.package(&[]);
    let mut command = Command::new("bash");
    command
        .current_dir(desk.path("."))
        .args(["-c", "ulimit -s 256; exec \"$@\"", "bash", TOOL])
        .args(ARGUMENTS)
        .args(["--dry-run", "--max-graft", "1000000000"]);
    let ran = feed(&mut command, &desk.measured()).succeeded();
    assert_eq!(ran.stdout.matches("grafted from").count(), count + 1);
}

#[test]
fn a_file_where_a_grafted_one_would_be_is_refused() {
    let desk = desk();
    let (sha256, _) = wheel::sha256_file(&desk.path("lib/libfoo.so.1")).unwrap();
    let name = format!("demo.libs/libfoo-{}.so.1.2", &sha256[..8]);
    let bill = "demo-1.0.dist-info/sboms";
    let below = format!("{name}/x");
    for (member, new) in [
        ("demo.libs", name.as_str()),
        (&name, &name),
        (&below, &name),
        (bill, "demo-1.0.dist-info/sboms/wheel-vendor.cdx.json"),
    ] {
        desk.package(&[(member, "build/source")]);
        assert_eq!(
            desk.vendor(&ARGUMENTS).refused(),
            (
                2,
                format!(
                    "wheel-vendor: in/{WHEEL}: `{new}` would go into it, where it has `{member}` already; take that out, or leave out with --exclude what is grafted\n"
                )
            )
        );
    }
}

#[test]
fn an_output_folder_that_the_document_cannot_name_is_refused() {
    let desk = desk();
    let out = std::ffi::OsStr::from_bytes(b"out\xff");
    let mut command = desk.command(TOOL);
    command.arg("--out").arg(out).args(["--lib-dir", "lib"]);
    assert_eq!(
        feed(&mut command, &desk.measured()).refused(),
        (
            2,
            "wheel-vendor: out\u{fffd}: is not UTF-8, as the document is; give --out another name\n".to_owned()
        )
    );
    assert!(!desk.path("").join(out).exists());
}
