//! What takes gigabytes; `make test-large` runs it.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};

use data_encoding::BASE64URL_NOPAD;
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;

use crate::{oracle, second_reader, support};

#[test]
fn every_real_wheel_gets_auditwheels_verdict() {
    let compared = oracle::compare(&support::real_wheels(&["demo", "test", "large"]));
    assert_eq!(compared, 97);
}

#[test]
fn goblin_reads_the_same_from_every_large_library() {
    let compared: usize = support::real_wheels(&["demo", "test", "large"])
        .iter()
        .map(|wheel| second_reader::compare(wheel, u64::MAX))
        .sum();
    assert!(compared > 1000, "{compared}");
}

/// A wheel of more than 4 GiB with a library of 2 GiB, its members stored so that the file is as large as what it holds.
#[test]
fn a_wheel_of_five_gigabytes_is_measured_in_little_memory() {
    let folder = tempfile::tempdir_in(support::root().join("build")).unwrap();
    let name = "demo-1.0-cp314-cp314-linux_x86_64.whl";
    write_large(&folder.path().join(name));
    assert!(std::fs::metadata(folder.path().join(name)).unwrap().len() > 5_000_000_000);
    let script = "ulimit -v 200000; exec \"$0\" -j 1 \"$1\"";
    let output = std::process::Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_glibc-probe"), name])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let wheel = &document["wheels"][0];
    assert_eq!(wheel["platform"]["tag"], "manylinux_2_38_x86_64");
    assert_eq!(wheel["record"], "verified");
}

fn write_large(path: &std::path::Path) {
    // 2 GiB of padding between the tables that come first and those that come last.
    let library = crate::elf::Elf {
        padding: 2 << 30,
        ..support::extension("GLIBC_2.38")
    }
    .bytes();
    let rest = vec![b'x'; 1 << 30];
    let folder = "demo-1.0.dist-info";
    let stored = SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Stored)
        .large_file(true);
    let mut zip = zip::ZipWriter::new(BufWriter::new(File::create(path).unwrap()));
    let mut record = String::new();
    let metadata = b"Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n".to_vec();
    let info = b"Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: false\nTag: cp314-cp314-linux_x86_64\n".to_vec();
    for (path, content) in [
        (support::MODULE.to_owned(), &library),
        ("p/a.bin".to_owned(), &rest),
        ("p/b.bin".to_owned(), &rest),
        ("p/c.bin".to_owned(), &rest),
        (format!("{folder}/METADATA"), &metadata),
        (format!("{folder}/WHEEL"), &info),
    ] {
        zip.start_file(&path, stored).unwrap();
        zip.write_all(content).unwrap();
        let hash = BASE64URL_NOPAD.encode(&Sha256::digest(content));
        writeln!(record, "{path},sha256={hash},{}", content.len()).unwrap();
    }
    writeln!(record, "{folder}/RECORD,,").unwrap();
    zip.start_file(format!("{folder}/RECORD"), stored).unwrap();
    zip.write_all(record.as_bytes()).unwrap();
    zip.finish().unwrap().flush().unwrap();
}
