//! Where compressed data can be cut, so that a patched member is compressed anew only near the patch.

use std::ops::Range;

/// How far back a deflate block may refer (RFC 1951, section 2).
const WINDOW: u64 = 32 * 1024;
/// Seams closer than this are not noted: they would save little, and a stream of empty blocks would fill the memory.
const APART: u64 = 64 * 1024;

/// The places of one member's deflate stream at which a block begins on a whole byte.
///
/// About every eighth block does by chance, and every one behind a stored block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seams(Vec<Seam>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seam {
    /// Bytes of content before it.
    content: u64,
    /// Bytes of compressed data before it.
    compressed: u64,
}

/// A part of the new compressed data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// These bytes of the old compressed data, as they are.
    Kept(Range<u64>),
    /// This part of the new content, compressed.
    New(Range<u64>),
}

impl Seams {
    /// Notes a seam; they come in order.
    pub(super) fn note(&mut self, content: u64, compressed: u64) {
        let enough = |last: &Seam| content >= last.content + APART;
        if self.0.last().is_none_or(enough) {
            self.0.push(Seam {
                content,
                compressed,
            });
        }
    }

    /// What the new compressed data is put together from, in order. `changed` are the parts of the old content that are not
    /// the same in the new one at the same place, in order and apart; `size` is that of the new content.
    ///
    /// The last piece is always new, since the last block of a stream says that it is the last.
    pub(super) fn pieces(&self, changed: &[Range<u64>], size: u64) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut done = 0;
        let mut next = changed.iter().peekable();
        for pair in self.0.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            if to.content > size {
                break;
            }
            let reach = from.content.saturating_sub(WINDOW)..to.content;
            while next.next_if(|change| change.end <= reach.start).is_some() {}
            if next.peek().is_some_and(|change| change.start < reach.end) {
                continue;
            }
            if done < from.content {
                pieces.push(Piece::New(done..from.content));
            }
            match pieces.last_mut() {
                Some(Piece::Kept(kept)) => kept.end = to.compressed,
                _ => pieces.push(Piece::Kept(from.compressed..to.compressed)),
            }
            done = to.content;
        }
        pieces.push(Piece::New(done..size));
        pieces
    }
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;

    const K: u64 = 1024;

    fn seams() -> Seams {
        let mut seams = Seams::default();
        for number in 0..10 {
            seams.note(number * 100 * K, number * 10 * K);
        }
        seams
    }

    #[test]
    fn seams_that_are_close_are_noted_once() {
        let mut seams = Seams::default();
        for place in [0, 1, 64 * K - 1, 64 * K, 65 * K, 200 * K] {
            seams.note(place, place);
        }
        let noted: Vec<u64> = seams.0.iter().map(|seam| seam.content).collect();
        assert_eq!(noted, [0, 64 * K, 200 * K]);
    }

    #[test]
    fn what_did_not_change_is_kept_but_for_the_end() {
        assert_eq!(
            seams().pieces(&[], 950 * K),
            [Piece::Kept(0..90 * K), Piece::New(900 * K..950 * K)]
        );
    }

    #[test]
    fn a_change_takes_its_block_and_those_that_refer_to_it() {
        // In the fourth block: the fifth begins more than a window later.
        assert_eq!(
            seams().pieces(from_ref(&(310 * K..311 * K)), 2000 * K),
            [
                Piece::Kept(0..30 * K),
                Piece::New(300 * K..400 * K),
                Piece::Kept(40 * K..90 * K),
                Piece::New(900 * K..2000 * K),
            ]
        );
        // At the end of the fourth block: the fifth may refer to it.
        assert_eq!(
            seams().pieces(from_ref(&(399 * K..400 * K)), 950 * K)[1],
            Piece::New(300 * K..500 * K)
        );
        // One byte less than a window before the fifth block, and one byte more.
        for (place, end) in [(400 * K - WINDOW, 500), (400 * K - WINDOW - 1, 400)] {
            let pieces = seams().pieces(from_ref(&(place..place + 1)), 950 * K);
            assert_eq!(pieces[1], Piece::New(300 * K..end * K), "{place}");
        }
    }

    #[test]
    fn a_content_that_became_shorter_keeps_what_is_before_its_end() {
        assert_eq!(
            seams().pieces(&[], 250 * K),
            [Piece::Kept(0..20 * K), Piece::New(200 * K..250 * K)]
        );
        assert_eq!(seams().pieces(&[], 0), [Piece::New(0..0)]);
    }

    #[test]
    fn without_seams_everything_is_new() {
        assert_eq!(Seams::default().pieces(&[], 7), [Piece::New(0..7)]);
    }
}
