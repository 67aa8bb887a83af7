//! The beginning of a zstd frame, decoded in bounded memory.
//!
//! Compressed bundles are one frame each, as large as the code in it (over 100 MB), with a window of the
//! same size; the table that we want is in the first block. So the header is read here, and only the first
//! blocks go to the decoder, behind a header of our own with a small window: a match cannot reach further
//! back than what has been decoded. Format: RFC 8878, section 3.1.

use std::io::Read;

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::fields::{u16_at, u32_at, u64_at};

/// The first four bytes of a frame.
pub(super) const MAGIC: &[u8] = b"\x28\xb5\x2f\xfd";
/// No block decodes to more (RFC 8878, 3.1.1.2.4).
pub(super) const MAX_BLOCK: usize = 128 << 10;

/// What a frame header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame {
    /// Bytes of the header; the first block follows.
    pub(super) header: usize,
    /// Bytes that the frame decodes to, where it says so.
    pub(super) content: Option<u64>,
    /// Whether four bytes of checksum follow the last block.
    pub(super) checksum: bool,
}

/// One block's header, three bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) last: bool,
    /// Bytes behind the header.
    pub(super) stored: usize,
}

impl Frame {
    /// Reads the header at the start of these bytes, at most 18 of them. None where it is not one, or asks
    /// for a dictionary that nobody has.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        if !bytes.starts_with(MAGIC) {
            return None;
        }
        let descriptor = *bytes.get(4)?;
        let single = descriptor & 0x20 != 0;
        let mut at = if single { 5 } else { 6 };
        let dictionary = match descriptor & 3 {
            0 => 0,
            1 => u32::from(*bytes.get(at)?),
            2 => u32::from(u16_at(bytes, at)?),
            _ => u32_at(bytes, at)?,
        };
        at += [0, 1, 2, 4][usize::from(descriptor & 3)];
        if dictionary != 0 || descriptor & 8 != 0 {
            return None;
        }
        let (content, width) = match descriptor >> 6 {
            0 if single => (Some(u64::from(*bytes.get(at)?)), 1),
            0 => (None, 0),
            1 => (Some(u64::from(u16_at(bytes, at)?) + 256), 2),
            2 => (Some(u64::from(u32_at(bytes, at)?)), 4),
            _ => (Some(u64_at(bytes, at)?), 8),
        };
        at += width;
        (bytes.len() >= at).then_some(Self {
            header: at,
            content,
            checksum: descriptor & 4 != 0,
        })
    }
}

impl Block {
    /// Reads three bytes; none for the reserved kind and for a size that no block may have.
    pub(super) fn read(header: [u8; 3]) -> Option<Self> {
        let word = u32::from_le_bytes([header[0], header[1], header[2], 0]);
        let size = usize::try_from(word >> 3).ok()?;
        let stored = match word >> 1 & 3 {
            0 | 2 => size,
            1 => 1,
            _ => return None,
        };
        (size <= MAX_BLOCK).then_some(Self {
            last: word & 1 != 0,
            stored,
        })
    }
}

/// Decodes up to `blocks` blocks that stand whole in `bytes`, which begin with the first. None where one of
/// them is damaged.
pub(super) fn decode_blocks(bytes: &[u8], blocks: usize) -> Option<Vec<u8>> {
    // No checksum, no content size, a window of 128 KiB: the least that allows full blocks.
    let mut frame = MAGIC.to_vec();
    frame.extend([0x00, 0x38]);
    let mut at = 0;
    let mut ended = false;
    for _ in 0..blocks {
        let Some(header) = bytes.get(at..at + 3) else {
            break;
        };
        let block = Block::read([header[0], header[1], header[2]])?;
        let Some(whole) = bytes.get(at..at + 3 + block.stored) else {
            break;
        };
        frame.extend(whole);
        at += whole.len();
        ended = block.last;
        if ended {
            break;
        }
    }
    if !ended {
        frame.extend([0x01, 0x00, 0x00]); // a last block, raw and empty
    }
    let mut source = frame.as_slice();
    let mut decoder = FrameDecoder::new();
    decoder.reset(&mut source).ok()?;
    decoder
        .decode_blocks(&mut source, BlockDecodingStrategy::All)
        .ok()?;
    let mut out = Vec::new();
    let limit = (blocks * MAX_BLOCK) as u64;
    decoder.take(limit).read_to_end(&mut out).ok()?;
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 36 bytes of text compressed by the reference implementation, with a checksum and no content size.
    const HELLO: &[u8] =
        b"\x28\xb5\x2f\xfd\x04\x00\x6d\x00\x008hello \n\x01\x00\xb9K\x11k\x1f\x08g";

    #[test]
    fn a_frame_header_is_read_in_every_width() {
        let read = |bytes: &[u8]| {
            let mut frame = MAGIC.to_vec();
            frame.extend(bytes);
            Frame::read(&frame)
        };
        let frame = |header, content, checksum| {
            Some(Frame {
                header,
                content,
                checksum,
            })
        };
        assert_eq!(read(&[0x20, 7]), frame(6, Some(7), false));
        assert_eq!(read(&[0x04, 0x58]), frame(6, None, true));
        assert_eq!(read(&[0x60, 1, 1]), frame(7, Some(513), false));
        assert_eq!(read(&[0xa0, 0, 0, 1, 0]), frame(9, Some(65536), false));
        assert_eq!(
            read(&[0xe0, 0, 0, 0, 0, 1, 0, 0, 0]),
            frame(13, Some(1 << 32), false)
        );
        assert_eq!(
            read(&[0x01, 0x58, 0]),
            frame(7, None, false),
            "dictionary 0 is none"
        );
        assert_eq!(read(&[0x01, 0x58, 9]), None, "a dictionary");
        assert_eq!(read(&[0xa0, 0, 0, 1]), None, "cut");
        assert_eq!(Frame::read(b"\x28\xb5\x2f\xfe\x20\x07"), None);
    }

    #[test]
    fn a_block_of_the_reserved_kind_or_over_the_limit_is_refused() {
        let block = |last, stored| Some(Block { last, stored });
        assert_eq!(Block::read([0x65, 0, 0]), block(true, 12));
        assert_eq!(
            Block::read([0x02, 0, 0x10]),
            block(false, 1),
            "128 KiB of one byte"
        );
        assert_eq!(Block::read([0x07, 0, 0]), None);
        assert_eq!(Block::read([0x09, 0, 0x10]), None);
    }

    #[test]
    fn damaged_blocks_are_refused_and_missing_ones_are_not_waited_for() {
        assert_eq!(decode_blocks(&[], 4), Some(Vec::new()));
        assert_eq!(
            decode_blocks(&[0x21, 0, 0, b'h'], 4),
            Some(Vec::new()),
            "cut"
        );
        assert_eq!(
            decode_blocks(&[0x21, 0, 0, b'h', b'e', b'y', b'!'], 4),
            Some(b"hey!".to_vec())
        );
        assert_eq!(decode_blocks(&[0x0d, 0, 0, 0xff], 4), None);
        let zeros = [0x02, 0, 0x10, 0].repeat(8);
        assert_eq!(
            decode_blocks(&zeros, 3).map(|out| out.len()),
            Some(3 * MAX_BLOCK)
        );
    }

    #[test]
    fn a_real_frame_is_decoded() {
        let frame = Frame::read(HELLO).unwrap();
        let text = decode_blocks(&HELLO[frame.header..], 1).unwrap();
        assert_eq!(text, b"hello hello hello hello hello hello\n");
    }
}
