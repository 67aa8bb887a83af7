//! Every command that the pages in `docs/` show works as shown.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command as Process;

use end_to_end::{Workspace, commands, foreign_blocks};

/// Small real wheels that the pages call `wheels/`: GPU code for gfx950 among others, and two kinds without.
const WHEELS: &[&str] = &[
    "jax_rocm10_plugin-0.12.0-cp314-cp314-manylinux_2_27_x86_64.whl",
    "pyg_lib_rocm-0.8.0.post2-cp314-cp314-manylinux_2_32_x86_64.whl",
    "torch_scatter_rocm-2.1.2.post7-cp314-cp314-manylinux_2_32_x86_64.whl",
];
/// A wheel for gfx1100 only, which the pages call `other/`.
const OTHER: &str = "sglang_kernel_rdna3-0.4.6.post1-cp312-cp312-manylinux_2_34_x86_64.whl";

const TOOLS: &[&str] = &[
    "glibc-probe",
    "wheel-vendor",
    "wheel-tagger",
    "metapkg",
    "index-gen",
    "index-audit",
    "tag-planner",
    "wheelhouse",
    "check-defaults",
];

/// The desk, with `wheels/` and `other/`.
fn desk(workspace: &Workspace) -> tempfile::TempDir {
    let desk = workspace.desk().unwrap();
    for (folder, names) in [("wheels", WHEELS), ("other", &[OTHER][..])] {
        let folder = desk.path().join(folder);
        std::fs::create_dir(&folder).unwrap();
        for name in names {
            let wheel = workspace.wheels.join(name);
            assert!(wheel.exists(), "{name} is missing; run `make fetch-test`");
            symlink(wheel, folder.join(name)).unwrap();
        }
    }
    desk
}

fn run_page(workspace: &Workspace, page: &Path) {
    let text = std::fs::read_to_string(page).unwrap();
    let hidden = foreign_blocks(&text, TOOLS);
    assert!(
        hidden.is_empty(),
        "{}: not in a console block: {hidden:#?}",
        page.display()
    );
    let desk = desk(workspace);
    for command in commands(&text) {
        let output = Process::new("bash")
            .args(["-euo", "pipefail", "-c", &command.text])
            .current_dir(desk.path())
            .env("PATH", workspace.path())
            .output()
            .unwrap();
        assert_eq!(
            output.status.code(),
            Some(command.exit),
            "{}:{}: {}\n{}{}",
            page.display(),
            command.line,
            command.text,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
    }
}

#[test]
fn every_command_of_every_page_works_as_shown() {
    let workspace = Workspace::find().unwrap();
    let mut pages: Vec<_> = std::fs::read_dir(workspace.root.join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.sort();
    assert!(pages.len() > 5, "the pages are gone");
    for page in pages {
        run_page(&workspace, &page);
    }
}
