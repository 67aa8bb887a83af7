//! The scan of one member: a search for magic strings in a stream, and what is done where one is found.
//!
//! Everything works on the bytes from one position on: a step looks at them and either moves on or asks for
//! more. Asked-for bytes are held until they are there, so the size of the chunks changes nothing.

use std::mem;

use super::code_object::{self, CodeObject};
use super::ending::{Ending, Found};
use super::host::HostElf;
use super::integrity::Integrity;
use super::walk::Walk;
use super::{MemberDevice, aks2, kpack, pack, rules};

/// What a step says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Go on so many bytes further.
    Advance(u64),
    /// So many bytes are needed from here, more than there were.
    Need(usize),
}

/// What the bytes at the present position are.
#[derive(Debug, Default)]
pub(super) enum State {
    /// The first bytes of the member.
    #[default]
    Head,
    /// Anything; a magic string may come.
    Search,
    /// Inside a bundle.
    Bundle(Walk),
    /// Inside a compressed bundle that does not say where it ends.
    Compressed(Ending),
    /// The directory of an AOTriton pack.
    Aks2,
    /// The table of contents of a kernel archive.
    Kpack,
    /// Nothing that is looked at.
    Done,
}

/// Reads one member of a wheel as its bytes come, and finds the GPU code in it.
///
/// It holds as many bytes as one decision takes: 24 as a rule, 320 KiB at a compressed bundle, up to 4 MiB
/// at a kernel pack or archive. Time is linear in the bytes.
#[derive(Debug)]
pub struct MemberScan {
    pub(super) found: MemberDevice,
    pub(super) size: u64,
    fed: u64,
    pub(super) at: u64,
    /// The bytes from `at` on, where a step asked for more than had come.
    held: Vec<u8>,
    /// Bytes of `held` that are done with.
    past: usize,
    need: usize,
    pub(super) state: State,
    pub(super) host: Option<HostElf>,
    pub(super) integrity: Integrity,
    /// Bytes that may still be decompressed to look for tables.
    pub(super) budget: u64,
}

impl MemberScan {
    /// A scan of the member `name` (its path in the wheel) of `size` bytes.
    #[must_use]
    pub fn begin(name: &str, size: u64) -> Self {
        Self {
            found: MemberDevice::new(name),
            size,
            fed: 0,
            at: 0,
            held: Vec::new(),
            past: 0,
            need: 0,
            state: State::Head,
            host: None,
            integrity: Integrity::default(),
            budget: size.saturating_mul(64).saturating_add(4 << 20),
        }
    }

    /// The next bytes of the member, in order; the size of the chunks does not change what is found.
    pub fn feed(&mut self, chunk: &[u8]) {
        let base = self.fed;
        self.fed += chunk.len() as u64;
        while self.step_held(chunk, base) || self.step_chunk(chunk, base) {}
        // Behind the steps, of which the first one tells whether this is a host library.
        if let Some(host) = &mut self.host {
            host.feed(chunk, base);
        }
    }

