//! Arguments, folders, the set on stdin, and inputs that are none.

use crate::support::{MODULE, extension, measure, probe, probe_fed};
use crate::wheel::Wheel;

fn sound(name: &str) -> Wheel {
    Wheel {
        name: name.to_owned(),
        ..Wheel::new("manylinux_2_28_x86_64").with(MODULE, extension("GLIBC_2.28").bytes())
    }
}

#[test]
fn a_wheel_becomes_an_entry_with_every_measured_field() {
    let run = measure(&sound("demo"), &[]);
    let wheel = run.wheel();
    assert_eq!(
        wheel["path"],
        "demo-1.0-cp314-cp314-manylinux_2_28_x86_64.whl"
    );
    assert_eq!(wheel["name"], "demo");
    assert_eq!(wheel["version"], "1.0");
    assert_eq!(wheel["tags"][0], "cp314-cp314-manylinux_2_28_x86_64");
    assert_eq!(wheel["record"], "verified");
    assert_eq!(wheel["platform"]["tag"], "manylinux_2_28_x86_64");
    assert_eq!(wheel["platform"]["machine"], "x86_64");
    assert_eq!(wheel["platform"]["libc"], "glibc");
    assert_eq!(wheel["platform"]["required"]["GLIBC"], "2.28");
    assert_eq!(wheel["device"]["kind"], "none");
    assert_eq!(wheel["sha256"].as_str().unwrap().len(), 64);
    let finding = &wheel["platform"]["findings"][0];
    assert_eq!(finding["rule"], "symbol-version");
    assert_eq!(finding["member"], MODULE);
    assert_eq!(finding["library"], "libc.so.6");
    assert_eq!(finding["version"], "GLIBC_2.28");
    let unverified = measure(&sound("demo"), &["--no-verify-record"]).wheel();
    assert!(unverified.get("record").is_none());
    assert_eq!(unverified["sha256"], wheel["sha256"]);
}

#[test]
fn a_folder_is_its_wheels_sorted_and_not_those_below() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["b", "a"] {
        sound(name).write(folder.path());
    }
    let below = folder.path().join("below");
    std::fs::create_dir(&below).unwrap();
    sound("c").write(&below);
    let run = probe(folder.path(), &["."]);
    let document = run.document();
    let names: Vec<&str> = document["wheels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|wheel| wheel["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(
        document["wheels"][0]["path"],
        "./a-1.0-cp314-cp314-manylinux_2_28_x86_64.whl"
    );
}

#[test]
fn a_folder_without_wheels_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let run = probe(folder.path(), &["."]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert_eq!(
        run.stderr,
        "glibc-probe: .: there is no *.whl in this folder (folders below it are not searched)\n"
    );
}

