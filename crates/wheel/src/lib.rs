//! The wheel format: file name, METADATA, WHEEL, RECORD, the archive, and the names that bring CUDA.
//!
//! Everything is parsed into a type where it enters, and text is made by printing a type. The
//! archive is read member by member with bounded memory, and rewritten by copying compressed bytes.

mod archive;
mod cuda;
mod filename;
mod header_block;
mod marker;
mod metadata;
mod project_name;
mod record;
mod regular_file;
mod requirement;
mod rocm_version;
mod sha256;
mod version;
mod wheel_info;

pub use archive::{
    Archive, Deflated, Fault, Inflater, Member, MemberReader, RecordCheck, Rewriter, Rewritten,
    Seams, WheelError,
};
pub use cuda::{CudaName, allowed_name, cuda_name};
pub use filename::{WheelFilename, WheelFilenameError};
pub use header_block::Edit;
pub use marker::{Environment, Marker, MarkerError, Variable};
pub use metadata::{Metadata, MetadataError, RequiresDist};
pub use project_name::{ProjectName, ProjectNameError};
pub use record::{Record, RecordError, RecordHash, RecordHasher, RecordRow};
pub use regular_file::open_regular;
pub use requirement::{Requirement, RequirementError, Specifier};
pub use rocm_version::{RocmVersion, RocmVersionError};
pub use sha256::{HashingWriter, sha256_file, sha256_hex};
pub use version::{
    LocalSegment, LocalVersionError, Operator, Version, VersionSpecifier, VersionSpecifiers,
    local_segments, local_text, with_local_appended,
};
pub use wheel_info::{WheelInfo, WheelInfoError};
