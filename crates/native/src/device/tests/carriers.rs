//! Each way in which code is carried is found, counted once, and named.

use super::*;

#[test]
fn a_code_object_is_a_member() {
    let lines = told(&[("hsa/gfx950/a.co", gfx950()), ("b.hsaco", gfx942())]);
    assert_eq!(
        lines,
        [
            "b.hsaco: object 0 gfx942 [1]",
            "hsa/gfx950/a.co: object 0 gfx950 [1]"
        ]
    );
}

#[test]
fn a_bundle_is_a_member() {
    assert_eq!(
        told(&[("k.hsaco", both())]),
        ["k.hsaco: fatbin 1 gfx942 gfx950"]
    );
}

#[test]
fn bundles_in_a_library_are_counted_and_compared() {
    let library = hip_library(&[both(), one(), both()]);
    assert_eq!(
        told(&[("a.so", library)]),
        ["a.so: fatbin 3 gfx942 gfx950 | gfx942"]
    );
}

#[test]
fn a_bundle_outside_the_section_counts_and_needs_no_wrapper() {
    let other = library(&[
        (".rodata", [vec![7; 16], both()].concat()),
        (".hip_fatbin", one()),
        (".hipFatBinSegment", wrappers(1)),
    ]);
    assert_eq!(
        told(&[("a.so", other)]),
        ["a.so: fatbin 2 gfx942 gfx950 | gfx942"]
    );
}

#[test]
fn compressed_bundles_of_every_version_stand_in_one_section() {
    for method in 0..=1 {
        let bundles: Vec<Vec<u8>> = [3, 1, 2, 1]
            .iter()
            .map(|version| compressed(*version, method, &both()))
            .collect();
        let lines = told(&[("a.so", hip_library(&bundles))]);
        assert_eq!(
            lines,
            ["a.so: fatbin-compressed 4 gfx942 gfx950"],
            "method {method}"
        );
    }
}

#[test]
fn plain_and_compressed_bundles_are_told_apart() {
    let library = hip_library(&[both(), compressed(3, 1, &one())]);
    assert_eq!(
        told(&[("a.so", library)]),
        [
            "a.so: fatbin 1 gfx942 gfx950",
            "a.so: fatbin-compressed 1 gfx942"
        ]
    );
}

#[test]
fn what_stands_uncompressed_inside_a_compressed_bundle_is_not_counted_again() {
    // Noise cannot be compressed, so the encoder stores it, the magic string of the bundle included.
    let mut state = 1_u32;
    let noise: Vec<u8> = (0..300_000)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_le_bytes()[3]
        })
        .collect();
    let code = [gfx950(), noise].concat();
    let raw = bundle(&[(GFX950, &code)], 1);
    for version in 1..=3 {
        let packed = compressed(version, 1, &raw);
        assert!(
            packed
                .windows(24)
                .any(|bytes| bytes == crate::device::bundle::MAGIC)
        );
        let lines = told(&[("a.bin", [packed, one()].concat())]);
        assert_eq!(
            lines,
            [
                "a.bin: fatbin 1 gfx942",
                "a.bin: fatbin-compressed 1 gfx950"
            ],
            "version {version}"
        );
    }
}

#[test]
fn code_objects_in_the_data_of_a_library_are_embedded() {
    let data = [vec![1; 24], gfx942(), vec![2; 8], gfx942(), gfx950()].concat();
    let lines = told(&[("a.so", library(&[(".rodata", data)]))]);
    assert_eq!(lines, ["a.so: embedded 0 gfx942 gfx950 [2, 1]"]);
}

#[test]
fn a_windows_library_carries_bundles_too() {
    let dll = [b"MZ".to_vec(), vec![0; 500], one(), wrappers(1)].concat();
    assert_eq!(told(&[("a.dll", dll)]), ["a.dll: fatbin 1 gfx942"]);
}

#[test]
fn a_kernel_pack_names_its_targets() {
    let kernels = [
        ("attn_fwd--Arch_gfx1100", code_object(3, 0x41)),
        ("attn_bwd--Arch_gfx1100", code_object(3, 0x41)),
        ("attn_fwd--Arch_gfx1151", code_object(3, 0x4a)),
    ];
    assert_eq!(
        told(&[("a.aks2", pack(&kernels))]),
        ["a.aks2: aks2 0 gfx1100 gfx1151 [2, 1]"]
    );
}

#[test]
fn a_kernel_archive_names_its_targets() {
    let kpack = archive(&["gfx942"], &[("gfx942", 9), ("gfx942:xnack+", 9)]);
    assert_eq!(
        told(&[(".kpack/torch_gfx942.kpack", kpack)]),
        [".kpack/torch_gfx942.kpack: kpack 0 gfx942 gfx942:xnack+ [1, 1]"]
    );
}

#[test]
fn spirv_and_generic_targets_are_named_as_such() {
    let raw = bundle(
        &[
            ("hip-spirv64-amd-amdhsa--amdgcnspirv", b"\x03\x02\x23\x07"),
            (
                "hipv4-amdgcn-amd-amdhsa--gfx11-generic",
                &code_object(4, 0x0100_0054),
            ),
        ],
        16,
    );
    assert_eq!(
        told(&[("a", raw)]),
        ["a: fatbin 1 gfx11-generic amdgcnspirv"]
    );
}

#[test]
fn an_unknown_machine_number_is_reported_and_never_dropped() {
    assert_eq!(
        told(&[("a.co", code_object(4, 0x66))]),
        [
            "a.co: object 0 mach-0x66 [1]",
            "device.unknown-machine a.co: code for `mach-0x66`, a machine number that is not in the table of targets",
        ]
    );
    // A bundle's id names the processor that the table does not know yet.
    let raw = bundle(
        &[("hipv4-amdgcn-amd-amdhsa--gfx1430", &code_object(4, 0x66))],
        16,
    );
    assert_eq!(told(&[("a", raw)]), ["a: fatbin 1 gfx1430"]);
}

#[test]
fn the_features_that_code_insists_on_are_kept_from_id_and_flags() {
    let raw = bundle(
        &[
            ("hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", &gfx90a()),
            ("hipv4-amdgcn-amd-amdhsa--gfx942", &code_object(3, 0xd4c)),
        ],
        16,
    );
    assert_eq!(
        told(&[("a", raw)]),
        ["a: fatbin 1 gfx90a:xnack- gfx942:sramecc+"]
    );
}
