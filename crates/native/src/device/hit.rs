//! What is done where a magic string was found.

use std::collections::BTreeSet;

use super::bundle::{Bundle, NoBundle};
use super::code_object::{self, CodeObject};
use super::compressed::{self, Header, NoHeader};
use super::ending::Ending;
use super::integrity::{self, odd_message};
use super::member::Carrier;
use super::pack::{first, wait};
use super::rules;
use super::scan::{MemberScan, State, Step};
use super::search::{self, Magic};
use super::walk::{Walk, gpu_entries};

impl MemberScan {
    /// Goes to the next magic string, or acts on the one that stands here.
    pub(super) fn search(&mut self, data: &[u8], last: bool) -> Step {
        match search::find(data) {
            Some((0, magic)) => self.hit(magic, data, last),
            Some((at, _)) => Step::Advance(at as u64),
            None if last => Step::Advance((data.len() as u64).max(1)),
            None if data.len() < search::LONGEST => Step::Need(search::LONGEST),
            // The rest may be the beginning of one.
            None => Step::Advance((data.len() - (search::LONGEST - 1)) as u64),
        }
    }

    fn hit(&mut self, magic: Magic, data: &[u8], last: bool) -> Step {
        match magic {
            Magic::Bundle => self.at_bundle(data, last),
            Magic::Compressed => self.at_compressed(data, last),
            Magic::Elf => self.at_elf(data, last),
            Magic::Wrapper | Magic::KpackWrapper => {
                if let Some(step) = wait(data, integrity::WRAPPER, last) {
                    return step;
                }
                if integrity::is_wrapper(self.at, data) {
                    let kpack = magic == Magic::KpackWrapper;
                    self.integrity.wrapper(self.at, kpack);
                }
                Step::Advance(8)
            }
            Magic::FatbinName | Magic::SegmentName | Magic::KpackName => {
                if let Some(host) = &mut self.host {
                    host.name(self.at, magic);
                }
                Step::Advance(1)
            }
        }
    }

    fn at_bundle(&mut self, data: &[u8], last: bool) -> Step {
        match Bundle::read(data) {
            Ok(bundle) => {
                let walk = Walk::begin(bundle, self.at, self.room(), &mut self.found);
                self.state = State::Bundle(walk);
                Step::Advance(0)
            }
            // Twice as much each time, so that a long table is not read again for every entry.
            Err(NoBundle::Need(length)) if !last => Step::Need(length.max(2 * data.len())),
            Err(_) => Step::Advance(1),
        }
    }

    fn at_compressed(&mut self, data: &[u8], last: bool) -> Step {
        let header = match Header::read(data) {
            Ok(header) => header,
            Err(NoHeader::Need(length)) if !last => return Step::Need(length),
            Err(NoHeader::Need(_)) => return Step::Advance(1),
            Err(NoHeader::Unknown { version }) => {
                if self.at == 0 {
                    self.found
                        .note(rules::COMPRESSED, || odd_message(0, version));
                }
                self.integrity.odd(self.at, version);
                return Step::Advance(1);
            }
        };
        let (start, room) = (self.at, self.room());
        let whole = header.file_size.unwrap_or(room).min(room);
        let wanted = whole.min(header.length + compressed::HEAD);
        if let Some(step) = wait(data, wanted, last) {
            return step;
        }
        if header.file_size.is_some_and(|size| size > room) {
            self.found.note(rules::BUNDLE_BOUNDS, || {
                format!("the compressed bundle at offset {start} ends behind the end of the file")
            });
        }
        let length = usize::try_from(header.length).unwrap_or(usize::MAX);
        let stream = first(data, wanted).get(length..).unwrap_or_default();
        self.compressed_table(&header, stream);
        if header.file_size.is_some() {
            self.integrity.bundle(start..start + whole);
            return Step::Advance(whole.max(header.length));
        }
        let Some((ending, skip)) = Ending::begin(&header, start, stream, &mut self.budget) else {
            self.found.note(rules::COMPRESSED, || {
                format!(
                    "the end of the compressed bundle at offset {start} cannot be found; \
                     what follows was not searched"
                )
            });
            self.state = State::Done;
            return Step::Advance(header.length);
        };
        self.state = State::Compressed(ending);
        Step::Advance(header.length + skip)
    }

    fn compressed_table(&mut self, header: &Header, stream: &[u8]) {
        let start = self.at;
        let mut spent = 0;
        let table = header.table(stream, self.budget, &mut spent);
        self.budget = self.budget.saturating_sub(spent);
        let targets = match table {
            Ok(bundle) => {
                let (for_gpus, entries) = gpu_entries(bundle, start, &mut self.found);
                let targets = entries.into_iter().map(|(_, target)| target).collect();
                for_gpus.then_some(targets)
            }
            Err(error) => {
                self.found.note(rules::COMPRESSED, || {
                    format!("the compressed bundle at offset {start} cannot be read: {error}")
                });
                Some(BTreeSet::new())
            }
        };
        self.found.add_bundle(Carrier::FatbinCompressed, targets);
    }

    fn at_elf(&mut self, data: &[u8], last: bool) -> Step {
        if let Some(step) = wait(data, code_object::HEADER as u64, last) {
            return step;
        }
        let is_member = self.at == 0;
        let object = CodeObject::read(data);
        let Some(object) = object.filter(|_| is_member || CodeObject::is_plausible(data)) else {
            return Step::Advance(1);
        };
        let headers = CodeObject::headers_end(data) as u64;
        if let Some(step) = wait(data, headers, last) {
            return step;
        }
        let (start, extent) = (self.at, CodeObject::extent(first(data, headers)));
        if extent > self.room() {
            self.found.note(rules::OBJECT_BOUNDS, || {
                format!("the code object at offset {start} ends behind the end of the file")
            });
            return Step::Advance(code_object::HEADER as u64);
        }
        let carrier = if is_member {
            Carrier::Object
        } else {
            Carrier::Embedded
        };
        self.found.add_objects(carrier, object.target, 1);
        Step::Advance(extent)
    }
}
