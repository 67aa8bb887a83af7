//! Compressed offload bundles (`CCOB`), versions 1 to 3: a small header, then a zlib or zstd stream of a
//! plain bundle. Only its beginning is decoded: the table names the targets.
//!
//! Format: `llvm/lib/Object/OffloadBundle.cpp` in LLVM; version 2 added the file size, version 3 widened it.

use flate2::{Decompress, FlushDecompress};

use super::bundle::{self, Bundle, NoBundle};
use super::fields::{u16_at, u32_at, u64_at};
use super::zstd;

/// The first four bytes.
pub(super) const MAGIC: &[u8] = b"CCOB";
/// Bytes of the longest header, and of the stream's beginning that tells its method.
pub(super) const MIN_READ: usize = 32 + 4;
/// Compressed bytes that are looked at; a table has never needed more than 28 KB.
pub(super) const HEAD: u64 = 320 << 10;
/// Blocks that are decoded before the table must be whole: its greatest length is three full ones.
const MAX_BLOCKS: usize = 16;

/// How the bundle is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Zlib,
    Zstd,
}

/// What the header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) method: Method,
    /// Bytes of the whole, header included; version 1 does not say.
    pub(super) file_size: Option<u64>,
    /// Bytes of the bundle.
    pub(super) raw_size: u64,
    /// Bytes of the header.
    pub(super) length: u64,
}

/// Why there is no header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoHeader {
    /// The bytes end before it does.
    Need(usize),
    /// The four letters stand in plain data, or a version stands there that is not known: what it is
    /// depends on the place.
    Unknown { version: u16 },
}

/// Why the beginning of the stream tells no targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unreadable {
    #[error("its compressed data is damaged")]
    Damaged,
    #[error("it does not hold an offload bundle")]
    NoBundle,
    #[error("the size in its header is not that of its data")]
    Size,
    #[error("the table of its bundle is not within its first {} KiB", HEAD >> 10)]
    TooFar,
    #[error("too much would have to be decompressed")]
    TooMuch,
}

impl Header {
    /// Reads the header at the start of these bytes.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, NoHeader> {
        let need = NoHeader::Need(MIN_READ);
        let version = u16_at(bytes, 4).ok_or(need)?;
        let unknown = NoHeader::Unknown { version };
        let method = match u16_at(bytes, 6).ok_or(need)? {
            0 => Method::Zlib,
            1 => Method::Zstd,
            _ => return Err(unknown),
        };
        let wide = |at| u32_at(bytes, at).map(u64::from).ok_or(need);
        let (file_size, raw_size, length) = match version {
            1 => (None, wide(8)?, 20),
            2 => (Some(wide(8)?), wide(12)?, 24),
            3 => (
                Some(u64_at(bytes, 8).ok_or(need)?),
                u64_at(bytes, 16).ok_or(need)?,
                32,
            ),
            _ => return Err(unknown),
        };
        let stream = bytes.get(length..length + 4).ok_or(need)?;
        let begins = match method {
            // RFC 1950: method 8, and the first two bytes are a multiple of 31.
            Method::Zlib => {
                stream[0] & 0x0f == 8 && u16::from_be_bytes([stream[0], stream[1]]) % 31 == 0
            }
            Method::Zstd => stream == zstd::MAGIC,
        };
        let length = length as u64;
        if !begins || file_size.is_some_and(|size| size <= length) {
            return Err(unknown);
        }
        Ok(Self {
            method,
            file_size,
            raw_size,
            length,
        })
    }

    /// Decodes as much of the stream as the table takes, but no more than `budget` and one block. `spent` is
    /// told how many bytes were decoded.
    pub(super) fn table(
        &self,
        stream: &[u8],
        budget: u64,
        spent: &mut u64,
    ) -> Result<Bundle, Unreadable> {
        let (whole, stream) = match self.method {
            Method::Zlib => (false, stream),
            Method::Zstd => {
                let frame = zstd::Frame::read(stream).ok_or(Unreadable::Damaged)?;
                if frame.content.is_some_and(|size| size != self.raw_size) {
                    return Err(Unreadable::Size);
                }
                (true, &stream[frame.header..])
            }
        };
        let mut blocks = 1;
        loop {
            if *spent >= budget {
                return Err(Unreadable::TooMuch);
            }
            let raw = if whole {
                zstd::decode_blocks(stream, blocks)
            } else {
                inflate(stream, blocks * zstd::MAX_BLOCK)
            };
            let raw = raw.ok_or(Unreadable::Damaged)?;
            *spent += raw.len() as u64;
            match Bundle::read(&raw) {
                Ok(bundle) => return self.checked(bundle),
                Err(NoBundle::Plain) => return Err(Unreadable::NoBundle),
                Err(NoBundle::Need(_)) if raw.len() > bundle::MAX_TABLE || blocks == MAX_BLOCKS => {
                    return Err(Unreadable::TooFar);
                }
                Err(NoBundle::Need(_)) => blocks *= 2,
            }
        }
    }

    fn checked(&self, bundle: Bundle) -> Result<Bundle, Unreadable> {
        match bundle.end() {
            Some(end) if end <= self.raw_size => Ok(bundle),
            _ => Err(Unreadable::Size),
        }
    }
}

