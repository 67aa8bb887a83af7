//! What is said about a wheel beside the document: reports, and under `--strict` the no.

use serde::Serialize;

/// One thing to say about one wheel.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Note {
    /// The file name that the wheel came in with.
    #[serde(skip)]
    pub(crate) filename: String,
    /// A stable name: `tag.not-kept`, `pin.rewritten`, …
    pub(crate) rule: &'static str,
    /// One sentence.
    pub(crate) message: String,
    /// Under `--strict` the answer is then no.
    #[serde(skip)]
    pub(crate) strict: bool,
}

impl Note {
    /// A report.
    pub(crate) fn new(filename: &str, rule: &'static str, message: impl Into<String>) -> Self {
        Self {
            filename: filename.to_owned(),
            rule,
            message: message.into(),
            strict: false,
        }
    }

    /// The same as a no under `--strict`.
    pub(crate) fn strict(self) -> Self {
        Self {
            strict: true,
            ..self
        }
    }

    /// `file: rule: message`.
    pub(crate) fn line(&self) -> String {
        format!("{}: {}: {}", self.filename, self.rule, self.message)
    }
}
