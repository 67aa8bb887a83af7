//! Judged by the real `docker buildx bake --print`, target by target and attribute by attribute.
//!
//! `tests/buildx/runs.tsv` says what is asked, `tests/buildx/golden.json` what buildx answered. Where
//! the program itself is there (`make oracles`), the recorded answers are compared with it, too.
//! `ROCM_BAKE_WRITE_GOLDEN=1` records them anew.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use bake::{Bake, Definitions, Outside};
use serde_json::Value;

/// One line of `runs.tsv`.
struct Run {
    line: String,
    files: Vec<String>,
    targets: Vec<String>,
    environment: Vec<(String, String)>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/buildx")
}

fn runs() -> Vec<Run> {
    let text = std::fs::read_to_string(folder().join("runs.tsv")).unwrap();
    let words = |field: Option<&str>| -> Vec<String> {
        field
            .unwrap_or("")
            .split_whitespace()
            .map(str::to_owned)
            .collect()
    };
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let mut fields = line.split('\t');
            Run {
                line: line.to_owned(),
                files: words(fields.next()),
                targets: words(fields.next()),
                environment: words(fields.next())
                    .iter()
                    .map(|pair| pair.split_once('=').unwrap())
                    .map(|(name, value)| (name.to_owned(), value.to_owned()))
                    .collect(),
            }
        })
        .collect()
}

fn golden() -> BTreeMap<String, Value> {
    let text = std::fs::read_to_string(folder().join("golden.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The program, or `None` where `make oracles` said that it cannot be had.
fn program() -> Option<PathBuf> {
    let program = folder().join("../../build/oracles/docker-buildx");
    if program.exists() {
        return Some(program.canonicalize().unwrap());
    }
    let told = program.with_extension("missing").exists();
    assert!(told, "run `make oracles` first");
    None
}

/// What buildx says: the targets and the groups, or `null` when it refuses.
fn asked(program: &Path, run: &Run) -> Value {
    let home = std::env::temp_dir();
    let output = Command::new(program)
        .arg("bake")
        .args(run.files.iter().flat_map(|file| ["-f", file]))
        .arg("--print")
        .args(&run.targets)
        .current_dir(folder().join("cases"))
        .env_clear()
        .env("HOME", home)
        .envs(run.environment.iter().map(|(name, value)| (name, value)))
        .output()
        .unwrap();
    if !output.status.success() {
        return Value::Null;
    }
    serde_json::from_slice(&output.stdout).unwrap()
}

fn evaluated(run: &Run) -> Result<Bake, String> {
    let paths: Vec<PathBuf> = run
        .files
        .iter()
        .map(|file| folder().join("cases").join(file))
        .collect();
    let definitions = Definitions::read(&paths).map_err(|error| error.to_string())?;
    let outside = Outside::of(run.environment.clone());
    definitions
        .evaluate(&outside)
        .map_err(|error| error.to_string())
}

/// Our answer in the shape of buildx's: what is asked for, and what that is linked to.
fn printed(bake: &Bake, run: &Run) -> BTreeMap<String, Value> {
    let mut open: Vec<&str> = Vec::new();
    for name in &run.targets {
        open.extend(
            bake.members(name)
                .unwrap()
                .iter()
                .map(|target| target.name.as_str()),
        );
    }
    let mut targets = BTreeMap::new();
    while let Some(name) = open.pop() {
        let target = bake.target(name).unwrap();
        open.extend(target.links().into_values());
        let printed = serde_json::from_str(&target.printed().to_json()).unwrap();
        targets.insert(name.to_owned(), printed);
    }
    targets
}

#[test]
fn every_target_is_what_buildx_prints() {
    let golden = golden();
    let mut wrong = Vec::new();
    for run in runs() {
        let Some(answer) = golden.get(&run.line) else {
            wrong.push(format!("{}: not recorded", run.line));
            continue;
        };
        let (bake, targets) = match (evaluated(&run), answer.get("target")) {
            (Err(_), None) => continue,
            (Ok(_), None) => {
                wrong.push(format!("{}: taken, and buildx refuses it", run.line));
                continue;
            }
            (Err(error), Some(_)) => {
                wrong.push(format!("{}: {error}", run.line));
                continue;
            }
            (Ok(bake), Some(targets)) => (bake, targets.as_object().unwrap()),
        };
        let ours = printed(&bake, &run);
        let names: BTreeSet<&String> = ours.keys().chain(targets.keys()).collect();
        for name in names {
            let (ours, theirs) = (ours.get(name), targets.get(name));
            if ours != theirs {
                wrong.push(format!(
                    "{} {name}:\n  ours   {}\n  buildx {}",
                    run.line,
                    ours.unwrap_or(&Value::Null),
                    theirs.unwrap_or(&Value::Null)
                ));
            }
        }
        for (name, group) in answer["group"].as_object().into_iter().flatten() {
            // What is asked for is printed as the group `default`, beside or instead of the file's.
            if name == "default" {
                continue;
            }
            let theirs: BTreeSet<&str> = group["targets"]
                .as_array()
                .unwrap()
                .iter()
                .map(|m| m.as_str().unwrap())
                .collect();
            let ours: BTreeSet<&str> = bake
                .group(name)
                .unwrap()
                .members()
                .map(|(member, _)| member)
                .collect();
            if ours != theirs {
                wrong.push(format!(
                    "{} group {name}: {ours:?}, buildx {theirs:?}",
                    run.line
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_recorded_answers_are_what_the_program_says() {
    let Some(program) = program() else { return };
    let answers: BTreeMap<String, Value> = runs()
        .iter()
        .map(|run| (run.line.clone(), asked(&program, run)))
        .collect();
    if std::env::var_os("ROCM_BAKE_WRITE_GOLDEN").is_some() {
        let mut text = serde_json::to_string_pretty(&answers).unwrap();
        text.push('\n');
        std::fs::write(folder().join("golden.json"), text).unwrap();
        return;
    }
    let golden = golden();
    for (line, answer) in &answers {
        // The members of a group that a matrix makes come in no fixed order.
        assert_eq!(
            golden.get(line).map(sorted_groups),
            Some(sorted_groups(answer)),
            "{line}"
        );
    }
    assert_eq!(golden.len(), answers.len(), "record the answers anew");
}

fn sorted_groups(answer: &Value) -> Value {
    let mut answer = answer.clone();
    if let Some(groups) = answer.get_mut("group").and_then(Value::as_object_mut) {
        for group in groups.values_mut() {
            if let Some(members) = group["targets"].as_array_mut() {
                members.sort_by_key(ToString::to_string);
            }
        }
    }
    answer
}

#[test]
fn the_runs_cover_enough() {
    let runs = runs();
    let files: BTreeSet<&String> = runs.iter().flat_map(|run| &run.files).collect();
    let taken = files
        .iter()
        .filter(|file| !file.starts_with("refused/"))
        .count();
    assert!(taken >= 25, "{taken} files");
    let on_ours = runs
        .iter()
        .filter(|run| run.files[0].ends_with("docker-bake.hcl"))
        .count();
    assert!(on_ours >= 8, "{on_ours} runs on our own file");
}
