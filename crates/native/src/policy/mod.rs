//! What each platform tag grants, and whether a tag is kept.
//!
//! The table is `data/policies.toml`: the policies that PEP 513, 571, 599, 600 and 656 began and
//! auditwheel maintains.

mod claim;
mod libc;
mod symbol_version;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;

pub use claim::{Claim, LIMITS, claim_is_kept};
pub use libc::Libc;
pub use symbol_version::SymbolVersion;

/// The table, parsed once. That it parses is a test of this module.
static BUILT_IN: LazyLock<Vec<Policy>> =
    LazyLock::new(|| parse(include_str!("../../data/policies.toml")).unwrap_or_default());

/// One policy: what a wheel may expect from every system that the tag names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The tag without its machine: `manylinux_2_28`, `musllinux_1_2`, `android_24`.
    pub name: String,
    /// The C library that it is about.
    pub libc: Libc,
    /// The numbers in the name: (2, 28); an Android level is (24, 0).
    pub release: (u32, u32),
    /// Older names of the same policy: `manylinux2014`.
    pub aliases: Vec<String>,
    /// The machines that it is defined for.
    pub machines: BTreeSet<String>,
    /// Libraries that every such system has, by their `DT_NEEDED` name.
    pub libraries: BTreeSet<String>,
    /// Library to symbols that exist in it on some systems only, and must not be asked of it.
    pub forbidden: BTreeMap<String, BTreeSet<String>>,
    /// Machine to prefix to the versions that every such system has.
    pub versions: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
}

impl Policy {
    /// The tag for a machine: `manylinux_2_28_x86_64`.
    #[must_use]
    pub fn tag(&self, machine: &str) -> String {
        format!("{}_{machine}", self.name)
    }

    /// Whether a version need is met on every such system. A prefix that the policy does not know is
    /// no system library's and does not count.
    ///
    /// Membership, not order, as in auditwheel: glibc 2.37 defined no version of its own on `x86_64`,
    /// so that a library asking for `GLIBC_2.37` was not linked against any glibc.
    #[must_use]
    pub fn grants(&self, machine: &str, need: &SymbolVersion) -> bool {
        self.versions
            .get(machine)
            .and_then(|prefixes| prefixes.get(&need.prefix))
            .is_none_or(|versions| versions.contains(&need.version))
    }

    /// Whether every such system has a library.
    ///
    /// musl's own is `libc.so` in the policies and `libc.musl-x86_64.so.1` on systems. A need of plain `libc.so`, as a
    /// cross compiler writes it, is met by no system.
    #[must_use]
    pub fn grants_library(&self, machine: &str, library: &str) -> bool {
        if self.libc != Libc::Musl {
            return self.libraries.contains(library);
        }
        let musl = match machine {
            "i686" => "x86",
            "armv7l" => "armv7",
            machine => machine,
        };
        let is_musl = library
            .strip_prefix("libc.musl-")
            .and_then(|rest| rest.strip_suffix(".so.1"))
            == Some(musl);
        is_musl || (library != "libc.so" && self.libraries.contains(library))
    }
}

/// The policies for a C library and a machine, most portable first; empty when no policy is defined.
#[must_use]
pub fn policies(libc: Libc, machine: &str) -> Vec<&'static Policy> {
    BUILT_IN
        .iter()
        .filter(|policy| policy.libc == libc && policy.machines.contains(machine))
        .collect()
}

/// Every policy of the table, by C library and then most portable first.
pub fn all() -> impl Iterator<Item = &'static Policy> {
    BUILT_IN.iter()
}

/// Whether some policy for the machine knows the prefix: `GLIBC`, `GLIBCXX`, `CXXABI`, `GCC`, `ZLIB`,
/// `LIBATOMIC`.
#[must_use]
pub fn knows_prefix(machine: &str, prefix: &str) -> bool {
    BUILT_IN.iter().any(|policy| {
        policy
            .versions
            .get(machine)
            .is_some_and(|prefixes| prefixes.contains_key(prefix))
    })
}

