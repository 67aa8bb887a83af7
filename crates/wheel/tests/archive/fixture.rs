//! Zips written by hand, every field within reach, so that each fault can be made alone.

use std::io::Write;
use std::path::PathBuf;

use data_encoding::BASE64URL_NOPAD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use sha2::{Digest, Sha256};

pub(crate) const NAME: &str = "demo-1.0-py3-none-any.whl";

/// One member with the knobs that an adversary turns.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) name: Vec<u8>,
    pub(crate) local_name: Option<Vec<u8>>,
    pub(crate) content: Vec<u8>,
    pub(crate) stored: bool,
    pub(crate) method: Option<u16>,
    pub(crate) flags: u16,
    pub(crate) mode: u32,
    pub(crate) descriptor: Option<Vec<u8>>,
    pub(crate) crc: Option<u32>,
    pub(crate) size: Option<u32>,
    pub(crate) local_size: Option<u32>,
    pub(crate) extra: Vec<u8>,
    pub(crate) local_extra: Vec<u8>,
    pub(crate) comment: Vec<u8>,
    pub(crate) before: Vec<u8>,
}

impl Entry {
    pub(crate) fn new(name: &str, content: &[u8]) -> Self {
        Self {
            name: name.as_bytes().to_vec(),
            local_name: None,
            content: content.to_vec(),
            stored: false,
            method: None,
            flags: if name.is_ascii() { 0 } else { 0x800 },
            mode: 0o100_644,
            descriptor: None,
            crc: None,
            size: None,
            local_size: None,
            extra: Vec::new(),
            local_extra: Vec::new(),
            comment: Vec::new(),
            before: Vec::new(),
        }
    }

    pub(crate) fn compressed(&self) -> Vec<u8> {
        if self.stored {
            return self.content.clone();
        }
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&self.content).unwrap();
        encoder.finish().unwrap()
    }
}

/// What stands around the members.
#[derive(Debug, Clone, Default)]
pub(crate) struct Around {
    pub(crate) prefix: Vec<u8>,
    pub(crate) before_directory: Vec<u8>,
    pub(crate) comment: Vec<u8>,
    pub(crate) suffix: Vec<u8>,
    pub(crate) zip64: bool,
    /// Bytes of extensible data in the ZIP64 end record.
    pub(crate) extensible: usize,
    pub(crate) moved_offsets: bool,
}

pub(crate) fn zip(entries: &[Entry], around: &Around) -> Vec<u8> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    for entry in entries {
        out.extend_from_slice(&entry.before);
        let mut at = out.len();
        if around.moved_offsets {
            at += around.prefix.len();
        }
        let body = entry.compressed();
        let crc = entry.crc.unwrap_or(crc32fast::hash(&entry.content));
        let size = entry.size.unwrap_or(entry.content.len() as u32);
        let flags = entry.flags | if entry.descriptor.is_some() { 8 } else { 0 };
        let method = entry.method.unwrap_or(if entry.stored { 0 } else { 8 });
        let local_name = entry.local_name.as_ref().unwrap_or(&entry.name);
        let locals = if entry.descriptor.is_some() {
            [0, 0, 0]
        } else {
            [crc, body.len() as u32, entry.local_size.unwrap_or(size)]
        };
        out.extend_from_slice(b"PK\x03\x04");
        put(&mut out, &[20, flags, method, 0x6000, 0x5D7E]);
        out.extend(locals.iter().flat_map(|value| value.to_le_bytes()));
        put(
            &mut out,
            &[local_name.len() as u16, entry.local_extra.len() as u16],
        );
        out.extend_from_slice(local_name);
        out.extend_from_slice(&entry.local_extra);
        out.extend_from_slice(&body);
        out.extend_from_slice(entry.descriptor.as_deref().unwrap_or_default());
        directory.extend_from_slice(b"PK\x01\x02");
        put(&mut directory, &[0x0314, 20, flags, method, 0x6000, 0x5D7E]);
        for value in [crc, body.len() as u32, size] {
            directory.extend_from_slice(&value.to_le_bytes());
        }
        let lengths = [entry.name.len(), entry.extra.len(), entry.comment.len()];
        put(&mut directory, &lengths.map(|length| length as u16));
        put(&mut directory, &[0, 0]);
        directory.extend_from_slice(&(entry.mode << 16).to_le_bytes());
        directory.extend_from_slice(&(at as u32).to_le_bytes());
        for part in [&entry.name, &entry.extra, &entry.comment] {
            directory.extend_from_slice(part);
        }
    }
    out.extend_from_slice(&around.before_directory);
    let start = out.len();
    out.extend_from_slice(&directory);
    let count = entries.len();
    if around.zip64 {
        let at = out.len() as u64;
        out.extend_from_slice(b"PK\x06\x06");
        out.extend_from_slice(&(44 + around.extensible as u64).to_le_bytes());
        put(&mut out, &[0x032D, 45, 0, 0, 0, 0]);
        for value in [count, count, directory.len(), start] {
            out.extend_from_slice(&(value as u64).to_le_bytes());
        }
        out.extend(std::iter::repeat_n(0, around.extensible));
        out.extend_from_slice(b"PK\x06\x07\0\0\0\0");
        out.extend_from_slice(&at.to_le_bytes());
        out.extend_from_slice(&1_u32.to_le_bytes());
    }
    let start = start
        + if around.moved_offsets {
            around.prefix.len()
        } else {
            0
        };
    out.extend_from_slice(b"PK\x05\x06");
    put(&mut out, &[0, 0, count as u16, count as u16]);
    out.extend_from_slice(&(directory.len() as u32).to_le_bytes());
    out.extend_from_slice(&(start as u32).to_le_bytes());
    put(&mut out, &[around.comment.len() as u16]);
    out.extend_from_slice(&around.comment);
    out.extend_from_slice(&around.suffix);
    [around.prefix.clone(), out].concat()
}

fn put(out: &mut Vec<u8>, values: &[u16]) {
    out.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

/// The members of a sound wheel with these files, RECORD last.
pub(crate) fn wheel(files: &[Entry]) -> Vec<Entry> {
    let mut entries = files.to_vec();
    entries.push(Entry::new(
        "demo-1.0.dist-info/METADATA",
        b"Metadata-Version: 2.4\nName: demo\nVersion: 1.0\n\nA wheel.\n",
    ));
    entries.push(Entry::new(
        "demo-1.0.dist-info/WHEEL",
        b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    ));
    let mut record: String = entries
        .iter()
        .filter(|entry| !entry.name.ends_with(b"/"))
        .map(|entry| {
            let digest = BASE64URL_NOPAD.encode(&Sha256::digest(&entry.content));
            let name = String::from_utf8_lossy(&entry.name);
            let size = entry.content.len();
            [
                format!("\"{name}\""),
                format!("sha256={digest}"),
                size.to_string(),
            ]
            .join(",")
                + "\n"
        })
        .collect();
    record += "demo-1.0.dist-info/RECORD,,\n";
    entries.push(Entry::new("demo-1.0.dist-info/RECORD", record.as_bytes()));
    entries
}

/// A folder with one wheel in it; the folder goes when it is dropped.
pub(crate) struct OnDisk {
    _folder: tempfile::TempDir,
    pub(crate) path: PathBuf,
}

pub(crate) fn on_disk(name: &str, bytes: &[u8]) -> OnDisk {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    OnDisk {
        _folder: folder,
        path,
    }
}
