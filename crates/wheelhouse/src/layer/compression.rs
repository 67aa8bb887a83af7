//! How a layer is packed, and unpacking it.

use std::io::{self, BufRead, Read};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// The largest window that a zstd layer may need; bytes. The decoder holds up to three times as much, and
/// 64 MiB is what this tool may take. RFC 8878 section 3.1.1.1.2 recommends 8 MiB at least.
const ZSTD_WINDOW: u64 = 16 << 20;

/// How a layer's tar archive is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compression {
    /// Not at all.
    None,
    /// One gzip member or several: estargz and parallel compressors make many.
    Gzip,
    /// One zstd frame or several, with frames to be skipped among them: `zstd:chunked` makes those.
    Zstd,
}

impl Compression {
    /// What a media type says (layer.md of the image specification, and Docker's names for the same).
    pub(crate) fn of_media_type(media_type: &str) -> Option<Self> {
        let oci = "application/vnd.oci.image.layer.";
        let kind = match media_type.strip_prefix(oci) {
            Some(kind) => kind.strip_prefix("nondistributable.").unwrap_or(kind),
            None => media_type.strip_prefix("application/vnd.docker.image.rootfs.")?,
        };
        match kind {
            "v1.tar" | "diff.tar" => Some(Self::None),
            "v1.tar+gzip" | "diff.tar.gzip" | "foreign.diff.tar.gzip" => Some(Self::Gzip),
            "v1.tar+zstd" | "diff.tar.zstd" => Some(Self::Zstd),
            _ => None,
        }
    }

    /// Unpacks a stream to its end.
    pub(crate) fn unpack<'r>(self, packed: impl BufRead + 'r) -> Box<dyn Read + 'r> {
        match self {
            Self::None => Box::new(packed),
            Self::Gzip => Box::new(MultiGzDecoder::new(packed)),
            Self::Zstd => Box::new(ZstdReader::new(packed)),
        }
    }
}

/// Reads all frames of a zstd stream one after another.
struct ZstdReader<R> {
    packed: R,
    decoder: FrameDecoder,
    in_frame: bool,
}

impl<R: BufRead> ZstdReader<R> {
    fn new(packed: R) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(ZSTD_WINDOW);
        Self {
            packed,
            decoder,
            in_frame: false,
        }
    }

    /// Begins the next frame; false at the end of the stream.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.packed.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.packed) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let skipped = (&mut self.packed).take(length.into());
                    if io::copy(&mut { skipped }, &mut io::sink())? != u64::from(length) {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(FrameDecoderError::WindowSizeTooBig { requested, max }) => {
                    return Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        format!(
                            "its zstd window is {requested} bytes, more than the {max} that are supported; compress it at a lower level"
                        ),
                    ));
                }
                Err(_) => return Err(damaged()),
            }
        }
        Ok(false)
    }
}

impl<R: BufRead> Read for ZstdReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.in_frame {
                while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                    self.decoder
                        .decode_blocks(&mut self.packed, BlockDecodingStrategy::UptoBlocks(1))
                        .map_err(|_| damaged())?;
                }
                let n = self.decoder.read(buffer)?;
                if n > 0 || buffer.is_empty() {
                    return Ok(n);
                }
                self.in_frame = false;
            }
            if !self.begin()? {
                return Ok(0);
            }
            self.in_frame = true;
        }
    }
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "its zstd data is damaged")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_say_how_a_layer_is_packed() {
        let oci = "application/vnd.oci.image.layer";
        let docker = "application/vnd.docker.image.rootfs";
        let cases = [
            (format!("{oci}.v1.tar"), Some(Compression::None)),
            (format!("{oci}.v1.tar+gzip"), Some(Compression::Gzip)),
            (format!("{oci}.v1.tar+zstd"), Some(Compression::Zstd)),
            (
                format!("{oci}.nondistributable.v1.tar+gzip"),
                Some(Compression::Gzip),
            ),
            (format!("{docker}.diff.tar"), Some(Compression::None)),
            (format!("{docker}.diff.tar.gzip"), Some(Compression::Gzip)),
            (
                format!("{docker}.foreign.diff.tar.gzip"),
                Some(Compression::Gzip),
            ),
            (format!("{oci}.v1.tar+encrypted"), None),
            ("application/vnd.in-toto+json".to_owned(), None),
        ];
        for (media_type, expected) in cases {
            assert_eq!(
                Compression::of_media_type(&media_type),
                expected,
                "{media_type}"
            );
        }
    }

    fn unpacked(compression: Compression, packed: &[u8]) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        compression.unpack(packed).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        use std::io::Write;
        let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
    }

    #[test]
    fn all_members_and_frames_are_read() {
        let members = [gzip(b"first "), gzip(b""), gzip(b"second")].concat();
        assert_eq!(
            unpacked(Compression::Gzip, &members).unwrap(),
            b"first second"
        );
        let skipped = [
            &0x184D_2A50_u32.to_le_bytes()[..],
            &3_u32.to_le_bytes(),
            b"toc",
        ]
        .concat();
        let frames = [&zstd(b"first ")[..], &skipped, &zstd(b"second"), &skipped].concat();
        assert_eq!(
            unpacked(Compression::Zstd, &frames).unwrap(),
            b"first second"
        );
    }

    #[test]
    fn a_stream_cut_anywhere_is_an_error() {
        for (compression, packed) in [
            (Compression::Gzip, gzip(b"whole")),
            (Compression::Zstd, zstd(b"whole")),
        ] {
            for end in 1..packed.len() {
                assert!(
                    unpacked(compression, &packed[..end]).is_err(),
                    "{compression:?} {end}"
                );
            }
        }
    }

    #[test]
    fn no_damage_to_a_stream_is_a_panic() {
        let zstd = include_bytes!("../../tests/data/layer.tar.zst");
        let gzip = gzip(&zstd.repeat(2));
        for (compression, whole) in [(Compression::Zstd, &zstd[..]), (Compression::Gzip, &gzip)] {
            for at in 0..whole.len() {
                let mut damaged = whole.to_vec();
                damaged[at] ^= 1 << (at % 8);
                // Right or wrong, it ends.
                drop(unpacked(compression, &damaged));
            }
        }
    }

    #[test]
    fn a_window_that_does_not_fit_the_memory_is_refused() {
        // Window descriptor 0x88: exponent 17, mantissa 0, so 2^27 bytes.
        let frame = [
            &0xFD2F_B528_u32.to_le_bytes()[..],
            &[0x00, 0x88],
            &[0x01, 0, 0],
        ]
        .concat();
        assert_eq!(
            unpacked(Compression::Zstd, &frame).unwrap_err().to_string(),
            "its zstd window is 134217728 bytes, more than the 16777216 that are supported; compress it at a lower level"
        );
    }
}
