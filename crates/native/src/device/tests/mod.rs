//! The scan of members and wheels, on fixtures that the tests of each format build.

mod carriers;
mod chunks;
mod hostile;
mod soundness;
mod wheels;

use pipe::{Device, Finding};

use super::aks2::tests::pack;
use super::bundle::tests::bundle;
use super::code_object::tests::code_object;
use super::compressed::tests::compressed;
use super::host::tests::library;
use super::kpack::tests::archive;
use super::{MemberDevice, MemberScan, WheelDevice};

const HOST: &str = "host-x86_64-unknown-linux-gnu-";
const GFX90A: &str = "hipv4-amdgcn-amd-amdhsa--gfx90a";
const GFX942: &str = "hipv4-amdgcn-amd-amdhsa--gfx942";
const GFX950: &str = "hipv4-amdgcn-amd-amdhsa--gfx950";

/// Code objects with nothing behind their header.
fn gfx90a() -> Vec<u8> {
    code_object(2, 0x53f)
}

fn gfx942() -> Vec<u8> {
    code_object(3, 0x54c)
}

fn gfx950() -> Vec<u8> {
    code_object(4, 0x54f)
}

/// A bundle for gfx942 and gfx950.
fn both() -> Vec<u8> {
    bundle(&[(HOST, b""), (GFX942, &gfx942()), (GFX950, &gfx950())], 64)
}

/// A bundle for gfx942 alone.
fn one() -> Vec<u8> {
    bundle(&[(HOST, b""), (GFX942, &gfx942())], 64)
}

/// So many wrappers, as the compiler writes them.
fn wrappers(count: usize) -> Vec<u8> {
    [&b"FPIH\x01\0\0\0"[..], &[0; 16]].concat().repeat(count)
}

/// A host library with these bundles in `.hip_fatbin`, each aligned, and as many wrappers.
fn hip_library(bundles: &[Vec<u8>]) -> Vec<u8> {
    let mut fatbin = Vec::new();
    for bundle in bundles {
        fatbin.resize(fatbin.len().next_multiple_of(4096), 0);
        fatbin.extend(bundle);
    }
    library(&[
        (".text", vec![0x90; 100]),
        (".hip_fatbin", fatbin),
        (".hipFatBinSegment", wrappers(bundles.len())),
    ])
}

/// What a scan finds when the bytes come in chunks of this size.
fn scan_in(name: &str, bytes: &[u8], chunk: usize) -> MemberDevice {
    let mut scan = MemberScan::begin(name, bytes.len() as u64);
    bytes.chunks(chunk).for_each(|chunk| scan.feed(chunk));
    scan.finish()
}

/// What the members of a wheel carry together.
fn wheel(members: &[(&str, Vec<u8>)]) -> (Device, Vec<Finding>) {
    let mut wheel = WheelDevice::new();
    for (name, bytes) in members {
        wheel.add(scan_in(name, bytes, bytes.len().max(1)));
    }
    wheel.finish("demo")
}

/// `carrier bundles targets | common` of each member, and what was noticed, as short lines.
fn told(members: &[(&str, Vec<u8>)]) -> Vec<String> {
    let (device, findings) = wheel(members);
    let members = device.members.iter().map(|member| {
        let mut line = format!(
            "{}: {} {} {}",
            member.member,
            member.carrier,
            member.bundles,
            member.targets.join(" ")
        );
        if let Some(common) = &member.common {
            line = format!("{line} | {}", common.join(" "));
        }
        if let Some(objects) = &member.objects {
            line = format!("{line} {:?}", objects.values().collect::<Vec<_>>());
        }
        line
    });
    let findings = findings.into_iter().map(|finding| {
        format!(
            "{} {}: {}",
            finding.rule,
            finding.member.unwrap(),
            finding.message.unwrap()
        )
    });
    members.chain(findings).collect()
}
