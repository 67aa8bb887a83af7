//! A target id: the processor that code was compiled for, and the modes it insists on.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// The target of GPU code that is compiled to its final form on the user's machine.
const SPIRV: &str = "amdgcnspirv";

/// A processor with the features that its code insists on: `gfx950`, `gfx90a:sramecc+:xnack-`,
/// `gfx11-generic`, `amdgcnspirv`; `mach-0x66` for a machine number that the table does not know.
///
/// A feature that is not named works either way. Ordered as people read them: processors by generation
/// (`gfx942` before `gfx1030`), then generic targets, then `amdgcnspirv`, then unknown machines.
///
/// The form is LLVM's: <https://llvm.org/docs/AMDGPUUsage.html#target-id>.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TargetId {
    processor: String,
    features: BTreeMap<String, bool>,
}

/// Text that is not a target id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetIdError {
    /// `sm_90`, `gfx`, `GFX950`.
    #[error("`{0}` names no AMD GPU target")]
    Processor(String),
    /// `gfx90a:xnack`, `gfx90a:xnack+:xnack-`.
    #[error(
        "`{0}` has a feature that is neither on (`:xnack+`) nor off (`:xnack-`), or has it twice"
    )]
    Feature(String),
}

impl TargetId {
    /// The target of a machine number and its features; an unknown number is kept as `mach-0xNN`.
    #[must_use]
    pub fn of_machine(machine: u8, features: BTreeMap<String, bool>) -> Self {
        let processor = super::table::processor(machine)
            .map_or_else(|| format!("mach-0x{machine:02x}"), str::to_owned);
        Self {
            processor,
            features,
        }
    }

    /// The processor without features: `gfx90a`.
    #[must_use]
    pub fn processor(&self) -> &str {
        &self.processor
    }

    /// Whether it is a machine number that the table does not know.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.processor.starts_with("mach-")
    }

    /// Whether it is SPIR-V, which any AMD GPU compiles for itself when the code is loaded.
    #[must_use]
    pub fn is_spirv(&self) -> bool {
        self.processor == SPIRV
    }

    /// Whether it is code for a family (`gfx11-generic`).
    #[must_use]
    pub fn is_generic(&self) -> bool {
        self.processor.ends_with("-generic")
    }

    /// Whether code for this target also runs where `other` is asked for: the same processor, and no
    /// feature that `other` does not insist on in the same way. `gfx90a` covers `gfx90a:xnack-`.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        self.processor == other.processor && self.features_fit(other)
    }

    /// Whether no feature of this target contradicts what `other` is: each is absent there or the same.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        self.features
            .iter()
            .all(|(name, on)| other.features.get(name).is_none_or(|theirs| theirs == on))
    }

    /// This target with the features of `other` beside its own; none where they contradict.
    pub(super) fn with_features_of(&self, other: &Self) -> Option<Self> {
        let mut both = self.clone();
        both.features.extend(other.features.clone());
        self.agrees(other).then_some(both)
    }

    fn features_fit(&self, other: &Self) -> bool {
        self.features
            .iter()
            .all(|(name, on)| other.features.get(name) == Some(on))
    }

    /// Class, generation, minor, stepping: what the order is by.
    fn rank(&self) -> (u8, u32, u32, u32) {
        let class = match () {
            () if self.is_unknown() => 3,
            () if self.is_spirv() => 2,
            () if self.is_generic() => 1,
            () => 0,
        };
        let number = self.processor.strip_prefix("gfx").unwrap_or_default();
        let (number, rest) = match number.split_once('-') {
            Some((number, rest)) => (number, rest),
            None => (number, ""),
        };
        let digit = |text: &str| u32::from_str_radix(text, 16).unwrap_or(0);
        match number.len().checked_sub(2) {
            Some(split) if class == 0 && number.is_char_boundary(split) => {
                let (major, minor) = number.split_at(split);
                let (minor, stepping) = minor.split_at(minor.len().min(1));
                (
                    class,
                    major.parse().unwrap_or(0),
                    digit(minor),
                    digit(stepping),
                )
            }
            _ => {
                let minor = rest.split('-').next().unwrap_or_default();
                (
                    class,
                    number.parse().unwrap_or(0),
                    minor.parse().unwrap_or(0),
                    0,
                )
            }
        }
    }
}

impl Ord for TargetId {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank()
            .cmp(&other.rank())
            .then_with(|| self.processor.cmp(&other.processor))
            .then_with(|| self.features.cmp(&other.features))
    }
}

