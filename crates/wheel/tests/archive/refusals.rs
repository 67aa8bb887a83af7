//! One fault each, and the kind it is refused with.

use wheel::{Archive, Inflater};

use crate::fixture::{Around, Entry, NAME, on_disk, wheel, zip};

/// Everything that can be found out about a wheel, the first fault of it.
pub(crate) fn opened(bytes: &[u8]) -> Result<(), String> {
    let file = on_disk(NAME, bytes);
    let archive = Archive::open(&file.path).map_err(|error| error.to_string())?;
    archive
        .agreeing_wheel_info()
        .map_err(|error| error.to_string())?;
    for index in 0..archive.members().len() {
        std::io::copy(&mut archive.stream(index), &mut std::io::sink())
            .map_err(|error| error.to_string())?;
    }
    archive
        .verify_record(&mut Inflater::default())
        .map_err(|error| error.to_string())
}

/// A wheel with one more member, bent by `bend`.
fn bent(bend: impl FnOnce(&mut Entry)) -> Vec<u8> {
    let mut entry = Entry::new("demo/extra.py", b"x = 1\n");
    bend(&mut entry);
    zip(
        &wheel(&[Entry::new("demo/__init__.py", b""), entry]),
        &Around::default(),
    )
}

fn around(bend: impl FnOnce(&mut Around)) -> Vec<u8> {
    let mut around = Around::default();
    bend(&mut around);
    zip(
        &wheel(&[Entry::new("demo/__init__.py", b"x = 1\n")]),
        &around,
    )
}

fn kind(result: Result<(), String>) -> String {
    match result {
        Ok(()) => "accepted".to_owned(),
        Err(message) => message.split(':').next().unwrap_or_default().to_owned(),
    }
}

#[test]
fn a_sound_wheel_is_accepted() {
    assert_eq!(opened(&bent(|_| {})), Ok(()));
    assert_eq!(opened(&bent(|entry| entry.stored = true)), Ok(()));
    assert_eq!(opened(&bent(|entry| entry.content.clear())), Ok(()));
    assert_eq!(
        opened(&around(|around| around.comment = b"built by 7".to_vec())),
        Ok(())
    );
    assert_eq!(opened(&around(|around| around.zip64 = true)), Ok(()));
    assert_eq!(opened(&bent(|entry| entry.mode = 0o100_755)), Ok(()));
    assert_eq!(opened(&bent(|entry| entry.mode = 0)), Ok(()));
}

#[test]
fn members_that_readers_disagree_about_are_refused() {
    let extra = |id: u16, content: &[u8]| {
        let mut bytes = id.to_le_bytes().to_vec();
        bytes.extend_from_slice(&(content.len() as u16).to_le_bytes());
        bytes.extend_from_slice(content);
        bytes
    };
    let rename = |name: &'static str| move |entry: &mut Entry| entry.name = name.into();
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("member.path-escape", bent(rename("../extra.py"))),
        ("member.path-absolute", bent(rename("/extra.py"))),
        ("member.path-backslash", bent(rename("demo\\extra.py"))),
        ("member.path-not-normal", bent(rename("demo//extra.py"))),
        ("member.control-character", bent(rename("demo/a\u{1}.py"))),
        (
            "member.name-encoding",
            bent(|entry| entry.name = b"demo/\xff.py".to_vec()),
        ),
        ("member.name-encoding", bent(rename("demo/ü.py"))),
        ("zip.duplicate-member", bent(rename("demo/__init__.py"))),
        (
            "member.file-and-directory",
            bent(rename("demo/__init__.py/x.py")),
        ),
        ("member.symlink", bent(|entry| entry.mode = 0o120_777)),
        ("member.special-file", bent(|entry| entry.mode = 0o010_644)),
        ("member.special-file", bent(|entry| entry.mode = 0o040_755)),
        ("member.directory-with-content", bent(rename("demo/extra/"))),
        ("zip.encrypted", bent(|entry| entry.flags = 1)),
        ("zip.encrypted", bent(|entry| entry.flags = 1 << 6)),
        ("zip.method", bent(|entry| entry.method = Some(12))),
        ("zip.method", bent(|entry| entry.method = Some(93))),
        (
            "zip.member-comment",
            bent(|entry| entry.comment = b"hello".to_vec()),
        ),
        (
            "zip.local-mismatch",
            bent(|entry| entry.local_name = Some(b"demo/other.py".to_vec())),
        ),
        (
            "zip.local-mismatch",
            bent(|entry| entry.local_size = Some(7)),
        ),
        ("zip.bomb", bent(|entry| entry.size = Some(1 << 30))),
        ("member.size", bent(|entry| entry.size = Some(5))),
        ("member.size", bent(|entry| entry.size = Some(7))),
        ("member.crc", bent(|entry| entry.crc = Some(1))),
        (
            "member.crc",
            bent(|entry| {
                entry.stored = true;
                entry.crc = Some(1);
            }),
        ),
        (
            "zip.extra-field",
            bent(|entry| entry.extra = vec![1, 0, 8, 0, 0]),
        ),
        (
            "zip.extra-field",
            bent(|entry| entry.extra = extra(0x7075, b"\x01\0\0\0\0other")),
        ),
        ("zip.extra-field", bent(|entry| entry.size = Some(u32::MAX))),
        (
            "zip.descriptor",
            bent(|entry| entry.descriptor = Some(vec![0; 16])),
        ),
        (
            "zip.descriptor",
            bent(|entry| entry.descriptor = Some(vec![0; 3])),
        ),
    ];
    for (expected, bytes) in cases {
        let result = opened(&bytes);
        assert_eq!(kind(result.clone()), expected, "{result:?}");
    }
}

