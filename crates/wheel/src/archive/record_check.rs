//! RECORD against the members: names and sizes from the directory, hashes from the contents.

use std::collections::BTreeMap;

use super::fault::{Fault, WheelError};
use super::{Archive, Inflater};
use crate::{Record, RecordHash, RecordHasher, RecordRow};

/// RECORD laid beside the members of its archive.
#[derive(Debug)]
pub struct RecordCheck<'a> {
    /// Per member, its row; none for directories, for RECORD itself, and for what is not listed.
    rows: Vec<Option<&'a RecordRow>>,
    faults: Vec<WheelError>,
}

impl<'a> RecordCheck<'a> {
    /// Finds everything that is wrong with RECORD without reading a content: members that are not
    /// listed, rows for nothing, rows without hash, hashes that are not allowed, wrong sizes.
    #[must_use]
    pub fn new(archive: &Archive, record: &'a Record) -> Self {
        let own = archive.record_path();
        let mut by_path: BTreeMap<&str, &RecordRow> = BTreeMap::new();
        let mut faults = Vec::new();
        for row in record.rows() {
            match by_path.insert(&row.path, row) {
                Some(first) if first != row => faults.push(WheelError::member(
                    Fault::RecordDuplicate,
                    &row.path,
                    "has two rows in RECORD that differ",
                )),
                _ => {}
            }
        }
        let mut rows = Vec::with_capacity(archive.members().len());
        for member in archive.members() {
            let row = by_path.remove(member.name());
            let name = member.name();
            if member.is_dir() || name == own {
                rows.push(None);
                continue;
            }
            match row {
                None if is_signature(name, &own) => {}
                None => faults.push(WheelError::member(
                    Fault::RecordUnlisted,
                    name,
                    "is in the wheel and not in RECORD",
                )),
                Some(row) => faults.extend(row_faults(row, member.size(), &own)),
            }
            rows.push(row);
        }
        faults.extend(by_path.into_keys().filter(|path| *path != own).map(|path| {
            WheelError::member(
                Fault::RecordAbsent,
                path,
                "is in RECORD and not in the wheel",
            )
        }));
        Self { rows, faults }
    }

    /// What is wrong, in the order of the members, rows for nothing last.
    #[must_use]
    pub fn faults(&self) -> &[WheelError] {
        &self.faults
    }

    /// The faults themselves.
    #[must_use]
    pub fn into_faults(self) -> Vec<WheelError> {
        self.faults
    }

    /// A hasher for the member at this position; none for directories, RECORD itself, and rows that
    /// were found faulty already.
    #[must_use]
    pub fn hasher(&self, index: usize) -> Option<RecordHasher> {
        self.rows.get(index)?.as_ref()?.hash.as_ref()?.hasher()
    }

    /// Compares what the hasher of this member got; a mismatch is among the faults afterwards.
    pub fn compare(&mut self, index: usize, hasher: RecordHasher) {
        let row = self.rows.get(index).copied().flatten();
        if let Some(row) = row
            && row.hash.as_ref() != Some(&hasher.finish())
        {
            self.faults.push(WheelError::member(
                Fault::RecordHash,
                &row.path,
                "is not the file that RECORD has the hash of",
            ));
        }
    }
}

impl Archive {
    /// Checks RECORD against every member, reading all contents once.
    ///
    /// # Errors
    /// The first thing that is wrong: `record.…`, or a fault of reading a content.
    pub fn verify_record(&self, inflater: &mut Inflater) -> Result<(), WheelError> {
        let record = self.required_record()?;
        let mut check = RecordCheck::new(self, &record);
        for index in 0..self.members().len() {
            if !check.faults.is_empty() {
                break;
            }
            let mut hasher = check.hasher(index);
            let mut reader = self.stream_with(index, inflater);
            loop {
                let chunk = reader.next_chunk()?;
                if chunk.is_empty() {
                    break;
                }
                if let Some(hasher) = &mut hasher {
                    hasher.update(chunk);
                }
            }
            if let Some(hasher) = hasher {
                check.compare(index, hasher);
            }
        }
        match check.faults.into_iter().next() {
            Some(fault) => Err(fault),
            None => Ok(()),
        }
    }
}

fn row_faults(row: &RecordRow, size: u64, own: &str) -> Vec<WheelError> {
    let fault = |fault, cause: &str| WheelError::member(fault, &row.path, cause);
    let mut faults = Vec::new();
    match &row.hash {
        None if is_signature(&row.path, own) => {}
        None => faults.push(fault(Fault::RecordNoHash, "has no hash in RECORD")),
        Some(RecordHash::Other(text)) => faults.push(fault(
            Fault::RecordWeakHash,
            &format!("has `{text}` in RECORD; only sha256, sha384 and sha512 count"),
        )),
        Some(_) => {}
    }
    if let Some(listed) = row.size.filter(|listed| *listed != size) {
        faults.push(fault(
            Fault::RecordSize,
            &format!("has {size} bytes, RECORD says {listed}"),
        ));
    }
    faults
}

/// Signatures of RECORD cannot be listed in it with their hash (PEP 427).
fn is_signature(path: &str, own: &str) -> bool {
    path.strip_prefix(own)
        .is_some_and(|suffix| matches!(suffix, ".jws" | ".p7s"))
}
