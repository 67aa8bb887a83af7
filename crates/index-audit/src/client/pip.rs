//! pip: asked for a dry run and its installation report.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use wheel::ProjectName;

use super::pip_settings::PipSettings;
use super::run::{run, text};
use super::{
    Answer, Indexes, NEWEST_GLIBC_MINOR, OLDEST_GLIBC_MINOR, Question, Resolver, RunError, reason,
};
use crate::address::Address;
use crate::report;
use crate::resolved::Client;

const NAME: &str = "pip";

/// pip, and what of its configuration counts.
#[derive(Debug)]
pub(crate) struct Pip {
    program: PathBuf,
    settings: PipSettings,
    /// The Python that it runs on.
    python: Option<String>,
}

impl Pip {
    /// Reads pip's configuration by `pip config list`, once.
    ///
    /// `upstream` takes the place of the public index that is configured.
    ///
    /// # Errors
    /// When pip cannot be run, or does not read its own configuration.
    pub(crate) fn new(
        program: PathBuf,
        upstream: Option<&str>,
        folder: &Path,
        deadline: Instant,
    ) -> Result<Self, RunError> {
        let mut command = Command::new(&program);
        command.args([
            "config",
            "list",
            "--no-color",
            "--disable-pip-version-check",
        ]);
        let ended = run(NAME, &mut command, folder, deadline)?;
        if !ended.success {
            let told = reason(&ended.stderr).replace('\n', " ");
            return Err(RunError::Said(NAME, told));
        }
        let mut settings = PipSettings::of(&ended.stdout, std::env::vars_os());
        if let Some(upstream) = upstream {
            settings.public = Some(upstream.to_owned());
        }
        let mut command = Command::new(&program);
        settings.apply_to(&mut command);
        let version = run(NAME, command.arg("--version"), folder, deadline)?.stdout;
        Ok(Self {
            program,
            settings,
            python: runs_on(&version),
        })
    }

    fn command(&self, question: &Question, folder: &Path) -> Command {
        let mut command = Command::new(&self.program);
        self.settings.apply_to(&mut command);
        command
            .args([
                "install",
                "--dry-run",
                "--ignore-installed",
                "--no-input",
                "--no-color",
            ])
            .args([
                "--disable-pip-version-check",
                "--no-cache-dir",
                "--progress-bar",
                "off",
            ])
            .args(["--only-binary", ":all:", "--implementation", "cp"])
            .args(["--python-version", question.python])
            .arg("--report")
            .arg(folder.join("report.json"))
            .arg("--log")
            .arg(folder.join("log"))
            .arg("--target")
            .arg(folder.join("target"))
            .args(["--platform", "linux_x86_64"]);
        // One platform does not imply the older ones.
        for minor in (OLDEST_GLIBC_MINOR..=NEWEST_GLIBC_MINOR).rev() {
            command.args(["--platform", &format!("manylinux_2_{minor}_x86_64")]);
        }
        command.args(["--platform", "manylinux2014_x86_64"]);
        let public = self.settings.public.as_deref();
        match question.indexes {
            Indexes::Main(ours) => {
                command.args(["--index-url", &ours.to_string()]);
                command.args(
                    public
                        .into_iter()
                        .flat_map(|public| ["--extra-index-url", public]),
                );
            }
            Indexes::Public | Indexes::Beside(_) => {
                command.args(
                    public
                        .into_iter()
                        .flat_map(|public| ["--index-url", public]),
                );
            }
        }
        if let Indexes::Beside(ours) = question.indexes {
            command.args(["--extra-index-url", &ours.to_string()]);
        }
        if !question.dependencies {
            command.arg("--no-deps");
        }
        command.arg("--").args(&question.requirements);
        command
    }
}

impl Resolver for Pip {
    fn client(&self) -> Client {
        Client::Pip
    }

    fn knows_public(&self) -> bool {
        self.settings.public.is_some()
    }

    fn python(&self) -> Option<&str> {
        self.python.as_deref()
    }

