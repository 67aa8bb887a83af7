//! One fault each, and the kind it is refused with.

use wheel::{Archive, Inflater};

use crate::fixture::{Around, Entry, NAME, on_disk, wheel, zip};

fn opened(bytes: &[u8]) -> Result<(), String> {
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
fn what_is_not_one_wheel_is_refused() {
    let renamed = |from: &str, to: &str| {
        let mut entries = wheel(&[]);
        for entry in &mut entries {
            let name = String::from_utf8_lossy(&entry.name).replace(from, to);
            entry.name = name.into_bytes();
        }
        zip(&entries, &Around::default())
    };
    let with =
        |name: &str, content: &[u8]| zip(&wheel(&[Entry::new(name, content)]), &Around::default());
    let without = |name: &str| {
        let mut entries = wheel(&[]);
        entries.retain(|entry| !entry.name.ends_with(name.as_bytes()));
        zip(&entries, &Around::default())
    };
    let content = |name: &str, text: &str| {
        let mut entries = wheel(&[]);
        for entry in entries
            .iter_mut()
            .filter(|entry| entry.name.ends_with(name.as_bytes()))
        {
            entry.content = text.as_bytes().to_vec();
        }
        zip(&entries, &Around::default())
    };
    let cases: Vec<(&str, Vec<u8>)> = vec![
        (
            "wheel.no-dist-info: there is no `.dist-info` directory in it",
            zip(&[], &Around::default()),
        ),
        (
            "wheel.many-dist-info: `demo-1.0.dist-info` and `other-1.0.dist-info` are both in it",
            with("other-1.0.dist-info/METADATA", b""),
        ),
        (
            "wheel.name-mismatch: `other-1.0.dist-info` is not the directory of `demo`, which the file name says",
            renamed("demo-1.0", "other-1.0"),
        ),
        (
            "wheel.version-mismatch: `demo-1.1.dist-info` is not of version `1.0`, which the file name says",
            renamed("demo-1.0", "demo-1.1"),
        ),
        (
            "wheel.no-metadata: there is no `demo-1.0.dist-info/METADATA` in it",
            without("METADATA"),
        ),
        (
            "wheel.no-wheel-file: there is no `demo-1.0.dist-info/WHEEL` in it",
            without("WHEEL"),
        ),
        (
            "record.missing: there is no RECORD in it",
            without("RECORD"),
        ),
        (
            "wheel.name-mismatch: METADATA says `other`, the file name `demo`",
            content("METADATA", "Name: Other\nVersion: 1.0\n"),
        ),
        (
            "wheel.version-mismatch: METADATA says version `1.0+cu130`, the file name `1.0`",
            content("METADATA", "Name: demo\nVersion: 1.0+cu130\n"),
        ),
        (
            "metadata.malformed: METADATA has more than one `Version` header",
            content("METADATA", "Name: demo\nVersion: 1.0\nVersion: 1.0\n"),
        ),
        (
            "wheel.tags-mismatch: WHEEL has the tags `py2-none-any`, the file name says `py3-none-any`",
            content("WHEEL", "Wheel-Version: 1.0\nTag: py2-none-any\n"),
        ),
        (
            "wheel.build-mismatch: WHEEL has the build `1`, the file name says ``",
            content("WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\nBuild: 1\n"),
        ),
        (
            "wheel.format-version: WHEEL says `Wheel-Version: 2.0`, only 1.x is known",
            content("WHEEL", "Wheel-Version: 2.0\nTag: py3-none-any\n"),
        ),
    ];
    for (expected, bytes) in cases {
        assert_eq!(opened(&bytes), Err(expected.to_owned()));
    }
}

#[test]
fn a_record_that_is_not_true_is_refused() {
    let entries = wheel(&[Entry::new("demo/__init__.py", b"x = 1\n")]);
    let text = String::from_utf8(entries.last().unwrap().content.clone()).unwrap();
    let first = text.lines().next().unwrap();
    let record = |text: String| {
        let mut entries = entries.clone();
        entries.last_mut().unwrap().content = text.into_bytes();
        opened(&zip(&entries, &Around::default()))
    };
    let hash = first.split(',').nth(1).unwrap();
    for (expected, text) in [
        (
            "record.unlisted-member: `demo/__init__.py` is in the wheel and not in RECORD",
            text.replacen(&format!("{first}\n"), "", 1),
        ),
        (
            "record.absent-member: `demo/gone.py` is in RECORD and not in the wheel",
            format!("demo/gone.py,{hash},6\n{text}"),
        ),
        (
            "record.duplicate-row: `demo/__init__.py` has two rows in RECORD that differ",
            format!("demo/__init__.py,{hash},\n{text}"),
        ),
        (
            "record.no-hash: `demo/__init__.py` has no hash in RECORD",
            text.replace(hash, ""),
        ),
        (
            "record.weak-hash: `demo/__init__.py` has `md5=1B2M2Y8AsgTpgAmY7PhCfg` in RECORD; only \
             sha256, sha384 and sha512 count",
            text.replace(hash, "md5=1B2M2Y8AsgTpgAmY7PhCfg"),
        ),
        (
            "record.size-mismatch: `demo/__init__.py` has 6 bytes, RECORD says 7",
            text.replace(",6\n", ",7\n"),
        ),
        (
            "record.hash-mismatch: `demo/__init__.py` is not the file that RECORD has the hash of",
            text.replace(hash, "sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"),
        ),
        (
            "record.malformed: line 1 of RECORD is not `path,hash,size`",
            "x\n".to_owned(),
        ),
    ] {
        assert_eq!(record(text), Err(expected.to_owned()));
    }
    // The same row twice says nothing false, and a padded digest is what everybody reads.
    assert_eq!(record(format!("{first}\n{text}")), Ok(()));
    assert_eq!(record(text.replace(hash, &format!("{hash}="))), Ok(()));
    assert_eq!(record(text.replace(",6\n", ",\n")), Ok(()));
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
