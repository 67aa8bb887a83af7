//! The floor of the benchmark: inflate every member, check its CRC, hash it with sha256, hash the file, and
//! nothing else. It shares no code with the probe.

use std::fs::File;
use std::io::{BufReader, Read};

use sha2::{Digest, Sha256};

/// The block that the probe reads in, too.
const BLOCK: usize = 128 * 1024;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut block = vec![0; BLOCK];
    for path in std::env::args_os().skip(1) {
        drain(File::open(&path)?, &mut block)?;
        let mut archive =
            zip::ZipArchive::new(BufReader::with_capacity(BLOCK, File::open(&path)?))?;
        for index in 0..archive.len() {
            drain(archive.by_index(index)?, &mut block)?;
        }
    }
    Ok(())
}

/// Reads to the end, where the zip crate compares the CRC, and hashes.
fn drain(mut from: impl Read, block: &mut [u8]) -> std::io::Result<()> {
    let mut hash = Sha256::new();
    loop {
        let length = from.read(block)?;
        if length == 0 {
            std::hint::black_box(hash.finalize());
            return Ok(());
        }
        hash.update(block.get(..length).unwrap_or_default());
    }
}
