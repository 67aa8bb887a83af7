//! The scan of whole wheels, as a probe would drive it, for the tests that read real ones.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use native::device::{MemberScan, WheelDevice};
use native::elf::{Outcome, Questions, Scan};
use pipe::{Device, Finding};
use zip::ZipArchive;

/// A wheel of the cache that `make fetch-demo` and `make fetch-test` fill.
pub(crate) fn cached(filename: &str) -> PathBuf {
    let cache = match std::env::var_os("XDG_CACHE_HOME") {
        Some(cache) if !cache.is_empty() => PathBuf::from(cache),
        _ => PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache"),
    };
    let path = cache.join("rocm-bake/wheels").join(filename);
    assert!(
        path.exists(),
        "{} is not there; run `make fetch-test` first",
        path.display()
    );
    path
}

/// The facts of one wheel.
pub(crate) fn scan_wheel(filename: &str) -> (Device, Vec<Finding>) {
    let mut archive = ZipArchive::new(File::open(cached(filename)).unwrap()).unwrap();
    let mut wheel = WheelDevice::new();
    let watched = BTreeSet::new();
    let mut buffer = vec![0; 128 << 10];
    for index in 0..archive.len() {
        let mut member = archive.by_index(index).unwrap();
        let (name, size) = (member.name().unwrap().to_string(), member.size());
        let questions = Questions {
            member: &name,
            watched: &watched,
            symbols: false,
        };
        let (mut device, mut elf) = (MemberScan::begin(&name, size), Scan::begin(questions, size));
        loop {
            let got = member.read(&mut buffer).unwrap();
            if got == 0 {
                break;
            }
            device.feed(&buffer[..got]);
            elf.feed(&buffer[..got]);
        }
        wheel.add(device.finish());
        if let Ok(Outcome::Facts(facts)) = elf.finish() {
            wheel.add_host_facts(facts.needed.iter().map(String::as_str));
        }
    }
    let distribution = filename.split('-').next().unwrap();
    wheel.finish(distribution)
}
