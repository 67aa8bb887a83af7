//! One wheel: what its members say together.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

use native::device::WheelDevice;
use native::exclude::Excludes;
use native::verdict::{Code, Member, Verdict, judge};
use wheel::{Archive, Inflater, RecordHash, RecordHasher};

use crate::member::{self, Elf, Seen, Wanted};
use crate::record::Listed;

/// A wheel that is being measured, by several threads at once.
#[derive(Debug)]
pub(crate) struct Measuring {
    archive: Archive,
    listed: Listed,
    /// The pieces of work, in the order in which they are begun.
    order: Vec<Piece>,
    wanted: Wanted,
    found: Mutex<Found>,
}

/// Bytes that the facts about one wheel's libraries may take; 1 MB is much.
const MOST_FACTS: usize = 64 << 20;

/// What the threads found so far. Of the thousands of members that are neither code nor faulty nothing is
/// kept.
#[derive(Debug, Default)]
struct Found {
    members: BTreeMap<usize, Seen>,
    /// Members that are not what RECORD says, with what they hash to.
    mismatched: BTreeMap<usize, RecordHasher>,
    /// Bytes that the facts about its libraries take.
    weight: usize,
    sha256: Option<(String, u64)>,
    /// The first member, by position, that could not be read, and why.
    fault: Option<(usize, String)>,
}

/// A wheel that is measured.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) wheel: pipe::Wheel,
    pub(crate) verdict: Verdict,
    /// The platforms that its file name claims.
    pub(crate) claims: Vec<String>,
    /// Where WHEEL and file name disagree, and how.
    pub(crate) tags_differ: Option<String>,
    /// Members, and how many of them are ELF files.
    counts: (usize, usize),
}

impl Measured {
    /// What was looked at, in one line.
    pub(crate) fn summary(&self) -> String {
        let (members, libraries) = self.counts;
        format!(
            "{}: {members} members, {libraries} of them ELF files",
            self.wheel.path
        )
    }
}

/// A piece of work on a wheel.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Piece {
    /// The hash of the whole file.
    File,
    /// One member.
    Member(usize),
}

impl Measuring {
    /// Opens a wheel.
    ///
    /// # Errors
    /// One sentence, without the file's name: it is no wheel, or a faulty one.
    pub(crate) fn open(path: &Path, wanted: Wanted, largest_first: bool) -> Result<Self, String> {
        let archive = Archive::open(path).map_err(|error| error.to_string())?;
        let listed = Listed::read(&archive, wanted.record)?;
        let order = order(&archive, largest_first);
        Ok(Self {
            archive,
            listed,
            order,
            wanted,
            found: Mutex::new(Found::default()),
        })
    }

