//! The adversarial wheels of `make_cases.py`: what is written is judged there, what is refused here.

use std::process::Command;

use serde_json::Value;

use crate::desk::{Desk, Ran, TOOL, judged, oracle, text};

const MAKE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/make_cases.py");

#[test]
fn every_case_comes_out_as_it_should() {
    let desk = Desk::new();
    judged(
        oracle("python")
            .args([MAKE, "make"])
            .arg(desk.path("cases")),
    );
    std::fs::write(desk.path("rocm-bake.toml"), "[mark]\neverything = true\n").unwrap();
    let expected = std::fs::read_to_string(desk.path("cases/expected.json")).unwrap();
    let expected: Value = serde_json::from_str(&expected).unwrap();
    for case in expected["cases"].as_array().unwrap() {
        let id = case["id"].as_str().unwrap();
        let input = desk
            .path("cases")
            .join(id)
            .join(case["file"].as_str().unwrap());
        let ran: Ran = Command::new(TOOL)
            .args(["--rocm", "10.1.0", "--quiet", "--out"])
            .arg(desk.path("out").join(id))
            .arg(&input)
            .current_dir(desk.path(""))
            .output()
            .unwrap()
            .into();
        match case["error"].as_str() {
            None => assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{id}"),
            Some(kind) => {
                let start = format!("wheel-tagger: {}: {kind}: ", text(&input));
                let (code, stderr) = ran.refused();
                assert!(
                    code == 2 && stderr.starts_with(&start),
                    "{id}: {code} {stderr}"
                );
                assert_eq!(stderr.lines().count(), 1, "{id}: {stderr}");
                assert!(!desk.path("out").join(id).exists(), "{id}");
            }
        }
    }
    let said = judged(
        oracle("python")
            .args([MAKE, "check"])
            .arg(desk.path("cases"))
            .arg(desk.path("out")),
    );
    assert!(said.contains(" passed, 0 failed"), "{said}");
}
