//! Documents that contradict the wheels that they tell of.

use serde_json::{Value, json};

use crate::desk::Desk;
use crate::project::WHEEL;

const ARGUMENTS: [&str; 4] = ["--out", "out", "--lib-dir", "lib"];

fn desk() -> Desk {
    let desk = Desk::new();
    desk.foo(&[]);
    desk.answer(&[]);
    desk.package(&[]);
    desk
}

/// The measured document with its one wheel changed.
fn changed(desk: &Desk, change: impl FnOnce(&mut Value)) -> String {
    let mut set: Value = serde_json::from_str(&desk.measured()).unwrap();
    change(&mut set["wheels"][0]);
    set.to_string()
}

#[test]
fn a_document_cannot_name_a_place_outside_the_output_folder() {
    let desk = desk();
    let outside = desk.path("evil-1.0-py3-none-any.whl");
    for name in [
        "../evil-1.0-py3-none-any.whl",
        outside.to_str().unwrap(),
        "other-1.0-py3-none-any.whl",
        "..",
        "",
    ] {
        let set = changed(&desk, |wheel| wheel["filename"] = name.into());
        assert_eq!(
            desk.vendor_set(&set, &ARGUMENTS).refused(),
            (
                2,
                format!(
                    "wheel-vendor: in/{WHEEL}: is called `{name}` in the document; measure it again\n"
                )
            )
        );
        assert!(!outside.exists() && !desk.path("out").exists());
    }
}

#[test]
fn a_document_about_another_wheel_is_refused() {
    let desk = desk();
    for (library, member, said) in [
        (
            "libbar.so.2",
            "demo/a.so",
            "demo/a.so: does not need libbar.so.2, as the document says; measure it again",
        ),
        (
            "libfoo.so.1",
            "demo/__init__.py",
            "demo/__init__.py: does not need libfoo.so.1, as the document says; measure it again",
        ),
        (
            "libfoo.so.1",
            "demo/b.so",
            "is not the wheel that was measured: demo/b.so is not in it; measure it again",
        ),
    ] {
        let external = json!([{"library": library, "needed_by": [member]}]);
        let set = changed(&desk, |wheel| wheel["platform"]["external"] = external);
        let expected = (2, format!("wheel-vendor: in/{WHEEL}: {said}\n"));
        assert_eq!(desk.vendor_set(&set, &ARGUMENTS).refused(), expected);
        assert!(!desk.path("out").exists());
    }
}

#[test]
fn a_document_that_gives_a_wheel_another_name_or_version_is_refused() {
    let desk = desk();
    for (field, value, said) in [("name", "other", "other 1.0"), ("version", "9", "demo 9")] {
        let set = changed(&desk, |wheel| wheel[field] = value.into());
        assert_eq!(
            desk.vendor_set(&set, &ARGUMENTS).refused(),
            (
                2,
                format!(
                    "wheel-vendor: in/{WHEEL}: is `{said}` in the document; measure it again\n"
                )
            )
        );
    }
}
