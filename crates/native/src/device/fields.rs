//! Little-endian fields at an offset, absent where the bytes end.

pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(field(bytes, at)?))
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(field(bytes, at)?))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(field(bytes, at)?))
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_read_little_endian_or_is_absent() {
        let bytes = [1, 2, 0, 0, 0, 0, 0, 0, 9];
        assert_eq!(u16_at(&bytes, 0), Some(0x201));
        assert_eq!(u32_at(&bytes, 1), Some(2));
        assert_eq!(u64_at(&bytes, 1), Some(0x0900_0000_0000_0002));
        assert_eq!(u64_at(&bytes, 2), None);
        assert_eq!(u16_at(&bytes, usize::MAX), None);
    }
}
