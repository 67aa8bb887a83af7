//! Why a wheel is refused: one stable kind per fault.

use std::fmt;
use std::io;

/// A wheel that is refused: the kind of the fault, and a sentence about it.
#[derive(Debug, thiserror::Error)]
#[error("{fault}: {cause}")]
pub struct WheelError {
    fault: Fault,
    member: Option<String>,
    cause: String,
}

/// The kinds of faults. [`Fault::kind`] is what scripts and tests compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// The file cannot be opened or read.
    Io,
    /// The new archive cannot be written.
    Unwritable,
    /// A member's new name is longer than a zip can hold.
    NameLength,
    /// The path does not end in a wheel file name.
    FileName,
    /// Not a zip at all: an error page saved as `.whl`, an empty file.
    NotAZip,
    /// The file ends before its own tables say so.
    Truncated,
    /// Bytes before the first member: a self-extracting stub.
    LeadingBytes,
    /// Bytes behind the end record.
    TrailingBytes,
    /// Bytes between members that belong to none.
    StrayBytes,
    /// A member that the central directory does not know.
    StrayMember,
    /// Members that share bytes.
    Overlap,
    /// A comment that contains the signature of an end record: readers disagree where the zip ends.
    AmbiguousEnd,
    /// End record, ZIP64 end record and directory contradict one another.
    EndMismatch,
    /// A zip in several volumes.
    MultiDisk,
    /// Extensible data in the ZIP64 end record.
    ExtensibleData,
    /// Local header and central directory contradict each other.
    LocalMismatch,
    /// A data descriptor that does not say what the directory says.
    Descriptor,
    /// An extra field that is cut short, repeated, or gives the member another name.
    ExtraField,
    /// A comment on a member.
    MemberComment,
    /// A compression method other than stored and deflate.
    Method,
    /// An encrypted member.
    Encrypted,
    /// Sizes that deflate cannot reach, or far more content than file.
    Bomb,
    /// More members than any wheel has.
    TooManyMembers,
    /// Two members of one name.
    DuplicateMember,
    /// Compressed data that cannot be inflated, or ends too early.
    Data,
    /// A content whose CRC is not the one in the directory.
    Crc,
    /// A content that is longer or shorter than the directory says.
    Size,
    /// `..` in a name.
    PathEscape,
    /// A name that starts at the root.
    PathAbsolute,
    /// A backslash in a name, which Windows takes for a separator.
    PathBackslash,
    /// An empty or `.` segment in a name: two names of one file.
    PathNotNormal,
    /// A control character in a name.
    ControlCharacter,
    /// A name that is not UTF-8, or not marked as UTF-8.
    NameEncoding,
    /// A symbolic link.
    Symlink,
    /// A device, a pipe, a socket, or a directory that is named like a file.
    SpecialFile,
    /// A directory with content.
    DirectoryWithContent,
    /// A file that is also a directory of other members.
    FileAndDirectory,
    /// A member larger than what may be read into memory.
    TooLarge,
    /// No `.dist-info` directory.
    NoDistInfo,
    /// More than one.
    ManyDistInfo,
    /// No METADATA in it.
    NoMetadata,
    /// No WHEEL in it.
    NoWheelFile,
    /// File name, `.dist-info` and METADATA name different projects.
    NameMismatch,
    /// File name, `.dist-info` and METADATA name different versions.
    VersionMismatch,
    /// WHEEL and file name have different tags.
    TagsMismatch,
    /// WHEEL and file name have different builds.
    BuildMismatch,
    /// A `Wheel-Version` other than 1.x.
    FormatVersion,
    /// METADATA without name or version, or with two.
    Metadata,
    /// No RECORD.
    RecordMissing,
    /// RECORD is not rows of three fields.
    RecordMalformed,
    /// A member that RECORD does not list.
    RecordUnlisted,
    /// A row for a member that is not there.
    RecordAbsent,
    /// Two rows for one member.
    RecordDuplicate,
    /// A row without a hash.
    RecordNoHash,
    /// A hash that is not allowed: md5, sha1, anything unknown.
    RecordWeakHash,
    /// A hash that is not the member's.
    RecordHash,
    /// A size that is not the member's.
    RecordSize,
}