    /// The pieces of work, in the order in which they should begin.
    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.order
    }

    /// Bytes of the file that a piece of work reads.
    pub(crate) fn cost(&self, piece: Piece) -> u64 {
        match piece {
            Piece::File => self.archive.file_size(),
            Piece::Member(index) => self.archive.members()[index].compressed_size(),
        }
    }

    /// Does one piece of work.
    pub(crate) fn work(&self, piece: Piece, inflater: &mut Inflater) {
        match piece {
            Piece::File => {
                let hashed = wheel::sha256_file(self.archive.path());
                let mut found = lock(&self.found);
                match hashed {
                    Ok(hashed) => found.sha256 = Some(hashed),
                    Err(error) => found.fault(usize::MAX, error.to_string()),
                }
            }
            Piece::Member(index) => {
                // A fault further in front is the one that will be told.
                if lock(&self.found)
                    .fault
                    .as_ref()
                    .is_some_and(|(at, _)| *at < index)
                {
                    return;
                }
                let listed = self.listed.hash(index);
                let hasher = listed.and_then(RecordHash::hasher);
                let seen = member::see(&self.archive, index, hasher, self.wanted, inflater);
                let mut found = lock(&self.found);
                match seen {
                    Ok(seen) => found.keep(index, seen, listed),
                    Err(cause) => found.fault(index, cause),
                }
            }
        }
    }

    /// Puts together what the members say; called when every piece is done.
    ///
    /// # Errors
    /// One sentence: the first member that could not be read.
    pub(crate) fn finish(
        self,
        known: Option<pipe::Wheel>,
        excludes: &Excludes,
    ) -> Result<Measured, String> {
        let found = self
            .found
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((_, cause)) = found.fault {
            return Err(cause);
        }
        let (sha256, size) = found.sha256.unwrap_or_default();
        if size != self.archive.file_size() {
            return Err("changed while it was read; try again".to_owned());
        }
        let archive = &self.archive;
        let mut members = found.members;
        let (record, mut findings) = self.listed.verified(archive, found.mismatched);
        let mut device = WheelDevice::new();
        let mut code = Code {
            platforms: archive.filename().platform.clone(),
            ..Code::default()
        };
        for index in self.listed.order(archive) {
            let Some(seen) = members.remove(&index) else {
                continue;
            };
            let name = archive.members()[index].name();
            match seen.elf {
                Elf::No => {}
                Elf::Stub => code.stubs.push(name.to_owned()),
                Elf::Facts(facts) => {
                    if facts.machine.is_host() {
                        device.add_host_facts(facts.needed.iter().map(String::as_str));
                    }
                    code.members.push(Member {
                        name: name.to_owned(),
                        facts: *facts,
                    });
                }
            }
            device.add(seen.device);
        }
        let filename = archive.filename();
        let mut verdict = judge(&code, excludes);
        let (device, device_findings) = device.finish(filename.distribution());
        findings.extend(device_findings);
        findings.append(&mut verdict.platform.findings);
        findings.sort();
        findings.dedup();
        verdict.platform.findings = findings;
        let tags_differ = archive
            .agreeing_wheel_info()
            .err()
            .map(|error| error.to_string());
        let path = archive.path().display().to_string();
        let facts = pipe::Wheel {
            filename: archive
                .path()
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default(),
            path,
            name: filename.name().to_string(),
            version: filename.version.to_string(),
            tags: filename.tags(),
            size,
            sha256,
            requires_python: archive.metadata().requires_python(),
            record,
            platform: Some(verdict.platform.clone()),
            device: Some(device),
            origin: None,
            source: None,
            more: pipe::More::new(),
        };
        Ok(Measured {
            wheel: match known {
                // What earlier stages wrote beside the measured facts stays.
                Some(known) => pipe::Wheel {
                    origin: known.origin,
                    source: known.source,
                    more: known.more,
                    ..facts
                },
                None => facts,
            },
            verdict,
            counts: (archive.members().len(), code.members.len()),
            claims: code.platforms,
            tags_differ,
        })
    }
}

impl Found {
    fn keep(&mut self, index: usize, mut seen: Seen, listed: Option<&RecordHash>) {
        if let Some(hasher) = seen.hasher.take()
            && Some(&hasher.clone().finish()) != listed
        {
            self.mismatched.insert(index, hasher);
        }
        if let Elf::Facts(facts) = &seen.elf {
            self.weight += facts.weight();
            if self.weight > MOST_FACTS {
                self.fault(
                    index,
                    "its libraries ask for more than those of any wheel".to_owned(),
                );
                return;
            }
        }
        if !matches!(seen.elf, Elf::No) || !seen.device.is_empty() {
            self.members.insert(index, seen);
        }
    }

    fn fault(&mut self, index: usize, cause: String) {
        if self.fault.as_ref().is_none_or(|(at, _)| index < *at) {
            self.fault = Some((index, cause));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// In the order of the file for one thread; for several the costliest first, so that they end together.
fn order(archive: &Archive, largest_first: bool) -> Vec<Piece> {
    let members = archive.members().iter().enumerate();
    let members = members.filter(|(_, member)| !member.is_dir());
    let mut order = vec![Piece::File];
    order.extend(members.map(|(index, _)| Piece::Member(index)));
    if largest_first {
        // A byte of content is inflated and hashed, a byte of the file only hashed: three times the work.
        let cost = |piece: &Piece| match piece {
            Piece::File => archive.file_size() / 3,
            Piece::Member(index) => archive.members()[*index].size(),
        };
        order.sort_by_key(|piece| std::cmp::Reverse(cost(piece)));
    }
    order
}
