//! auditwheel as the judge of the verdict, on the synthetic wheels of `oracle/fixtures.py` and on real ones.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support;

/// What is to come out for one wheel.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Answer {
    /// `tag` and `symbols_tag`.
    Tags(String, String),
    /// The wheel is refused with this sentence.
    Refused(String),
    /// auditwheel's exception.
    Exception(String),
}

fn table(text: &str) -> Vec<Vec<String>> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .skip(1)
        .map(|line| line.split('\t').map(str::to_owned).collect())
        .collect()
}

fn theirs() -> BTreeMap<String, Answer> {
    table(include_str!("../oracle/verdicts.tsv"))
        .into_iter()
        .map(|row| {
            let answer = if row[1].is_empty() {
                Answer::Exception(row[3].clone())
            } else {
                Answer::Tags(row[1].clone(), row[2].clone())
            };
            (row[0].clone(), answer)
        })
        .collect()
}

fn deviations() -> BTreeMap<String, Answer> {
    table(include_str!("../oracle/deviations.tsv"))
        .into_iter()
        .map(|row| {
            assert!(
                !row[4].is_empty(),
                "{}: a deviation needs its reason",
                row[0]
            );
            let answer = if row[1].is_empty() {
                Answer::Refused(row[3].clone())
            } else {
                Answer::Tags(row[1].clone(), row[2].clone())
            };
            (row[0].clone(), answer)
        })
        .collect()
}

/// Measures wheels without the built-in excludes; those that are refused are measured apart.
fn ours(wheels: &[PathBuf]) -> BTreeMap<String, Answer> {
    let mut answers = BTreeMap::new();
    let mut left: BTreeSet<&Path> = wheels.iter().map(PathBuf::as_path).collect();
    let measure = |wheels: &BTreeSet<&Path>| {
        let mut arguments = vec!["--no-default-excludes"];
        arguments.extend(wheels.iter().map(|wheel| wheel.to_str().unwrap()));
        support::probe(&std::env::temp_dir(), &arguments)
    };
    let mut run = measure(&left);
    if run.code == 2 {
        for line in run.stderr.lines() {
            let (path, cause) = line
                .strip_prefix("glibc-probe: ")
                .and_then(|line| line.split_once(".whl: "))
                .unwrap();
            let path = format!("{path}.whl");
            let name = path.rsplit('/').next().unwrap().to_owned();
            answers.insert(name, Answer::Refused(cause.to_owned()));
            assert!(left.remove(Path::new(&path)), "{line}");
        }
        run = measure(&left);
    }
    for wheel in run.document()["wheels"].as_array().unwrap() {
        let text = |name: &str| wheel["platform"][name].as_str().unwrap().to_owned();
        answers.insert(
            wheel["filename"].as_str().unwrap().to_owned(),
            Answer::Tags(text("tag"), text("symbols_tag")),
        );
    }
    answers
}

/// Compares the answers for wheels that auditwheel was asked about; returns how many there were.
pub(crate) fn compare(wheels: &[PathBuf]) -> usize {
    let theirs = theirs();
    let deviations = deviations();
    let ours = ours(wheels);
    let mut compared = 0;
    let mut wrong = Vec::new();
    for (name, ours) in &ours {
        let Some(theirs) = theirs.get(name) else {
            continue;
        };
        compared += 1;
        let expected = deviations.get(name).unwrap_or(theirs);
        if ours != expected {
            wrong.push(format!("{name}: {ours:?}, expected {expected:?}"));
        }
        if deviations.get(name) == Some(theirs) {
            wrong.push(format!("{name}: a deviation that is none"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    compared
}

#[test]
fn every_synthetic_wheel_gets_auditwheels_verdict_or_a_named_deviation() {
    let folder = tempfile::tempdir().unwrap();
    let written = Command::new(support::oracle("python"))
        .arg(support::root().join("crates/glibc-probe/tests/oracle/fixtures.py"))
        .arg(folder.path())
        .status()
        .unwrap();
    assert!(written.success());
    let mut wheels: Vec<PathBuf> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    wheels.sort();
    assert_eq!(compare(&wheels), 188);
}

#[test]
fn real_wheels_get_auditwheels_verdict() {
    let compared = compare(&support::real_wheels(&["demo", "test"]));
    assert!(compared > 35, "{compared}");
}

#[test]
fn every_wheel_without_an_answer_of_auditwheel_has_a_row_of_ours() {
    let deviations = deviations();
    for (name, answer) in theirs() {
        if let Answer::Exception(kind) = answer {
            assert!(deviations.contains_key(&name), "{name} ({kind})");
        }
    }
}
