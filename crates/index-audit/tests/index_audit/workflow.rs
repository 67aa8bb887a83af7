//! The scripts of the weekly workflow, with stand-ins for what CI brings.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::stand::{Site, oracle, ours, theirs};

fn script(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.github/audit");
    folder.join(name).canonicalize().unwrap()
}

fn program(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, format!("#!/usr/bin/env bash\n{text}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs `issue.sh` with a `gh` that has these open issues and writes down what it is told.
fn issue(open: &str) -> String {
    let desk = tempfile::tempdir().unwrap();
    let (bin, told) = (desk.path().join("bin"), desk.path().join("told"));
    program(
        &bin.join("gh"),
        &format!(
            "case $2 in list) echo '{open}' ;; *) echo \"$@\" | sed 's/body-file .*/body-file FILE/' >>'{}' ;; esac",
            told.display()
        ),
    );
    let summary = desk.path().join("summary.md");
    std::fs::write(&summary, "# wrong\n").unwrap();
    let output = Command::new(script("issue.sh"))
        .arg(&summary)
        .env(
            "PATH",
            format!("{}:{}", bin.display(), std::env::var("PATH").unwrap()),
        )
        .env("INDEX", "https://h/data/wheels")
        .env("RUN", "https://h/run/7")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    std::fs::read_to_string(told).unwrap()
}

#[test]
fn one_issue_is_opened_and_later_updated() {
    let other = r#"[{"number": 3, "title": "Index audit: https://other"}]"#;
    assert_eq!(
        issue(other),
        "issue create --title Index audit: https://h/data/wheels --body-file FILE\n"
    );
    let open = r#"[{"number": 9, "title": "Index audit: https://h/data/wheels"},
        {"number": 5, "title": "Index audit: https://h/data/wheels"}]"#;
    assert_eq!(
        issue(open),
        "issue edit 5 --body-file FILE\nissue comment 5 --body Still so: https://h/run/7\n"
    );
}

#[test]
fn what_the_last_audit_knew_is_fetched_by_the_index_it_was_about() {
    let desk = tempfile::tempdir().unwrap();
    let bin = desk.path().join("bin");
    program(
        &bin.join("gh"),
        "case $1 in api) echo \"$2\" >asked; echo 77 ;; *) mkdir last-audit; echo \"$@\" >last-audit/known.json ;; esac",
    );
    let output = Command::new(script("last.sh"))
        .current_dir(desk.path())
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
        .env("INDEX", "https://h/x/data/wheels/")
        .env("GH_REPO", "o/r")
        .env_remove("GITHUB_OUTPUT")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "artifact=index-audit-https-h-x-data-wheels\n"
    );
    let read = |name: &str| std::fs::read_to_string(desk.path().join(name)).unwrap();
    assert_eq!(
        read("asked"),
        "repos/o/r/actions/artifacts?per_page=1&name=index-audit-https-h-x-data-wheels\n"
    );
    assert_eq!(
        read("last-audit/known.json"),
        "run download 77 --name index-audit-https-h-x-data-wheels --dir last-audit\n"
    );
}

/// Runs `run.sh` in a folder that looks like a checkout with everything built.
fn run(desk: &Path, index: &str, upstream: &str) -> Output {
    let bin = desk.join("bin");
    for tool in ["make", "cargo"] {
        program(&bin.join(tool), "exit 0");
    }
    std::fs::create_dir_all(desk.join("docker")).unwrap();
    std::fs::write(desk.join("docker/build.mk"), "ARCHES ?= gfx950\n").unwrap();
    std::fs::create_dir_all(desk.join("target/release")).unwrap();
    let tool = desk.join("target/release/index-audit");
    if !tool.exists() {
        symlink(env!("CARGO_BIN_EXE_index-audit"), tool).unwrap();
    }
    let clients = oracle("pip").parent().unwrap().to_owned();
    Command::new(script("run.sh"))
        .current_dir(desk)
        .env(
            "PATH",
            format!("{}:{}:/usr/bin:/bin", bin.display(), clients.display()),
        )
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("PIP_FIND_LINKS")
        .env("INDEX", index)
        .env(
            "FLAGS",
            format!("--upstream {upstream} --with uv --deadline 60"),
        )
        .env("GITHUB_STEP_SUMMARY", desk.join("step.md"))
        .output()
        .unwrap()
}

#[test]
fn the_audit_leaves_a_summary_whatever_comes_of_it() {
    let site = Site::new(&ours(), &theirs());
    let server = site.serve(&[]);
    let desk = tempfile::tempdir().unwrap();
    let read = |name: &str| std::fs::read_to_string(desk.path().join(name)).unwrap_or_default();

    let output = run(desk.path(), &server.url("data"), &server.url("public/"));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(read("step.md").starts_with(&format!("# `{}` is clean\n", server.url("data"))));
    let clean = read("audit/known.json");
    assert!(clean.contains("\"index-audit/1\""));

    std::fs::remove_file(site.file("atom-", ".metadata")).unwrap();
    let output = run(desk.path(), &server.url("data"), &server.url("public/"));
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        read("audit/summary.md").contains("| link.metadata |"),
        "{}",
        read("audit/summary.md")
    );
    let unclean = read("audit/known.json");
    assert_ne!(unclean, clean);

    let output = run(desk.path(), &server.url("nowhere"), &server.url("public/"));
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let nowhere = server.url("nowhere");
    assert_eq!(
        read("audit/summary.md"),
        format!(
            "# `{nowhere}` could not be audited\n\n```\nindex-audit: {nowhere}/gfx950/: the server answers 404 Not Found; --index names the folder that holds one folder per architecture\n```\n"
        )
    );
    assert_eq!(
        read("audit/known.json"),
        unclean,
        "what is known is not forgotten"
    );
}
