//! A wheel of more than 4 GiB, which is where zip's fields end. Needs 15 GB of disk.

#![cfg(feature = "large")]

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

const MAKE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/make_large.py");
const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/make_cases.py");
const OUT: &str = "demo_torch-2.15.0a0+git31a77fc.rocm10.1.0-cp314-cp314-linux_x86_64.whl";
/// What the tool may hold in memory at any size: 16 MB.
const PEAK_KIB: u64 = 16_000;

/// Runs a command and tells its peak memory.
const PEAK: &str = "
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(code)
";

fn oracle(name: &str) -> Command {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../build/oracles/bin")
        .join(name);
    assert!(
        path.exists(),
        "{} is missing: run `make oracles` first",
        path.display()
    );
    Command::new(path)
}

#[test]
fn a_wheel_of_more_than_4_gib_is_rewritten_in_16_mb_and_accepted_by_uv() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let made = oracle("python")
        .args([MAKE, "in"])
        .current_dir(folder.path())
        .stdout(File::create(at("set.json")).unwrap())
        .status()
        .unwrap();
    assert!(made.success());
    let ran = oracle("python")
        .args([
            "-c",
            PEAK,
            env!("CARGO_BIN_EXE_wheel-tagger"),
            "--rocm",
            "10.1.0",
            "--out",
            "out",
        ])
        .current_dir(folder.path())
        .stdin(File::open(at("set.json")).unwrap())
        .stdout(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8(ran.stderr).unwrap();
    assert!(ran.status.success(), "{said}");
    let peak: u64 = said.lines().last().unwrap().parse().unwrap();
    assert!(peak <= PEAK_KIB, "{peak} KiB");
    fs::remove_dir_all(at("in")).unwrap();

    let wheel = at("out").join(OUT);
    let program =
        "import runpy, sys; print(runpy.run_path(sys.argv[1])['stream_faults'](sys.argv[2]))";
    let faults = oracle("python")
        .args(["-c", program, CASES])
        .arg(&wheel)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(faults.stdout).unwrap(), "[]\n");
    let archive = wheel::Archive::open(&wheel).unwrap();
    archive
        .verify_record(&mut wheel::Inflater::default())
        .unwrap();

    let installed = oracle("uv")
        .args([
            "pip",
            "install",
            "--quiet",
            "--no-config",
            "--offline",
            "--no-deps",
            "--target",
            "target",
            "--cache-dir",
            "cache",
        ])
        .args([
            "--python-version",
            "3.14",
            "--python-platform",
            "x86_64-manylinux_2_39",
        ])
        .arg("--python")
        .arg(oracle("python").get_program())
        .arg(&wheel)
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(
        installed.status.success(),
        "{}",
        String::from_utf8_lossy(&installed.stderr)
    );
    let big = fs::metadata(at("target/demo_torch/lib/libtorch_hip.so")).unwrap();
    assert_eq!(big.len(), (4 << 30) + (300 << 20));
}
