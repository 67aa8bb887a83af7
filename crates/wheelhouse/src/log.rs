//! What goes to stderr beside errors: notes, and with `-v` the requests.

use pipe::{Shared, Stop};
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
            pipe::note("wheelhouse", &brief(line));
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

/// The longest line on stderr; characters.
const LONGEST: usize = 2000;

/// What stays of the end of a longer one, which says what to do; characters.
const END: usize = 500;

/// A line that quotes something from outside, which may be megabytes, without its middle.
fn brief(line: &str) -> String {
    let length = line.chars().count();
    if length <= LONGEST {
        return line.to_owned();
    }
    let begin = line.chars().take(LONGEST - END);
    let end = line.chars().skip(length - END);
    begin.chain(" … ".chars()).chain(end).collect()
}

/// The same for the lines of an end without a document.
pub(crate) fn told(stop: Stop) -> Stop {
    let brief = |lines: Vec<String>| lines.iter().map(|line| brief(line)).collect();
    match stop {
        Stop::No(reasons) => Stop::No(brief(reasons)),
        Stop::Cannot(causes) => Stop::Cannot(brief(causes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_quotes_megabytes_loses_its_middle() {
        let short = "é".repeat(LONGEST);
        assert_eq!(brief(&short), short);
        let long = format!("what: `{}`; what to do", "é".repeat(1 << 20));
        let told = told(Stop::cannot(long));
        let expected = format!(
            "what: `{} … {}`; what to do",
            "é".repeat(LONGEST - END - 7),
            "é".repeat(END - 13)
        );
        assert_eq!(told, Stop::cannot(expected));
    }
}