/// Every symbol that some policy forbids, whatever the library.
#[must_use]
pub fn forbidden_symbols() -> &'static BTreeSet<String> {
    static SYMBOLS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
        BUILT_IN
            .iter()
            .flat_map(|policy| policy.forbidden.values().flatten().cloned())
            .collect()
    });
    &SYMBOLS
}

/// The file: each policy says what it adds to the one before it of the same C library.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[expect(dead_code, reason = "for the reader of the file")]
    source: String,
    policy: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    libc: Libc,
    aliases: Vec<String>,
    machines: BTreeSet<String>,
    libraries: BTreeSet<String>,
    forbidden: Option<BTreeMap<String, BTreeSet<String>>>,
    #[serde(default)]
    versions: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
}

fn parse(text: &str) -> Result<Vec<Policy>, toml::de::Error> {
    let file: File = toml::from_str(text)?;
    let mut policies: Vec<Policy> = Vec::with_capacity(file.policy.len());
    for row in file.policy {
        let before = policies.last().filter(|policy| policy.libc == row.libc);
        let mut policy = Policy {
            release: release(&row.name),
            libraries: before
                .map(|policy| policy.libraries.clone())
                .unwrap_or_default(),
            forbidden: row
                .forbidden
                .or_else(|| before.map(|policy| policy.forbidden.clone()))
                .unwrap_or_default(),
            versions: before
                .map(|policy| policy.versions.clone())
                .unwrap_or_default(),
            name: row.name,
            libc: row.libc,
            aliases: row.aliases,
            machines: row.machines,
        };
        policy.libraries.extend(row.libraries);
        for (machine, prefixes) in row.versions {
            let known = policy.versions.entry(machine).or_default();
            for (prefix, added) in prefixes {
                known.entry(prefix).or_default().extend(added);
            }
        }
        policies.push(policy);
    }
    Ok(policies)
}

/// The numbers of `manylinux_2_28`, `musllinux_1_2` or `android_24`.
fn release(name: &str) -> (u32, u32) {
    let mut numbers = name
        .split('_')
        .skip(1)
        .map(|part| part.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_table_parses() {
        let policies = parse(include_str!("../../data/policies.toml")).unwrap();
        assert_eq!(policies.len(), 22);
    }

    #[test]
    fn a_policy_holds_what_the_older_ones_hold() {
        let x86_64 = policies(Libc::Glibc, "x86_64");
        assert_eq!(x86_64[0].name, "manylinux_2_5");
        let newest = x86_64[x86_64.len() - 1];
        assert_eq!(newest.name, "manylinux_2_41");
        assert!(newest.grants("x86_64", &SymbolVersion::new("GLIBC_2.2.5")));
        assert!(newest.libraries.contains("libmvec.so.1"));
        assert!(!x86_64[0].libraries.contains("libmvec.so.1"));
    }

    #[test]
    fn membership_decides_and_not_order() {
        let newest = policies(Libc::Glibc, "x86_64").pop().unwrap();
        for refused in ["GLIBC_2.37", "GLIBC_PRIVATE", "GLIBC_2.42", "LIBATOMIC_1.3"] {
            assert!(
                !newest.grants("x86_64", &SymbolVersion::new(refused)),
                "{refused}"
            );
        }
        assert!(newest.grants("x86_64", &SymbolVersion::new("FOO_9.9")));
    }

    #[test]
    fn each_machine_has_its_own_policies() {
        for (machine, first) in [
            ("aarch64", "manylinux_2_17"),
            ("riscv64", "manylinux_2_31"),
            ("loongarch64", "manylinux_2_36"),
        ] {
            assert_eq!(policies(Libc::Glibc, machine)[0].name, first);
        }
        assert_eq!(policies(Libc::Glibc, "ppc64").len(), 1);
        assert!(policies(Libc::Glibc, "mips").is_empty());
    }
}
