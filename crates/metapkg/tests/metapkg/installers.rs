//! Other programs as judges: what pip, uv, twine, check-wheel-contents and packaging make of a metapackage.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::stub::{Desk, Stub, metapackage};

fn oracle(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../build/oracles/bin")
        .join(name);
    assert!(
        path.exists(),
        "{} is missing: run `make oracles` first",
        path.display()
    );
    path
}

fn succeeds(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{command:?}\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// Our set, and beside it what others publish under the same names at equal or higher versions.
fn ours_and_theirs() -> (Desk, Desk) {
    let ours = Desk::with(&[
        Stub::new("torch", "2.15.0a0+git31a77fc.rocm10.1.0").requires("triton==3.9.0"),
        Stub::new("triton", "3.9.0+gitaad2a60d.rocm10.1.0"),
        Stub::new("nixl", "1.5.2+rocm10.1.0"),
        Stub::new("atom", "0.1.9+rocm10.1.0"),
    ]);
    let theirs = Desk::with(&[
        Stub::new("torch", "2.15.0"),
        Stub::new("triton", "3.9.0"),
        Stub::new("nixl", "1.5.2").requires("nixl-cu12"),
        Stub::new("nixl_cu12", "1.5.2"),
        Stub::new("atom", "0.12.1"),
    ]);
    ours.run(&[]).document();
    (ours, theirs)
}

const INSTALLED: &[&str] = &[
    "atom==0.1.9+rocm10.1.0",
    "nixl==1.5.2+rocm10.1.0",
    "rocm-torch==10.1.0+gfx950.",
    "torch==2.15.0a0+git31a77fc.rocm10.1.0",
    "triton==3.9.0+gitaad2a60d.rocm10.1.0",
];

/// What an environment holds, against the pins: sorted, names canonical.
fn assert_installed(frozen: &Output) {
    let text = String::from_utf8_lossy(&frozen.stdout).replace('_', "-");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), INSTALLED.len(), "{text}");
    for (line, expected) in lines.iter().zip(INSTALLED) {
        assert!(line.starts_with(expected), "{line} is not {expected}");
    }
}

#[test]
fn pip_takes_ours_for_every_pin_beside_colliding_names() {
    let (ours, theirs) = ours_and_theirs();
    let env = ours.path().join("env");
    succeeds(
        Command::new(oracle("python"))
            .args(["-m", "venv", "--without-pip"])
            .arg(&env),
    );
    let pip = |args: &[&str]| {
        let mut command = Command::new(oracle("pip"));
        command
            .arg("--isolated")
            .arg("--python")
            .arg(env.join("bin/python"))
            .args(args);
        command
    };
    succeeds(
        pip(&["install", "--no-index", "rocm-torch[Device_GFX950]"])
            .arg("--find-links")
            .arg(theirs.path())
            .arg("--find-links")
            .arg(ours.path())
            .arg("--find-links")
            .arg(ours.out()),
    );
    succeeds(&mut pip(&["check"]));
    assert_installed(&succeeds(&mut pip(&["freeze"])));
}

#[test]
fn uv_takes_ours_for_every_pin_beside_colliding_names() {
    let (ours, theirs) = ours_and_theirs();
    let env = ours.path().join("env");
    let uv = |args: &[&str]| {
        let mut command = Command::new(oracle("uv"));
        command
            .args(["--no-config", "--no-cache", "--offline"])
            .args(args)
            .current_dir(ours.path())
            .env("VIRTUAL_ENV", &env);
        command
    };
    succeeds(uv(&["venv", "--python"]).arg(oracle("python")).arg(&env));
    succeeds(
        uv(&["pip", "install", "--no-index", "rocm-torch[device-gfx950]"])
            .arg("--find-links")
            .arg(theirs.path())
            .arg("--find-links")
            .arg(ours.path())
            .arg("--find-links")
            .arg(ours.out()),
    );
    succeeds(&mut uv(&["pip", "check"]));
    assert_installed(&succeeds(&mut uv(&["pip", "freeze"])));
}

#[test]
fn twine_and_check_wheel_contents_find_nothing_but_that_it_is_empty() {
    let (ours, _) = ours_and_theirs();
    let wheel = metapackage(&ours);
    succeeds(
        Command::new(oracle("twine"))
            .args(["check", "--strict"])
            .arg(&wheel),
    );
    // W007 and W008: the library is empty, the wheel is empty.
    succeeds(
        Command::new(oracle("check-wheel-contents"))
            .args(["--no-config", "--ignore", "W007,W008"])
            .arg(&wheel),
    );
}

#[test]
fn packaging_reads_what_was_written() {
    let (ours, _) = ours_and_theirs();
    let program = "
import sys, zipfile
from packaging.metadata import Metadata
from packaging.utils import parse_wheel_filename
from packaging.version import Version
path, filename = sys.argv[1], sys.argv[1].rsplit('/', 1)[1]
name, version, build, tags = parse_wheel_filename(filename)
with zipfile.ZipFile(path) as z:
    stem = filename.split('-py3-')[0]
    metadata = Metadata.from_email(z.read(f'{stem}.dist-info/METADATA'), validate=True)
    assert z.testzip() is None
assert str(Version(filename.split('-')[1])) == filename.split('-')[1] == str(metadata.version)
assert metadata.provides_extra == ['device-gfx950'], metadata.provides_extra
assert [r.name for r in metadata.requires_dist] == ['atom', 'nixl', 'torch', 'triton']
for r in metadata.requires_dist:
    assert r.marker.evaluate({'extra': 'device-gfx950'}) and not r.marker.evaluate({'extra': ''})
";
    succeeds(
        Command::new(oracle("python"))
            .args(["-c", program])
            .arg(metapackage(&ours)),
    );
}
