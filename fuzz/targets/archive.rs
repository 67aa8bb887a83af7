//! The archive: no bytes make the reader panic, and what it copies it can read again, with the same members.
#![no_main]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use wheel::{Archive, Inflater, Rewriter};

/// Archives are files; one folder for this process, in memory where there is such a place.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let shared = Path::new("/dev/shm");
    let base = if shared.is_dir() {
        shared.to_owned()
    } else {
        std::env::temp_dir()
    };
    let folder = base.join(format!("rocm-bake-fuzz-{}", std::process::id()));
    for part in ["in", "out"] {
        fs::create_dir_all(folder.join(part)).expect("a folder for the archives");
    }
    folder
});

fn contents(archive: &Archive) -> Option<Vec<(String, usize)>> {
    let mut inflater = Inflater::default();
    let mut contents = Vec::new();
    for (index, member) in archive.members().iter().enumerate().take(50) {
        let mut reader = archive.stream_with(index, &mut inflater);
        let mut length = 0;
        loop {
            let chunk = reader.next_chunk().ok()?;
            if chunk.is_empty() {
                break;
            }
            length += chunk.len();
            // Bombs are bounded by what the directory says; here they only take time.
            if length > 1 << 20 {
                return None;
            }
        }
        contents.push((member.name().to_owned(), length));
    }
    Some(contents)
}

fuzz_target!(|data: &[u8]| {
    let path = FOLDER.join("in/demo-1.0-py3-none-any.whl");
    fs::write(&path, data).expect("the archive can be written");
    let Ok(archive) = Archive::open(&path) else {
        return;
    };
    let _ = (archive.wheel_info(), archive.record());
    let Some(before) = contents(&archive) else {
        return;
    };
    let _ = archive.verify_record(&mut Inflater::default());
    let mut rewriter = Rewriter::new(&archive, Vec::new());
    for index in 0..archive.members().len() {
        if rewriter.copy(index, None).is_err() {
            return;
        }
    }
    let Ok(copy) = rewriter.finish() else {
        return;
    };
    let path = FOLDER.join("out/demo-1.0-py3-none-any.whl");
    fs::write(&path, copy.out).expect("the copy can be written");
    match Archive::open(&path) {
        Ok(copy) => assert_eq!(contents(&copy), Some(before)),
        Err(error) => panic!("the copy cannot be read: {error}"),
    }
});
