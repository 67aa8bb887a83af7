//! The new files: whole or not at all, the same bytes every time, nothing of others touched.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::desk::{Desk, TOOL, Wheel};

const IN: &str = "demo-1.0-cp314-cp314-linux_x86_64.whl";
const OUT: &str = "demo-1.0+rocm10.1.0-cp314-cp314-linux_x86_64.whl";

fn demo() -> Wheel {
    Wheel::new("demo-1.0-cp314-cp314-linux_x86_64")
}

#[test]
fn the_same_input_gives_the_same_bytes_and_a_second_run_writes_nothing() {
    let desk = Desk::new();
    let set = desk.set(&[demo(), Wheel::new("triton_kernels-1.0.0-py3-none-any")]);
    let first = desk.tag(&set, &[]).succeeded();
    let written = fs::metadata(desk.path("out").join(OUT))
        .unwrap()
        .modified()
        .unwrap();
    let second = desk.tag(&set, &[]).succeeded();
    assert_eq!(first.stdout, second.stdout);
    assert_eq!(
        fs::metadata(desk.path("out").join(OUT))
            .unwrap()
            .modified()
            .unwrap(),
        written
    );
    let other = Desk::new();
    let set = other.set(&[demo(), Wheel::new("triton_kernels-1.0.0-py3-none-any")]);
    other.tag(&set, &[]).succeeded();
    for name in desk.names("out") {
        assert_eq!(
            fs::read(desk.path("out").join(&name)).unwrap(),
            fs::read(other.path("out").join(&name)).unwrap()
        );
    }
    assert_eq!(
        fs::read(desk.path("out/triton_kernels-1.0.0-py3-none-any.whl")).unwrap(),
        fs::read(desk.path("in/triton_kernels-1.0.0-py3-none-any.whl")).unwrap()
    );
}

#[test]
fn what_goes_out_can_come_in_again_and_stays() {
    let desk = Desk::new();
    let set = desk.set(&[demo()]);
    let once = desk.tag(&set, &[]).succeeded().document();
    let twice = desk
        .run(&["--rocm", "10.1.0", "--out", "again"], &once.to_string())
        .succeeded()
        .document();
    assert_eq!(once["wheels"][0]["sha256"], twice["wheels"][0]["sha256"]);
    assert_eq!(once["wheels"][0]["origin"], twice["wheels"][0]["origin"]);
    // Into its own folder, too.
    let same = desk
        .run(&["--rocm", "10.1.0", "--out", "out"], &once.to_string())
        .succeeded()
        .document();
    assert_eq!(same, once);
}

#[test]
fn a_file_in_the_way_is_only_replaced_when_asked() {
    let desk = Desk::new();
    let set = desk.set(&[demo(), Wheel::new("nixl-1.0-py3-none-any")]);
    fs::create_dir(desk.path("out")).unwrap();
    fs::write(desk.path("out").join(OUT), "other").unwrap();
    assert_eq!(
        desk.tag(&set, &[]).refused(),
        (
            2,
            format!(
                "wheel-tagger: out/{OUT}: it is there with other bytes; remove it, or replace it with --force\n"
            )
        )
    );
    assert_eq!(desk.names("out"), [OUT]);
    assert_eq!(fs::read(desk.path("out").join(OUT)).unwrap(), b"other");
    desk.tag(&set, &["--force"]).succeeded();
    assert_ne!(fs::read(desk.path("out").join(OUT)).unwrap(), b"other");
}

#[test]
fn an_input_is_never_replaced() {
    let desk = Desk::new();
    let set = desk.set(&[
        Wheel::new("cupy-1.0+git1-cp314-cp314-linux_x86_64"),
        Wheel::new("demo-1.0-py3-none-any").requires("cupy==1.0+git1"),
    ]);
    let before = fs::read(desk.path("in/demo-1.0-py3-none-any.whl")).unwrap();
    let (code, stderr) = desk
        .run(
            &["--rocm", "10.1.0", "--out", "in", "--force"],
            &set.to_string(),
        )
        .refused();
    assert_eq!(code, 2);
    assert!(
        stderr.ends_with(
            "wheel-tagger: in/demo-1.0-py3-none-any.whl: it would be replaced, and it came in with the set; name another \
             folder with --out\n"
        ),
        "{stderr}"
    );
    assert_eq!(
        fs::read(desk.path("in/demo-1.0-py3-none-any.whl")).unwrap(),
        before
    );
    assert_eq!(desk.names("in").len(), 2);
}

#[test]
fn the_folder_of_the_inputs_can_be_the_folder_of_the_outputs() {
    let desk = Desk::new();
    let set = desk.set(&[demo()]);
    let before = fs::read(desk.path("in").join(IN)).unwrap();
    desk.run(&["--rocm", "10.1.0", "--out", "in"], &set.to_string())
        .succeeded();
    assert_eq!(desk.names("in"), [OUT, IN]);
    assert_eq!(fs::read(desk.path("in").join(IN)).unwrap(), before);
}

