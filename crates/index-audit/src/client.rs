//! Asking pip and uv, as they really are, in a clean environment.

use std::path::Path;
use std::time::Instant;

use wheel::ProjectName;

use crate::address::Address;
use crate::resolved::{Client, Resolved};

mod pip;
mod pip_settings;
mod run;
mod uv;
mod uv_settings;

pub(crate) use pip::Pip;
pub(crate) use run::{RunError, on_path};
pub(crate) use uv::Uv;

/// The newest glibc whose wheels are taken: 2.43, that of Ubuntu 26.04, which ROCm 10.1 is published for.
const NEWEST_GLIBC_MINOR: u32 = 43;
/// The oldest one whose policy is still in use: `manylinux_2_17`, also known as `manylinux2014`.
const OLDEST_GLIBC_MINOR: u32 = 17;

/// What a client is asked to resolve.
#[derive(Debug, Clone)]
pub(crate) struct Question<'a> {
    /// Requirements as a user would type them.
    pub(crate) requirements: Vec<String>,
    /// Whether what they require is resolved too.
    pub(crate) dependencies: bool,
    /// Which indexes are asked, in which order.
    pub(crate) indexes: Indexes<'a>,
    /// The Python that it is for: `3.14`.
    pub(crate) python: &'a str,
}

/// Which indexes a client is given. Where the public one is not known by address, it is the client's own
/// default.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Indexes<'a> {
    /// The public index only.
    Public,
    /// Ours beside the public one, in the way that our pages tell users: pip `--extra-index-url OURS`,
    /// uv `--index OURS`.
    Beside(&'a Address),
    /// Ours as the main index and the public one as an extra: `--index-url OURS --extra-index-url PUBLIC`.
    /// uv asks the extra index first.
    Main(&'a Address),
}

/// What a client makes of a question.
#[derive(Debug)]
pub(crate) enum Answer {
    /// It resolved.
    Resolved(Resolved),
    /// It looked at everything, and nothing fits.
    Unsatisfiable {
        /// Its own reason, several lines.
        reason: String,
        /// Names that no index has.
        absent: Vec<ProjectName>,
    },
    /// It could not look at everything.
    Failed(String),
}

/// A client that can be asked.
pub(crate) trait Resolver {
    /// Which one it is.
    fn client(&self) -> Client;

    /// Whether the public index is known by its address, so that it can be given as an extra one.
    fn knows_public(&self) -> bool;

    /// The Python that it runs on, where that decides what markers mean: `3.13`.
    fn python(&self) -> Option<&str> {
        None
    }

    /// Asks. The client runs in `folder`, an empty one, and is stopped at `deadline`.
    ///
    /// # Errors
    /// When it cannot be run, or the time is over.
    fn ask(
        &self,
        question: &Question,
        folder: &Path,
        deadline: Instant,
    ) -> Result<Answer, RunError>;
}

/// The flags by which a person would put the two indexes into this order.
pub(crate) fn order(client: Client, indexes: Indexes) -> &'static str {
    match (client, indexes) {
        (_, Indexes::Public) => "",
        (Client::Pip, Indexes::Beside(_)) => "--extra-index-url OURS",
        (Client::Uv, Indexes::Beside(_)) => "--index OURS",
        (_, Indexes::Main(_)) => "--index-url OURS --extra-index-url PUBLIC",
    }
}

/// A client's words, without what it says in passing.
fn reason(stderr: &str) -> String {
    let lines: Vec<&str> = stderr
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty() && !line.starts_with("warning:"))
        .filter(|line| !line.starts_with("WARNING:") && !line.starts_with("[notice]"))
        .collect();
    lines.join("\n")
}
