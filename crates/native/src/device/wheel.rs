//! What the members of a wheel carry together, and what it means.

use std::collections::{BTreeMap, BTreeSet};

use pipe::{Device, DeviceKind, DeviceMember, Finding, More};

use super::loose::LooseObjects;
use super::member::{Carried, Carrier};
use super::{MemberDevice, TargetId, rules};

/// Distinct sets of targets that are kept of all bundles of a wheel.
const MAX_SETS: usize = 4096;

/// Puts together what the members of one wheel carry, in whatever order they come.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and any of them may go with any"
)]
pub struct WheelDevice {
    targets: BTreeSet<TargetId>,
    sets: BTreeSet<BTreeSet<TargetId>>,
    members: Vec<DeviceMember>,
    /// Loose code objects.
    objects: LooseObjects,
    findings: BTreeSet<Finding>,
    has_code: bool,
    needs_hiprtc: bool,
    needs_hip: bool,
    has_host_code: bool,
    has_device_bitcode: bool,
    refers_to_kpack: bool,
}

impl WheelDevice {
    /// A wheel of which no member has been seen.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One scanned member.
    pub fn add(&mut self, member: MemberDevice) {
        self.has_host_code |= member.is_host_code;
        self.has_device_bitcode |= member.is_device_bitcode;
        self.refers_to_kpack |= member.refers_to_kpack;
        for (rule, note) in &member.notes {
            // What could not be read is code all the same: a wheel with it is not one without.
            self.has_code |= rules::is_device_fault(rule);
            let more = match note.more {
                0 => String::new(),
                more => format!(" (and {more} more)"),
            };
            self.find(rule, &member.name, format!("{}{more}", note.first));
        }
        for (carrier, carried) in member.carried {
            self.has_code |= !carried.objects.is_empty() || !carried.sets.is_empty();
            self.targets.extend(carried.objects.keys().cloned());
            self.add_sets(&member.name, &carried.sets);
            if carrier == Carrier::Object {
                self.add_object(&member.name, carried.objects);
            } else {
                self.members.push(entry(&member.name, carrier, &carried));
            }
        }
    }

    /// The libraries that a host ELF of the wheel needs (`DT_NEEDED`): they tell a wheel that compiles its
    /// kernels where it runs, or that only calls HIP, from one that has nothing to do with a GPU.
    pub fn add_host_facts<'a>(&mut self, needed: impl IntoIterator<Item = &'a str>) {
        for library in needed {
            let stem = library.split(".so").next().unwrap_or_default();
            self.needs_hiprtc |= stem == "libhiprtc";
            self.needs_hip |= ["libamdhip64", "libhsa-runtime64"].contains(&stem);
        }
    }

    /// The facts of the wheel, and what was noticed, sorted. `distribution` is the name in its file name:
    /// it tells a placeholder, and nothing else.
    #[must_use]
    pub fn finish(mut self, distribution: &str) -> (Device, Vec<Finding>) {
        let kind = self.kind(distribution);
        for (name, targets) in std::mem::take(&mut self.objects).fold() {
            let carried = Carried {
                objects: targets,
                ..Carried::default()
            };
            self.members.push(entry(&name, Carrier::Object, &carried));
        }
        self.members.sort();
        let device = Device {
            kind,
            targets: print(&self.targets),
            common: print(&common(&self.targets, &self.sets)),
            members: self.members,
            more: More::new(),
        };
        (device, self.findings.into_iter().collect())
    }

    fn kind(&self, distribution: &str) -> DeviceKind {
        match () {
            () if self.has_code => DeviceKind::Code,
            () if self.refers_to_kpack => DeviceKind::External,
            () if self.has_device_bitcode => DeviceKind::Compiler,
            () if self.needs_hiprtc => DeviceKind::RuntimeCompiled,
            () if self.needs_hip => DeviceKind::Caller,
            () if !self.has_host_code && token(distribution).is_some() => DeviceKind::Placeholder,
            () => DeviceKind::None,
        }
    }

    fn add_sets(&mut self, member: &str, sets: &BTreeSet<BTreeSet<TargetId>>) {
        for set in sets {
            if self.sets.len() < MAX_SETS || self.sets.contains(set) {
                self.sets.insert(set.clone());
            } else {
                let message = format!("bundles for more than {MAX_SETS} different sets of targets");
                self.find(rules::LIMIT, member, message);
                return;
            }
        }
    }

    fn add_object(&mut self, name: &str, targets: BTreeMap<TargetId, u64>) {
        if let Some(named) = token(name)
            && !targets.keys().any(|target| target.processor() == named)
            && let Some(held) = targets.keys().next()
        {
            let message = format!("its path says `{named}` and it holds code for `{held}`");
            self.find(rules::NAME, name, message);
        }
        self.objects.add(name, targets);
    }

    fn find(&mut self, rule: &str, member: &str, message: String) {
        self.findings.insert(Finding {
            rule: rule.to_owned(),
            member: Some(member.to_owned()),
            message: Some(message),
            ..Finding::default()
        });
    }
}

