//! A wheel as an archive: opened, checked as a whole, read member by member.
//!
//! Readers of zip files differ: which of two members of one name counts, whether bytes before the
//! first member matter, where a link leads. An installer, an index and a scanner must see the same
//! wheel, so everything that they could see differently is refused here, before anything is read
//! or copied. <https://packaging.python.org/en/latest/specifications/binary-distribution-format/>

use std::io::{self, Read};
use std::path::{Path, PathBuf};

mod bytes;
mod central;
mod end;
mod engine;
mod extra;
mod fault;
mod header;
mod identity;
mod local;
mod name;
mod packed;
mod reader;
mod record_check;
mod rewrite;
mod seam;
mod section;
mod source;
mod source_hash;
mod splice;
mod zip;

pub use central::Member;
pub use fault::{Fault, WheelError};
pub use reader::{Inflater, MemberReader};
pub use record_check::RecordCheck;
pub use rewrite::{Deflated, Rewriter, Rewritten};
pub use seam::Seams;

use crate::{Metadata, Record, WheelFilename, WheelInfo, WheelInfoError};
use zip::Zip;

/// A WHEEL file is a handful of lines.
const MAX_WHEEL_INFO: u64 = 1 << 20;
/// RECORD of 260,000 members with long names.
const MAX_RECORD: u64 = 64 << 20;

/// A wheel file that is sound as an archive and is what its name says.
///
/// It is read with positioned reads only, so several threads may read members of one archive.
#[derive(Debug)]
pub struct Archive {
    zip: Zip,
    path: PathBuf,
    filename: WheelFilename,
    dist_info: String,
    metadata: Metadata,
}

impl Archive {
    /// Opens a wheel and checks everything that can be told without reading the contents: the zip's
    /// structure, the names and types of the members, one `.dist-info`, and that file name,
    /// `.dist-info` and METADATA name one project in one version. RECORD is not looked at.
    ///
    /// # Errors
    /// A [`WheelError`] with its stable kind. The message does not name the file.
    pub fn open(path: &Path) -> Result<Self, WheelError> {
        let filename = identity::filename(path)?;
        let zip = Zip::open(path)?;
        let dist_info = identity::dist_info(&zip, &filename)?;
        let metadata = identity::metadata(&zip, &dist_info, &filename)?;
        Ok(Self {
            zip,
            path: path.to_owned(),
            filename,
            dist_info,
            metadata,
        })
    }

    /// Where the file is, as it was given.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file name, taken apart.
    #[must_use]
    pub fn filename(&self) -> &WheelFilename {
        &self.filename
    }

    /// Bytes of the file.
    #[must_use]
    pub fn file_size(&self) -> u64 {
        self.zip.file_size
    }

    /// When the file was last written to before it was opened, in nanoseconds since 1970.
    #[must_use]
    pub fn modified(&self) -> i128 {
        self.zip.file.modified()
    }

    /// The sha256 of the whole file.
    ///
    /// # Errors
    /// `file.unreadable`, also when the file has become shorter since it was opened.
    pub fn sha256(&self) -> Result<[u8; 32], WheelError> {
        Ok(self.zip.file.sha256()?)
    }