    /// Bytes that are being held, in memory that is reserved for them.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.held.capacity()
    }

    /// What the member carries.
    #[must_use]
    pub fn finish(mut self) -> MemberDevice {
        let held = mem::take(&mut self.held);
        let mut rest = held.get(self.past..).unwrap_or_default();
        loop {
            let before = self.at;
            // Bytes that are needed and did not come will not come.
            let Step::Advance(length) = self.step(rest, true) else {
                break;
            };
            self.at = before.saturating_add(length);
            // The end itself is a position too, whatever chunk it was reached by.
            match rest.get(usize::try_from(length).unwrap_or(usize::MAX)..) {
                Some(more) => rest = more,
                None => break,
            }
        }
        match mem::take(&mut self.state) {
            State::Bundle(walk) => walk.cut_short(&mut self.found, &mut self.integrity),
            State::Compressed(ending) => ending.cut_short(&mut self.found, &mut self.integrity),
            _ => {}
        }
        let sections = self.host.as_ref().map(HostElf::sections);
        if self.host.as_ref().is_some_and(HostElf::names_lost) {
            self.found.note(rules::LIMIT, || {
                "the names of its sections stand in too many places to tell which is which"
                    .to_owned()
            });
        }
        self.integrity
            .check(&mut self.found, &sections.unwrap_or_default());
        self.found
    }

    /// One step on held bytes, if there are enough of them now; false when there is nothing to do.
    fn step_held(&mut self, chunk: &[u8], base: u64) -> bool {
        if self.held.is_empty() {
            return false;
        }
        let have = self.held.len() - self.past;
        if have < self.need {
            let taken = offset(self.at + have as u64, base);
            let more = chunk.get(taken..).unwrap_or_default();
            let more = &more[..more.len().min(self.need - have)];
            if more.is_empty() {
                return false;
            }
            if self.past > 0 {
                self.held.drain(..self.past);
                self.past = 0;
            }
            self.held.extend(more);
            if self.held.len() < self.need {
                return false;
            }
        }
        let held = mem::take(&mut self.held);
        let step = self.step(&held[self.past..], false);
        self.held = held;
        match step {
            Step::Advance(length) => {
                self.at = self.at.saturating_add(length);
                self.past = self.past.saturating_add(offset(length, 0));
                self.need = 0;
                // What is left stands in the chunk too, or is over.
                if self.at >= base || self.past >= self.held.len() {
                    self.held.clear();
                    self.past = 0;
                }
            }
            Step::Need(length) => self.need = length,
        }
        true
    }

    /// One step on the chunk itself; false when there is nothing to do before the next one.
    fn step_chunk(&mut self, chunk: &[u8], base: u64) -> bool {
        if !self.held.is_empty() || self.at >= self.fed {
            return false;
        }
        let data = chunk.get(offset(self.at, base)..).unwrap_or_default();
        match self.step(data, false) {
            Step::Advance(length) => {
                self.at = self.at.saturating_add(length);
                true
            }
            Step::Need(length) => {
                self.held.extend(data);
                self.past = 0;
                self.need = length;
                false
            }
        }
    }

    /// Looks at the bytes from `at` on; `last` when no more will come.
    fn step(&mut self, data: &[u8], last: bool) -> Step {
        match &mut self.state {
            State::Head => self.head(data, last),
            State::Search => self.search(data, last),
            State::Bundle(walk) => {
                let step = walk.step(self.at, data, &mut self.found, &mut self.integrity);
                if walk.is_done() {
                    self.state = State::Search;
                }
                step
            }
            State::Compressed(ending) => match ending.step(self.at, data) {
                Found::Further(step) => step,
                Found::End(region, rest) => {
                    self.integrity.bundle(region);
                    self.state = State::Search;
                    Step::Advance(rest)
                }
                Found::Damage => {
                    ending.damaged(&mut self.found);
                    self.state = State::Done;
                    Step::Advance(0)
                }
            },
            State::Aks2 => self.aks2(data, last),
            State::Kpack => self.kpack(data, last),
            State::Done => Step::Advance((data.len() as u64).max(1)),
        }
    }

    /// What kind of file the member is.
    fn head(&mut self, data: &[u8], last: bool) -> Step {
        if data.len() < code_object::HEADER && !last {
            return Step::Need(code_object::HEADER);
        }
        self.state = State::Search;
        if data.starts_with(aks2::MAGIC) {
            self.state = State::Aks2;
        } else if data.starts_with(kpack::MAGIC) {
            return self.kpack_head(data);
        } else if CodeObject::read(data).is_none() {
            self.found.is_host_code = data.starts_with(b"\x7fELF") || data.starts_with(b"MZ");
            self.found.is_device_bitcode = pack::is_device_library(&self.found.name, data);
            self.host = HostElf::read(data, self.size);
        }
        Step::Advance(0)
    }

    /// Bytes from the present position to the end of the member.
    pub(super) fn room(&self) -> u64 {
        self.size.saturating_sub(self.at)
    }
}

/// How far a position is from the base, as an index.
fn offset(at: u64, base: u64) -> usize {
    usize::try_from(at.saturating_sub(base)).unwrap_or(usize::MAX)
}
