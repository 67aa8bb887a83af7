//! RECORD against the members: the probe measures, and refuses nothing.

use crate::support::{MODULE, extension, measure};
use crate::wheel::Wheel;

fn wheel() -> Wheel {
    Wheel::new("manylinux_2_28_x86_64")
        .with(MODULE, extension("GLIBC_2.28").bytes())
        .with("p/__init__.py", "x = 1\n")
}

/// `record`, and the findings about it.
fn record(wheel: &Wheel) -> (String, Vec<String>) {
    let run = measure(wheel, &[]);
    assert_eq!(run.code, 0);
    let document = run.wheel();
    let findings = document["platform"]["findings"].as_array().unwrap();
    let findings = findings
        .iter()
        .filter(|finding| finding["rule"].as_str().unwrap().starts_with("record."))
        .map(|finding| {
            format!(
                "{} {}",
                finding["rule"].as_str().unwrap(),
                finding["member"].as_str().unwrap_or("-")
            )
        })
        .collect();
    (document["record"].as_str().unwrap().to_owned(), findings)
}

#[test]
fn a_true_record_is_verified() {
    assert_eq!(record(&wheel()), ("verified".to_owned(), Vec::new()));
}

#[test]
fn every_fault_of_record_is_a_finding_with_its_member() {
    let truth = wheel().true_record();
    let row = truth
        .lines()
        .find(|line| line.starts_with("p/__init__.py"))
        .unwrap();
    let edit = |from: &str, to: &str| wheel().with_record(&truth.replace(from, to));
    let wrong_hash = format!("p/__init__.py,sha256={},6", "A".repeat(43));
    for (wheel, finding) in [
        (edit(row, &wrong_hash), "record.hash-mismatch p/__init__.py"),
        (edit(",6\n", ",7\n"), "record.size-mismatch p/__init__.py"),
        (
            edit(&format!("{row}\n"), ""),
            "record.unlisted-member p/__init__.py",
        ),
        (edit(row, "p/__init__.py,,"), "record.no-hash p/__init__.py"),
        (
            edit(
                row,
                &format!("{row}\np/gone.py,sha256={},1", "A".repeat(43)),
            ),
            "record.absent-member p/gone.py",
        ),
        (wheel().with_record("a,b\n"), "record.malformed -"),
    ] {
        let (record, findings) = record(&wheel);
        assert_eq!(record, "mismatch");
        assert!(
            findings.contains(&finding.to_owned()),
            "{findings:?}, expected {finding}"
        );
    }
}

#[test]
fn a_wheel_without_record_is_measured() {
    assert_eq!(
        record(&wheel().without_record()),
        ("missing".to_owned(), vec!["record.missing -".to_owned()])
    );
}