#[test]
fn a_misspelt_folder_is_not_taken_for_a_wheel() {
    let folder = tempfile::tempdir().unwrap();
    let run = probe(folder.path(), &["wheel"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert_eq!(
        run.stderr,
        "glibc-probe: wheel: No such file or directory (os error 2); check the path\n"
    );
}

#[test]
fn a_set_on_stdin_is_measured_again_and_keeps_what_it_brought() {
    let folder = tempfile::tempdir().unwrap();
    let name = sound("demo").write(folder.path());
    let mut document = probe(folder.path(), &[&name]).document();
    let measured = document["wheels"][0].clone();
    let entry = document["wheels"][0].as_object_mut().unwrap();
    for field in ["platform", "device", "record"] {
        entry.remove(field);
    }
    entry.insert("later".to_owned(), "kept".into());
    let source = serde_json::json!({"repository": "r", "tag": "t", "manifest": "m", "layer": "l"});
    entry.insert("source".to_owned(), source.clone());
    document["note"] = "kept too".into();
    for arguments in [&[][..], &["-"]] {
        let run = probe_fed(folder.path(), arguments, document.to_string().as_bytes());
        let again = run.document();
        assert_eq!(again["note"], "kept too");
        assert_eq!(again["wheels"][0]["later"], "kept");
        assert_eq!(again["wheels"][0]["source"], source);
        assert_eq!(again["wheels"][0]["platform"], measured["platform"]);
        assert_eq!(run.stderr, "");
    }
}

#[test]
fn a_file_that_is_not_what_the_set_says_is_measured_with_a_note() {
    let folder = tempfile::tempdir().unwrap();
    let name = sound("demo").write(folder.path());
    let document = probe(folder.path(), &[&name]).stdout;
    sound("demo").with("p/more.txt", "x").write(folder.path());
    let run = probe_fed(folder.path(), &[], document.as_bytes());
    assert_eq!(run.code, 0);
    assert_eq!(
        run.stderr,
        format!(
            "glibc-probe: {name}: is not the file that the set describes (its sha256 changed); measured as it is now\n"
        )
    );
}

#[test]
fn nothing_on_stdin_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let run = probe_fed(folder.path(), &[], b"");
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert_eq!(
        run.stderr,
        "glibc-probe: nothing came in, see the message above\n"
    );
}

#[test]
fn every_bad_input_is_named_and_nothing_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let good = sound("demo").write(folder.path());
    let page = "page-1.0-py3-none-any.whl";
    std::fs::write(
        folder.path().join(page),
        "<!DOCTYPE html><title>404</title>",
    )
    .unwrap();
    let absent = "absent-1.0-py3-none-any.whl";
    let run = probe(folder.path(), &[page, &good, absent]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(
        lines[0].starts_with(&format!("glibc-probe: {absent}: file.")),
        "{lines:?}"
    );
    assert!(
        lines[1].starts_with(&format!("glibc-probe: {page}: zip.")),
        "{lines:?}"
    );
}

#[test]
fn one_file_name_with_two_contents_is_a_no() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other");
    std::fs::create_dir(&other).unwrap();
    let name = sound("demo").write(folder.path());
    sound("demo").with("p/x", "y").write(&other);
    let run = probe(folder.path(), &[&name, "other"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(
        run.stderr.contains("came twice with different bytes"),
        "{}",
        run.stderr
    );
    std::fs::copy(folder.path().join(&name), other.join(&name)).unwrap();
    assert_eq!(
        probe(folder.path(), &[&name, "other"]).document()["wheels"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn a_bare_library_is_for_explaining_only() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("libt.so"),
        extension("GLIBC_2.38").bytes(),
    )
    .unwrap();
    let run = probe(folder.path(), &["libt.so"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert_eq!(
        run.stderr,
        "glibc-probe: libt.so: a library alone is no wheel; add --explain to have it explained\n"
    );
    let run = probe(folder.path(), &["--explain", "libt.so"]);
    assert_eq!(run.code, 0);
    assert!(
        run.stdout
            .starts_with("libt.so\n  verdict       manylinux_2_38_x86_64\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn more_is_said_when_asked_for() {
    let run = measure(&sound("demo"), &["-v"]);
    assert_eq!(run.code, 0);
    assert_eq!(
        run.stderr,
        "glibc-probe: demo-1.0-cp314-cp314-manylinux_2_28_x86_64.whl: 4 members, 1 of them ELF files\n"
    );
}

#[test]
fn the_bytes_are_the_same_however_many_threads() {
    let folder = tempfile::tempdir().unwrap();
    for index in 0..6 {
        let mut wheel = sound(&format!("demo{index}"));
        for member in 0..40 {
            wheel = wheel.with(&format!("p/{member}.so"), extension("GLIBC_2.17").bytes());
        }
        wheel.write(folder.path());
    }
    let one = probe(folder.path(), &["-j", "1", "."]);
    assert_eq!(one.code, 0);
    for threads in ["2", "5"] {
        assert_eq!(
            probe(folder.path(), &["-j", threads, "."]).stdout,
            one.stdout
        );
    }
}
