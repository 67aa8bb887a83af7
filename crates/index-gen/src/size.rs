//! Sizes for a person.

/// Bytes as `72.6 MB`: decimal units, one digit behind the point, cut off rather than rounded up.
pub(crate) fn human(bytes: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)];
    for (unit, factor) in UNITS {
        if bytes >= factor {
            return format!("{}.{} {unit}", bytes / factor, bytes % factor * 10 / factor);
        }
    }
    format!("{bytes} B")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_the_unit_that_a_person_would_choose() {
        for (bytes, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1_234, "1.2 kB"),
            (72_600_000, "72.6 MB"),
            (5_368_709_120, "5.3 GB"),
        ] {
            assert_eq!(human(bytes), text);
        }
    }
}
