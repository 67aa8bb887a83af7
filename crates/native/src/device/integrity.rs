//! Whether the bundles that were found are all that a library registers, and lie where they should.
//!
//! For each bundle the compiler writes one wrapper, a structure of 24 bytes in a section of its own that the
//! host's start-up code hands to the HIP runtime. In published wheels the counts agree everywhere, so a
//! difference means a bundle that was not seen or that nothing loads.

use std::ops::Range;

use super::host::Sections;
use super::{MemberDevice, rules};

/// Bytes of a wrapper: magic, version, pointer to the bundle, and a pointer that is not used.
pub(super) const WRAPPER: u64 = 24;
/// Places that are kept of each kind; the most seen in one library are 1391.
const MAX_PLACES: usize = 1 << 16;

/// Where things were found in one member.
#[derive(Debug, Default)]
pub(super) struct Integrity {
    bundles: Vec<Range<u64>>,
    wrappers: Vec<u64>,
    kpack_wrappers: Vec<u64>,
    /// Where the letters `CCOB` stand before something that is not understood, with the version.
    odd: Vec<(u64, u16)>,
    lost: bool,
}

impl Integrity {
    /// A bundle, compressed or not, stands here.
    pub(super) fn bundle(&mut self, region: Range<u64>) {
        keep(&mut self.bundles, region, &mut self.lost);
    }

    /// A wrapper starts here; `kpack` for one that points at a kernel archive.
    pub(super) fn wrapper(&mut self, at: u64, kpack: bool) {
        let wrappers = if kpack {
            &mut self.kpack_wrappers
        } else {
            &mut self.wrappers
        };
        keep(wrappers, at, &mut self.lost);
    }

    /// The letters `CCOB` stand here, and what follows is not understood.
    pub(super) fn odd(&mut self, at: u64, version: u16) {
        keep(&mut self.odd, (at, version), &mut false);
    }

    /// Tells what does not fit together.
    pub(super) fn check(&self, found: &mut MemberDevice, sections: &Sections) {
        if self.lost {
            found.note(rules::LIMIT, || {
                format!("it has more than {MAX_PLACES} bundles or wrappers; they were not compared")
            });
            return;
        }
        found.refers_to_kpack |= sections.kpack;
        if sections.fatbin.is_empty() && sections.segment.is_empty() {
            self.check_without_sections(found);
            return;
        }
        for section in &sections.fatbin {
            self.check_section(found, section);
        }
        let bundles = self.bundles.iter().map(|bundle| bundle.start);
        let bundles = count_inside(bundles, &sections.fatbin);
        let wrappers = count_inside(self.wrappers.iter().copied(), &sections.segment);
        let kpack = count_inside(self.kpack_wrappers.iter().copied(), &sections.segment);
        let bytes: u64 = sections
            .segment
            .iter()
            .map(|segment| segment.end - segment.start)
            .sum();
        found.refers_to_kpack |= kpack > 0;
        if bytes != (wrappers + kpack) * WRAPPER {
            found.note(rules::WRAPPER_COUNT, || {
                format!(
                    ".hipFatBinSegment has {bytes} bytes, which is not the size of its {} wrappers",
                    wrappers + kpack
                )
            });
        } else if wrappers != bundles {
            found.note(rules::WRAPPER_COUNT, || {
                format!(
                    "{wrappers} wrappers in .hipFatBinSegment, {bundles} bundles in .hip_fatbin"
                )
            });
        }
    }

    /// A library without section headers, or a Windows one: each wrapper needs a bundle all the same.
    fn check_without_sections(&self, found: &mut MemberDevice) {
        let (wrappers, bundles) = (self.wrappers.len(), self.bundles.len());
        if !found.is_host_code {
            return;
        }
        found.refers_to_kpack |= !self.kpack_wrappers.is_empty();
        if wrappers > bundles {
            found.note(rules::WRAPPER_COUNT, || {
                format!("{wrappers} wrappers, {bundles} bundles")
            });
        }
    }

    fn check_section(&self, found: &mut MemberDevice, section: &Range<u64>) {
        for bundle in &self.bundles {
            if section.contains(&bundle.start) && bundle.end > section.end {
                found.note(rules::BUNDLE_BOUNDS, || {
                    format!(
                        "the bundle at offset {} ends at {}, behind the end of .hip_fatbin at {}",
                        bundle.start, bundle.end, section.end
                    )
                });
            }
        }
        for (at, version) in &self.odd {
            if section.contains(at) {
                found.note(rules::COMPRESSED, || odd_message(*at, *version));
            }
        }
    }
}

/// Whether a wrapper stands at `at`, where its first bytes do: it is aligned, and the pointer that is not used is
/// null. A loader has the same bytes in its code, where it compares magic and version in one instruction.
pub(super) fn is_wrapper(at: u64, bytes: &[u8]) -> bool {
    at.is_multiple_of(8) && bytes.get(16..24).is_some_and(|unused| *unused == [0; 8])
}

