//! The zip below a wheel: one file that is sound as an archive, and its members.

use std::cell::RefCell;
use std::path::Path;

use super::central::{self, Member};
use super::end::End;
use super::fault::{Fault, WheelError};
use super::reader::{Inflater, MemberReader};
use super::source::Source;
use super::{local, name};
use crate::regular_file::open_with_metadata;

thread_local! {
    /// Whoever opens many thousand archives inflates something small in each. New buffers for each would be
    /// most of the work, and glibc before 2.38 does not give aligned memory, which the inflater takes, back to use.
    static INFLATER: RefCell<Inflater> = RefCell::default();
}

/// An opened zip whose structure holds.
#[derive(Debug)]
pub(super) struct Zip {
    pub(super) file: Source,
    pub(super) file_size: u64,
    pub(super) members: Vec<Member>,
    pub(super) comment: Vec<u8>,
    /// The members' indexes by name: RECORD asks for every member, and there may be 100,000.
    by_name: Vec<usize>,
}

impl Zip {
    pub(super) fn open(path: &Path) -> Result<Self, WheelError> {
        let (file, metadata) = open_with_metadata(path)?;
        let file = Source::new(file, &metadata)?;
        let file_size = file.size();
        let end = End::read(&file, file_size)?;
        let mut members = central::read(&file, &end, file_size)?;
        name::check_together(&members)?;
        local::walk(&file, &mut members, end.start)?;
        let mut by_name: Vec<usize> = (0..members.len()).collect();
        by_name.sort_unstable_by_key(|&index| members[index].name());
        Ok(Self {
            file,
            file_size,
            members,
            comment: end.comment,
            by_name,
        })
    }

    pub(super) fn index(&self, name: &str) -> Option<usize> {
        let found = self
            .by_name
            .binary_search_by_key(&name, |&index| self.members[index].name());
        found.ok().map(|place| self.by_name[place])
    }

    /// The content of a member that is small by its nature.
    pub(super) fn read(&self, index: usize, limit: u64) -> Result<Vec<u8>, WheelError> {
        let size = self.members[index].size;
        if size > limit {
            let cause = format!("has {size} bytes; at most {limit} are read into memory");
            return Err(self.fault(index, Fault::TooLarge, &cause));
        }
        INFLATER.with_borrow_mut(|inflater| {
            let mut reader = MemberReader::lent(self, index, inflater);
            let mut content = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
            loop {
                let chunk = reader.next_chunk()?;
                if chunk.is_empty() {
                    return Ok(content);
                }
                content.extend_from_slice(chunk);
            }
        })
    }

    pub(super) fn fault(&self, index: usize, fault: Fault, cause: &str) -> WheelError {
        WheelError::member(fault, self.members[index].name(), cause)
    }
}
