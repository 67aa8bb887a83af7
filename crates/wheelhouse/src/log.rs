//! What goes to stderr beside errors: notes, and with `-v` the requests.

use pipe::Shared;
use reqwest::StatusCode;

/// How much a user wants to hear.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Log {
    quiet: bool,
    verbose: bool,
}

impl Log {
    /// As the flags say.
    pub(crate) fn new(shared: &Shared) -> Self {
        Self {
            quiet: shared.quiet,
            verbose: shared.verbose > 0 && !shared.quiet,
        }
    }

    /// Something that is not wrong and still worth knowing; silent under `--quiet`.
    pub(crate) fn note(self, line: &str) {
        if !self.quiet {
            pipe::note("wheelhouse", line);
        }
    }

    /// Something for whoever asked for more.
    pub(crate) fn detail(self, line: &str) {
        if self.verbose {
            pipe::note("wheelhouse", line);
        }
    }

    /// One request and its answer; the address without query.
    pub(crate) fn request(self, address: &str, offset: u64, status: StatusCode) {
        let from = if offset > 0 {
            format!(" from byte {offset}")
        } else {
            String::new()
        };
        self.detail(&format!("GET {address}{from}: {status}"));
    }

    /// Whether progress bars and notes are unwanted.
    pub(crate) fn is_quiet(self) -> bool {
        self.quiet
    }
}
