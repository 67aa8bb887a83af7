//! A platform tag as a promise, and whether the code keeps it.

use pipe::Platform;

use super::{Libc, Policy, SymbolVersion, all, policies};

/// What a platform tag promises.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// `any`: runs everywhere, so it holds no compiled host code.
    Any,
    /// `linux_x86_64`: runs on a system like the one that it was built on.
    Linux {
        /// The machine, in the words of platform tags.
        machine: String,
    },
    /// `manylinux_2_28_x86_64`, `manylinux2014_aarch64`, `musllinux_1_2_x86_64`, `android_24_x86_64`.
    Policy {
        /// The C library.
        libc: Libc,
        /// Its release; an Android level is (24, 0).
        release: (u32, u32),
        /// The machine, in the words of platform tags.
        machine: String,
    },
    /// A tag of another system: `win_amd64`, `macosx_11_0_arm64`.
    Foreign,
}

impl Claim {
    /// Reads one platform tag.
    #[must_use]
    pub fn parse(platform: &str) -> Self {
        if platform == "any" {
            return Self::Any;
        }
        if let Some(machine) = platform.strip_prefix("linux_") {
            return Self::Linux {
                machine: machine.to_owned(),
            };
        }
        let Some(libc) = Libc::of_tag(platform) else {
            return Self::Foreign;
        };
        for policy in all().filter(|policy| policy.libc == libc) {
            for alias in &policy.aliases {
                if let Some(machine) = platform.strip_prefix(&format!("{alias}_")) {
                    return Self::Policy {
                        libc,
                        release: policy.release,
                        machine: machine.to_owned(),
                    };
                }
            }
        }
        let parts = if libc == Libc::Android { 2 } else { 3 };
        let words: Vec<&str> = platform.splitn(parts + 1, '_').collect();
        let number = |index: usize| words.get(index).and_then(|word| word.parse().ok());
        match (number(1), number(2), words.get(parts)) {
            (Some(level), _, Some(machine)) if libc == Libc::Android => Self::Policy {
                libc,
                release: (level, 0),
                machine: (*machine).to_owned(),
            },
            (Some(major), Some(minor), Some(machine)) => Self::Policy {
                libc,
                release: (major, minor),
                machine: (*machine).to_owned(),
            },
            _ => Self::Foreign,
        }
    }
}

/// The rules of findings that hold a wheel back from a more portable tag; all others are remarks.
pub const LIMITS: [&str; 6] = [
    "symbol-version",
    "external-library",
    "forbidden-symbol",
    "instruction-set",
    "pyfpe",
    "ucs2",
];

/// Whether the measured code keeps what one platform tag promises.
///
/// - `any` is kept by a wheel without compiled host code, and such a wheel keeps nothing else but
///   `linux_<machine>` and the tags of other systems, about which nothing was measured.
/// - `linux_<machine>` is kept by code for that machine.
/// - `manylinux_X_Y` is kept when the required `GLIBC` is at most X.Y and everything else fits the
///   newest policy at or below `X_Y`, so that `2_32` is a promise like any other (PEP 600 allows every
///   number, policies exist for some). The same holds for `android_N`.
/// - `musllinux_X_Y` is kept by code that fits some musllinux policy: musl has no symbol versions by
///   which its release could be told.
#[must_use]
pub fn claim_is_kept(claim: &str, platform: &Platform) -> bool {
    let host = platform.machine.as_deref();
    match Claim::parse(claim) {
        Claim::Any | Claim::Foreign => host.is_none(),
        Claim::Linux { machine } => host.is_none_or(|measured| measured == baseline(&machine)),
        Claim::Policy {
            libc,
            release,
            machine,
        } => {
            host.is_some_and(|measured| baseline(&machine) == libc.abi(measured))
                && platform.libc.as_deref() == Some(libc.word())
                && policy_is_kept(libc, release, platform)
        }
    }
}

fn policy_is_kept(libc: Libc, release: (u32, u32), platform: &Platform) -> bool {
    let machine = platform.machine.as_deref().unwrap_or_default();
    match Claim::parse(&platform.tag) {
        Claim::Policy {
            release: measured, ..
        } if libc == Libc::Musl || measured <= release => true,
        Claim::Policy { .. } | Claim::Linux { .. } if libc == Libc::Glibc => {
            between_policies(release, machine, platform)
        }
        _ => false,
    }
}

/// A promise newer than what the next better policy allows and older than the policy that was
/// measured: kept when nothing but numbered `GLIBC` versions stands in the way.
fn between_policies(release: (u32, u32), machine: &str, platform: &Platform) -> bool {
    let glibc_up_to = |version: &str| {
        let version = SymbolVersion::new(version);
        version.prefix == "GLIBC" && version.release().is_some_and(|needed| needed <= release)
    };
    let only_glibc = platform
        .findings
        .iter()
        .filter(|finding| LIMITS.contains(&finding.rule.as_str()))
        .all(|finding| {
            finding.rule == "symbol-version" && finding.version.as_deref().is_some_and(glibc_up_to)
        });
    let below: Option<&Policy> = policies(Libc::Glibc, machine)
        .into_iter()
        .rfind(|policy| policy.release <= release);
    only_glibc
        && below.is_some_and(|policy| {
            platform.required.iter().all(|(prefix, version)| {
                let need = format!("{prefix}_{version}");
                glibc_up_to(&need) || policy.grants(machine, &SymbolVersion::new(&need))
            })
        })
}

