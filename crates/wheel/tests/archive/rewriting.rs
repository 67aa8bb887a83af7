//! Writing an archive anew: another reader as judge of the result.

use std::io::Read;

use proptest::prelude::*;
use wheel::{Archive, Inflater, Rewriter, sha256_hex};

use crate::fixture::{Around, Entry, NAME, on_disk, wheel, zip};

/// Copies all members in order, some under another name, and checks the source's hash on the way.
fn copied(bytes: &[u8], rename: impl Fn(&str) -> Option<String>) -> Vec<u8> {
    let file = on_disk(NAME, bytes);
    let archive = Archive::open(&file.path).unwrap();
    let mut rewriter = Rewriter::new(&archive, Vec::new()).with_source_hash();
    for (index, member) in archive.members().iter().enumerate() {
        let name = rename(member.name());
        rewriter.copy(index, name.as_deref()).unwrap();
    }
    let rewritten = rewriter.finish().unwrap();
    assert_eq!(rewritten.size, rewritten.out.len() as u64);
    assert_eq!(rewritten.source_sha256, Some(sha256_hex(bytes)));
    rewritten.out
}

fn contents(bytes: &[u8]) -> Vec<(String, Vec<u8>, Option<u32>, bool)> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    (0..archive.len())
        .map(|index| {
            let mut member = archive.by_index(index).unwrap();
            let mut content = Vec::new();
            member.read_to_end(&mut content).unwrap();
            let stored = member.compression() == zip::CompressionMethod::Stored;
            (
                member.name().unwrap().into_owned(),
                content,
                member.unix_mode(),
                stored,
            )
        })
        .collect()
}

#[test]
fn a_copy_of_everything_is_the_same_file() {
    let around = Around {
        comment: b"built by runner 7".to_vec(),
        ..Around::default()
    };
    let mut executable = Entry::new("demo/tool", b"#!/bin/sh\n");
    executable.mode = 0o100_755;
    let mut stored = Entry::new("demo/stored", b"as it is");
    stored.stored = true;
    let bytes = zip(
        &wheel(&[executable, stored, Entry::new("demo/dir/", b"")]),
        &around,
    );
    assert!(copied(&bytes, |_| None) == bytes);
}

#[test]
fn a_renamed_member_keeps_its_compressed_bytes() {
    let bytes = zip(
        &wheel(&[
            Entry::new("demo/a.py", b"aaaa"),
            Entry::new("demo/b.py", b"bbbb"),
        ]),
        &Around::default(),
    );
    let out = copied(&bytes, |name| {
        (name == "demo/a.py").then(|| "demo/longer/ü.py".to_owned())
    });
    let mut expected = contents(&bytes);
    expected[0].0 = "demo/longer/ü.py".to_owned();
    assert_eq!(contents(&out), expected);
}

#[test]
fn a_descriptor_becomes_sizes_in_the_header() {
    let content = b"x = 1\n";
    let mut entry = Entry::new("demo/extra.py", content);
    let mut descriptor = b"PK\x07\x08".to_vec();
    descriptor.extend_from_slice(&crc32fast::hash(content).to_le_bytes());
    for size in [entry.compressed().len(), content.len()] {
        descriptor.extend_from_slice(&(size as u32).to_le_bytes());
    }
    entry.descriptor = Some(descriptor);
    let bytes = zip(&wheel(&[entry.clone()]), &Around::default());
    entry.descriptor = None;
    let expected = zip(&wheel(&[entry]), &Around::default());
    assert!(copied(&bytes, |_| None) == expected);
}

#[test]
fn a_wrong_zip64_field_is_read_and_mended() {
    // As in torch wheels over 4 GB: the directory's field of 8 bytes, copied into a local header whose
    // sizes are real.
    let mut entry = Entry::new("demo/extra.py", b"x = 1\n");
    let sound = zip(&wheel(&[entry.clone()]), &Around::default());
    entry.local_extra = vec![1, 0, 8, 0, 9, 9, 9, 9, 1, 0, 0, 0];
    let bytes = zip(&wheel(&[entry]), &Around::default());
    let file = on_disk(NAME, &bytes);
    let archive = Archive::open(&file.path).unwrap();
    archive.verify_record(&mut Inflater::default()).unwrap();
    assert!(copied(&bytes, |_| None) == sound);
}