    /// Every member, in the order of the central directory. Positions in this slice are what the
    /// readers take.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.zip.members
    }

    /// The name of the `.dist-info` directory, as it is spelled, without `/`.
    #[must_use]
    pub fn dist_info(&self) -> &str {
        &self.dist_info
    }

    /// METADATA.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The archive's comment, empty when there is none.
    #[must_use]
    pub fn comment(&self) -> &[u8] {
        &self.zip.comment
    }

    /// The position of a member in [`Archive::members`].
    #[must_use]
    pub fn index(&self, name: &str) -> Option<usize> {
        self.zip.index(name)
    }

    /// The content of a member, when there is one of this name.
    ///
    /// # Errors
    /// `member.too-large` when it has more than `limit` bytes, and the faults of reading.
    pub fn read_member(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, WheelError> {
        match self.index(name) {
            Some(index) => self.zip.read(index, limit).map(Some),
            None => Ok(None),
        }
    }

    /// Reads the member at `index` of [`Archive::members`], with buffers of its own.
    #[must_use]
    pub fn stream(&self, index: usize) -> MemberReader<'_> {
        MemberReader::own(&self.zip, index)
    }

    /// The same with buffers that are used for one member after another.
    #[must_use]
    pub fn stream_with<'a>(&'a self, index: usize, inflater: &'a mut Inflater) -> MemberReader<'a> {
        MemberReader::lent(&self.zip, index, inflater)
    }

    /// The same, noting where the compressed data can be cut: [`MemberReader::into_seams`]. Half as slow again.
    #[must_use]
    pub fn stream_noting_seams(&self, index: usize) -> MemberReader<'_> {
        MemberReader::noting_seams(&self.zip, index)
    }

    /// The WHEEL file.
    ///
    /// # Errors
    /// `wheel.no-wheel-file`, and the faults of reading.
    pub fn wheel_info(&self) -> Result<WheelInfo, WheelError> {
        let path = format!("{}/WHEEL", self.dist_info);
        match self.read_member(&path, MAX_WHEEL_INFO)? {
            Some(bytes) => Ok(WheelInfo::parse(bytes)),
            None => Err(WheelError::new(
                Fault::NoWheelFile,
                format!("there is no `{path}` in it"),
            )),
        }
    }

    /// The WHEEL file, when it says the same as the file name about format, tags and build.
    ///
    /// # Errors
    /// `wheel.format-version`, `wheel.tags-mismatch`, `wheel.build-mismatch`, and those of
    /// [`Archive::wheel_info`].
    pub fn agreeing_wheel_info(&self) -> Result<WheelInfo, WheelError> {
        let info = self.wheel_info()?;
        info.agrees_with(&self.filename).map_err(|error| {
            let fault = match error {
                WheelInfoError::FormatVersion(_) => Fault::FormatVersion,
                WheelInfoError::Tags { .. } => Fault::TagsMismatch,
                WheelInfoError::Build { .. } => Fault::BuildMismatch,
            };
            WheelError::new(fault, error.to_string())
        })?;
        Ok(info)
    }

    /// The name of the RECORD member.
    #[must_use]
    pub fn record_path(&self) -> String {
        format!("{}/RECORD", self.dist_info)
    }

    /// RECORD, or `None` for a wheel without.
    ///
    /// # Errors
    /// `record.malformed`, and the faults of reading.
    pub fn record(&self) -> Result<Option<Record>, WheelError> {
        let path = self.record_path();
        let Some(index) = self.index(&path) else {
            return Ok(None);
        };
        if self.members()[index].size() > MAX_RECORD {
            let cause = format!("has more than {MAX_RECORD} bytes");
            return Err(WheelError::member(Fault::TooLarge, &path, cause));
        }
        let mut fault = None;
        let record = Record::read(Kept {
            reader: self.stream(index),
            fault: &mut fault,
        });
        match (record, fault) {
            (_, Some(fault)) => Err(fault),
            (Ok(record), None) => Ok(Some(record)),
            (Err(error), None) => Err(WheelError::new(Fault::RecordMalformed, error.to_string())),
        }
    }

    /// RECORD, which a wheel must have.
    ///
    /// # Errors
    /// `record.missing`, and those of [`Archive::record`].
    pub fn required_record(&self) -> Result<Record, WheelError> {
        self.record()?
            .ok_or_else(|| WheelError::new(Fault::RecordMissing, "there is no RECORD in it"))
    }
}

/// Keeps the fault of a content aside, which the reader of rows would otherwise take for a bad row.
struct Kept<'a, 'b> {
    reader: MemberReader<'a>,
    fault: &'b mut Option<WheelError>,
}

impl Read for Kept<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read_or_fault(buffer).map_err(|fault| {
            let error = io::Error::other(fault.to_string());
            *self.fault = Some(fault);
            error
        })
    }
}
