//! Reading members: another reader as judge, bounds, threads.

use std::io::Read;

use wheel::{Archive, Inflater};

use crate::fixture::{Around, Entry, NAME, on_disk, wheel, zip};

/// Content that deflates to several blocks and does not repeat.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 1_u32;
    (0..length)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8 & 0x3F
        })
        .collect()
}

fn many() -> Vec<Entry> {
    let mut entries = vec![
        Entry::new("demo/empty.py", b""),
        Entry::new("demo/large.so", &noise(3 << 20)),
        Entry::new("demo/zeros.bin", &vec![0; 1 << 20]),
        Entry::new("demo/ü.txt", "grün".as_bytes()),
    ];
    let mut stored = Entry::new("demo/stored.so", &noise(700_001));
    stored.stored = true;
    entries.push(stored);
    entries
}

#[test]
fn every_member_is_what_another_reader_reads() {
    let file = on_disk(NAME, &zip(&wheel(&many()), &Around::default()));
    let archive = Archive::open(&file.path).unwrap();
    let mut other = zip::ZipArchive::new(std::fs::File::open(&file.path).unwrap()).unwrap();
    assert_eq!(archive.members().len(), other.len());
    let mut inflater = Inflater::default();
    for (index, member) in archive.members().iter().enumerate() {
        let mut expected = Vec::new();
        other
            .by_name(member.name())
            .unwrap()
            .read_to_end(&mut expected)
            .unwrap();
        let mut read = Vec::new();
        archive.stream(index).read_to_end(&mut read).unwrap();
        assert!(read == expected, "{}", member.name());
        let mut chunks = Vec::new();
        let mut reader = archive.stream_with(index, &mut inflater);
        loop {
            let chunk = reader.next_chunk().unwrap();
            if chunk.is_empty() {
                break;
            }
            assert!(chunk.len() <= 128 * 1024);
            chunks.extend_from_slice(chunk);
        }
        assert!(chunks == expected, "{}", member.name());
        assert_eq!(expected.len() as u64, member.size());
    }
}

#[test]
fn two_threads_read_one_archive() {
    let file = on_disk(NAME, &zip(&wheel(&many()), &Around::default()));
    let archive = Archive::open(&file.path).unwrap();
    let read = |index: usize| {
        let mut content = Vec::new();
        archive.stream(index).read_to_end(&mut content).unwrap();
        crc32fast::hash(&content)
    };
    let all: Vec<usize> = (0..archive.members().len()).collect();
    let (first, second) = std::thread::scope(|scope| {
        let other = scope.spawn(|| all.iter().map(|index| read(*index)).collect::<Vec<u32>>());
        let here: Vec<u32> = all.iter().rev().map(|index| read(*index)).collect();
        (here, other.join().unwrap())
    });
    let expected: Vec<u32> = archive.members().iter().map(wheel::Member::crc).collect();
    assert_eq!(second, expected);
    assert!(first.into_iter().rev().eq(expected));
}

#[test]
fn a_member_larger_than_the_limit_is_not_read_into_memory() {
    let file = on_disk(NAME, &zip(&wheel(&many()), &Around::default()));
    let archive = Archive::open(&file.path).unwrap();
    let error = archive.read_member("demo/zeros.bin", 1000).unwrap_err();
    assert_eq!(
        error.to_string(),
        "member.too-large: `demo/zeros.bin` has 1048576 bytes; at most 1000 are read into memory"
    );
    assert_eq!(error.member_name(), Some("demo/zeros.bin"));
    assert_eq!(archive.read_member("demo/none", 1000).unwrap(), None);
}

#[test]
fn a_hundred_thousand_members_are_read() {
    let files: Vec<Entry> = (0..100_000)
        .map(|number| {
            let mut entry = Entry::new(&format!("demo/kernels/k{number:06}.co"), b"code");
            entry.stored = true;
            entry
        })
        .collect();
    let around = Around {
        zip64: true,
        ..Around::default()
    };
    let mut bytes = zip(&wheel(&files), &around);
    // The narrow count cannot hold the number, so it says so.
    let end = bytes.len() - 22;
    bytes[end + 8..end + 12].fill(0xFF);
    let file = on_disk(NAME, &bytes);
    let archive = Archive::open(&file.path).unwrap();
    assert_eq!(archive.members().len(), 100_003);
    archive.verify_record(&mut Inflater::default()).unwrap();
}

#[test]
fn a_descriptor_of_every_form_is_read() {
    let content = b"x = 1\n";
    let entry = Entry::new("demo/extra.py", content);
    let crc = crc32fast::hash(content).to_le_bytes();
    let compressed = entry.compressed().len();
    for wide in [false, true] {
        for signed in [false, true] {
            let mut descriptor = Vec::new();
            if signed {
                descriptor.extend_from_slice(b"PK\x07\x08");
            }
            descriptor.extend_from_slice(&crc);
            for size in [compressed, content.len()] {
                if wide {
                    descriptor.extend_from_slice(&(size as u64).to_le_bytes());
                } else {
                    descriptor.extend_from_slice(&(size as u32).to_le_bytes());
                }
            }
            let mut entry = entry.clone();
            entry.descriptor = Some(descriptor);
            let file = on_disk(NAME, &zip(&wheel(&[entry]), &Around::default()));
            let archive = Archive::open(&file.path).unwrap();
            archive.verify_record(&mut Inflater::default()).unwrap();
        }
    }
}
