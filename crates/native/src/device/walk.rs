//! The walk through a plain bundle: each entry's code object is looked at as it passes.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use super::bundle::{Bundle, Code, Entry};
use super::code_object::{self, CodeObject};
use super::integrity::Integrity;
use super::member::Carrier;
use super::pack::wait;
use super::scan::Step;
use super::{MemberDevice, TargetId, rules, table};

/// A plain bundle that the scan is inside of.
#[derive(Debug)]
pub(super) struct Walk {
    region: Range<u64>,
    /// Entries whose code has not passed yet, by offset.
    ahead: VecDeque<Ahead>,
    /// What has been found to be there.
    targets: BTreeSet<TargetId>,
    for_gpus: bool,
    done: bool,
}

#[derive(Debug)]
struct Ahead {
    at: u64,
    size: u64,
    id: String,
    target: TargetId,
}

impl Walk {
    /// A walk through the bundle at `start`, with `room` bytes from there to the end of the member.
    pub(super) fn begin(bundle: Bundle, start: u64, room: u64, found: &mut MemberDevice) -> Self {
        let end = bundle.end();
        if end.is_none_or(|end| end > room) {
            found.note(rules::BUNDLE_BOUNDS, || {
                format!("the bundle at offset {start} ends behind the end of the file")
            });
        }
        let table = bundle.table;
        let (for_gpus, entries) = gpu_entries(bundle, start, found);
        let mut walk = Self {
            // Never shorter than what has been read.
            region: start..start + end.unwrap_or(room).min(room).max(table),
            ahead: VecDeque::new(),
            targets: BTreeSet::new(),
            for_gpus,
            done: false,
        };
        let mut ahead = Vec::new();
        for (entry, target) in entries {
            let fits = entry
                .offset
                .checked_add(entry.size)
                .is_some_and(|end| end <= room);
            if entry.offset < table {
                found.note(rules::BUNDLE_BOUNDS, || {
                    format!(
                        "the code for `{}` in the bundle at offset {start} lies in its table",
                        entry.id
                    )
                });
            } else if target.is_spirv() && fits {
                walk.targets.insert(target);
            } else if fits {
                ahead.push(Ahead {
                    at: start + entry.offset,
                    size: entry.size,
                    id: entry.id,
                    target,
                });
            }
        }
        ahead.sort_by_key(|entry| entry.at);
        walk.ahead = ahead.into();
        walk
    }

    /// Looks at the bytes from `at` on.
    pub(super) fn step(
        &mut self,
        at: u64,
        data: &[u8],
        found: &mut MemberDevice,
        integrity: &mut Integrity,
    ) -> Step {
        let Some(entry) = self.ahead.front() else {
            self.end(found, integrity);
            return Step::Advance(self.region.end.saturating_sub(at));
        };
        if entry.at > at {
            return Step::Advance(entry.at - at);
        }
        // Where the member ends before that, the walk is cut short.
        let wanted = entry.size.min(code_object::HEADER as u64);
        if let Some(step) = wait(data, wanted, false) {
            return step;
        }
        if let Some(entry) = self.ahead.pop_front() {
            match entry.target_of(data) {
                Ok(target) => drop(self.targets.insert(target)),
                Err(message) => found.note(rules::ENTRY, || message),
            }
        }
        Step::Advance(0)
    }

    /// Whether the bundle lies behind.
    pub(super) fn is_done(&self) -> bool {
        self.done
    }

    /// The member ended inside the bundle.
    pub(super) fn cut_short(mut self, found: &mut MemberDevice, integrity: &mut Integrity) {
        let start = self.region.start;
        if !self.ahead.is_empty() {
            found.note(rules::BUNDLE_BOUNDS, || {
                format!("the file ends inside the bundle at offset {start}")
            });
        }
        self.end(found, integrity);
    }

    fn end(&mut self, found: &mut MemberDevice, integrity: &mut Integrity) {
        let targets = std::mem::take(&mut self.targets);
        found.add_bundle(Carrier::Fatbin, self.for_gpus.then_some(targets));
        integrity.bundle(self.region.clone());
        self.done = true;
    }
}

impl Ahead {
    /// The target of the entry's code, if the code is what the id says; otherwise what is to be told.
    fn target_of(&self, data: &[u8]) -> Result<TargetId, String> {
        let (id, at) = (&self.id, self.at);
        let size = usize::try_from(self.size).unwrap_or(usize::MAX);
        let code = data.get(..size.min(data.len())).unwrap_or_default();
        let Some(object) = CodeObject::read(code) else {
            return Err(format!("`{id}` at offset {at} holds no code object"));
        };
        let (named, held) = (&self.target, &object.target);
        // A processor newer than the table: the id names it, and the number cannot contradict.
        if held.is_unknown() && !table::is_known(named.processor()) {
            return Ok(named.clone());
        }
        named
            .with_features_of(held)
            .filter(|_| named.processor() == held.processor())
            .ok_or_else(|| format!("`{id}` at offset {at} holds code for `{held}`"))
    }
}

/// The entries of a bundle that hold code for AMD GPUs, and whether it is for such GPUs at all.
pub(super) fn gpu_entries(
    bundle: Bundle,
    start: u64,
    found: &mut MemberDevice,
) -> (bool, Vec<(Entry, TargetId)>) {
    let mut for_gpus = false;
    let mut entries = Vec::new();
    for entry in bundle.entries {
        let target = match &entry.code {
            Code::Other => continue,
            Code::Unreadable => {
                for_gpus = true;
                found.note(rules::UNKNOWN_TARGET, || {
                    format!(
                        "`{}` in the bundle at offset {start} names no AMD GPU target",
                        entry.id
                    )
                });
                continue;
            }
            Code::Gpu(target) => target.clone(),
        };
        for_gpus = true;
        if entry.size == 0 {
            found.note(rules::EMPTY_ENTRY, || {
                format!(
                    "`{}` in the bundle at offset {start} holds no code",
                    entry.id
                )
            });
        } else {
            entries.push((entry, target));
        }
    }
    (for_gpus, entries)
}
