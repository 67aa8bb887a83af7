//! The search for what GPU code in a file starts with or is named by, all in one pass.
//!
//! The bytes of a wheel outweigh everything else that is done with them, so the search is a vector one
//! (Teddy, from aho-corasick) where the processor has it. It costs a few percent of inflating the same bytes.

use std::sync::LazyLock;

use aho_corasick::Span;
use aho_corasick::packed::Searcher;

use super::{bundle, compressed};

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Magic {
    /// An offload bundle.
    Bundle,
    /// A compressed offload bundle.
    Compressed,
    /// An ELF file of 64 bits, little endian; which machine is not known yet.
    Elf,
    /// The structure by which a host registers a bundle: the magic number 0x48495046 and version 1.
    Wrapper,
    /// The same in a host whose code has been moved to a kernel archive: 0x4b504948.
    KpackWrapper,
    /// The name of the section that holds bundles.
    FatbinName,
    /// The name of the section that holds wrappers.
    SegmentName,
    /// The name of the section that points at kernel archives.
    KpackName,
}

const PATTERNS: [(&[u8], Magic); 8] = [
    (bundle::MAGIC, Magic::Bundle),
    (compressed::MAGIC, Magic::Compressed),
    (b"\x7fELF\x02\x01\x01", Magic::Elf),
    (b"FPIH\x01\0\0\0", Magic::Wrapper),
    (b"HIPK\x01\0\0\0", Magic::KpackWrapper),
    (b".hip_fatbin\0", Magic::FatbinName),
    (b".hipFatBinSegment\0", Magic::SegmentName),
    (b".rocm_kpack_ref\0", Magic::KpackName),
];

/// Bytes of the longest pattern.
pub(super) const LONGEST: usize = bundle::MAGIC.len();

/// Bytes of each pattern that the vector search looks at. Three are a third faster than four, and hits that
/// turn out to be something else stay rare.
const PREFIX: usize = 3;

static SEARCHER: LazyLock<Option<Searcher>> = LazyLock::new(|| {
    let mut prefixes: Vec<&[u8]> = Vec::new();
    for (pattern, _) in PATTERNS {
        let prefix = &pattern[..PREFIX.min(pattern.len())];
        if !prefixes.contains(&prefix) {
            prefixes.push(prefix);
        }
    }
    Searcher::new(prefixes)
});

/// The first pattern in these bytes, and where it starts.
pub(super) fn find(bytes: &[u8]) -> Option<(usize, Magic)> {
    let Some(searcher) = &*SEARCHER else {
        return find_slowly(bytes);
    };
    let mut span = Span::from(0..bytes.len());
    loop {
        let at = searcher.find_in(bytes, span)?.start();
        if let Some(magic) = pattern_at(bytes, at) {
            return Some((at, magic));
        }
        span.start = at + 1;
    }
}

/// For processors without vectors that the searcher knows.
fn find_slowly(bytes: &[u8]) -> Option<(usize, Magic)> {
    let starts = |byte: &u8| matches!(byte, b'_' | b'C' | 0x7f | b'F' | b'H' | b'.');
    let candidates = (0..bytes.len()).filter(|at| bytes.get(*at).is_some_and(starts));
    candidates
        .into_iter()
        .find_map(|at| Some((at, pattern_at(bytes, at)?)))
}

fn pattern_at(bytes: &[u8], at: usize) -> Option<Magic> {
    let rest = bytes.get(at..)?;
    let found = PATTERNS
        .iter()
        .find(|(pattern, _)| rest.starts_with(pattern));
    found.map(|(_, magic)| *magic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_found_wherever_it_stands_and_the_first_one_wins() {
        for (pattern, magic) in PATTERNS {
            assert!(pattern.len() <= LONGEST);
            for lead in [0, 1, 15, 16, 31, 32, 63, 64, 1000] {
                let mut bytes = b".hip_fat_CCO__CLANG\x7fEL".repeat(50);
                bytes.truncate(lead);
                bytes.extend(pattern);
                bytes.extend(b"CCOB");
                assert_eq!(find(&bytes), Some((lead, magic)), "{lead}");
                assert_eq!(find_slowly(&bytes), Some((lead, magic)), "{lead}");
                bytes.truncate(lead + pattern.len() - 1);
                assert_eq!(find(&bytes), None);
                assert_eq!(find_slowly(&bytes), None);
            }
        }
    }
}
