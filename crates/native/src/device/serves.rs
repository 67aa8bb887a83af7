//! Whether the code of a wheel serves a GPU architecture.

use super::{TargetId, table};

/// How a set of targets serves an architecture, the best way first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Served {
    /// By a target of its own name, with or without features; the target as it stands in the set.
    Yes(String),
    /// By code for its family; the generic target as it stands in the set.
    Generic(String),
    /// By SPIR-V, which is compiled for the GPU when it is loaded.
    Spirv,
    /// Not at all.
    No,
}

impl Served {
    /// Whether the architecture is served in any way.
    #[must_use]
    pub fn is_served(&self) -> bool {
        *self != Self::No
    }
}

/// How these targets, as `device.targets` or a member's has them, serve an architecture (`gfx950`; it may
/// insist on features, `gfx90a:xnack+`, and then a target that insists on the opposite does not serve it).
///
/// Text that names no target serves nothing, and neither does `mach-0x66`: code for an unknown machine.
///
/// ```
/// use native::device::{Served, serves};
///
/// let targets = ["gfx942".to_owned(), "gfx11-generic".to_owned()];
/// assert_eq!(serves("gfx942", &targets), Served::Yes("gfx942".to_owned()));
/// assert_eq!(serves("gfx1151", &targets), Served::Generic("gfx11-generic".to_owned()));
/// assert_eq!(serves("gfx950", &targets), Served::No);
/// ```
#[must_use]
pub fn serves(architecture: &str, targets: &[String]) -> Served {
    let Ok(wanted) = architecture.parse::<TargetId>() else {
        return Served::No;
    };
    targets
        .iter()
        .filter_map(|text| text.parse::<TargetId>().ok())
        .map(|target| serve(&wanted, &target))
        .min()
        .unwrap_or(Served::No)
}

fn serve(wanted: &TargetId, target: &TargetId) -> Served {
    if target.is_unknown() || wanted.is_unknown() || !target.agrees(wanted) {
        Served::No
    } else if target.processor() == wanted.processor() {
        Served::Yes(target.to_string())
    } else if target.is_spirv() && !wanted.is_spirv() {
        Served::Spirv
    } else if table::covers(target.processor(), wanted.processor()) {
        Served::Generic(target.to_string())
    } else {
        Served::No
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(architecture: &str, targets: &[&str]) -> Served {
        let targets: Vec<String> = targets.iter().map(|&t| t.to_owned()).collect();
        serves(architecture, &targets)
    }

    #[test]
    fn a_target_of_the_same_name_serves_with_or_without_features() {
        assert_eq!(ask("gfx942", &["gfx942"]), Served::Yes("gfx942".into()));
        assert_eq!(
            ask("gfx942", &["gfx90a", "gfx942:xnack-"]),
            Served::Yes("gfx942:xnack-".into())
        );
        assert_eq!(
            ask("gfx942:xnack+", &["gfx942"]),
            Served::Yes("gfx942".into())
        );
    }

    #[test]
    fn a_target_that_insists_on_the_opposite_feature_does_not_serve() {
        assert_eq!(ask("gfx942:xnack+", &["gfx942:xnack-"]), Served::No);
    }

    #[test]
    fn the_better_way_wins() {
        let all = ["amdgcnspirv", "gfx9-4-generic", "gfx950"];
        assert_eq!(ask("gfx950", &all), Served::Yes("gfx950".into()));
        assert_eq!(
            ask("gfx942", &all),
            Served::Generic("gfx9-4-generic".into())
        );
        assert_eq!(ask("gfx1201", &all), Served::Spirv);
    }

    #[test]
    fn nothing_else_serves() {
        assert_eq!(ask("gfx950", &[]), Served::No);
        assert_eq!(
            ask("gfx950", &["gfx942", "mach-0x66", "rubbish"]),
            Served::No
        );
        assert_eq!(ask("rubbish", &["rubbish", "amdgcnspirv"]), Served::No);
        assert_eq!(ask("mach-0x66", &["mach-0x66"]), Served::No);
        assert_eq!(ask("gfx1250", &["gfx1250-strict"]), Served::No);
        assert!(!Served::No.is_served());
    }
}
