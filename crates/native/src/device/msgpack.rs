//! `MessagePack`, read in place: maps, arrays and text, everything else is stepped over.
//!
//! Nothing is built from the bytes, so a table that promises millions of elements costs only the bytes
//! that are there. Format: <https://github.com/msgpack/msgpack/blob/master/spec.md>.

/// Maps in arrays in maps: deeper than any archive's table of contents.
const MAX_DEPTH: usize = 16;

/// One step through the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item<'a> {
    /// So many pairs follow.
    Map(u32),
    /// So many elements follow.
    Array(u32),
    Text(&'a str),
    /// A whole number that is not negative.
    Number(u64),
    /// Nothing that a table of contents is read for.
    Other,
}

/// A position in `MessagePack` bytes.
#[derive(Debug, Clone)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The next item, with a scalar's bytes taken whole; none where the bytes end or are not `MessagePack`.
    pub(super) fn next(&mut self) -> Option<Item<'a>> {
        let tag = self.number(1)?;
        Some(match tag {
            0x00..=0x7f => Item::Number(tag),
            0x80..=0x8f => Item::Map(u32::try_from(tag & 0x0f).ok()?),
            0x90..=0x9f => Item::Array(u32::try_from(tag & 0x0f).ok()?),
            0xa0..=0xbf => self.text(tag & 0x1f)?,
            0xc0 | 0xc2 | 0xc3 | 0xe0..=0xff => Item::Other,
            0xc4..=0xc6 => self.sized(1 << (tag - 0xc4), 0)?,
            0xc7..=0xc9 => self.sized(1 << (tag - 0xc7), 1)?,
            0xca | 0xd2 => self.skip(4)?,
            0xcb | 0xd3 => self.skip(8)?,
            0xcc..=0xcf => Item::Number(self.number(1 << (tag - 0xcc))?),
            0xd0 => self.skip(1)?,
            0xd1 => self.skip(2)?,
            0xd4..=0xd8 => self.skip(1 + (1 << (tag - 0xd4)))?,
            0xd9..=0xdb => {
                let length = self.number(1 << (tag - 0xd9))?;
                self.text(length)?
            }
            0xdc | 0xdd => Item::Array(u32::try_from(self.number(2 << (tag - 0xdc))?).ok()?),
            0xde | 0xdf => Item::Map(u32::try_from(self.number(2 << (tag - 0xde))?).ok()?),
            _ => return None,
        })
    }

    /// Steps over one value with all that is in it.
    pub(super) fn skip_value(&mut self) -> Option<()> {
        // Values that are still to come, one level per map or array that is open.
        let mut open = vec![1_u64];
        while let Some(left) = open.last_mut() {
            if *left == 0 {
                open.pop();
                continue;
            }
            *left -= 1;
            let inside = match self.next()? {
                Item::Map(pairs) => 2 * u64::from(pairs),
                Item::Array(length) => u64::from(length),
                _ => continue,
            };
            if open.len() > MAX_DEPTH {
                return None;
            }
            open.push(inside);
        }
        Some(())
    }

    fn number(&mut self, width: usize) -> Option<u64> {
        let bytes = self.take(width)?;
        Some(
            bytes
                .iter()
                .fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
        )
    }

    fn text(&mut self, length: u64) -> Option<Item<'a>> {
        let bytes = self.take(usize::try_from(length).ok()?)?;
        std::str::from_utf8(bytes).ok().map(Item::Text)
    }

    fn sized(&mut self, width: usize, more: u64) -> Option<Item<'a>> {
        let length = self.number(width)?.checked_add(more)?;
        self.skip(length)
    }

    fn skip(&mut self, length: u64) -> Option<Item<'a>> {
        self.take(usize::try_from(length).ok()?)?;
        Some(Item::Other)
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_value_is_stepped_over() {
        for (name, bytes) in [
            ("fixint", &[0x05][..]),
            ("negative", &[0xff]),
            ("nil", &[0xc0]),
            ("true", &[0xc3]),
            ("bin 8", &[0xc4, 2, 1, 2]),
            ("bin 32", &[0xc6, 0, 0, 0, 1, 9]),
            ("ext 8", &[0xc7, 2, 1, 8, 8]),
            ("ext 16", &[0xc8, 0, 1, 1, 8]),
            ("float 32", &[0xca, 0, 0, 0, 0]),
            ("float 64", &[0xcb, 0, 0, 0, 0, 0, 0, 0, 0]),
            ("uint 8", &[0xcc, 200]),
            ("uint 64", &[0xcf, 0, 0, 0, 0, 0, 0, 0, 1]),
            ("int 8", &[0xd0, 1]),
            ("int 16", &[0xd1, 1, 1]),
            ("int 64", &[0xd3, 0, 0, 0, 0, 0, 0, 0, 0]),
            ("fixext 1", &[0xd4, 1, 9]),
            (
                "fixext 16",
                &[0xd8, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            ),
            ("str 8", &[0xd9, 1, b'x']),
            ("str 32", &[0xdb, 0, 0, 0, 1, b'x']),
            ("array 16", &[0xdc, 0, 2, 1, 0x91, 2]),
            ("map 32", &[0xdf, 0, 0, 0, 1, 0xa1, b'k', 0x80]),
        ] {
            let mut padded = bytes.to_vec();
            padded.push(0x2a);
            let mut reader = Reader::new(&padded);
            assert_eq!(reader.skip_value(), Some(()), "{name}");
            assert_eq!(reader.next(), Some(Item::Number(42)), "{name}");
            assert_eq!(reader.next(), None);
            for end in 0..bytes.len() {
                assert_eq!(Reader::new(&bytes[..end]).skip_value(), None, "{name} cut");
            }
        }
        assert_eq!(
            Reader::new(&[0xc1]).next(),
            None,
            "the tag that is never used"
        );
    }

    #[test]
    fn promises_cost_nothing_and_depth_is_bounded() {
        let promise = [0xdd, 0xff, 0xff, 0xff, 0xff];
        assert_eq!(Reader::new(&promise).next(), Some(Item::Array(u32::MAX)));
        assert_eq!(Reader::new(&promise).skip_value(), None);
        assert_eq!(Reader::new(&[0x91; 1 << 12]).skip_value(), None);
        let text = [0xdb, 0xff, 0xff, 0xff, 0xff, b'x'];
        assert_eq!(Reader::new(&text).next(), None);
    }
}