fn entry(name: &str, how: Carrier, carried: &Carried) -> DeviceMember {
    let all: BTreeSet<TargetId> = carried.objects.keys().cloned().collect();
    let common = common(&all, &carried.sets);
    let is_bundled = !carried.sets.is_empty() || carried.bundles > 0;
    let objects = carried.objects.iter();
    DeviceMember {
        member: name.to_owned(),
        carrier: how.name().to_owned(),
        bundles: carried.bundles,
        targets: print(&all),
        common: (common != all).then(|| print(&common)),
        objects: (!is_bundled).then(|| {
            objects
                .map(|(target, count)| (target.to_string(), *count))
                .collect()
        }),
    }
}

/// The targets that every bundle has code for, with those features or without any; all where there is none.
fn common(all: &BTreeSet<TargetId>, sets: &BTreeSet<BTreeSet<TargetId>>) -> BTreeSet<TargetId> {
    let has = |set: &BTreeSet<TargetId>, target: &TargetId| {
        set.contains(target) || set.iter().any(|own| own.covers(target))
    };
    let in_each = |target: &&TargetId| sets.iter().all(|set| has(set, target));
    all.iter().filter(in_each).cloned().collect()
}

fn print(targets: &BTreeSet<TargetId>) -> Vec<String> {
    targets.iter().map(ToString::to_string).collect()
}

/// The processor that a path or a name mentions, if it mentions one: `fmoe_gfx950.co`, `hsa/gfx942/x.co`.
/// `MIOpen` glues the number of compute units to it (`gfx942130`), so a longer number is not one.
fn token(text: &str) -> Option<&str> {
    let mut rest = text;
    let mut named = None;
    while let Some(at) = rest.find("gfx") {
        let before = rest[..at].chars().next_back();
        let (_, tail) = rest.split_at(at);
        let digits = tail[3..]
            .find(|c: char| !c.is_ascii_hexdigit())
            .map_or(tail, |length| &tail[..length + 3]);
        let is_word = !before.is_some_and(|c| c.is_ascii_alphanumeric());
        let behind = tail[digits.len()..].chars().next();
        let ends = !behind.is_some_and(|c| c.is_ascii_alphanumeric());
        if is_word && ends && super::table::is_known(digits) {
            // The last one is the nearest to the file.
            named = Some(digits);
        }
        rest = &tail[3..];
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_mentions_the_processor_that_stands_nearest_to_the_file() {
        for (path, named) in [
            ("hsa/gfx942/fmoe_gfx950.co", Some("gfx950")),
            ("rocm_sdk_libraries_gfx950_dcgpu", Some("gfx950")),
            ("library/TensileLibrary_gfx90a-xnack+.co", Some("gfx90a")),
            ("share/miopen/db/gfx942130.kdb", None),
            ("share/miopen/db/gfx90878.kdb", None),
            ("amd-gfx11xx/flash.aks2", None),
            ("mygfx950.co", None),
            ("gfx950x.co", None),
            ("gfx", None),
            ("torch/lib/libtorch_hip.so", None),
        ] {
            assert_eq!(token(path), named, "{path}");
        }
    }
}