#[test]
fn a_dry_run_prints_what_becomes_what_and_writes_nothing() {
    let desk = Desk::new();
    let set = desk.set(&[
        demo().measured("manylinux_2_38_x86_64", "2.38"),
        Wheel::new("triton_kernels-1.0.0-py3-none-any"),
    ]);
    let ran = desk.tag(&set, &["--dry-run"]).succeeded();
    let rows: Vec<Vec<&str>> = ran
        .stdout
        .lines()
        .map(|line| {
            line.split("  ")
                .map(str::trim)
                .filter(|cell| !cell.is_empty())
                .collect()
        })
        .collect();
    assert_eq!(
        rows,
        [
            [
                "wheel", "version", "becomes", "because", "tag", "becomes", "because"
            ],
            [
                "demo",
                "1.0",
                "1.0+rocm10.1.0",
                "x86_64 code",
                "linux_x86_64",
                "manylinux_2_38_x86_64",
                "measured"
            ],
            [
                "triton-kernels",
                "1.0.0",
                "=",
                "left: `leave` names it",
                "any",
                "=",
                "kept"
            ],
        ]
    );
    assert!(!desk.path("out").exists());
    let explained = desk.tag(&set, &["--explain"]).succeeded();
    assert_eq!(explained.stdout, ran.stdout);
    assert_eq!(desk.names("out").len(), 2);
}

#[test]
fn a_folder_that_cannot_be_written_to_is_named() {
    let desk = Desk::new();
    let set = desk.set(&[demo()]);
    fs::write(desk.path("out"), "a file").unwrap();
    let (code, stderr) = desk.tag(&set, &[]).refused();
    assert_eq!(
        (code, stderr.as_str()),
        (
            2,
            "wheel-tagger: out: File exists (os error 17); move away what is there, or name another place\n"
        )
    );
}

#[test]
fn files_are_readable_by_others_as_the_umask_allows() {
    let desk = Desk::new();
    let set = desk.set(&[demo()]);
    desk.tag(&set, &[]).succeeded();
    let made = fs::metadata(desk.path("out").join(OUT))
        .unwrap()
        .permissions()
        .mode()
        & 0o777;
    fs::write(desk.path("plain"), "").unwrap();
    let plain = fs::metadata(desk.path("plain"))
        .unwrap()
        .permissions()
        .mode()
        & 0o777;
    assert_eq!(made, plain);
}

/// A set large enough to be interrupted: content that does not compress.
fn large(desk: &Desk) -> Value {
    let mut state = 7_u32;
    let noise: String = (0..6 << 20)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(b' ' + (state >> 25) as u8 % 95)
        })
        .collect();
    let wheels: Vec<Wheel> = ["a", "b", "c"]
        .iter()
        .map(|name| {
            let mut wheel = Wheel::new(&format!("{name}-1.0-cp314-cp314-linux_x86_64"));
            wheel.files.push(("noise.txt".to_owned(), noise.clone()));
            wheel
        })
        .collect();
    desk.set(&wheels)
}

#[test]
fn a_kill_at_any_moment_leaves_no_partial_wheel_and_the_next_run_finishes() {
    let desk = Desk::new();
    let set = large(&desk).to_string();
    fs::write(desk.path("set.json"), &set).unwrap();
    let start = || {
        Command::new(TOOL)
            .args(["--rocm", "10.1.0", "--out", "out"])
            .current_dir(desk.path(""))
            .stdin(fs::File::open(desk.path("set.json")).unwrap())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    desk.run(&["--rocm", "10.1.0", "--out", "expected"], &set)
        .succeeded();
    let expected = desk.names("expected");
    let mut killed = 0;
    for step in 0..60_u64 {
        let mut child = start();
        std::thread::sleep(Duration::from_micros(step * step * 40));
        let _ = child.kill();
        killed += u32::from(!child.wait().unwrap().success());
        for name in desk
            .names("out")
            .iter()
            .filter(|name| !name.starts_with('.'))
        {
            assert_eq!(
                fs::read(desk.path("out").join(name)).unwrap(),
                fs::read(desk.path("expected").join(name)).unwrap(),
                "{name} after {step}"
            );
        }
        if step % 10 == 9 {
            assert!(start().wait().unwrap().success());
            assert_eq!(desk.names("out"), expected);
            fs::remove_dir_all(desk.path("out")).unwrap();
        }
    }
    assert!(killed > 10, "only {killed} runs were killed");
}

#[test]
fn a_full_disk_is_told_and_leaves_nothing() {
    let desk = Desk::new();
    let set = large(&desk);
    fs::write(desk.path("set.json"), set.to_string()).unwrap();
    // A limit on the size of files stands for the disk: the second write past it fails as on a full one.
    let script = "trap '' XFSZ; ulimit -f 2000; exec \"$0\" --rocm 10.1.0 --out out < set.json";
    let ran = crate::desk::Ran::from(
        Command::new("bash")
            .args(["-c", script, TOOL])
            .current_dir(desk.path(""))
            .output()
            .unwrap(),
    );
    assert_eq!(
        ran.refused(),
        (
            2,
            "wheel-tagger: out/a-1.0+rocm10.1.0-cp314-cp314-linux_x86_64.whl: cannot be written: File too large (os error \
             27); name a place that takes files of this size\n"
                .to_owned()
        )
    );
    assert!(!desk.path("out").exists());
}
