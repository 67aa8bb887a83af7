//! What a tool's end means: exit codes and the lines on stderr.

use std::io::Write;
use std::process::ExitCode;

use crate::advice::{line_with_advice, told};
use crate::plain::one_line;

/// A tool that worked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Exit 0: done.
    Done,
    /// Exit 1: the tool worked and its answer is no. What it printed says why.
    No,
}

/// A tool that ends without its document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// Exit 1: the answer is no and nothing was written; a line for each reason.
    No(Vec<String>),
    /// Exit 2: the work could not be done; a line for each cause, `file: what is wrong; what to do`.
    Cannot(Vec<String>),
}

impl Stop {
    /// One reason for a no.
    pub fn no(reason: impl Into<String>) -> Self {
        Self::No(vec![reason.into()])
    }

    /// One cause why the work could not be done.
    pub fn cannot(cause: impl Into<String>) -> Self {
        Self::Cannot(vec![cause.into()])
    }
}

/// An error without an answer of its own is a failure to work. The whole chain is told: `file: cause`.
impl From<anyhow::Error> for Stop {
    fn from(error: anyhow::Error) -> Self {
        Self::cannot(told(&error))
    }
}

/// Runs a tool and turns its end into an exit code, the same in every tool: 0 done, 1 no, 2 could not.
///
/// Each line of a [`Stop`] is printed as one line on stderr, with the tool's name in front; one that ends in an error of the
/// system gets what to do about it.
pub fn run(tool: &str, body: impl FnOnce() -> Result<Outcome, Stop>) -> ExitCode {
    match body() {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::No) => ExitCode::from(1),
        Err(Stop::No(reasons)) => {
            tell(tool, &reasons);
            ExitCode::from(1)
        }
        Err(Stop::Cannot(causes)) => {
            tell(tool, &causes);
            ExitCode::from(2)
        }
    }
}

/// One line on stderr that is not an error: `tool: line`. Where nobody reads stderr any more, or it is
/// full, the work goes on: its exit code still tells.
pub fn note(tool: &str, line: &str) {
    let _ = writeln!(std::io::stderr(), "{tool}: {}", one_line(line));
}

fn tell(tool: &str, lines: &[String]) {
    for line in lines {
        note(tool, &line_with_advice(line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_chain_is_told_as_file_and_cause() {
        let error = anyhow::anyhow!("not a zip").context("x.whl");
        assert_eq!(Stop::from(error), Stop::cannot("x.whl: not a zip"));
    }
}
