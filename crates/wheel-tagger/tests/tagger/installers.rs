//! pip, uv, twine and Python itself as judges: what came in and what went out install the same files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::desk::{Desk, Wheel, cached, judged, oracle, text};

/// Every installed file below a folder with its content and executable bit, versions in names levelled;
/// what installers write about themselves, and what names the version inside, is left out.
fn tree(folder: &Path) -> BTreeMap<String, (Vec<u8>, bool)> {
    use std::os::unix::fs::PermissionsExt;
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = text(path.strip_prefix(folder).unwrap())
                .replace("+rocm10.1.0", "")
                .replace(".rocm10.1.0", "");
            let own = [
                "RECORD",
                "INSTALLER",
                "REQUESTED",
                "direct_url.json",
                "uv_cache.json",
                "METADATA",
                ".lock",
            ];
            if own.iter().any(|own| name.ends_with(own)) {
                continue;
            }
            let executable = path.metadata().unwrap().permissions().mode() & 0o100 != 0;
            found.insert(name, (fs::read(&path).unwrap(), executable));
        }
    }
    found
}

fn install(client: &str, wheel: &Path, target: &Path) {
    let mut command = oracle(client);
    if client == "pip" {
        command.args([
            "install",
            "--quiet",
            "--isolated",
            "--no-index",
            "--no-compile",
            "--disable-pip-version-check",
        ]);
    } else {
        let python = crate::desk::root().join("build/oracles/bin/python");
        command.args([
            "pip",
            "install",
            "--quiet",
            "--no-config",
            "--offline",
            "--no-cache",
            "--link-mode",
            "copy",
        ]);
        command.arg("--python").arg(python);
    }
    judged(
        command
            .args(["--no-deps", "--target"])
            .arg(target)
            .arg(wheel),
    );
}

/// Rewrites one wheel, every one marked, and gives the name of the new one.
fn rewritten(desk: &Desk, path: &Path) -> String {
    fs::write(desk.path("rocm-bake.toml"), "[mark]\neverything = true\n").unwrap();
    let ran = desk
        .run(
            &["--rocm", "10.1.0", "--out", "out", "--quiet", &text(path)],
            "",
        )
        .succeeded();
    ran.document()["wheels"][0]["filename"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn kinds(desk: &Desk) -> Vec<std::path::PathBuf> {
    let mut scripts = Wheel::new("demo_scripts-1.0-py3-none-any");
    scripts.files.push((
        "demo_scripts-1.0.data/scripts/demo-tool".to_owned(),
        "#!python\nprint('ok')\n".to_owned(),
    ));
    scripts.files.push((
        "demo_scripts-1.0.data/data/share/demo/x".to_owned(),
        "x".to_owned(),
    ));
    let mut entry = Wheel::new("demo_entry-1.0.post1-py3-none-any");
    entry.files.push((
        "demo_entry-1.0.post1.dist-info/entry_points.txt".to_owned(),
        "[console_scripts]\ndemo-entry = demo_entry:main\n".to_owned(),
    ));
    let local = Wheel::new("demo_local-2.0a0+git31a77fc-py2.py3-none-any");
    desk.set(&[scripts, entry, local])["wheels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|wheel| desk.path(wheel["path"].as_str().unwrap()))
        .collect()
}

#[test]
fn pip_and_uv_install_the_same_files_as_before() {
    let desk = Desk::new();
    let mut wheels = kinds(&desk);
    for real in [
        "rocm_bootstrap-0.3.0-py3-none-any.whl",
        "variantlib-0.2.2-py3-none-any.whl",
    ] {
        wheels.push(cached(real));
    }
    for (number, path) in wheels.iter().enumerate() {
        let new = desk.path("out").join(rewritten(&desk, path));
        for client in ["pip", "uv"] {
            let targets =
                ["old", "new"].map(|side| desk.path(&format!("{client}-{number}-{side}")));
            install(client, path, &targets[0]);
            install(client, &new, &targets[1]);
            let (old, new) = (tree(&targets[0]), tree(&targets[1]));
            assert!(old.len() > 2, "{client} {path:?}");
            assert_eq!(
                old.keys().collect::<Vec<_>>(),
                new.keys().collect::<Vec<_>>(),
                "{client} {path:?}"
            );
            assert!(old == new, "{client} {path:?}");
        }
    }
}

#[test]
fn a_marked_set_resolves_and_imports_and_a_check_is_clean() {
    let desk = Desk::new();
    let set = desk.set(&[
        Wheel::new("demo_torch-2.15.0a0+git31a77fc-py3-none-any")
            .requires("demo-triton==3.9.0+gitaad2a60d"),
        Wheel::new("demo_triton-3.9.0+gitaad2a60d-py3-none-any"),
    ]);
    fs::write(desk.path("rocm-bake.toml"), "[mark]\neverything = true\n").unwrap();
    desk.tag(&set, &[]).succeeded();
    for client in ["pip", "uv"] {
        let environment = desk.path(client);
        let uv = |arguments: &[&str]| {
            let mut command = oracle("uv");
            command
                .args(arguments)
                .args(["--no-config", "--offline", "--quiet"]);
            command
        };
        judged(
            uv(&["venv"])
                .arg("--python")
                .arg(crate::desk::root().join("build/oracles/bin/python"))
                .arg(&environment),
        );
        let python = environment.join("bin/python");
        if client == "uv" {
            judged(
                uv(&["pip", "install", "--no-index", "--no-cache", "demo-torch"])
                    .arg("--find-links")
                    .arg(desk.path("out"))
                    .arg("--python")
                    .arg(&python),
            );
        } else {
            judged(
                oracle("pip")
                    .arg("--python")
                    .arg(&python)
                    .args([
                        "install",
                        "--quiet",
                        "--isolated",
                        "--no-index",
                        "demo-torch",
                        "--pre",
                        "--find-links",
                    ])
                    .arg(desk.path("out")),
            );
        }
        judged(uv(&["pip", "check"]).arg("--python").arg(&python));
        let said = judged(std::process::Command::new(&python).args([
            "-c",
            "import demo_torch, demo_triton, importlib.metadata as m; print(m.version('demo-torch'), m.version('demo-triton'))",
        ]));
        assert_eq!(
            said,
            "2.15.0a0+git31a77fc.rocm10.1.0 3.9.0+gitaad2a60d.rocm10.1.0\n"
        );
    }
}

#[test]
fn twine_and_zipfile_find_nothing_wrong() {
    let desk = Desk::new();
    let mut wheels = kinds(&desk);
    wheels.push(cached("rocm_bootstrap-0.3.0-py3-none-any.whl"));
    for path in &wheels {
        let new = desk.path("out").join(rewritten(&desk, path));
        judged(oracle("python").args(["-m", "zipfile", "-t"]).arg(&new));
        if path.ends_with("rocm_bootstrap-0.3.0-py3-none-any.whl") {
            judged(oracle("twine").args(["check", "--strict"]).arg(&new));
        }
    }
}