/// Up to `limit` bytes of a zlib stream; none where it is damaged.
fn inflate(stream: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(limit);
    let mut inflater = Decompress::new(true);
    inflater
        .decompress_vec(stream, &mut out, FlushDecompress::None)
        .ok()?;
    Some(out)
}

#[cfg(test)]
#[expect(clippy::cast_possible_truncation, reason = "fixtures are small")]
pub(super) mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::super::bundle::tests::bundle;
    use super::*;

    /// A compressed bundle of the version and method.
    pub(in super::super) fn compressed(version: u16, method: u16, raw: &[u8]) -> Vec<u8> {
        let stream = if method == 1 {
            compress_to_vec(raw, CompressionLevel::Fastest)
        } else {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(raw).unwrap();
            encoder.finish().unwrap()
        };
        wrap(version, method, raw.len(), &stream)
    }

    fn wrap(version: u16, method: u16, raw: usize, stream: &[u8]) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(version.to_le_bytes());
        out.extend(method.to_le_bytes());
        match version {
            1 => out.extend((raw as u32).to_le_bytes()),
            2 => {
                out.extend((24 + stream.len() as u32).to_le_bytes());
                out.extend((raw as u32).to_le_bytes());
            }
            _ => {
                out.extend((32 + stream.len() as u64).to_le_bytes());
                out.extend((raw as u64).to_le_bytes());
            }
        }
        out.extend([0; 8]); // the hash of the bundle
        out.extend(stream);
        out
    }

    fn read(bytes: &[u8]) -> Result<Bundle, Unreadable> {
        let header = Header::read(bytes).unwrap();
        let mut spent = 0;
        header.table(&bytes[header.length as usize..], u64::MAX, &mut spent)
    }

    fn sample() -> Vec<u8> {
        bundle(
            &[
                ("host-x86_64-unknown-linux-gnu-", b""),
                ("hipv4-amdgcn-amd-amdhsa--gfx942", &[0x5a; 3000]),
                ("hipv4-amdgcn-amd-amdhsa--gfx950", &vec![0xa5; 200_000]),
            ],
            4096,
        )
    }

    #[test]
    fn every_version_and_method_is_read() {
        for version in 1..=3 {
            for method in 0..=1 {
                let bytes = compressed(version, method, &sample());
                let header = Header::read(&bytes).unwrap();
                let whole = (version > 1).then_some(bytes.len() as u64);
                assert_eq!(header.file_size, whole, "version {version}");
                assert_eq!(header.raw_size, sample().len() as u64);
                assert_eq!(read(&bytes).unwrap().entries.len(), 3, "{version} {method}");
            }
        }
    }

    #[test]
    fn a_table_longer_than_a_block_is_read_and_an_endless_one_is_not() {
        let id = format!("hip-amdgcn-amd-amdhsa--gfx{}", "9".repeat(40));
        let long: Vec<(&str, &[u8])> = vec![(id.as_str(), b""); 512];
        let bytes = compressed(3, 1, &bundle(&long, 1));
        assert_eq!(read(&bytes).unwrap().entries.len(), 512);
    }

    #[test]
    fn the_head_is_enough_and_little_is_decoded() {
        let bytes = compressed(3, 1, &sample());
        let header = Header::read(&bytes).unwrap();
        let mut spent = 0;
        let head = &bytes[32..bytes.len().min(32 + HEAD as usize)];
        assert!(header.table(head, u64::MAX, &mut spent).is_ok());
        assert!(spent <= zstd::MAX_BLOCK as u64, "{spent}");
    }

    #[test]
    fn what_is_not_a_compressed_bundle_says_why() {
        let text = vec![b'x'; 5000];
        for method in 0..=1 {
            assert_eq!(
                read(&compressed(2, method, &text)),
                Err(Unreadable::NoBundle)
            );
            let mut damaged = compressed(3, method, &sample());
            damaged[40..80].fill(0xff);
            assert!(read(&damaged).is_err(), "method {method}");
            let mut cut = sample();
            cut.truncate(60);
            assert_eq!(read(&compressed(3, method, &cut)), Err(Unreadable::TooFar));
        }
        let mut small = compressed(3, 0, &sample());
        small[16..24].copy_from_slice(&5000_u64.to_le_bytes());
        assert_eq!(read(&small), Err(Unreadable::Size));
    }

    #[test]
    fn the_letters_alone_are_not_a_header() {
        let good = compressed(3, 1, &sample());
        for (at, byte) in [(4, 4), (4, 0), (6, 2), (32, 0)] {
            let mut bytes = good.clone();
            bytes[at] = byte;
            assert!(
                matches!(Header::read(&bytes), Err(NoHeader::Unknown { .. })),
                "byte {at}"
            );
        }
        let mut tiny = good.clone();
        tiny[8..16].copy_from_slice(&32_u64.to_le_bytes());
        assert!(Header::read(&tiny).is_err());
        for end in 0..35 {
            assert!(
                matches!(Header::read(&good[..end]), Err(NoHeader::Need(_))),
                "{end}"
            );
        }
    }
}