/// What is said about a compressed bundle whose header is not understood.
pub(super) fn odd_message(at: u64, version: u16) -> String {
    format!(
        "the compressed bundle at offset {at} has a header that is not understood (version {version})"
    )
}

fn count_inside(places: impl Iterator<Item = u64>, sections: &[Range<u64>]) -> u64 {
    let inside = |at: &u64| sections.iter().any(|section| section.contains(at));
    places.filter(inside).count() as u64
}

fn keep<T>(places: &mut Vec<T>, place: T, lost: &mut bool) {
    if places.len() < MAX_PLACES {
        places.push(place);
    } else {
        *lost = true;
    }
}

#[cfg(test)]
#[expect(
    clippy::single_range_in_vec_init,
    reason = "a list of one range is meant"
)]
mod tests {
    use super::*;

    fn check(bundles: &[Range<u64>], wrappers: &[u64], kpack: &[u64]) -> MemberDevice {
        let mut integrity = Integrity::default();
        for bundle in bundles {
            integrity.bundle(bundle.clone());
        }
        for (places, kpack) in [(wrappers, false), (kpack, true)] {
            for at in places {
                integrity.wrapper(*at, kpack);
            }
        }
        integrity.odd(70, 9);
        let mut found = MemberDevice::new("lib.so");
        let sections = Sections {
            fatbin: vec![100..200],
            segment: vec![300..348],
            kpack: false,
        };
        integrity.check(&mut found, &sections);
        found
    }

    fn said(found: &MemberDevice) -> Vec<(&str, &str)> {
        let notes = found.notes.iter();
        notes
            .map(|(rule, note)| (*rule, note.first.as_str()))
            .collect()
    }

    #[test]
    fn as_many_wrappers_as_bundles_is_sound_whatever_stands_outside_the_section() {
        let found = check(&[100..150, 150..200, 500..900], &[300, 324, 800], &[]);
        assert_eq!(said(&found), []);
        assert!(!found.refers_to_kpack);
    }

    #[test]
    fn another_number_of_wrappers_is_told() {
        let found = check(&[100..150], &[300, 324], &[]);
        let message = "2 wrappers in .hipFatBinSegment, 1 bundles in .hip_fatbin";
        assert_eq!(said(&found), [(rules::WRAPPER_COUNT, message)]);
        let found = check(&[100..150], &[300], &[]);
        let message = ".hipFatBinSegment has 48 bytes, which is not the size of its 1 wrappers";
        assert_eq!(said(&found), [(rules::WRAPPER_COUNT, message)]);
    }

    #[test]
    fn wrappers_of_a_kernel_archive_need_no_bundle() {
        let found = check(&[], &[], &[300, 324]);
        assert_eq!(said(&found), []);
        assert!(found.refers_to_kpack);
    }

    #[test]
    fn a_bundle_past_the_end_of_its_section_is_told() {
        let found = check(&[100..150, 150..201], &[300, 324], &[]);
        let message = "the bundle at offset 150 ends at 201, behind the end of .hip_fatbin at 200";
        assert_eq!(said(&found), [(rules::BUNDLE_BOUNDS, message)]);
    }

    #[test]
    fn what_is_not_understood_counts_inside_the_section_only() {
        let mut integrity = Integrity::default();
        integrity.odd(150, 4);
        integrity.odd(250, 4);
        let mut found = MemberDevice::new("lib.so");
        let sections = Sections {
            fatbin: vec![100..200],
            ..Sections::default()
        };
        integrity.check(&mut found, &sections);
        let message =
            "the compressed bundle at offset 150 has a header that is not understood (version 4)";
        assert_eq!(said(&found), [(rules::COMPRESSED, message)]);
        assert_eq!(found.notes[rules::COMPRESSED].more, 0);
    }

    #[test]
    fn without_sections_a_wrapper_still_needs_a_bundle_in_host_code() {
        let mut integrity = Integrity::default();
        integrity.wrapper(8, false);
        let mut found = MemberDevice::new("lib.dll");
        integrity.check(&mut found, &Sections::default());
        assert_eq!(said(&found), [], "not host code");
        found.is_host_code = true;
        integrity.check(&mut found, &Sections::default());
        assert_eq!(
            said(&found),
            [(rules::WRAPPER_COUNT, "1 wrappers, 0 bundles")]
        );
    }

    #[test]
    fn too_many_places_are_told_and_not_compared() {
        let mut integrity = Integrity::default();
        for at in 0..=MAX_PLACES as u64 {
            integrity.wrapper(at, false);
        }
        let mut found = MemberDevice::new("lib.so");
        integrity.check(&mut found, &Sections::default());
        let message = "it has more than 65536 bundles or wrappers; they were not compared";
        assert_eq!(said(&found), [(rules::LIMIT, message)]);
    }
}
