//! What does not fit together is told, with the member and the place; plain data is not.

use super::*;
use crate::device::is_device_fault;

#[test]
fn plain_data_with_every_magic_string_in_it_says_nothing() {
    let source = b"MAGIC = b'__CLANG_OFFLOAD_BUNDLE__' if x else 'CCOB' + '\\x7fELF' # .hip_fatbin\0 KPAK AKS2";
    let mut text = source.repeat(50);
    text.extend(b"__CLANG_OFFLOAD_BUNDLE__\x01\0\0\0\0\0\0\0");
    text.extend(b"\x7fELF\x02\x01\x01\x40");
    text.extend(b"CCOB\x02\0\x01\0");
    let compiler = library(&[(".rodata", text.clone())]);
    assert_eq!(told(&[("a.py", text), ("clang", compiler)]), [""; 0]);
}

#[test]
fn a_header_template_of_a_linker_is_not_a_code_object() {
    let mut template = gfx942();
    template[52] = 0; // e_ehsize is filled in later
    assert_eq!(told(&[("lld", [vec![0; 8], template].concat())]), [""; 0]);
}

#[test]
fn wrappers_that_are_not_as_many_as_bundles_are_told() {
    let odd = library(&[(".hip_fatbin", both()), (".hipFatBinSegment", wrappers(2))]);
    assert_eq!(
        told(&[("a.so", odd)]),
        [
            "a.so: fatbin 1 gfx942 gfx950",
            "device.wrapper-count a.so: 2 wrappers in .hipFatBinSegment, 1 bundles in .hip_fatbin",
        ]
    );
}

#[test]
fn a_loader_that_compares_wrappers_has_none() {
    // movabs $0x148495046,%rax; cmp %rax,(%rdi)
    let code = [&b"\x48\xb8FPIH\x01\0\0\0\x48\x39\x07"[..], &[0x90; 30]].concat();
    let aligned = [&[0x90; 6][..], &code].concat();
    let runtime = library(&[(".text", [code, aligned].concat())]);
    assert_eq!(told(&[("libamdhip64.so", runtime)]), [""; 0]);
}

#[test]
fn a_bundle_past_the_end_of_its_section_or_of_the_file_is_told() {
    let cut = both()[..both().len() - 64].to_vec();
    let section = library(&[
        (".hip_fatbin", cut.clone()),
        (".hipFatBinSegment", wrappers(1)),
    ]);
    let lines = told(&[("a.so", section)]);
    assert_eq!(
        lines.last().unwrap(),
        "device.bundle-entry a.so: `hipv4-amdgcn-amd-amdhsa--gfx950` at offset 4416 holds no code object"
    );
    assert!(
        lines[1].starts_with("device.bundle-bounds a.so: the bundle at offset 4096 ends at "),
        "{lines:?}"
    );
    assert_eq!(
        told(&[("a.bin", cut)]),
        [
            "a.bin: fatbin 1 gfx942",
            "device.bundle-bounds a.bin: the bundle at offset 0 ends behind the end of the file",
        ]
    );
}

#[test]
fn code_that_lies_in_the_table_of_its_bundle_is_told() {
    let mut raw = one();
    let entry = 32 + 24 + HOST.len();
    raw[entry..entry + 8].fill(0);
    assert_eq!(
        told(&[("a.bin", raw)]),
        [
            "a.bin: embedded 0 gfx942 [1]",
            "a.bin: fatbin 1 ",
            "device.bundle-bounds a.bin: the code for `hipv4-amdgcn-amd-amdhsa--gfx942` in the bundle at offset 0 lies in its table",
        ]
    );
}

#[test]
fn an_entry_that_is_not_what_its_id_says_is_told_and_not_counted() {
    let raw = bundle(
        &[
            (GFX90A, b""),
            (GFX942, &gfx950()),
            (
                GFX950,
                b"just some bytes that are no code object, and enough of them!....",
            ),
            (
                "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-",
                &code_object(2, 0x73f),
            ),
            ("hipv4-amdgcn-amd-amdhsa--tahiti", &gfx950()),
        ],
        16,
    );
    let table: usize = 32 + 5 * 24 + 4 * 31 + 38;
    let at = table.next_multiple_of(16);
    assert_eq!(
        told(&[("a", raw)]),
        [
            "a: fatbin 1 ".to_owned(),
            format!("device.bundle-entry a: `hipv4-amdgcn-amd-amdhsa--gfx942` at offset {at} holds code for `gfx950` (and 2 more)"),
            "device.empty-entry a: `hipv4-amdgcn-amd-amdhsa--gfx90a` in the bundle at offset 0 holds no code".to_owned(),
            "device.unknown-target a: `hipv4-amdgcn-amd-amdhsa--tahiti` in the bundle at offset 0 names no AMD GPU target".to_owned(),
        ]
    );
}

