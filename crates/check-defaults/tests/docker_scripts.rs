//! The scripts that the Dockerfiles run, run by themselves.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

fn script(name: &str) -> Command {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docker")
        .join(name);
    let mut command = Command::new("bash");
    command.arg(path);
    command
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@example.org",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).trim().to_owned()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn write(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Paths below a folder, sorted, of files only.
fn files(folder: &Path) -> Vec<String> {
    let output = Command::new("find")
        .args([".", "-type", "f"])
        .current_dir(folder)
        .output()
        .unwrap();
    let mut files: Vec<String> = text(&output.stdout).lines().map(str::to_owned).collect();
    files.sort();
    files
}

#[test]
fn a_tag_a_branch_and_a_short_commit_are_checked_out() {
    let work = tempfile::tempdir().unwrap();
    let upstream = work.path().join("upstream");
    fs::create_dir(&upstream).unwrap();
    git(&upstream, &["init", "-q"]);
    for version in ["one", "two"] {
        write(&upstream.join("file"), version);
        git(&upstream, &["add", "file"]);
        git(&upstream, &["commit", "-q", "-m", version]);
        git(&upstream, &["tag", &format!("v-{version}")]);
    }
    git(&upstream, &["branch", "topic", "v-one"]);
    let short = git(&upstream, &["rev-parse", "--short", "v-two"]);
    let from = format!("file://{}", upstream.display());
    for (reference, content) in [("v-one", "one"), ("topic", "one"), (short.as_str(), "two")] {
        let folder = work.path().join(reference);
        let output = script("checkout.sh")
            .args([&from, reference])
            .arg(&folder)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{reference}: {}",
            text(&output.stderr)
        );
        assert_eq!(
            fs::read_to_string(folder.join("file")).unwrap(),
            content,
            "{reference}"
        );
    }
    let output = script("checkout.sh")
        .args([&from, "v-three"])
        .arg(work.path().join("x"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = format!("checkout.sh: {from} has no tag, branch or commit v-three\n");
    assert!(
        text(&output.stderr).ends_with(&message),
        "{}",
        text(&output.stderr)
    );
}

fn rocm() -> tempfile::TempDir {
    let rocm = tempfile::tempdir().unwrap();
    for file in [
        "lib/rocblas/library/TensileLibrary_lazy_gfx950.dat",
        "lib/rocblas/library/Kernels.so-000-gfx950-xnack+.hsaco",
        "lib/rocblas/library/TensileLibrary_lazy_gfx942.dat",
        "lib/rocblas/library/TensileManifest.txt",
        "lib/rocblas/library/TensileLibrary_gfx9-4-generic.co",
        "lib/hipblaslt/library/gfx942/a.co",
        "lib/hipblaslt/library/gfx950/a.co",
        "share/miopen/db/gfx950100.db.txt",
        "share/miopen/db/gfx90a68.HIP.fdb.txt",
        "lib/elsewhere_gfx942.so",
    ] {
        write(&rocm.path().join(file), "");
    }
    rocm
}

#[test]
fn only_kernels_of_other_cards_are_removed() {
    let rocm = rocm();
    let output = script("prune-kernels.sh")
        .arg("gfx950")
        .arg(rocm.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(
        text(&output.stdout),
        "prune-kernels.sh: kept 4 files for gfx950, removed 3 of other cards\n"
    );
    assert_eq!(
        files(rocm.path()),
        [
            "./lib/elsewhere_gfx942.so",
            "./lib/hipblaslt/library/gfx950/a.co",
            "./lib/rocblas/library/Kernels.so-000-gfx950-xnack+.hsaco",
            "./lib/rocblas/library/TensileLibrary_gfx9-4-generic.co",
            "./lib/rocblas/library/TensileLibrary_lazy_gfx950.dat",
            "./lib/rocblas/library/TensileManifest.txt",
            "./share/miopen/db/gfx950100.db.txt",
        ]
    );
}

#[test]
fn a_card_without_kernels_and_a_name_that_is_none_stop_the_build() {
    let rocm = rocm();
    for (arch, code) in [("gfx1201", 1), ("MI355X", 2), ("", 2)] {
        let output = script("prune-kernels.sh")
            .arg(arch)
            .arg(rocm.path())
            .output()
            .unwrap();
        assert_eq!(
            output.status.code(),
            Some(code),
            "{arch}: {}",
            text(&output.stderr)
        );
    }
}

/// Runs with-sccache.sh where `sccache` is a script that says what it was given.
fn with_sccache(folder: &Path, command: &str) -> Output {
    let fake = folder.join("bin/sccache");
    write(&fake, "#!/bin/sh\necho \"sccache $*\" >>\"$SCCACHE_LOG\"\n");
    fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).unwrap();
    write(
        &folder.join("secret"),
        "SCCACHE_WEBDAV_ENDPOINT=http://127.0.0.1:1\n",
    );
    let path = format!(
        "{}:{}",
        folder.join("bin").display(),
        std::env::var("PATH").unwrap()
    );
    script("with-sccache.sh")
        .args(["bash", "-c", command])
        .env("PATH", path)
        .env("SCCACHE_LOG", folder.join("log"))
        .env("SCCACHE_SECRET", folder.join("secret"))
        .env_remove("ROCM_PATH")
        .output()
        .unwrap()
}

#[test]
fn a_build_sees_the_compilers_through_sccache_and_keeps_its_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let command = "echo $CMAKE_CXX_COMPILER_LAUNCHER $SCCACHE_WEBDAV_ENDPOINT; $HIP_CLANG_PATH/clang++ -c a.hip; exit 3";
    let output = with_sccache(folder.path(), command);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(text(&output.stdout), "sccache http://127.0.0.1:1\n");
    let log = fs::read_to_string(folder.path().join("log")).unwrap();
    assert_eq!(
        log,
        "sccache /opt/rocm/llvm/bin/clang++ -c a.hip\nsccache --show-stats\nsccache --stop-server\n"
    );
}
