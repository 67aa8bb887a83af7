//! Saved resolves: pip's installation report, or a `pylock.toml`.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::resolved::Resolved;

mod pip;
mod pylock;

/// The longest report that is read, in bytes: pip's holds all METADATA of every distribution, 20 kB of each or so.
pub(crate) const LONGEST: u64 = 64 << 20;

/// Why a saved resolve cannot be judged.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReportError {
    /// The client before it in the pipe printed nothing.
    #[error("nothing came in, see the message above")]
    Empty,
    /// A sound report without a single distribution: everything was installed already.
    #[error("it holds no distribution; resolve with --ignore-installed")]
    Nothing,
    /// Cut short, or something else.
    #[error("not a whole report: {0}")]
    Json(#[from] serde_json::Error),
    /// Cut short, or something else.
    #[error("not a whole pylock.toml: {0}")]
    Toml(String),
    /// A format that later clients may write.
    #[error("{format} of version `{version}`; this tool reads version {known}")]
    Version {
        /// What it is.
        format: &'static str,
        /// What it says.
        version: String,
        /// What is understood.
        known: &'static str,
    },
    /// A name, version or file that cannot be right.
    #[error("`{what}` in the report: {cause}")]
    Entry {
        /// The distribution, as the report calls it.
        what: String,
        /// What is wrong.
        cause: String,
    },
}

/// The bytes of a report, or of a document like it.
///
/// # Errors
/// When it cannot be read, or is longer than [`LONGEST`].
pub(crate) fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    pipe::read_at_most(File::open(path)?, LONGEST)
}

/// Reads either format; they are told apart by the first character.
///
/// # Errors
/// See [`ReportError`].
pub(crate) fn read(bytes: &[u8]) -> Result<Resolved, ReportError> {
    let mut resolved = match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
        None => return Err(ReportError::Empty),
        Some(b'{') => pip::read(bytes),
        Some(_) => pylock::read(bytes),
    }?;
    if resolved.distributions.is_empty() {
        return Err(ReportError::Nothing);
    }
    resolved
        .distributions
        .sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(resolved)
}

fn entry<E: std::fmt::Display>(what: &str) -> impl FnOnce(E) -> ReportError {
    let what = what.to_owned();
    move |cause| ReportError::Entry {
        what,
        cause: cause.to_string(),
    }
}
