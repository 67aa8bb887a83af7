//! Both of the README's promises: the demo works on a clean clone, and every command shown works after it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command as Process, Output};

use end_to_end::{Workspace, commands};

/// A clean clone whose `target` is the one that is built already, so that it builds only its own tools.
fn clone(workspace: &Workspace, place: &Path) {
    let done = Process::new("git")
        .args(["clone", "--quiet", "--local"])
        .arg(&workspace.root)
        .arg(place)
        .status()
        .unwrap();
    assert!(done.success());
    let target = workspace.bin.parent().unwrap();
    symlink(target, place.join("target")).unwrap();
}

fn bash(place: &Path, script: &str) -> Output {
    Process::new("bash")
        .args(["-euo", "pipefail", "-c", script])
        .current_dir(place)
        .env_remove("MAKEFLAGS")
        .env_remove("MAKELEVEL")
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Path and content of every file below a folder, sorted.
fn tree(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(one) = todo.pop() {
        for entry in std::fs::read_dir(&one).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                found.push((name, std::fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn the_readme_commands_work_on_a_clean_clone_and_a_second_demo_changes_nothing() {
    let workspace = Workspace::find().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("rocm-bake");
    clone(&workspace, &place);
    let readme = std::fs::read_to_string(place.join("README.md")).unwrap();
    let shown = commands(&readme);
    assert_eq!(shown[0].text, "make demo");
    assert!(shown.len() >= 4, "the README lost its commands");

    let script: Vec<&str> = shown.iter().map(|command| command.text.as_str()).collect();
    let first = bash(&place, &script.join("\n"));
    assert!(first.status.success(), "{}", text(&first));
    let said = text(&first);
    for promised in [
        "sglang_kernel_rdna3",
        "gfx1100",
        "No broken requirements found",
        "14.2.0+rocm10.1.0",
        "manylinux_2_38_x86_64",
    ] {
        assert!(
            said.contains(promised),
            "the demo does not say `{promised}`:\n{said}"
        );
    }

    let site = place.join("build/site");
    let before = tree(&site);
    let second = bash(&place, "make demo");
    assert!(second.status.success(), "{}", text(&second));
    assert!(text(&second).contains("0 of them fetched now"));
    let after = tree(&site);
    let names = |tree: &[(String, Vec<u8>)]| {
        tree.iter()
            .map(|(name, _)| name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&before), names(&after));
    for ((name, old), (_, new)) in before.iter().zip(&after) {
        assert!(old == new, "a second demo changed {name}");
    }
}

#[test]
fn make_help_lists_every_target_with_what_it_does() {
    let workspace = Workspace::find().unwrap();
    let help = text(&bash(&workspace.root, "make help"));
    for target in [
        "demo",
        "test",
        "lint",
        "wheel-index",
        "audit-index",
        "test-large",
        "bench",
        "plan",
    ] {
        let line = help
            .lines()
            .find(|line| line.trim_start().starts_with(&format!("{target} ")));
        assert!(
            line.is_some_and(|line| line.trim().len() > target.len() + 10),
            "{target} is not in make help:\n{help}"
        );
    }
}
