//! Real wheels against what an independent scanner said about them: `device_truth.jsonl`, one wheel a line,
//! written once by a brute-force reader that holds each member whole.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read its wheel is to fail"
)]

mod device;

use std::collections::BTreeMap;

use serde::Deserialize;

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
