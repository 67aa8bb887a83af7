//! One member of a wheel: inflated once, and everything looked at as it passes.

use native::device::{MemberDevice, MemberScan};
use native::elf::{Facts, Outcome, Questions, Scan};
use native::policy;
use wheel::{Archive, Inflater, RecordHasher};

/// What is to be found out beside platform and GPU code.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// Whether RECORD is true; costs a hash of every member.
    pub(crate) record: bool,
    /// Which symbols use which version.
    pub(crate) symbols: bool,
}

/// What one member turned out to be.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) elf: Elf,
    pub(crate) device: MemberDevice,
    /// Fed with the whole content, where RECORD has a row for it.
    pub(crate) hasher: Option<RecordHasher>,
}

/// What a member is to a loader.
#[derive(Debug)]
pub(crate) enum Elf {
    /// Nothing.
    No,
    /// The beginning of an ELF file and no more.
    Stub,
    /// A file with its facts.
    Facts(Box<Facts>),
}

/// Reads one member.
///
/// # Errors
/// One sentence that names the member: it cannot be inflated, or it is an ELF file that is damaged.
pub(crate) fn see(
    archive: &Archive,
    index: usize,
    mut hasher: Option<RecordHasher>,
    wanted: Wanted,
    inflater: &mut Inflater,
) -> Result<Seen, String> {
    let member = &archive.members()[index];
    let questions = Questions {
        member: member.name(),
        watched: policy::forbidden_symbols(),
        symbols: wanted.symbols,
    };
    let mut scan = Scan::begin(questions, member.size());
    let mut device = MemberScan::begin(member.name(), member.size());
    let mut reader = archive.stream_with(index, inflater);
    loop {
        let chunk = reader.next_chunk().map_err(|error| error.to_string())?;
        if chunk.is_empty() {
            break;
        }
        if let Some(hasher) = &mut hasher {
            hasher.update(chunk);
        }
        scan.feed(chunk);
        device.feed(chunk);
    }
    let elf = loop {
        let outcome = scan
            .finish()
            .map_err(|error| format!("`{}`: {error}", member.name()))?;
        match outcome {
            Outcome::NotElf => break Elf::No,
            Outcome::Stub => break Elf::Stub,
            Outcome::Facts(facts) => break Elf::Facts(facts),
            Outcome::Again(again) => scan = *again,
        }
        let mut reader = archive.stream_with(index, inflater);
        while !scan.is_done() {
            let chunk = reader.next_chunk().map_err(|error| error.to_string())?;
            if chunk.is_empty() {
                break;
            }
            scan.feed(chunk);
        }
    };
    Ok(Seen {
        elf,
        device: device.finish(),
        hasher,
    })
}
