//! What cannot be done is told in one line, and nothing is written.

use std::fs;

use serde_json::Value;

use crate::desk::{Desk, Wheel};

#[test]
fn bad_input_is_told_in_one_line() {
    let desk = Desk::new();
    let run = ["--rocm", "10.1.0", "--out", "out"];
    assert_eq!(
        desk.run(&run, "").refused(),
        (
            2,
            "wheel-tagger: nothing came in, see the message above\n".to_owned()
        )
    );
    let (code, stderr) = desk
        .run(&run, "{\"schema\": \"wheel-set/1\", \"whee")
        .refused();
    assert_eq!(code, 2);
    assert!(
        stderr.starts_with("wheel-tagger: not a whole document: "),
        "{stderr}"
    );
    assert_eq!(
        desk.run(&["--rocm", "10.1.0", "--out", "out", "gone-1.0-py3-none-any.whl"], "").refused(),
        (
            2,
            "wheel-tagger: gone-1.0-py3-none-any.whl: file.unreadable: No such file or directory (os error 2); check the path\n"
                .to_owned()
        )
    );
    assert_eq!(
        desk.run(
            &["--rocm", "10.1.0", "--out", "out", "--config", "none.toml"],
            ""
        )
        .refused(),
        (
            2,
            "wheel-tagger: none.toml: No such file or directory (os error 2); check the path\n"
                .to_owned()
        )
    );
    assert_eq!(desk.names("out"), [""; 0]);
}

#[test]
fn a_folder_and_a_misspelt_path_say_what_to_do() {
    let desk = Desk::new();
    fs::create_dir_all(desk.path("wheels")).unwrap();
    let (code, stderr) = desk
        .run(&["--rocm", "10.1.0", "--out", "out", "wheels", "wheel"], "")
        .refused();
    assert_eq!(code, 2);
    assert_eq!(
        stderr,
        "wheel-tagger: wheel: No such file or directory (os error 2); check the path\n\
         wheel-tagger: wheels: is a folder; pipe it in through glibc-probe, or name its wheels\n"
    );
}

#[test]
fn notes_are_explained_once() {
    let desk = Desk::new();
    let set = desk.set(&[Wheel::new("demo-1.0+rocm9.0.0-cp314-cp314-linux_x86_64")]);
    let run = ["--rocm", "10.1.0", "--out", "out", "--explain"];
    let ran = desk.run(&run, &set.to_string()).succeeded();
    assert!(ran.stdout.contains("mark.other"), "{}", ran.stdout);
    assert_eq!(ran.stderr, "");
}

#[test]
fn several_bad_wheels_are_all_named_and_the_good_one_is_not_written() {
    let desk = Desk::new();
    let set = desk.set(&[
        Wheel::new("a-1.0-py3-none-any"),
        Wheel::new("b-1.0-py3-none-any"),
        Wheel::new("c-1.0-py3-none-any"),
    ]);
    fs::write(desk.path("in/a-1.0-py3-none-any.whl"), "").unwrap();
    fs::write(desk.path("in/c-1.0-py3-none-any.whl"), "<html>").unwrap();
    assert_eq!(
        desk.tag(&set, &[]).refused(),
        (
            2,
            "wheel-tagger: in/a-1.0-py3-none-any.whl: zip.not-a-zip: the file is empty; fetch or build it again\n\
             wheel-tagger: in/c-1.0-py3-none-any.whl: zip.not-a-zip: this is a web page and not a wheel; the download went \
             wrong\n"
                .to_owned()
        )
    );
    assert!(desk.names("out").is_empty());
}

#[test]
fn a_wheel_that_changed_since_it_was_measured_is_refused() {
    let desk = Desk::new();
    let mut set = desk.set(&[
        Wheel::new("nixl-1.0-py3-none-any"),
        Wheel::new("other-1.0-py3-none-any"),
    ]);
    let true_sha = set["wheels"][0]["sha256"].as_str().unwrap().to_owned();
    set["wheels"][0]["sha256"] = Value::from("0".repeat(64));
    assert_eq!(
        desk.tag(&set, &[]).refused(),
        (
            2,
            format!(
                "wheel-tagger: in/nixl-1.0-py3-none-any.whl: its sha256 is {true_sha}, the document says {}; measure it \
                 again\n",
                "0".repeat(64)
            )
        )
    );
    assert!(!desk.path("out").exists());
}

#[test]
fn a_record_that_nobody_vouches_for_is_verified() {
    let desk = Desk::new();
    let made = Wheel::new("demo-1.0-cp314-cp314-linux_x86_64");
    for said in [Value::Null, Value::from("mismatch"), Value::from("missing")] {
        let mut set = desk.set(std::slice::from_ref(&made));
        set["wheels"][0]["record"] = said;
        if set["wheels"][0]["record"].is_null() {
            set["wheels"][0].as_object_mut().unwrap().remove("record");
        }
        // The document may be wrong; the wheel decides.
        desk.tag(&set, &[]).succeeded();
    }
}

#[test]
fn the_help_has_an_example_and_the_exit_codes() {
    let ran = Desk::new().run(&["--help"], "").succeeded();
    for part in [
        "EXAMPLE\n  glibc-probe dist/",
        "EXIT\n  0  ",
        "--keep-platform",
        "--dry-run",
        "--force",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
}

#[test]
fn a_document_that_says_something_else_than_the_file_name_is_refused() {
    for (field, value) in [
        ("name", Value::from("other")),
        ("version", Value::from("2.0")),
        ("tags", Value::from(vec!["py3-none-any"])),
    ] {
        let desk = Desk::new();
        let mut set = desk.set(&[Wheel::new("demo-1.0-cp314-cp314-linux_x86_64")]);
        set["wheels"][0][field] = value;
        let line = format!(
            "wheel-tagger: in/demo-1.0-cp314-cp314-linux_x86_64.whl: its file name does not say what the document \
             says as `{field}`; measure it again\n"
        );
        assert_eq!(desk.tag(&set, &[]).refused(), (2, line));
    }
}

#[test]
fn a_document_that_would_lead_out_of_the_folder_is_refused() {
    let desk = Desk::new();
    let set =
        desk.set(&[Wheel::new("demo-1.0-cp314-cp314-linux_x86_64").measured("../../x", "2.43")]);
    assert_eq!(
        desk.tag(&set, &[]).refused(),
        (
            2,
            "wheel-tagger: in/demo-1.0-cp314-cp314-linux_x86_64.whl: the document says that its platform is `../../x`, \
             which is no tag; measure it again\n"
                .to_owned()
        )
    );
    let mut set = desk.set(&[Wheel::new("demo-1.0-cp314-cp314-linux_x86_64")]);
    set["wheels"][0]["filename"] = Value::from("other-1.0-py3-none-any.whl");
    assert_eq!(
        desk.tag(&set, &[]).refused(),
        (
            2,
            "wheel-tagger: in/demo-1.0-cp314-cp314-linux_x86_64.whl: the document calls it `other-1.0-py3-none-any.whl`; \
             measure it again\n"
                .to_owned()
        )
    );
}
