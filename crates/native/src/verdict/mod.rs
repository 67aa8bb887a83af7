//! What a wheel's host code allows it to promise.
//!
//! The rules are auditwheel's, applied to facts that were read from the bytes and never to the machine
//! that they are applied on.

mod c_library;
mod explain;
mod limits;
mod remarks;
mod subject;
mod tree;

use std::collections::{BTreeMap, BTreeSet};

use pipe::{External, Finding, Platform};

use crate::elf::Facts;
use crate::exclude::Excludes;
use crate::policy::{self, Libc, Policy, SymbolVersion};

pub use explain::{Obstacle, Upgrade};
use limits::Limits;
use subject::Subject;
use tree::Tree;
pub use tree::is_libpython;

/// A wheel as the verdict sees it.
#[derive(Debug, Clone, Default)]
pub struct Code {
    /// The platform tags that the file name claims.
    pub platforms: Vec<String>,
    /// Its ELF members in the order of RECORD, unlisted ones last.
    pub members: Vec<Member>,
    /// Members that begin as ELF files do and are none: cut short within their header.
    pub stubs: Vec<String>,
}

/// One ELF member.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its path in the wheel.
    pub name: String,
    /// What it says about itself.
    pub facts: Facts,
}

/// The verdict and what it rests on.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// What the document carries.
    pub platform: Platform,
    /// For each policy more portable than the verdict, nearest first: what would have to go.
    pub upgrades: Vec<Upgrade>,
    /// Every `DT_NEEDED` name of the wheel's host code.
    pub libraries: BTreeSet<String>,
}

/// Judges a wheel.
#[must_use]
pub fn judge(code: &Code, excludes: &Excludes) -> Verdict {
    let mut findings: Vec<Finding> = code.stubs.iter().map(|name| remarks::stub(name)).collect();
    let libraries = code
        .members
        .iter()
        .flat_map(|member| member.facts.needed.iter().cloned())
        .collect();
    let Some(subject) = Subject::choose(code, &mut findings) else {
        return without_host_code(code, findings, libraries);
    };
    remarks::of_members(&subject, &mut findings);
    let tree = Tree::grow(&subject, excludes);
    findings.extend(limits::vendored_instructions(&subject, &tree));
    let policies = subject.policies();
    let limits = Limits::of_each(&policies, &subject, &tree);
    let linux = format!("linux_{}", subject.machine);
    let tag_of = |index: Option<usize>| {
        index
            .and_then(|index| policies.get(index))
            .map_or_else(|| linux.clone(), |policy| subject.tag(policy))
    };
    let everywhere = limits::everywhere(&subject, &tree);
    let by_symbols = limits.iter().position(|limit| limit.symbols.is_empty());
    let by_all = limits
        .iter()
        .position(|limit| limit.is_empty() && everywhere.is_empty());
    // What holds the wheel back is what the next better policy refuses; `linux` is below the newest.
    let before = |index: Option<usize>| index.unwrap_or(policies.len()).checked_sub(1);
    let mut held_back: BTreeSet<Finding> = everywhere.iter().map(Obstacle::finding).collect();
    if let Some(limit) = before(by_symbols).and_then(|index| limits.get(index)) {
        held_back.extend(limit.symbols.iter().map(Obstacle::finding));
    }
    if let Some(limit) = before(by_all).and_then(|index| limits.get(index)) {
        held_back.extend(limit.all().map(Obstacle::finding));
    }
    if policies.is_empty() {
        held_back.insert(remarks::no_policy(&subject));
    }
    findings.extend(held_back);
    findings.sort();
    findings.dedup();
    // The policy of `symbols_tag` tells what is external; `linux` grants what the newest one does.
    let external = by_symbols
        .unwrap_or(policies.len().saturating_sub(1))
        .min(limits.len().saturating_sub(1));
    let upgrades = explain::upgrades(
        by_all.unwrap_or(policies.len()),
        &policies,
        &limits,
        &everywhere,
        &subject,
    );
    Verdict {
        platform: Platform {
            tag: tag_of(by_all),
            symbols_tag: tag_of(by_symbols),
            machine: Some(subject.machine.clone()),
            libc: Some(subject.libc.word().to_owned()),
            required: required(&subject),
            external: limits
                .get(external)
                .map(|limit| externals(&limit.libraries))
                .unwrap_or_default(),
            excluded: tree.excluded(),
            findings,
            more: pipe::More::new(),
        },
        upgrades,
        libraries,
    }
}

