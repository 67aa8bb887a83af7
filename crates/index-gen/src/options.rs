//! What a run is told beside the set.

use pipe::Architecture;

use crate::address::Location;
use crate::python::Python;
use crate::yanks::Yanks;

/// What a run is told, parsed.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) arch: Architecture,
    pub(crate) location: Location,
    /// The site's public address, without a `/` at its end.
    pub(crate) site_url: Option<String>,
    /// The index that the install commands name for everything else.
    pub(crate) public_index: Option<String>,
    pub(crate) python: Python,
    pub(crate) yanks: Yanks,
    pub(crate) keep_old: bool,
}