#[test]
fn archives_with_more_or_less_than_their_members_are_refused() {
    let hidden = {
        let stray = zip(
            &[Entry::new("demo/hidden.py", b"evil\n")],
            &Around::default(),
        );
        stray[..30 + 14 + 7].to_vec()
    };
    let cases: Vec<(&str, Vec<u8>)> = vec![
        (
            "zip.leading-bytes",
            around(|around| around.prefix = b"#!/bin/sh\n".to_vec()),
        ),
        (
            "zip.leading-bytes",
            around(|around| {
                around.prefix = b"#!/bin/sh\n".to_vec();
                around.moved_offsets = true;
            }),
        ),
        (
            "zip.leading-bytes",
            around(|around| {
                around.prefix = b"#!/bin/sh\n".to_vec();
                around.zip64 = true;
            }),
        ),
        (
            "zip.trailing-bytes",
            around(|around| around.suffix = b"\n".to_vec()),
        ),
        (
            "zip.ambiguous-end",
            around(|around| {
                around.comment = b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0".to_vec();
            }),
        ),
        (
            "zip.ambiguous-end",
            around(|around| around.comment = b"a PK\x05\x06".to_vec()),
        ),
        (
            "zip.extensible-data",
            around(|around| {
                around.zip64 = true;
                around.extensible = 8;
            }),
        ),
        (
            "zip.stray-bytes",
            around(|around| around.before_directory = b"?".to_vec()),
        ),
        (
            "zip.stray-member",
            around(|around| around.before_directory = hidden.clone()),
        ),
        ("zip.stray-bytes", bent(|entry| entry.before = vec![0; 9])),
        (
            "zip.stray-member",
            bent(|entry| entry.before = hidden.clone()),
        ),
        ("zip.not-a-zip", b"<!DOCTYPE html><p>404</p>".to_vec()),
        ("zip.not-a-zip", Vec::new()),
        ("zip.not-a-zip", b"\x1f\x8b a tarball".to_vec()),
    ];
    for (expected, bytes) in cases {
        let result = opened(&bytes);
        assert_eq!(kind(result.clone()), expected, "{result:?}");
    }
}

#[test]
fn members_that_share_bytes_are_refused() {
    let mut bytes = bent(|_| {});
    let entries: Vec<usize> = (0..bytes.len() - 4)
        .filter(|at| bytes[*at..].starts_with(b"PK\x01\x02"))
        .collect();
    // The second entry points to the first one's header.
    bytes.copy_within(entries[0] + 42..entries[0] + 46, entries[1] + 42);
    assert_eq!(kind(opened(&bytes)), "zip.overlap");
}

#[test]
fn a_wheel_cut_anywhere_is_refused() {
    let whole = bent(|entry| entry.stored = true);
    for end in 0..whole.len() {
        assert!(opened(&whole[..end]).is_err(), "accepted {end} bytes");
    }
}

#[test]
fn a_wheel_with_any_byte_changed_is_refused_or_still_the_same_wheel() {
    // No panic and no other content: the fields that do not matter to a reader are the only ones that
    // may change, and the contents are guarded by CRC and RECORD.
    let whole = bent(|_| {});
    let mut accepted = 0;
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 0xFF;
        accepted += u32::from(opened(&changed).is_ok());
    }
    // Times, versions, modes and attributes of five members, twice.
    assert!(accepted < 200, "{accepted} changes were accepted");
}

#[test]
fn a_file_that_is_no_file_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(NAME);
    let error = Archive::open(&path).unwrap_err();
    assert_eq!(
        error.to_string(),
        "file.unreadable: No such file or directory (os error 2)"
    );
    std::fs::create_dir(&path).unwrap();
    let error = Archive::open(&path).unwrap_err();
    assert_eq!(
        error.to_string(),
        "file.unreadable: this is not a regular file"
    );
    let error = Archive::open(&folder.path().join("demo.whl")).unwrap_err();
    assert_eq!(error.kind(), "wheel.file-name");
}