impl Fault {
    /// The stable name: `zip.duplicate-member`.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Self::Io => "file.unreadable",
            Self::Unwritable => "file.unwritable",
            Self::NameLength => "member.name-length",
            Self::FileName => "wheel.file-name",
            Self::NotAZip => "zip.not-a-zip",
            Self::Truncated => "zip.truncated",
            Self::LeadingBytes => "zip.leading-bytes",
            Self::TrailingBytes => "zip.trailing-bytes",
            Self::StrayBytes => "zip.stray-bytes",
            Self::StrayMember => "zip.stray-member",
            Self::Overlap => "zip.overlap",
            Self::AmbiguousEnd => "zip.ambiguous-end",
            Self::EndMismatch => "zip.end-mismatch",
            Self::MultiDisk => "zip.multi-disk",
            Self::ExtensibleData => "zip.extensible-data",
            Self::LocalMismatch => "zip.local-mismatch",
            Self::Descriptor => "zip.descriptor",
            Self::ExtraField => "zip.extra-field",
            Self::MemberComment => "zip.member-comment",
            Self::Method => "zip.method",
            Self::Encrypted => "zip.encrypted",
            Self::Bomb => "zip.bomb",
            Self::TooManyMembers => "zip.too-many-members",
            Self::DuplicateMember => "zip.duplicate-member",
            Self::Data => "member.data",
            Self::Crc => "member.crc",
            Self::Size => "member.size",
            Self::PathEscape => "member.path-escape",
            Self::PathAbsolute => "member.path-absolute",
            Self::PathBackslash => "member.path-backslash",
            Self::PathNotNormal => "member.path-not-normal",
            Self::ControlCharacter => "member.control-character",
            Self::NameEncoding => "member.name-encoding",
            Self::Symlink => "member.symlink",
            Self::SpecialFile => "member.special-file",
            Self::DirectoryWithContent => "member.directory-with-content",
            Self::FileAndDirectory => "member.file-and-directory",
            Self::TooLarge => "member.too-large",
            Self::NoDistInfo => "wheel.no-dist-info",
            Self::ManyDistInfo => "wheel.many-dist-info",
            Self::NoMetadata => "wheel.no-metadata",
            Self::NoWheelFile => "wheel.no-wheel-file",
            Self::NameMismatch => "wheel.name-mismatch",
            Self::VersionMismatch => "wheel.version-mismatch",
            Self::TagsMismatch => "wheel.tags-mismatch",
            Self::BuildMismatch => "wheel.build-mismatch",
            Self::FormatVersion => "wheel.format-version",
            Self::Metadata => "metadata.malformed",
            Self::RecordMissing => "record.missing",
            Self::RecordMalformed => "record.malformed",
            Self::RecordUnlisted => "record.unlisted-member",
            Self::RecordAbsent => "record.absent-member",
            Self::RecordDuplicate => "record.duplicate-row",
            Self::RecordNoHash => "record.no-hash",
            Self::RecordWeakHash => "record.weak-hash",
            Self::RecordHash => "record.hash-mismatch",
            Self::RecordSize => "record.size-mismatch",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())
    }
}

impl WheelError {
    /// A fault of the wheel as a whole.
    pub(crate) fn new(fault: Fault, cause: impl Into<String>) -> Self {
        Self {
            fault,
            member: None,
            cause: cause.into(),
        }
    }

    /// A fault of one member; the sentence starts with its name.
    pub(crate) fn member(fault: Fault, member: &str, cause: impl fmt::Display) -> Self {
        Self {
            fault,
            member: Some(member.to_owned()),
            cause: format!("`{member}` {cause}"),
        }
    }

    /// The kind of the fault.
    #[must_use]
    pub fn fault(&self) -> Fault {
        self.fault
    }

    /// The stable name of the kind: `record.hash-mismatch`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.fault.kind()
    }

    /// The member that it is about, where it is about one.
    #[must_use]
    pub fn member_name(&self) -> Option<&str> {
        self.member.as_deref()
    }

    /// The sentence without the kind.
    #[must_use]
    pub fn cause(&self) -> &str {
        &self.cause
    }
}

/// A read that hits the end of the file means that the file is cut short.
impl From<io::Error> for WheelError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::UnexpectedEof {
            Self::new(
                Fault::Truncated,
                "the file ends early; fetch or build it again",
            )
        } else {
            Self::new(Fault::Io, error.to_string())
        }
    }
}
