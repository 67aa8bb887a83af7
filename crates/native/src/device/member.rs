//! What one member of a wheel carries.

use std::collections::{BTreeMap, BTreeSet};

use super::{TargetId, rules};

/// Distinct targets, and distinct sets of targets, that are kept of one member. There are fewer than a hundred
/// targets; more than this is not a library.
const MAX_TARGETS: usize = 512;
const MAX_SETS: usize = 512;

/// How code is carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Carrier {
    Aks2,
    Embedded,
    Fatbin,
    FatbinCompressed,
    Kpack,
    Object,
}

impl Carrier {
    /// The name in documents.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Aks2 => "aks2",
            Self::Embedded => "embedded",
            Self::Fatbin => "fatbin",
            Self::FatbinCompressed => "fatbin-compressed",
            Self::Kpack => "kpack",
            Self::Object => "object",
        }
    }
}

/// The GPU code found in one member, and what was noticed about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemberDevice {
    pub(super) name: String,
    pub(super) carried: BTreeMap<Carrier, Carried>,
    pub(super) notes: BTreeMap<&'static str, Note>,
    /// It is compiled code for a host: an ELF or a PE file.
    pub(super) is_host_code: bool,
    /// It points at a kernel archive.
    pub(super) refers_to_kpack: bool,
    /// It is a device library that compilers link kernels with.
    pub(super) is_device_bitcode: bool,
}

/// The code of one carrier in one member.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Carried {
    pub(super) bundles: u64,
    /// Code objects by target.
    pub(super) objects: BTreeMap<TargetId, u64>,
    /// The targets of each bundle, every set once.
    pub(super) sets: BTreeSet<BTreeSet<TargetId>>,
}

/// One kind of thing that was noticed, told once however often it is met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) first: String,
    pub(super) more: u64,
}

impl MemberDevice {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }

    /// Whether there is nothing to say about the member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::new(&self.name)
    }

    pub(super) fn note(&mut self, rule: &'static str, message: impl FnOnce() -> String) {
        self.notes
            .entry(rule)
            .and_modify(|note| note.more = note.more.saturating_add(1))
            .or_insert_with(|| Note {
                first: message(),
                more: 0,
            });
    }

    /// Code objects that belong to no bundle.
    pub(super) fn add_objects(&mut self, carrier: Carrier, target: TargetId, count: u64) {
        self.count(carrier, target, count);
    }

    /// A bundle with the targets that it really has code for; none where it is not for AMD GPUs.
    pub(super) fn add_bundle(&mut self, carrier: Carrier, targets: Option<BTreeSet<TargetId>>) {
        self.carried.entry(carrier).or_default().bundles += 1;
        let Some(targets) = targets else {
            return;
        };
        for target in &targets {
            self.count(carrier, target.clone(), 1);
        }
        let sets = &mut self.carried.entry(carrier).or_default().sets;
        if sets.len() < MAX_SETS || sets.contains(&targets) {
            sets.insert(targets);
        } else {
            self.note(rules::LIMIT, || {
                format!("its bundles are for more than {MAX_SETS} different sets of targets")
            });
        }
    }

    fn count(&mut self, carrier: Carrier, target: TargetId, count: u64) {
        if target.is_unknown() {
            self.note(rules::UNKNOWN_MACHINE, || {
                format!("code for `{target}`, a machine number that is not in the table of targets")
            });
        }
        let objects = &mut self.carried.entry(carrier).or_default().objects;
        if objects.len() < MAX_TARGETS || objects.contains_key(&target) {
            let sum = objects.entry(target).or_insert(0);
            *sum = sum.saturating_add(count);
        } else {
            self.note(rules::LIMIT, || {
                format!("it names more than {MAX_TARGETS} different targets")
            });
        }
    }
}
