//! Damaged and hostile wheels: one clear line each, no panic, bounded memory.

use std::collections::BTreeSet;
use std::io::{Cursor, Write};
use std::path::Path;
use std::process::Command;

use zip::write::SimpleFileOptions;

use crate::elf::{Elf, Layout};
use crate::support::{MODULE, extension, library, probe};
use crate::wheel::Wheel;

/// A generator of numbers that are the same in every run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }
}

/// A wheel with a bit of everything.
fn rich() -> (Wheel, Vec<u8>) {
    let module = Elf {
        needed: vec!["libv.so.1".to_owned(), "libc.so.6".to_owned()],
        rpath: Some("$ORIGIN/../demo.libs".to_owned()),
        layout: Layout::Patched,
        isa: Some(3),
        ..extension("GLIBC_2.28")
    }
    .bytes();
    let wheel = Wheel::new("manylinux_2_28_x86_64")
        .with("p/__init__.py", "x = 1\n".repeat(50))
        .with("demo.libs/libv.so.1", library("GLIBC_2.17").bytes());
    (wheel, module)
}

/// Flips some bits or cuts the end off.
fn mutate(bytes: &mut Vec<u8>, numbers: &mut Numbers) {
    match numbers.below(4) {
        0 => bytes.truncate(numbers.below(bytes.len())),
        _ => {
            for _ in 0..=numbers.below(4) {
                let at = numbers.below(bytes.len());
                bytes[at] ^= 1 << numbers.below(8);
            }
        }
    }
}

/// Measures a folder of damaged wheels: all of them are named on a line of their own, or measured.
fn survives(folder: &Path, count: usize, names_member: bool) -> usize {
    let run = probe(folder, &["-j", "2", "--no-default-excludes", "."]);
    assert!(matches!(run.code, 0 | 2), "{run:?}");
    let mut refused = BTreeSet::new();
    for line in run.stderr.lines() {
        let line = line
            .strip_prefix("glibc-probe: ./")
            .unwrap_or_else(|| panic!("{line}"));
        let (name, cause) = line.split_once(".whl: ").unwrap();
        assert!(refused.insert(name.to_owned()), "two lines about {name}");
        assert!(!cause.is_empty() && !cause.ends_with('.'), "{line}");
        if names_member {
            assert!(cause.starts_with(&format!("`{MODULE}`: ")), "{line}");
        }
    }
    assert!(refused.len() <= count);
    // A set without them is measured.
    for name in &refused {
        std::fs::remove_file(folder.join(format!("{name}.whl"))).unwrap();
    }
    if refused.len() < count {
        assert_eq!(
            probe(folder, &["."]).document()["wheels"]
                .as_array()
                .unwrap()
                .len(),
            count - refused.len()
        );
    }
    refused.len()
}

#[test]
fn thousands_of_damaged_wheels_are_measured_or_named() {
    let (wheel, module) = rich();
    let whole = wheel.with(MODULE, module).bytes();
    let folder = tempfile::tempdir().unwrap();
    let mut numbers = Numbers(0x5eed_0001);
    let count = 2000;
    for index in 0..count {
        let mut bytes = whole.clone();
        mutate(&mut bytes, &mut numbers);
        let name = format!("demo-1.0-{index}-cp314-cp314-manylinux_2_28_x86_64.whl");
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    assert!(survives(folder.path(), count, false) > count / 2);
}

#[test]
fn thousands_of_damaged_libraries_are_measured_or_named_with_their_member() {
    let (wheel, module) = rich();
    let folder = tempfile::tempdir().unwrap();
    let mut numbers = Numbers(0x5eed_0002);
    let count = 2000;
    for index in 0..count {
        let mut bytes = module.clone();
        mutate(&mut bytes, &mut numbers);
        let name = format!("demo-1.0-{index}-cp314-cp314-manylinux_2_28_x86_64.whl");
        let wheel = wheel.clone().with(MODULE, bytes);
        std::fs::write(folder.path().join(name), wheel.bytes()).unwrap();
    }
    assert!(survives(folder.path(), count, true) > count / 4);
}

/// Runs the probe with at most so many KiB of memory.
fn probe_within(folder: &Path, kib: u32, name: &str) -> (i32, String) {
    let script = format!("ulimit -v {kib}; exec \"$0\" -j 1 \"$1\"");
    let output = Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_glibc-probe"), name])
        .current_dir(folder)
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap_or(-1), stderr)
}

#[test]
fn a_bomb_is_refused_before_it_goes_off() {
    let folder = tempfile::tempdir().unwrap();
    let name = Wheel::new("linux_x86_64")
        .with("p/zeros.bin", vec![0; 300 << 20])
        .write(folder.path());
    let (code, stderr) = probe_within(folder.path(), 400_000, &name);
    assert_eq!(code, 2);
    assert!(
        stderr.starts_with(&format!("glibc-probe: {name}: zip.bomb: ")),
        "{stderr}"
    );
}

#[test]
fn a_member_that_lies_about_its_size_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let wheel = Wheel::new("linux_x86_64").with(MODULE, extension("GLIBC_2.17").bytes());
    let mut bytes = wheel.bytes();
    // The first member's size, in its local header and in the central directory.
    let size = u32::try_from(extension("GLIBC_2.17").bytes().len()).unwrap();
    let lie = (size + 1).to_le_bytes();
    let places: Vec<usize> = bytes
        .windows(4)
        .enumerate()
        .filter(|(_, window)| *window == size.to_le_bytes())
        .map(|(at, _)| at)
        .collect();
    assert_eq!(places.len(), 2);
    for at in places {
        bytes[at..at + 4].copy_from_slice(&lie);
    }
    let name = wheel.filename();
    std::fs::write(folder.path().join(&name), bytes).unwrap();
    let run = probe(folder.path(), &[&name]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert_eq!(
        run.stderr,
        format!(
            "glibc-probe: {name}: member.size: `{MODULE}` has less content than the directory says\n"
        )
    );
}

#[test]
fn a_hundred_thousand_members_are_measured_in_bounded_memory() {
    let folder = tempfile::tempdir().unwrap();
    let name = "demo-1.0-py3-none-any.whl";
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let mut put = |path: &str, content: &[u8]| {
        let stored =
            SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        zip.start_file(path, stored).unwrap();
        zip.write_all(content).unwrap();
    };
    let mut record = Vec::new();
    let empty = "sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0";
    for index in 0..100_000 {
        let path = format!("p/{index}.txt");
        put(&path, b"");
        writeln!(record, "{path},{empty}").unwrap();
    }
    put(
        "demo-1.0.dist-info/METADATA",
        b"Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n",
    );
    put(
        "demo-1.0.dist-info/WHEEL",
        b"Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    );
    put("demo-1.0.dist-info/RECORD", &record);
    let bytes = zip.finish().unwrap().into_inner();
    std::fs::write(folder.path().join(name), bytes).unwrap();
    let (code, stderr) = probe_within(folder.path(), 400_000, name);
    assert_eq!((code, stderr.as_str()), (0, ""));
}

#[test]
fn an_unreadable_file_in_the_middle_is_named_and_stops_the_set() {
    let folder = tempfile::tempdir().unwrap();
    let (wheel, module) = rich();
    wheel.with(MODULE, module).write(folder.path());
    let broken = "broken-1.0-py3-none-any.whl";
    std::os::unix::fs::symlink("/nowhere/at/all", folder.path().join(broken)).unwrap();
    let run = probe(folder.path(), &["."]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert_eq!(
        run.stderr,
        format!(
            "glibc-probe: ./{broken}: file.unreadable: No such file or directory (os error 2); check the path\n"
        )
    );
}
