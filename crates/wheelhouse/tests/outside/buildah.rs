//! Images that buildah really built from the wheel stages of our Dockerfiles.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::debian::DebianRegistry;
use crate::images::plan;
use crate::run::wheelhouse;

#[test]
fn what_the_wheel_stages_publish_is_what_is_pulled() {
    let registry = DebianRegistry::start();
    let at = format!("{}/rocm-pytorch", registry.host);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let images = [
        (
            "nixl-wheel",
            Some("gfx950"),
            "v1.5.2-10.1.0-full-gfx950",
            vec![
                "nixl-1.5.2-py3-none-any.whl",
                "nixl_rocm-1.5.2-cp314-cp314-linux_x86_64.whl",
            ],
        ),
        (
            "triton-wheel",
            None,
            "3.9.0-10.1.0-full",
            vec!["triton-3.9.0+gitaad2a60d-cp314-cp314-linux_x86_64.whl"],
        ),
    ];
    for (repository, _, tag, wheels) in &images {
        let folder = tempfile::tempdir().unwrap();
        for name in wheels {
            fs::write(folder.path().join(name), format!("the bytes of {name}")).unwrap();
        }
        let built = Command::new(root.join("tests/wheel-images/build.sh"))
            .arg(folder.path())
            .args([*repository, *tag, &format!("docker://{at}")])
            .output()
            .unwrap();
        assert!(
            built.status.success(),
            "{}",
            String::from_utf8_lossy(&built.stderr)
        );
    }
    let targets: Vec<_> = images
        .iter()
        .map(|(name, architecture, tag, _)| (*name, *architecture, *tag))
        .collect();
    let plan = plan(&at, &targets);
    let host = registry.host.as_str();
    assert_eq!(
        wheelhouse(&["missing", "--plain-http", host], &plan).code,
        0
    );
    let out = tempfile::tempdir().unwrap();
    let said = wheelhouse(
        &[
            "pull",
            "--plain-http",
            host,
            "--out",
            out.path().to_str().unwrap(),
        ],
        &plan,
    );
    let all: Vec<_> = images
        .iter()
        .flat_map(|(.., wheels)| wheels.clone())
        .collect();
    assert_eq!(said.wheels(), all);
    assert_eq!(said.stderr, "");
    for name in all {
        assert_eq!(
            fs::read_to_string(out.path().join(name)).unwrap(),
            format!("the bytes of {name}")
        );
    }
}
