//! That a sound zip is also one wheel, and that its RECORD is true.

use crate::fixture::{Around, Entry, wheel, zip};
use crate::refusals::opened;

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
