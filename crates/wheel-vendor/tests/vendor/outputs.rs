//! What is written: whole or not at all, the same twice, and nothing but what has to change.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::desk::{Desk, TOOL, judged, oracle};
use crate::project::WHEEL;

const OURS: &str = "out/demo-1.0-py3-none-linux_x86_64.whl";
const ARGUMENTS: [&str; 4] = ["--out", "out", "--lib-dir", "lib"];

fn desk() -> Desk {
    let desk = Desk::new();
    desk.foo(&[]);
    desk.answer(&[]);
    desk.package(&[]);
    desk
}

#[test]
fn the_same_input_gives_the_same_bytes_wherever_they_go() {
    let desk = desk();
    let first = desk.vendor(&ARGUMENTS).succeeded().stdout;
    let again = desk.vendor(&ARGUMENTS).succeeded().stdout;
    assert_eq!(first, again);
    let lib = desk.path("lib").display().to_string();
    desk.vendor(&["--out", "else/where", "--lib-dir", &lib])
        .succeeded();
    assert_eq!(
        fs::read(desk.path(OURS)).unwrap(),
        fs::read(desk.path("else/where").join(WHEEL)).unwrap()
    );
    assert_eq!(desk.names("out"), [WHEEL]);
}

#[test]
fn inputs_are_not_touched() {
    let desk = desk();
    let bytes = |name: &str| fs::read(desk.path(name)).unwrap();
    let wheel = format!("in/{WHEEL}");
    fs::set_permissions(
        desk.path("lib/libfoo.so.1.2"),
        fs::Permissions::from_mode(0o444),
    )
    .unwrap();
    let before = (bytes(&wheel), bytes("lib/libfoo.so.1.2"));
    desk.vendor(&ARGUMENTS).succeeded();
    assert_eq!((bytes(&wheel), bytes("lib/libfoo.so.1.2")), before);
    assert_eq!(desk.names("lib"), ["libfoo.so.1", "libfoo.so.1.2"]);
}

#[test]
fn a_wheel_that_needs_nothing_is_passed_on_byte_for_byte() {
    let desk = Desk::new();
    desk.link("build/a.so", "int answer(void) { return 42; }", &[]);
    desk.package(&[]);
    desk.wheel("pure-1.0-py3-none-any.whl", &[]);
    let measured: Value = serde_json::from_str(&desk.measured()).unwrap();
    let set = desk.vendor(&ARGUMENTS).succeeded().stdout;
    let mut expected = measured.clone();
    for wheel in expected["wheels"].as_array_mut().unwrap() {
        let path = wheel["path"].as_str().unwrap().replace("in/", "out/");
        wheel["path"] = path.into();
    }
    assert_eq!(serde_json::from_str::<Value>(&set).unwrap(), expected);
    for name in [WHEEL, "pure-1.0-py3-none-any.whl"] {
        assert_eq!(
            fs::read(desk.path("out").join(name)).unwrap(),
            fs::read(desk.path("in").join(name)).unwrap()
        );
    }
}

#[test]
fn the_document_says_what_was_grafted_and_asks_for_a_new_measure() {
    let desk = desk();
    let before: Value = serde_json::from_str(&desk.measured()).unwrap();
    let set: Value = serde_json::from_str(&desk.vendor(&ARGUMENTS).succeeded().stdout).unwrap();
    let wheel = &set["wheels"][0];
    assert_eq!(wheel["origin"]["sha256"], before["wheels"][0]["sha256"]);
    assert!(wheel.get("platform").is_none() && wheel.get("device").is_none());
    let grafted = wheel["grafted"].as_array().unwrap();
    assert_eq!(grafted.len(), 1);
    assert_eq!(grafted[0]["needed_as"][0], "libfoo.so.1");
    let (sha256, _) = wheel::sha256_file(&desk.path("lib/libfoo.so.1")).unwrap();
    assert_eq!(grafted[0]["sha256"], sha256.as_str());
    assert_eq!(
        grafted[0]["member"],
        format!("demo.libs/libfoo-{}.so.1.2", &sha256[..8])
    );
}

#[test]
fn a_set_is_written_whole_or_not_at_all() {
    let desk = desk();
    // The second wheel is found to be another one only when it is read to its end.
    desk.wheel(
        "second-1.0-py3-none-linux_x86_64.whl",
        &[("demo/a.so", "build/a.so")],
    );
    let set = desk.measured();
    desk.wheel(
        "second-1.0-py3-none-linux_x86_64.whl",
        &[("demo/a.so", "build/a.so"), ("demo/x", "build/source")],
    );
    let (code, said) = desk.vendor_set(&set, &ARGUMENTS).refused();
    assert_eq!(code, 2);
    assert_eq!(
        said,
        "wheel-vendor: in/second-1.0-py3-none-linux_x86_64.whl: has changed since it was measured; measure it again\n"
    );
    assert!(!desk.path("out").exists(), "{:?}", desk.names("out"));
}

