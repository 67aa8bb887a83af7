//! The metapackage's Requires-Python: what every wheel of the set can live with.

use std::collections::BTreeSet;

use wheel::{Operator, Version, VersionSpecifier, VersionSpecifiers};

use crate::interpreter::Interpreter;

/// The intersection of several Requires-Python: the highest floor, the lowest ceiling, and whatever
/// else was said.
#[derive(Debug, Default)]
pub(crate) struct RequiresPython {
    floor: Option<VersionSpecifier>,
    ceiling: Option<VersionSpecifier>,
    others: BTreeSet<String>,
}

impl RequiresPython {
    /// Narrows it by one wheel's own Requires-Python.
    pub(crate) fn and(&mut self, requires: &VersionSpecifiers) {
        for specifier in requires.iter() {
            match specifier.operator() {
                Operator::GreaterThan | Operator::GreaterThanEqual => {
                    narrow(&mut self.floor, specifier, |new, old| new > old);
                }
                Operator::LessThan | Operator::LessThanEqual => {
                    narrow(&mut self.ceiling, specifier, |new, old| new < old);
                }
                _ => {
                    self.others.insert(specifier.to_string());
                }
            }
        }
    }

    /// Narrows it by the oldest Python that all wheels' tags allow: an all-cp314 set asks for 3.14,
    /// though no METADATA may say so.
    pub(crate) fn and_not_before(&mut self, oldest: Interpreter) {
        let floor = if oldest.minor == 0 {
            Version::new([3])
        } else {
            Version::new([3, oldest.minor])
        };
        let floor = VersionSpecifier::greater_than_equal_version(floor);
        narrow(&mut self.floor, &floor, |new, old| new > old);
    }
}

/// Takes `new` where it says more than `held`: a tighter version, or the same without its boundary.
fn narrow(
    held: &mut Option<VersionSpecifier>,
    new: &VersionSpecifier,
    tighter: impl Fn(&Version, &Version) -> bool,
) {
    let open =
        |s: &VersionSpecifier| matches!(s.operator(), Operator::GreaterThan | Operator::LessThan);
    let replace = match held.as_ref() {
        None => true,
        Some(old) if old.version() == new.version() => open(new) && !open(old),
        Some(old) => tighter(new.version(), old.version()),
    };
    if replace {
        *held = Some(new.clone());
    }
}

/// As METADATA writes it: `>=3.10,<3.15,!=3.11.2`.
impl std::fmt::Display for RequiresPython {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bounds = self.floor.iter().chain(&self.ceiling);
        let parts: Vec<String> = bounds
            .map(ToString::to_string)
            .chain(self.others.iter().cloned())
            .collect();
        f.write_str(&parts.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(requires: &[&str], oldest_minor: u64) -> String {
        let mut joint = RequiresPython::default();
        for one in requires {
            joint.and(&one.parse().unwrap());
        }
        joint.and_not_before(Interpreter {
            minor: oldest_minor,
            patch: 0,
            free_threaded: false,
        });
        joint.to_string()
    }

    #[test]
    fn a_cp314_set_asks_for_what_its_tags_say() {
        assert_eq!(of(&[">=3.10", ">=3.9"], 14), ">=3.14");
        assert_eq!(of(&[], 14), ">=3.14");
    }

    #[test]
    fn the_tightest_bounds_and_all_exclusions_stay() {
        assert_eq!(
            of(
                &[">=3.10,<3.16,!=3.11.2", ">=3.14.1,<=3.15", "!=3.11.2,~=3.9"],
                14
            ),
            ">=3.14.1,<=3.15,!=3.11.2,~=3.9"
        );
        assert_eq!(of(&["<=3.15", "<3.15"], 0), ">=3,<3.15");
    }
}
