//! The parts of a member that were kept while it streamed past.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;

use object::read::ReadRef;

/// Kept ranges of a member, and the ranges that a reader asked for in vain.
///
/// It is what the ELF parser reads from. A read outside of what was kept fails, and is remembered so
/// that the next bytes, or the next pass over the member, can bring it.
#[derive(Debug, Default)]
pub(super) struct Captured {
    /// Bytes of the whole member.
    size: u64,
    /// Start to bytes; neither overlapping nor touching.
    pieces: BTreeMap<u64, Vec<u8>>,
    missing: RefCell<Vec<Range<u64>>>,
}

impl Captured {
    pub(super) fn new(size: u64) -> Self {
        Self {
            size,
            ..Self::default()
        }
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// The member turned out to be of another size than its archive says.
    pub(super) fn set_size(&mut self, size: u64) {
        self.size = size;
    }

    /// Bytes kept, all pieces together.
    pub(super) fn held(&self) -> usize {
        self.pieces.values().map(Vec::len).sum()
    }

    /// Keeps a range; what is already there is left alone, and touching pieces become one.
    pub(super) fn keep(&mut self, start: u64, bytes: Vec<u8>) {
        let end = start + bytes.len() as u64;
        if bytes.is_empty() || self.holds(&(start..end)) {
            return;
        }
        let touching: Vec<u64> = self
            .pieces
            .range(..=end)
            .filter(|(at, piece)| **at + piece.len() as u64 >= start)
            .map(|(at, _)| *at)
            .collect();
        if touching.is_empty() {
            self.pieces.insert(start, bytes);
            return;
        }
        let mut parts: Vec<(u64, Vec<u8>)> = touching
            .iter()
            .filter_map(|at| self.pieces.remove(at).map(|piece| (*at, piece)))
            .chain([(start, bytes)])
            .collect();
        parts.sort_by_key(|(at, _)| *at);
        let mut parts = parts.into_iter();
        if let Some((first, mut joined)) = parts.next() {
            for (at, piece) in parts {
                let overlap = (first + joined.len() as u64).saturating_sub(at);
                let fresh = usize::try_from(overlap).unwrap_or(usize::MAX);
                joined.extend_from_slice(piece.get(fresh..).unwrap_or_default());
            }
            self.pieces.insert(first, joined);
        }
    }

    /// Whether a range is kept in one piece.
    pub(super) fn holds(&self, range: &Range<u64>) -> bool {
        self.find(range.start, range.end.saturating_sub(range.start))
            .is_some()
    }

    fn find(&self, offset: u64, size: u64) -> Option<&[u8]> {
        let (start, piece) = self.pieces.range(..=offset).next_back()?;
        let from = usize::try_from(offset - start).ok()?;
        let to = from.checked_add(usize::try_from(size).ok()?)?;
        piece.get(from..to)
    }

    /// Bytes at `offset`, or `None` when they were not kept or lie outside of the member.
    ///
    /// Where they are only not kept, at least `hint` bytes from `offset` on are asked for: a record in
    /// a table brings the table.
    pub(super) fn bytes(&self, offset: u64, size: u64, hint: u64) -> Option<&[u8]> {
        let end = offset.checked_add(size)?;
        if end > self.size {
            return None;
        }
        let found = self.find(offset, size);
        if found.is_none() {
            self.ask(offset..end.max(offset.saturating_add(hint)));
        }
        found
    }

    /// Remembers that a range is wanted, cut to the member.
    pub(super) fn ask(&self, range: Range<u64>) {
        let range = range.start..range.end.min(self.size);
        if !range.is_empty() {
            self.missing.borrow_mut().push(range);
        }
    }

    /// Whether something was asked for in vain.
    pub(super) fn is_asked(&self) -> bool {
        !self.missing.borrow().is_empty()
    }

    /// Takes what was asked for in vain since the last call, sorted and joined.
    pub(super) fn take_missing(&self) -> Vec<Range<u64>> {
        join(self.missing.take())
    }
}

/// Sorts ranges and joins those that overlap or touch.
pub(super) fn join(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut joined: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

impl<'a> ReadRef<'a> for &'a Captured {
    fn len(self) -> Result<u64, ()> {
        Ok(self.size)
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'a [u8], ()> {
        if size == 0 {
            return Ok(&[]);
        }
        self.bytes(offset, size, size).ok_or(())
    }

    fn read_bytes_at_until(self, range: Range<u64>, delimiter: u8) -> Result<&'a [u8], ()> {
        let size = range.end.checked_sub(range.start).ok_or(())?;
        let bytes = self.read_bytes_at(range.start, size)?;
        let end = bytes.iter().position(|byte| *byte == delimiter).ok_or(())?;
        bytes.get(..end).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(pieces: &[(u64, &[u8])]) -> Captured {
        let mut captured = Captured::new(100);
        for (start, bytes) in pieces {
            captured.keep(*start, bytes.to_vec());
        }
        captured
    }

    #[test]
    fn pieces_that_touch_or_overlap_are_read_as_one() {
        let captured = captured(&[(10, b"abc"), (20, b"xyz"), (12, b"cdefghijx")]);
        assert_eq!(captured.bytes(10, 13, 13), Some(&b"abcdefghijxyz"[..]));
        assert_eq!(captured.held(), 13);
        assert!(captured.take_missing().is_empty());
    }

    #[test]
    fn a_read_of_what_was_not_kept_is_asked_for() {
        let captured = captured(&[(10, b"abc")]);
        assert_eq!(captured.bytes(11, 4, 8), None);
        assert_eq!(captured.bytes(90, 4, 50), None);
        assert_eq!(captured.take_missing(), [11..19, 90..100]);
    }

    #[test]
    fn a_read_past_the_end_is_not_asked_for() {
        let captured = captured(&[]);
        assert_eq!(captured.bytes(99, 2, 2), None);
        assert_eq!(captured.bytes(u64::MAX, 2, 2), None);
        assert!(captured.take_missing().is_empty());
    }
}