#[test]
fn modes_times_and_unchanged_members_stay() {
    let desk = desk();
    fs::write(desk.path("build/run.sh"), "#!/bin/sh\n").unwrap();
    desk.package(&[
        ("demo/run.so.sh", "build/run.sh"),
        ("demo/data.bin", "build/source"),
    ]);
    desk.vendor(&ARGUMENTS).succeeded();
    let facts = |wheel: &str| {
        let file = fs::File::open(desk.path(wheel)).unwrap();
        let mut archive = zip::ZipArchive::new(file).unwrap();
        let mut facts = BTreeMap::new();
        for index in 0..archive.len() {
            let member = archive.by_index(index).unwrap();
            facts.insert(
                member.name().unwrap().into_owned(),
                (
                    member.unix_mode(),
                    member.last_modified().map(|time| time.to_string()),
                ),
            );
        }
        facts
    };
    let (before, after) = (facts(&format!("in/{WHEEL}")), facts(OURS));
    for (name, facts) in &before {
        assert_eq!(after[name], *facts, "{name}");
    }
    let library = after
        .iter()
        .find(|(name, _)| name.contains(".libs/"))
        .unwrap();
    assert_eq!(library.1.0, Some(0o100_755));
    assert_eq!(
        desk.members(OURS).last().unwrap(),
        "demo-1.0.dist-info/RECORD"
    );
}

#[test]
fn the_bill_of_materials_names_library_hash_and_debian_package() {
    let desk = Desk::new();
    desk.link(
        "build/a.so",
        "int answer(void) { return 42; }",
        &["-Wl,--no-as-needed", "-l:libcrypt.so.1"],
    );
    desk.package(&[]);
    desk.vendor(&["--out", "out", "--system-libs"]).succeeded();
    let member = desk.member(OURS, "demo-1.0.dist-info/sboms/wheel-vendor.cdx.json");
    let bill: Value = serde_json::from_slice(&member).unwrap();
    assert_eq!(bill["metadata"]["component"]["purl"], "pkg:pypi/demo@1.0");
    let component = &bill["components"][0];
    let name = component["name"].as_str().unwrap();
    assert!(name.starts_with("libcrypt.so.1"), "{name}");
    assert_eq!(
        component["hashes"][0]["content"].as_str().unwrap().len(),
        64
    );
    let owner = judged(
        desk.command("dpkg-query")
            .args(["-W", "-f=${Version}", "libcrypt1"]),
    );
    let purl = component["purl"].as_str().unwrap();
    let os = fs::read_to_string("/etc/os-release").unwrap();
    let id = os
        .lines()
        .find_map(|line| line.strip_prefix("ID="))
        .unwrap();
    assert!(
        purl.starts_with(&format!("pkg:deb/{id}/libcrypt1@")),
        "{purl}"
    );
    assert_eq!(component["version"], owner.as_str());
}

#[test]
fn the_wheel_passes_the_checks_that_indexes_make() {
    let desk = desk();
    desk.vendor(&ARGUMENTS).succeeded();
    judged(desk.command(oracle("twine")).args(["check", OURS]));
    // The folder of grafted libraries is a second top level, as auditwheel's is.
    judged(
        desk.command(oracle("check-wheel-contents"))
            .args(["--ignore", "W009,W010", OURS]),
    );
}

#[test]
fn a_kill_leaves_no_part_of_a_wheel_under_a_wheels_name() {
    let desk = Desk::new();
    desk.link(
        "lib/libfoo.so.1",
        "char big[30000000] = {1}; int foo(void) { return 42; }",
        &["-Wl,-soname,libfoo.so.1"],
    );
    desk.answer(&[]);
    desk.package(&[]);
    let set = desk.measured();
    let began = Instant::now();
    desk.vendor_set(&set, &ARGUMENTS).succeeded();
    let whole = began.elapsed();
    let expected = fs::read(desk.path(OURS)).unwrap();
    for step in 1..6 {
        fs::remove_dir_all(desk.path("out")).unwrap();
        let mut child = desk
            .command(TOOL)
            .args(ARGUMENTS)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(set.as_bytes())
            .unwrap();
        std::thread::sleep(whole * step / 6 + Duration::from_millis(1));
        child.kill().unwrap();
        child.wait().unwrap();
        let wheel = desk.path(OURS);
        if wheel.exists() {
            assert_eq!(fs::read(&wheel).unwrap(), expected);
        }
        // The next run takes away what was left.
        desk.vendor_set(&set, &ARGUMENTS).succeeded();
        assert_eq!(fs::read(&wheel).unwrap(), expected);
        assert_eq!(desk.names("out"), [WHEEL]);
    }
}