#[test]
fn a_compressed_bundle_that_cannot_be_read_is_told() {
    let text = compressed(3, 1, &vec![b'x'; 5000]);
    let mut cut = compressed(2, 0, &both());
    cut.truncate(cut.len() - 10);
    let mut damaged = compressed(1, 1, &both());
    let last = damaged.len() - 20;
    damaged[29..last].fill(0xff);
    let mut version = compressed(2, 1, &both());
    version[4] = 9;
    assert_eq!(
        told(&[
            ("text", text),
            ("cut", cut),
            ("damaged", damaged),
            ("version", version)
        ]),
        [
            "cut: fatbin-compressed 1 gfx942 gfx950",
            "damaged: fatbin-compressed 1 ",
            "text: fatbin-compressed 1 ",
            "device.bundle-bounds cut: the compressed bundle at offset 0 ends behind the end of the file",
            "device.compressed-bundle damaged: the compressed bundle at offset 0 cannot be read: its compressed data is damaged",
            "device.compressed-bundle text: the compressed bundle at offset 0 cannot be read: it does not hold an offload bundle",
            "device.compressed-bundle version: the compressed bundle at offset 0 has a header that is not understood (version 9)",
        ]
    );
}

#[test]
fn an_unknown_version_counts_in_the_section_and_not_in_plain_data() {
    let mut version = compressed(3, 1, &both());
    version[4] = 4;
    let plain = library(&[(".rodata", [vec![0; 9], version.clone()].concat())]);
    let section = hip_library(&[version]);
    assert_eq!(
        told(&[("a.so", section), ("b.so", plain)]),
        [
            "device.compressed-bundle a.so: the compressed bundle at offset 8192 has a header that is not understood (version 4)",
            "device.wrapper-count a.so: 1 wrappers in .hipFatBinSegment, 0 bundles in .hip_fatbin",
        ]
    );
}

#[test]
fn a_stream_of_another_length_than_its_header_says_is_told_and_ends_the_search() {
    let with = |size: usize| {
        let mut packed = compressed(1, 0, &both());
        packed[8..12].copy_from_slice(&u32::try_from(size).unwrap().to_le_bytes());
        packed.extend(one());
        told(&[("a", packed)])
    };
    let cause = "device.compressed-bundle a: the compressed bundle at offset 0 is damaged or not as long as its header says; what follows was not searched";
    assert_eq!(
        with(both().len() + 1),
        ["a: fatbin-compressed 1 gfx942 gfx950", cause]
    );
    let sizes = "device.compressed-bundle a: the compressed bundle at offset 0 cannot be read: the size in its header is not that of its data (and 1 more)";
    assert_eq!(with(both().len() - 1), ["a: fatbin-compressed 1 ", sizes]);
    assert_eq!(
        with(both().len()),
        ["a: fatbin 1 gfx942", "a: fatbin-compressed 1 gfx942 gfx950"]
    );
}

#[test]
fn a_code_object_that_is_cut_short_is_told_and_not_counted() {
    let mut long = gfx942();
    long[40..48].copy_from_slice(&4096_u64.to_le_bytes());
    assert_eq!(
        told(&[("a.co", long)]),
        ["device.object-bounds a.co: the code object at offset 0 ends behind the end of the file"]
    );
}

#[test]
fn packs_and_archives_that_cannot_be_read_are_told() {
    let mut pack = pack(&[("k--Arch_gfx1100", code_object(3, 0x41))]);
    pack[20] = 0;
    let mut kpack = archive(&["gfx942"], &[("gfx942", 9)]);
    kpack[4] = 2;
    let empty = archive(&["gfx90a"], &[]);
    assert_eq!(
        told(&[("a.aks2", pack), ("b.kpack", kpack), ("c.kpack", empty)]),
        [
            "device.empty-target c.kpack: the kernel archive names `gfx90a` and has no kernel for it",
            "device.unreadable-pack a.aks2: the kernel pack cannot be read: it is not an xz stream with the one filter LZMA2",
            "device.unreadable-pack b.kpack: the kernel archive cannot be read: its version is 2, and 1 is known",
        ]
    );
}

#[test]
fn a_path_that_names_another_target_than_the_code_is_told() {
    assert_eq!(
        told(&[
            ("hsa/gfx942/k_gfx950.co", gfx942()),
            ("hsa/gfx942/gfx942130.co", gfx942())
        ]),
        [
            "hsa/gfx942/gfx942130.co: object 0 gfx942 [1]",
            "hsa/gfx942/k_gfx950.co: object 0 gfx942 [1]",
            "device.name-differs hsa/gfx942/k_gfx950.co: its path says `gfx950` and it holds code for `gfx942`",
        ]
    );
}

#[test]
fn what_makes_the_measurement_worthless_is_a_fault_and_a_note_is_not() {
    assert!(is_device_fault("device.wrapper-count"));
    assert!(is_device_fault("device.limit"));
    assert!(!is_device_fault("device.unknown-machine"));
    assert!(!is_device_fault("device.name-differs"));
    assert!(!is_device_fault("symbol-version"));
}