/// A wheel without code for the host's processor keeps the platform of its own name.
fn without_host_code(
    code: &Code,
    mut findings: Vec<Finding>,
    libraries: BTreeSet<String>,
) -> Verdict {
    if !code.members.is_empty() {
        let kinds: BTreeSet<String> = code
            .members
            .iter()
            .map(|member| member.facts.machine.to_string())
            .collect();
        let kinds: Vec<String> = kinds.into_iter().collect();
        findings.push(Finding {
            rule: "no-host-elf".to_owned(),
            message: Some(format!(
                "none of its {} ELF files is code for a host processor; they are for {}",
                code.members.len(),
                kinds.join(", ")
            )),
            ..Finding::default()
        });
    }
    findings.sort();
    let tag = own_platform(&code.platforms);
    Verdict {
        platform: Platform {
            tag: tag.clone(),
            symbols_tag: tag,
            machine: None,
            libc: None,
            required: BTreeMap::new(),
            external: Vec::new(),
            excluded: Vec::new(),
            findings,
            more: pipe::More::new(),
        },
        upgrades: Vec::new(),
        libraries,
    }
}

/// The platform that a file name gives a wheel without host code: `any`, another system's, or
/// `linux_<machine>`, since there is nothing that a manylinux claim could be about.
fn own_platform(platforms: &[String]) -> String {
    let Some(first) = platforms.iter().min() else {
        return "any".to_owned();
    };
    if platforms.iter().any(|platform| platform == "any") {
        return "any".to_owned();
    }
    match policy::Claim::parse(first) {
        policy::Claim::Policy {
            libc: Libc::Glibc | Libc::Musl,
            machine,
            ..
        } => format!("linux_{machine}"),
        _ => first.clone(),
    }
}

/// The newest version of every prefix that a policy knows.
fn required(subject: &Subject<'_>) -> BTreeMap<String, String> {
    let mut newest: BTreeMap<String, SymbolVersion> = BTreeMap::new();
    for (_, need) in subject.needs() {
        let version = SymbolVersion::new(&need.version);
        if policy::knows_prefix(&subject.machine, &version.prefix)
            && newest
                .get(&version.prefix)
                .is_none_or(|known| *known < version)
        {
            newest.insert(version.prefix.clone(), version);
        }
    }
    newest
        .into_iter()
        .map(|(prefix, version)| (prefix, version.version))
        .collect()
}

fn externals(obstacles: &[Obstacle]) -> Vec<External> {
    let mut needed_by: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for obstacle in obstacles {
        if let Some(library) = &obstacle.library {
            needed_by
                .entry(library)
                .or_default()
                .insert(&obstacle.member);
        }
    }
    needed_by
        .into_iter()
        .map(|(library, members)| External {
            library: library.to_owned(),
            needed_by: members.into_iter().map(str::to_owned).collect(),
        })
        .collect()
}

/// Whether a `DT_NEEDED` name is the loader itself, which every system has.
#[must_use]
pub fn is_loader(library: &str) -> bool {
    library.contains("ld-linux") || library == "ld64.so.1" || library == "ld64.so.2"
}

impl Subject<'_> {
    /// The policies to try, most portable first.
    fn policies(&self) -> Vec<&'static Policy> {
        let mut policies = policy::policies(self.libc, &self.machine);
        if !self.has_policies {
            policies.clear();
        }
        match self.libc {
            Libc::Glibc => {}
            // Nothing in the bytes tells the releases of musl apart; the newest promises least.
            Libc::Musl => policies = policies.pop().into_iter().collect(),
            // A level grants what the newest level at or below it does.
            Libc::Android => {
                let level = self.android_level();
                policies.retain(|policy| policy.release.0 <= level);
                policies = policies.pop().into_iter().collect();
            }
        }
        policies
    }

    /// The tag that a policy gives this wheel.
    fn tag(&self, policy: &Policy) -> String {
        match self.libc {
            Libc::Android => format!(
                "android_{}_{}",
                self.android_level(),
                self.libc.abi(&self.machine)
            ),
            _ => policy.tag(&self.machine),
        }
    }
}
