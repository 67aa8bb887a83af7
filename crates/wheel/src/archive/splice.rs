//! A patched member's compressed data: the old one's where nothing changed, compressed anew around the changes.
//!
//! A tool that edits an ELF file of 459 MB in place changes a few pages. Compressing all of it again costs twenty times the
//! CPU of copying what is compressed already.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use flate2::{Compress, Compression, FlushCompress, Status};

use super::Archive;
use super::seam::{Piece, Seams};
use super::section::Section;

const BLOCK: usize = 128 * 1024;

impl Archive {
    /// Writes deflated content that was made from that of the member at `index` by changing parts of it, and returns how many
    /// bytes it wrote. `changed` are the parts of the old content that the new one does not have at the same place, in order
    /// and apart; what `new` has beyond the old content's end is taken as new. `seams` are the member's.
    ///
    /// The result is a deflate stream like any other; it is about as long as if all of it had been compressed at once.
    ///
    /// # Errors
    /// When the archive or `new` cannot be read, or `out` not be written.
    pub fn splice<N: Read + Seek, W: Write>(
        &self,
        index: usize,
        seams: &Seams,
        changed: &[Range<u64>],
        new: &mut N,
        out: &mut W,
    ) -> io::Result<u64> {
        let data_at = self.zip.members[index].data_at;
        let size = new.seek(SeekFrom::End(0))?;
        let mut written = 0;
        for piece in seams.pieces(changed, size) {
            written += match piece {
                Piece::Kept(bytes) => {
                    let length = bytes.end - bytes.start;
                    let mut old = Section::new(&self.zip.file, data_at + bytes.start, length);
                    io::copy(&mut old, out)?
                }
                Piece::New(content) => {
                    new.seek(SeekFrom::Start(content.start))?;
                    let flush = if content.end == size {
                        FlushCompress::Finish
                    } else {
                        // Ends on a whole byte, where the next piece begins.
                        FlushCompress::Sync
                    };
                    deflate(&mut new.take(content.end - content.start), flush, out)?
                }
            };
        }
        Ok(written)
    }
}

/// Compresses all of `content`, without a reference to anything before it, and ends it as `end` says.
fn deflate(content: &mut impl Read, end: FlushCompress, out: &mut impl Write) -> io::Result<u64> {
    let mut state = Compress::new(Compression::default(), false);
    let mut input = vec![0; BLOCK];
    let mut output = vec![0; BLOCK];
    loop {
        let length = match content.read(&mut input) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        let flush = if length == 0 {
            end
        } else {
            FlushCompress::None
        };
        let mut rest = &input[..length];
        loop {
            let (taken, given) = (state.total_in(), state.total_out());
            let status = state
                .compress(rest, &mut output, flush)
                .map_err(io::Error::other)?;
            let took = usize::try_from(state.total_in() - taken).map_err(io::Error::other)?;
            let gave = usize::try_from(state.total_out() - given).map_err(io::Error::other)?;
            rest = &rest[took..];
            out.write_all(&output[..gave])?;
            // A full output buffer may hide more; a flush is over when it left room.
            if status == Status::StreamEnd || (rest.is_empty() && gave < BLOCK) {
                break;
            }
        }
        if length == 0 {
            return Ok(state.total_out());
        }
    }
}
