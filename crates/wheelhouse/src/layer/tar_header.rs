//! The fixed part of a tar entry: one block of 512 bytes (pax(1) in POSIX.1-2017, "ustar Interchange Format").

/// A header whose checksum is right.
#[derive(Debug, Clone)]
pub(crate) struct Header([u8; 512]);

impl Header {
    /// Takes a block for a header; none when its checksum is wrong.
    pub(crate) fn new(block: &[u8; 512]) -> Option<Self> {
        let header = Self(*block);
        header.is_checked().then_some(header)
    }

    /// Bytes of content; none when the field is no number.
    pub(crate) fn size(&self) -> Option<u64> {
        number(&self.0[124..136])
    }

    /// What the entry is, as a letter.
    pub(crate) fn flag(&self) -> u8 {
        self.0[156]
    }

    /// Whether blocks with further holes follow, in GNU's old sparse format.
    pub(crate) fn has_more_holes(&self) -> bool {
        self.flag() == b'S' && self.0[482] != 0
    }

    /// Name with the prefix that only ustar has; GNU keeps times in its place.
    pub(crate) fn path(&self) -> Vec<u8> {
        let name = until_nul(&self.0[..100]);
        let prefix = until_nul(&self.0[345..500]);
        if self.0[257..263] == *b"ustar\0" && !prefix.is_empty() {
            return [prefix, b"/", name].concat();
        }
        name.to_vec()
    }

    /// The sum of all bytes, with the field of the sum itself as blanks; some old archivers summed signed bytes.
    fn is_checked(&self) -> bool {
        let blanked = |(at, byte): (usize, &u8)| {
            if (148..156).contains(&at) {
                b' '
            } else {
                *byte
            }
        };
        let bytes = || self.0.iter().enumerate().map(blanked);
        let unsigned: u64 = bytes().map(u64::from).sum();
        let signed: i64 = bytes().map(|byte| i64::from(byte.cast_signed())).sum();
        let stored = number(&self.0[148..156]);
        stored == Some(unsigned) || (stored.is_some() && stored == u64::try_from(signed).ok())
    }
}

/// A field up to its first NUL.
pub(crate) fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// Octal digits between blanks, or GNU's base 256 when the first bit is set.
fn number(field: &[u8]) -> Option<u64> {
    if field[0] & 0x80 != 0 {
        let first = field[0] & 0x7f;
        let digits = std::iter::once(first).chain(field[1..].iter().copied());
        return digits.into_iter().try_fold(0_u64, |value, digit| {
            value.checked_mul(256)?.checked_add(digit.into())
        });
    }
    let text = str::from_utf8(until_nul(field)).ok()?.trim_matches(' ');
    if text.is_empty() {
        Some(0)
    } else {
        u64::from_str_radix(text, 8).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_octal_or_base_256() {
        assert_eq!(number(b"00000000017\0"), Some(15));
        assert_eq!(number(b"        17 \0"), Some(15));
        assert_eq!(number(b"\x80\0\0\0\0\0\0\x01\0\0\0\0"), Some(1 << 32));
        assert_eq!(
            number(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
            None
        );
        assert_eq!(number(b"0000000008\0\0"), None);
    }
}
