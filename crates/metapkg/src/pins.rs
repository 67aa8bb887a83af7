//! The pins of a metapackage, and the digest that names them.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};
use wheel::{ProjectName, Version};

/// How many hex digits of the sha256 a version carries.
const DIGEST_DIGITS: usize = 8;

/// One distribution at one version, and the files that it consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pin {
    /// The full version, local version included.
    pub(crate) version: Version,
    /// sha256 of each of its wheels: one per tag.
    pub(crate) files: BTreeSet<String>,
}

/// Every pin of a metapackage, by canonical name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Pins(pub(crate) BTreeMap<ProjectName, Pin>);

impl Pins {
    /// The digest of the sorted lines `name==version`, as a segment of a local version.
    ///
    /// It is the first window of eight hex digits of their sha256 that holds a letter. A segment of
    /// digits alone is a number to PEP 440: it sorts above every text and loses its leading zeros, so
    /// that `gfx950.01234567` equals `gfx950.1234567`.
    pub(crate) fn digest(&self) -> String {
        let lines = self
            .0
            .iter()
            .map(|(name, pin)| format!("{name}=={}\n", pin.version));
        digest_of(lines.collect())
    }

    /// The same with the wheels' own hashes: a rebuild at equal versions has another digest.
    ///
    /// Each line is a pin as a requirements file would write it, `name==version --hash=sha256:…`, one
    /// for each file.
    pub(crate) fn digest_with_files(&self) -> String {
        let lines = self.0.iter().flat_map(|(name, pin)| {
            pin.files
                .iter()
                .map(move |sha256| format!("{name}=={} --hash=sha256:{sha256}\n", pin.version))
        });
        digest_of(lines.collect())
    }
}

/// The eight digits for `text`.
fn digest_of(mut text: String) -> String {
    loop {
        let hex = data_encoding::HEXLOWER.encode(&Sha256::digest(text.as_bytes()));
        if let Some(digest) = first_window_with_a_letter(&hex) {
            return digest.to_owned();
        }
        // 64 digits and no letter: once in 10^13. Hash again instead of failing.
        text = hex;
    }
}

fn first_window_with_a_letter(hex: &str) -> Option<&str> {
    (0..=hex.len().checked_sub(DIGEST_DIGITS)?)
        .filter_map(|start| hex.get(start..start + DIGEST_DIGITS))
        .find(|window| window.bytes().any(|c| c.is_ascii_alphabetic()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pins(of: &[(&str, &str)]) -> Pins {
        Pins(
            of.iter()
                .map(|(name, version)| {
                    let pin = Pin {
                        version: version.parse().unwrap(),
                        files: BTreeSet::from(["00".repeat(32)]),
                    };
                    (ProjectName::new(name).unwrap(), pin)
                })
                .collect(),
        )
    }

    #[test]
    fn the_digest_is_of_sorted_canonical_lines() {
        let set = pins(&[
            ("Nixl_ROCm", "1.5.2+rocm10.1.0"),
            ("atom", "0.1.9+rocm10.1.0"),
        ]);
        // printf 'atom==0.1.9+rocm10.1.0\nnixl-rocm==1.5.2+rocm10.1.0\n' | sha256sum
        assert_eq!(set.digest(), "4962af6a");
    }

    #[test]
    fn digits_alone_are_passed_over() {
        assert_eq!(
            first_window_with_a_letter("0123456789abcdef"),
            Some("3456789a")
        );
        assert_eq!(
            first_window_with_a_letter("0a23456789abcdef"),
            Some("0a234567")
        );
        assert_eq!(first_window_with_a_letter(&"7".repeat(64)), None);
    }

    #[test]
    fn rebuilt_wheels_move_the_digest_only_when_files_count() {
        let old = pins(&[("atom", "0.1.9+rocm10.1.0")]);
        let mut new = old.clone();
        for pin in new.0.values_mut() {
            pin.files = BTreeSet::from(["11".repeat(32)]);
        }
        assert_eq!(old.digest(), new.digest());
        assert_ne!(old.digest_with_files(), new.digest_with_files());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn a_digest_in_a_version_is_its_own_normal_form_and_distinct(one in ".*", other in ".*") {
            let version = |text: &str| -> (String, Version) {
                let written = format!("10.1.0+gfx950.{}", digest_of(text.to_owned()));
                let parsed = written.parse::<Version>().unwrap();
                assert_eq!(parsed.to_string(), written);
                (written, parsed)
            };
            let ((one, first), (other, second)) = (version(&one), version(&other));
            prop_assert_eq!(one == other, first == second);
        }
    }
}
