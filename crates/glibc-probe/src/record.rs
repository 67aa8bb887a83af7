//! RECORD beside the members: what is listed, in which order, and whether it is true.

use std::collections::BTreeMap;

use pipe::Finding;
use wheel::{Archive, Record, RecordCheck, RecordHash, RecordHasher};

/// RECORD as it was found in a wheel.
#[derive(Debug)]
pub(crate) struct Listed {
    state: State,
    /// Per member, its row.
    rows: Vec<Option<u32>>,
}

#[derive(Debug)]
enum State {
    /// Not looked at.
    Unasked,
    Missing,
    Malformed(String),
    Read(Record),
}

impl Listed {
    /// Reads RECORD, unless it is not `wanted`. A missing or malformed one is something to tell.
    ///
    /// # Errors
    /// One sentence: the member cannot be read.
    pub(crate) fn read(archive: &Archive, wanted: bool) -> Result<Self, String> {
        let state = if wanted {
            match archive.record() {
                Ok(Some(record)) => State::Read(record),
                Ok(None) => State::Missing,
                Err(error) if error.kind() == "record.malformed" => {
                    State::Malformed(error.cause().to_owned())
                }
                Err(error) => return Err(error.to_string()),
            }
        } else {
            State::Unasked
        };
        let mut rows = vec![None; archive.members().len()];
        if let State::Read(record) = &state {
            for (row, number) in record.rows().iter().zip(0..) {
                let index = archive.index(&row.path);
                if let Some(place) = index.and_then(|index| rows.get_mut(index)) {
                    *place = Some(number);
                }
            }
        }
        Ok(Self { state, rows })
    }

    /// The hash that is listed for a member.
    pub(crate) fn hash(&self, index: usize) -> Option<&RecordHash> {
        let State::Read(record) = &self.state else {
            return None;
        };
        let row = self.rows.get(index).copied().flatten()?;
        record.rows().get(row as usize)?.hash.as_ref()
    }

    /// Member positions in the order of RECORD; those that it does not list, and then all again, last.
    pub(crate) fn order(&self, archive: &Archive) -> Vec<usize> {
        let mut order: Vec<usize> = match &self.state {
            State::Read(record) => record
                .rows()
                .iter()
                .filter_map(|row| archive.index(&row.path))
                .collect(),
            _ => Vec::new(),
        };
        order.extend(0..archive.members().len());
        order
    }

    /// The document's word for it, and every fault as a finding. `mismatched` are the members that did
    /// not hash to what is listed.
    pub(crate) fn verified(
        &self,
        archive: &Archive,
        mismatched: BTreeMap<usize, RecordHasher>,
    ) -> (Option<pipe::Record>, Vec<Finding>) {
        match &self.state {
            State::Unasked => (None, Vec::new()),
            State::Missing => {
                let message = "there is no RECORD in it".to_owned();
                let findings = vec![finding("record.missing", None, message)];
                (Some(pipe::Record::Missing), findings)
            }
            State::Malformed(cause) => {
                let findings = vec![finding("record.malformed", None, cause.clone())];
                (Some(pipe::Record::Mismatch), findings)
            }
            State::Read(record) => {
                let mut check = RecordCheck::new(archive, record);
                for (index, hasher) in mismatched {
                    check.compare(index, hasher);
                }
                let findings: Vec<Finding> = check
                    .into_faults()
                    .into_iter()
                    .map(|fault| {
                        finding(fault.kind(), fault.member_name(), fault.cause().to_owned())
                    })
                    .collect();
                let record = if findings.is_empty() {
                    pipe::Record::Verified
                } else {
                    pipe::Record::Mismatch
                };
                (Some(record), findings)
            }
        }
    }
}

fn finding(rule: &str, member: Option<&str>, message: String) -> Finding {
    Finding {
        rule: rule.to_owned(),
        member: member.map(str::to_owned),
        message: Some(message),
        ..Finding::default()
    }
}