    fn ask(
        &self,
        question: &Question,
        folder: &Path,
        deadline: Instant,
    ) -> Result<Answer, RunError> {
        let ended = run(NAME, &mut self.command(question, folder), folder, deadline)?;
        let log = text(&folder.join("log")).unwrap_or_default();
        let fetches = Fetches::of(&log);
        // pip passes over an index that does not answer, and resolves without it.
        if let Some(failed) = fetches.failed {
            return Ok(Answer::Failed(failed));
        }
        if ended.success {
            let path = folder.join("report.json");
            let bytes = report::bytes(&path).map_err(|error| RunError::Io(NAME, error))?;
            return Ok(match report::read(&bytes) {
                Ok(resolved) => Answer::Resolved(resolved),
                Err(cause) => Answer::Failed(format!("its report: {cause}")),
            });
        }
        let mut told = reason(&ended.stderr);
        let unsatisfiable = ["No matching distribution found", "ResolutionImpossible"]
            .iter()
            .any(|sign| told.contains(sign));
        if !unsatisfiable {
            return Ok(Answer::Failed(told));
        }
        if let Some((_, conflict)) = ended.stdout.split_once("The conflict is caused by:\n") {
            let end = conflict.find("\n\n").unwrap_or(conflict.len());
            told.push_str("\nThe conflict is caused by:\n");
            told.push_str(&conflict[..end]);
        }
        Ok(Answer::Unsatisfiable {
            reason: told,
            absent: fetches.absent,
        })
    }
}

/// `3.13` of `pip 26.3 from /…/pip (python 3.13)`.
fn runs_on(version: &str) -> Option<String> {
    let (_, python) = version.rsplit_once("(python ")?;
    Some(python.split_once(')')?.0.to_owned())
}

/// What pip's log says of pages that it did not get.
#[derive(Debug, Default, PartialEq, Eq)]
struct Fetches {
    /// The first one that was not told to be absent.
    failed: Option<String>,
    /// Projects that are told to be absent.
    absent: Vec<ProjectName>,
}

impl Fetches {
    /// Reads `Could not fetch URL X: 404 Client Error: … - skipping` and its kin.
    fn of(log: &str) -> Self {
        let mut fetches = Self::default();
        for line in log.lines() {
            let Some((_, told)) = line.split_once(" Could not fetch URL ") else {
                continue;
            };
            let Some((url, cause)) = told.split_once(": ") else {
                continue;
            };
            let cause = cause.trim_end_matches(" - skipping");
            if cause.starts_with("404 ") || cause.starts_with("410 ") {
                let name = Address::parse(url).ok().and_then(|address| {
                    let segment = address.segments().iter().rfind(|one| !one.is_empty())?;
                    ProjectName::new(segment).ok()
                });
                fetches.absent.extend(name);
            } else if fetches.failed.is_none() {
                let shown = crate::judge::shown(url);
                fetches.failed = Some(format!("it could not fetch {shown}: {cause}"));
            }
        }
        fetches
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pip_tells_the_python_that_it_runs_on() {
        let told = "pip 26.3 from /env (x)/pip (python 3.13)\n";
        assert_eq!(runs_on(told).as_deref(), Some("3.13"));
        assert_eq!(runs_on("pip"), None);
    }

    #[test]
    fn an_absent_page_is_told_from_one_that_failed() {
        let log = "2026-11-30T15:48:03,222 Could not fetch URL http://h/up/amd-aiter/: 404 Client Error: File \
                   not found for url: http://h/up/amd-aiter/ - skipping\n\
                   2026-11-30T15:48:11,300 Could not fetch URL http://u:p@h/ours/nixl/: HTTPConnectionPool: Max \
                   retries exceeded (Caused by ResponseError('too many 500 error responses')) - skipping\n";
        assert_eq!(
            Fetches::of(log),
            Fetches {
                failed: Some(
                    "it could not fetch http://h/ours/nixl/: HTTPConnectionPool: Max retries exceeded (Caused by \
                     ResponseError('too many 500 error responses'))"
                        .to_owned()
                ),
                absent: vec![ProjectName::new("amd-aiter").unwrap()],
            }
        );
    }
}