impl PartialOrd for TargetId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl FromStr for TargetId {
    type Err = TargetIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.split(':');
        let processor = parts.next().unwrap_or_default();
        if !is_processor(processor) {
            return Err(TargetIdError::Processor(text.to_owned()));
        }
        let mut features = BTreeMap::new();
        for part in parts {
            let (name, on) = match (part.strip_suffix('+'), part.strip_suffix('-')) {
                (Some(name), _) => (name, true),
                (_, Some(name)) => (name, false),
                _ => return Err(TargetIdError::Feature(text.to_owned())),
            };
            if !is_word(name) || features.insert(name.to_owned(), on).is_some() {
                return Err(TargetIdError::Feature(text.to_owned()));
            }
        }
        Ok(Self {
            processor: processor.to_owned(),
            features,
        })
    }
}

impl fmt::Display for TargetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.processor)?;
        for (name, on) in &self.features {
            write!(f, ":{name}{}", if *on { '+' } else { '-' })?;
        }
        Ok(())
    }
}

/// `gfx` and a number, with what may follow it (`gfx9-4-generic`, `gfx1250-strict`), SPIR-V, or a
/// machine number as [`TargetId`] prints it.
fn is_processor(text: &str) -> bool {
    if let Some(number) = text.strip_prefix("mach-0x") {
        return number.len() == 2 && number.bytes().all(is_hex);
    }
    text == SPIRV
        || text
            .strip_prefix("gfx")
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && is_word(rest))
}

fn is_word(text: &str) -> bool {
    let word = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
    let is_bare = !text.starts_with('-') && !text.ends_with('-');
    is_bare && (1..=64).contains(&text.len()) && text.bytes().all(word)
}

fn is_hex(c: u8) -> bool {
    c.is_ascii_digit() || (b'a'..=b'f').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> TargetId {
        text.parse().unwrap()
    }

    #[test]
    fn a_target_id_is_printed_as_it_was_read_with_its_features_sorted() {
        for text in [
            "gfx950",
            "gfx90a:sramecc+:xnack-",
            "gfx9-4-generic",
            "amdgcnspirv",
            "mach-0x66",
        ] {
            assert_eq!(id(text).to_string(), text);
        }
        assert_eq!(
            id("gfx90a:xnack-:sramecc+").to_string(),
            "gfx90a:sramecc+:xnack-"
        );
        assert_eq!(
            id("gfx1250:gfx1250-b0-specific-").to_string(),
            "gfx1250:gfx1250-b0-specific-"
        );
    }

    #[test]
    fn what_names_no_target_is_refused() {
        for text in [
            "",
            "gfx",
            "GFX950",
            "sm_90",
            "gfx 950",
            "generic",
            "mach-0x1",
            "gfx95_0",
            "gfx90a-xnack-",
        ] {
            assert_eq!(
                text.parse::<TargetId>(),
                Err(TargetIdError::Processor(text.to_owned()))
            );
        }
        for text in [
            "gfx90a:",
            "gfx90a:xnack",
            "gfx90a:+",
            "gfx90a:xnack+:xnack-",
        ] {
            assert_eq!(
                text.parse::<TargetId>(),
                Err(TargetIdError::Feature(text.to_owned()))
            );
        }
    }

    #[test]
    fn targets_sort_by_generation_and_not_by_letters() {
        let sorted = [
            "gfx803",
            "gfx908",
            "gfx90a",
            "gfx90a:xnack-",
            "gfx90c",
            "gfx942",
            "gfx950",
            "gfx1030",
            "gfx1100",
            "gfx1201",
            "gfx1250-strict",
            "gfx9-generic",
            "gfx9-4-generic",
            "gfx10-1-generic",
            "gfx11-generic",
            "amdgcnspirv",
            "mach-0x66",
        ];
        let mut targets: Vec<TargetId> = sorted.iter().rev().map(|t| id(t)).collect();
        targets.sort();
        let printed: Vec<String> = targets.iter().map(ToString::to_string).collect();
        assert_eq!(printed, sorted);
    }

    #[test]
    fn code_without_a_feature_covers_code_with_it_and_not_the_other_way_round() {
        assert!(id("gfx90a").covers(&id("gfx90a:xnack-")));
        assert!(!id("gfx90a:xnack-").covers(&id("gfx90a")));
        assert!(!id("gfx90a:xnack-").covers(&id("gfx90a:xnack+")));
        assert!(!id("gfx90a").covers(&id("gfx908")));
    }

    #[test]
    fn an_unknown_machine_number_is_kept() {
        assert_eq!(TargetId::of_machine(0x4f, BTreeMap::new()), id("gfx950"));
        assert_eq!(TargetId::of_machine(0x66, BTreeMap::new()), id("mach-0x66"));
        assert!(TargetId::of_machine(0, BTreeMap::new()).is_unknown());
    }
}