/// The machine whose every processor a tag's word includes: `x86_64_v3` promises some of `x86_64`.
fn baseline(machine: &str) -> &str {
    match machine {
        "x86_64_v2" | "x86_64_v3" | "x86_64_v4" => "x86_64",
        machine => machine,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pipe::Finding;

    fn measured(tag: &str, required: &[(&str, &str)], limits: &[&str]) -> Platform {
        Platform {
            tag: tag.to_owned(),
            symbols_tag: tag.to_owned(),
            machine: Some("x86_64".to_owned()),
            libc: Some("glibc".to_owned()),
            required: required
                .iter()
                .map(|(prefix, version)| ((*prefix).to_owned(), (*version).to_owned()))
                .collect(),
            external: Vec::new(),
            excluded: Vec::new(),
            findings: limits
                .iter()
                .map(|version| Finding {
                    rule: "symbol-version".to_owned(),
                    version: Some((*version).to_owned()),
                    ..Finding::default()
                })
                .collect(),
            more: pipe::More::new(),
        }
    }

    #[test]
    fn a_claim_between_two_policies_is_kept_when_glibc_is_not_newer() {
        let platform = measured(
            "manylinux_2_34_x86_64",
            &[("GLIBC", "2.32")],
            &["GLIBC_2.32"],
        );
        for (claim, kept) in [
            ("manylinux_2_31_x86_64", false),
            ("manylinux_2_32_x86_64", true),
            ("manylinux_2_33_x86_64", true),
            ("manylinux_2_34_x86_64", true),
            ("manylinux_2_39_x86_64", true),
            ("manylinux2014_x86_64", false),
            ("manylinux_2_34_aarch64", false),
            ("musllinux_1_2_x86_64", false),
            ("linux_x86_64", true),
            ("linux_x86_64_v3", true),
            ("linux_aarch64", false),
            ("any", false),
            ("win_amd64", false),
        ] {
            assert_eq!(claim_is_kept(claim, &platform), kept, "{claim}");
        }
    }

    #[test]
    fn another_family_above_the_policy_breaks_the_claim() {
        let platform = measured(
            "manylinux_2_34_x86_64",
            &[("GLIBC", "2.32"), ("GLIBCXX", "3.4.29")],
            &["GLIBC_2.32", "GLIBCXX_3.4.29"],
        );
        assert!(!claim_is_kept("manylinux_2_32_x86_64", &platform));
    }

    #[test]
    fn a_glibc_newer_than_every_policy_can_be_claimed_by_its_number() {
        let platform = measured("linux_x86_64", &[("GLIBC", "2.43")], &["GLIBC_2.43"]);
        assert!(claim_is_kept("manylinux_2_43_x86_64", &platform));
        assert!(!claim_is_kept("manylinux_2_42_x86_64", &platform));
    }

    #[test]
    fn a_missing_library_breaks_every_policy() {
        let mut platform = measured("linux_x86_64", &[("GLIBC", "2.17")], &[]);
        platform.findings.push(Finding {
            rule: "external-library".to_owned(),
            library: Some("libfoo.so.1".to_owned()),
            ..Finding::default()
        });
        assert!(!claim_is_kept("manylinux_2_39_x86_64", &platform));
    }

    #[test]
    fn a_wheel_without_host_code_keeps_no_manylinux_claim() {
        let mut platform = measured("any", &[], &[]);
        platform.machine = None;
        platform.libc = None;
        assert!(claim_is_kept("any", &platform));
        assert!(claim_is_kept("linux_x86_64", &platform));
        assert!(!claim_is_kept("manylinux_2_17_x86_64", &platform));
    }

    #[test]
    fn the_release_of_musl_cannot_be_measured() {
        let mut platform = measured("musllinux_1_2_x86_64", &[], &[]);
        platform.libc = Some("musl".to_owned());
        assert!(claim_is_kept("musllinux_1_1_x86_64", &platform));
    }

    #[test]
    fn every_form_of_tag_is_read() {
        for (tag, release, machine) in [
            ("manylinux1_i686", (2, 5), "i686"),
            ("manylinux2010_x86_64", (2, 12), "x86_64"),
            ("manylinux2014_s390x", (2, 17), "s390x"),
            ("manylinux_2_5_x86_64", (2, 5), "x86_64"),
            ("musllinux_1_2_aarch64", (1, 2), "aarch64"),
            ("android_24_arm64_v8a", (24, 0), "arm64_v8a"),
        ] {
            let claim = Claim::parse(tag);
            assert!(
                matches!(&claim, Claim::Policy { release: r, machine: m, .. } if *r == release && m == machine),
                "{tag}: {claim:?}"
            );
        }
        assert_eq!(Claim::parse("manylinux_x"), Claim::Foreign);
    }
}
