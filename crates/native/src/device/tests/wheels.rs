//! What the members of a wheel come to together.

use super::*;
use pipe::DeviceKind;

fn common(members: &[(&str, Vec<u8>)]) -> String {
    wheel(members).0.common.join(" ")
}

fn kind(distribution: &str, members: &[(&str, Vec<u8>)], needed: &[&str]) -> DeviceKind {
    let mut wheel = WheelDevice::new();
    for (name, bytes) in members {
        wheel.add(scan_in(name, bytes, 4096));
    }
    wheel.add_host_facts(needed.iter().copied());
    wheel.finish(distribution).0.kind
}

#[test]
fn common_is_what_every_bundle_of_every_member_has() {
    let (a, b) = (hip_library(&[both()]), hip_library(&[both(), one()]));
    assert_eq!(common(&[("a.so", a.clone())]), "gfx942 gfx950");
    assert_eq!(common(&[("a.so", a), ("b.so", b)]), "gfx942");
}

#[test]
fn loose_code_objects_are_alternatives_and_do_not_narrow() {
    let objects = [("a.co", gfx942()), ("b.co", gfx950())];
    assert_eq!(common(&objects), "gfx942 gfx950");
    assert_eq!(
        common(&[("a.co", gfx90a()), ("b", one())]),
        "gfx942",
        "no bundle has gfx90a"
    );
}

#[test]
fn code_without_a_feature_stands_for_code_with_it() {
    let off = "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-";
    let on = "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+";
    let pair = bundle(&[(off, &gfx90a()), (on, &gfx90a())], 16);
    let any = bundle(&[(GFX90A, &gfx90a())], 16);
    assert_eq!(
        common(&[("a", pair.clone()), ("b", any)]),
        "gfx90a:xnack- gfx90a:xnack+"
    );
    let off = bundle(&[(off, &gfx90a())], 16);
    assert_eq!(common(&[("a", pair), ("b", off)]), "gfx90a:xnack-");
}

#[test]
fn a_bundle_for_other_makers_does_not_narrow_and_an_unreadable_one_leaves_nothing() {
    let other = bundle(&[("openmp-nvptx64-nvidia-cuda--sm_90", b"\x7fELF")], 16);
    assert_eq!(common(&[("a", one()), ("b", other)]), "gfx942");
    let text = compressed(3, 1, &vec![b'x'; 5000]);
    assert_eq!(common(&[("a", one()), ("b", text)]), "");
}

#[test]
fn many_loose_objects_are_told_by_folder() {
    let names: Vec<String> = (0..20)
        .flat_map(|n| [format!("p/hsa/gfx942/k{n}.co"), format!("p/aot/d{n}/k.co")])
        .chain(["p/x/y.co".to_owned()])
        .collect();
    let members: Vec<(&str, Vec<u8>)> = names.iter().map(|n| (n.as_str(), gfx942())).collect();
    assert_eq!(
        told(&members),
        [
            "p/aot/: object 0 gfx942 [20]",
            "p/hsa/gfx942/: object 0 gfx942 [20]",
            "p/x/y.co: object 0 gfx942 [1]",
        ]
    );
}

#[test]
fn the_order_of_the_members_changes_nothing() {
    let members = [
        ("a.so", hip_library(&[both(), compressed(3, 1, &one())])),
        ("b.co", gfx90a()),
        ("c.bin", both()[..300].to_vec()),
        ("d.aks2", pack(&[("k--Arch_gfx1100", code_object(3, 0x41))])),
    ];
    let mut backwards = members.clone();
    backwards.reverse();
    assert_eq!(wheel(&members), wheel(&backwards));
}

#[test]
fn no_device_code_has_six_meanings() {
    let plain = ("a.so", library(&[(".text", vec![0x90; 9])]));
    let bitcode = ("lib/ocml.bc", b"BC\xc0\xde\x35\x14\0\0".to_vec());
    let kpack = ("a.so", library(&[(".rocm_kpack_ref", vec![0x80])]));
    let moved = [&b"HIPK\x01\0\0\0"[..], &[0; 16]].concat();
    let moved = ("a.so", library(&[(".hipFatBinSegment", moved)]));
    let hip = ["libc.so.6", "libamdhip64.so.7"];
    let rtc = ["libamdhip64.so.7", "libhiprtc.so.7"];
    for (expected, distribution, members, needed) in [
        (
            DeviceKind::None,
            "numpy",
            vec![plain.clone()],
            &["libc.so.6"][..],
        ),
        (DeviceKind::None, "rocm_bootstrap", vec![], &[]),
        (
            DeviceKind::Placeholder,
            "amd_torch_device_gfx950",
            vec![],
            &[],
        ),
        (DeviceKind::None, "thing_gfx950", vec![plain.clone()], &[]),
        (DeviceKind::Caller, "mooncake", vec![plain.clone()], &hip),
        (
            DeviceKind::RuntimeCompiled,
            "openmm",
            vec![plain.clone()],
            &rtc,
        ),
        (
            DeviceKind::Compiler,
            "triton",
            vec![plain.clone(), bitcode],
            &hip,
        ),
        (DeviceKind::External, "torch", vec![kpack], &hip),
        (DeviceKind::External, "torch", vec![moved], &hip),
        (
            DeviceKind::Code,
            "cupy",
            vec![("a.so", hip_library(&[one()]))],
            &rtc,
        ),
    ] {
        assert_eq!(
            kind(distribution, &members, needed),
            expected,
            "{distribution}"
        );
    }
}

#[test]
fn code_that_cannot_be_read_is_code_for_no_gpu_and_not_a_wheel_without_code() {
    let mut version = compressed(3, 1, &both());
    version[4] = 4;
    let text = compressed(3, 1, &vec![b'x'; 5000]);
    let broken = library(&[
        (".hip_fatbin", vec![1; 100]),
        (".hipFatBinSegment", wrappers(1)),
    ]);
    for member in [hip_library(&[version]), text, broken] {
        let (device, findings) = wheel(&[("a.so", member)]);
        assert_eq!(device.kind, DeviceKind::Code);
        assert_eq!((device.targets.len(), device.common.len()), (0, 0));
        assert!(!findings.is_empty());
    }
    let other = bundle(&[("openmp-nvptx64-nvidia-cuda--sm_90", b"\x7fELF")], 16);
    assert_eq!(wheel(&[("a.so", other)]).0.kind, DeviceKind::None);
}