#[test]
fn other_extra_fields_are_carried_over() {
    let mut entry = Entry::new("demo/extra.py", b"x = 1\n");
    // The extended timestamp of Info-ZIP.
    entry.extra = vec![0x55, 0x54, 5, 0, 1, 0, 0, 0, 0];
    entry.local_extra = entry.extra.clone();
    let bytes = zip(&wheel(&[entry.clone()]), &Around::default());
    assert!(copied(&bytes, |_| None) == bytes);
    let out = copied(&bytes, |name| {
        (name == "demo/extra.py").then(|| "demo/moved.py".to_owned())
    });
    entry.name = b"demo/moved.py".to_vec();
    let mut entries = wheel(&[entry]);
    let record = wheel(&[Entry::new("demo/extra.py", b"x = 1\n")])
        .pop()
        .unwrap();
    *entries.last_mut().unwrap() = record;
    assert!(out == zip(&entries, &Around::default()));
}

#[test]
fn another_content_keeps_time_and_method() {
    let mut stored = Entry::new("demo/stored", b"old");
    stored.stored = true;
    let bytes = zip(
        &wheel(&[stored.clone(), Entry::new("demo/deflated", b"old")]),
        &Around::default(),
    );
    let file = on_disk(NAME, &bytes);
    let archive = Archive::open(&file.path).unwrap();
    let mut rewriter = Rewriter::new(&archive, Vec::new());
    rewriter.replace(0, "demo/stored", b"new").unwrap();
    rewriter.replace(1, "demo/deflated", b"newer").unwrap();
    let out = rewriter.finish().unwrap().out;
    let read = contents(&out);
    assert_eq!(
        read[0],
        (
            "demo/stored".to_owned(),
            b"new".to_vec(),
            Some(0o100_644),
            true
        )
    );
    assert_eq!(
        read[1],
        (
            "demo/deflated".to_owned(),
            b"newer".to_vec(),
            Some(0o100_644),
            false
        )
    );
    let mut other = zip::ZipArchive::new(std::io::Cursor::new(&out)).unwrap();
    let time = other.by_index(0).unwrap().last_modified().unwrap();
    assert_eq!(time.datepart(), 0x5D7E);
}

#[test]
fn members_in_another_order_than_the_directory_are_copied_and_hashed() {
    let mut bytes = zip(
        &wheel(&[
            Entry::new("demo/a.py", b"aaaa"),
            Entry::new("demo/b.py", b"bbbb"),
        ]),
        &Around::default(),
    );
    let expected = contents(&bytes);
    let entries: Vec<usize> = (0..bytes.len() - 4)
        .filter(|at| bytes[*at..].starts_with(b"PK\x01\x02"))
        .collect();
    let (first, second) = (
        bytes[entries[0]..entries[1]].to_vec(),
        bytes[entries[1]..entries[2]].to_vec(),
    );
    bytes.splice(entries[0]..entries[2], [second, first].concat());
    let mut swapped = expected.clone();
    swapped.swap(0, 1);
    assert_eq!(contents(&copied(&bytes, |_| None)), swapped);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_wheel_is_copied_to_the_same_contents(
        files in proptest::collection::btree_map("[a-z]{1,8}", (proptest::collection::vec(any::<u8>(), 0..300), any::<bool>(), any::<bool>()), 0..8),
        comment in "[ -~]{0,20}",
    ) {
        let entries: Vec<Entry> = files
            .iter()
            .map(|(name, (content, stored, executable))| {
                let mut entry = Entry::new(&format!("demo/{name}.bin"), content);
                entry.stored = *stored;
                entry.mode = if *executable { 0o100_755 } else { 0o100_644 };
                entry
            })
            .collect();
        let around = Around { comment: comment.into_bytes(), ..Around::default() };
        let bytes = zip(&wheel(&entries), &around);
        prop_assert!(copied(&bytes, |_| None) == bytes);
        let out = copied(&bytes, |name| Some(format!("x-{name}")));
        let mut expected = contents(&bytes);
        for entry in &mut expected {
            entry.0 = format!("x-{}", entry.0);
        }
        prop_assert_eq!(contents(&out), expected);
    }
}
