//! The policy that a wheel is vendored for.

use native::policy::{self, Claim, Policy, SymbolVersion};
use pipe::Platform;

/// What to graft for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    /// The libraries that this policy grants need not be grafted.
    Policy(&'static Policy),
    /// No policy allows the symbols that the code needs, so grafting would earn no tag.
    None,
}

/// Why a policy that was asked for cannot be had.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TargetError {
    /// `--plat linux_x86_64`, `--plat manylinux`.
    #[error("--plat `{0}` names no policy; write it as manylinux_2_28_x86_64")]
    NoPolicy(String),
    /// `--plat manylinux_2_28_aarch64` for an `x86_64` wheel.
    #[error("--plat `{tag}` is for {asked}, the code is for {measured}")]
    Machine {
        /// What was asked.
        tag: String,
        /// Its machine.
        asked: String,
        /// The wheel's.
        measured: String,
    },
    /// The symbols need a newer system than the policy names.
    #[error("--plat `{tag}` does not grant {need}, which the code needs; the best is {best}")]
    TooOld {
        /// What was asked.
        tag: String,
        /// The first need that it does not grant.
        need: String,
        /// What the symbols allow.
        best: String,
    },
}

/// Whether `--plat` names a policy at all, whatever the wheels are.
///
/// # Errors
/// When it does not.
pub(crate) fn check(plat: &str) -> Result<(), TargetError> {
    match of_tag(plat) {
        Some(_) => Ok(()),
        None => Err(TargetError::NoPolicy(plat.to_owned())),
    }
}

impl Target {
    /// The policy of `plat`, or without one that of the measured `symbols_tag`.
    ///
    /// # Errors
    /// When `plat` names no policy, one for another machine, or one that the symbols do not keep.
    pub(crate) fn choose(plat: Option<&str>, measured: &Platform) -> Result<Self, TargetError> {
        let Some(plat) = plat else {
            return Ok(of_tag(&measured.symbols_tag)
                .map_or(Self::None, |(policy, _)| Self::Policy(policy)));
        };
        let (policy, machine) =
            of_tag(plat).ok_or_else(|| TargetError::NoPolicy(plat.to_owned()))?;
        let own = measured.machine.clone().unwrap_or_default();
        if machine != own {
            return Err(TargetError::Machine {
                tag: plat.to_owned(),
                asked: machine,
                measured: own,
            });
        }
        for (prefix, version) in &measured.required {
            let need = format!("{prefix}_{version}");
            if !policy.grants(&own, &SymbolVersion::new(&need)) {
                return Err(TargetError::TooOld {
                    tag: plat.to_owned(),
                    need,
                    best: measured.symbols_tag.clone(),
                });
            }
        }
        Ok(Self::Policy(policy))
    }
}

/// The newest policy at or below what a tag names, and the tag's machine.
fn of_tag(tag: &str) -> Option<(&'static Policy, String)> {
    match Claim::parse(tag) {
        Claim::Policy {
            libc,
            release,
            machine,
        } => policy::policies(libc, &machine)
            .into_iter()
            .rfind(|policy| policy.release <= release)
            .map(|policy| (policy, machine)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(symbols_tag: &str, glibc: &str) -> Platform {
        Platform {
            tag: "linux_x86_64".to_owned(),
            symbols_tag: symbols_tag.to_owned(),
            machine: Some("x86_64".to_owned()),
            libc: Some("glibc".to_owned()),
            required: [("GLIBC".to_owned(), glibc.to_owned())].into(),
            external: Vec::new(),
            excluded: Vec::new(),
            findings: Vec::new(),
            more: pipe::More::new(),
        }
    }

    #[test]
    fn without_a_wish_the_symbols_decide() {
        let name = |symbols: &str| match Target::choose(None, &measured(symbols, "2.28")).unwrap() {
            Target::Policy(policy) => Some(policy.name.clone()),
            Target::None => None,
        };
        assert_eq!(
            name("manylinux_2_28_x86_64").as_deref(),
            Some("manylinux_2_28")
        );
        assert_eq!(name("linux_x86_64"), None);
    }

    #[test]
    fn a_policy_that_the_symbols_do_not_keep_is_refused() {
        let choose = |plat: &str| {
            Target::choose(Some(plat), &measured("manylinux_2_38_x86_64", "2.38"))
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            choose("manylinux_2_28_x86_64"),
            "--plat `manylinux_2_28_x86_64` does not grant GLIBC_2.38, which the code needs; the best is manylinux_2_38_x86_64"
        );
        assert_eq!(
            choose("manylinux_2_39_aarch64"),
            "--plat `manylinux_2_39_aarch64` is for aarch64, the code is for x86_64"
        );
        assert_eq!(
            choose("linux_x86_64"),
            "--plat `linux_x86_64` names no policy; write it as manylinux_2_28_x86_64"
        );
    }
}
