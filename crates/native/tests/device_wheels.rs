//! Real wheels against what an independent scanner said about them: `device_truth.jsonl`, one wheel a line,
//! written once by a brute-force reader that holds each member whole.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read its wheel is to fail"
)]

mod device;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::read_to_string;

use native::device::TargetId;
use serde::Deserialize;
use zip::ZipArchive;

#[derive(Deserialize)]
struct Truth {
    filename: String,
    kind: String,
    targets: Vec<String>,
    bundles: u64,
    objects: BTreeMap<String, u64>,
    large: bool,
}

fn truth(large: bool) -> impl Iterator<Item = Truth> {
    let lines = include_str!("device_truth.jsonl").lines();
    lines
        .map(|line| serde_json::from_str::<Truth>(line).unwrap())
        .filter(move |truth| truth.large == large)
}

fn check(truth: &Truth) {
    let (device, findings) = device::scan_wheel(&truth.filename);
    let kind = serde_json::to_value(device.kind).unwrap();
    let bundles: u64 = device.members.iter().map(|member| member.bundles).sum();
    let mut objects = BTreeMap::new();
    for member in &device.members {
        for (target, count) in member.objects.iter().flatten() {
            *objects.entry(target.clone()).or_insert(0) += count;
        }
    }
    let name = &truth.filename;
    assert_eq!(device.targets, truth.targets, "{name}");
    assert_eq!(bundles, truth.bundles, "{name}");
    assert_eq!(objects, truth.objects, "{name}");
    assert_eq!(kind, truth.kind.as_str(), "{name}");
    assert_eq!(findings, [], "{name}");
}

#[test]
fn small_wheels_carry_what_the_independent_scanner_found() {
    assert_eq!(truth(false).map(|truth| check(&truth)).count(), 14);
}

#[cfg(feature = "large")]
#[test]
fn large_wheels_carry_what_the_independent_scanner_found() {
    assert_eq!(truth(true).map(|truth| check(&truth)).count(), 22);
}

/// AMD's own packages name the targets that they are made for, which is the list that grows first.
#[test]
fn every_target_that_amd_makes_packages_for_is_in_the_table() {
    let wheel = File::open(device::cached("rocm_bootstrap-0.3.0-py3-none-any.whl")).unwrap();
    let mut wheel = ZipArchive::new(wheel).unwrap();
    let source = wheel.by_name("rocm_bootstrap/targets.py").unwrap();
    let source = read_to_string(source).unwrap();
    let named: BTreeSet<&str> = ["(name=\"gfx", " name=\"gfx", "llvm_generic=\"gfx"]
        .into_iter()
        .flat_map(|key| source.split(key).skip(1))
        .filter_map(|rest| rest.split('"').next())
        .collect();
    assert!(named.len() > 30, "{named:?}");
    let known: BTreeSet<String> = (0..=255)
        .map(|machine| TargetId::of_machine(machine, BTreeMap::new()).to_string())
        .collect();
    for name in named {
        assert!(known.contains(&format!("gfx{name}")), "gfx{name}");
    }
}
