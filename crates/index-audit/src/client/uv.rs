//! uv: asked to compile a lock.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use wheel::ProjectName;

use super::run::run;
use super::uv_settings::UvSettings;
use super::{Answer, Indexes, Question, Resolver, RunError, reason};
use crate::report;
use crate::resolved::Client;

const NAME: &str = "uv";
/// The newest platform that uv knows by name.
const PLATFORM: &str = "x86_64-manylinux_2_40";

/// uv, and what of its configuration counts.
#[derive(Debug)]
pub(crate) struct Uv {
    program: PathBuf,
    settings: UvSettings,
}

impl Uv {
    /// Takes what counts of uv's configuration; `upstream` takes the place of the default index.
    ///
    /// # Errors
    /// When a configuration file that uv would read is not TOML.
    pub(crate) fn new(program: PathBuf, upstream: Option<&str>) -> anyhow::Result<Self> {
        let mut settings = UvSettings::here()?;
        if let Some(upstream) = upstream {
            settings.public = Some(upstream.to_owned());
        }
        Ok(Self { program, settings })
    }

    fn command(&self, question: &Question, folder: &Path) -> Command {
        let mut command = Command::new(&self.program);
        self.settings.apply_to(&mut command);
        command
            .args([
                "--no-config",
                "--no-cache",
                "--color",
                "never",
                "--no-progress",
            ])
            .args([
                "pip",
                "compile",
                "requirements.in",
                "--quiet",
                "--no-header",
            ])
            .args(["--only-binary", ":all:", "--format", "pylock.toml"])
            .args([
                "--python-version",
                question.python,
                "--python-platform",
                PLATFORM,
            ])
            .arg("--output-file")
            .arg(folder.join("pylock.toml"));
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
                        .flat_map(|public| ["--default-index", public]),
                );
            }
        }
        if let Indexes::Beside(ours) = question.indexes {
            command.args(["--index", &ours.to_string()]);
        }
        if !question.dependencies {
            command.arg("--no-deps");
        }
        command
    }
}

impl Resolver for Uv {
    fn client(&self) -> Client {
        Client::Uv
    }

    fn knows_public(&self) -> bool {
        self.settings.public.is_some()
    }

    fn ask(
        &self,
        question: &Question,
        folder: &Path,
        deadline: Instant,
    ) -> Result<Answer, RunError> {
        let io = |error| RunError::Io(NAME, error);
        let mut lines = question.requirements.join("\n");
        lines.push('\n');
        std::fs::write(folder.join("requirements.in"), lines).map_err(io)?;
        let ended = run(NAME, &mut self.command(question, folder), folder, deadline)?;
        if ended.success {
            let bytes = report::bytes(&folder.join("pylock.toml")).map_err(io)?;
            return Ok(match report::read(&bytes) {
                Ok(resolved) => Answer::Resolved(resolved),
                Err(cause) => Answer::Failed(format!("its pylock.toml: {cause}")),
            });
        }
        let reason = reason(&ended.stderr);
        // An index that refuses is passed over, and told in a hint below the wrong conclusion.
        if !reason.contains("No solution found") || reason.contains("hint: An index (") {
            return Ok(Answer::Failed(reason));
        }
        let absent = absent(&reason);
        Ok(Answer::Unsatisfiable { reason, absent })
    }
}

/// The names in `because X was not found in the package registry`.
fn absent(reason: &str) -> Vec<ProjectName> {
    let words = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    words
        .split(" was not found in the package registry")
        .filter_map(|before| before.rsplit(' ').next())
        .filter_map(|name| ProjectName::new(name).ok())
        .collect::<Vec<_>>()
        .into_iter()
        .take(
            words
                .matches(" was not found in the package registry")
                .count(),
        )
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_no_index_has_are_read_from_the_reason() {
        let reason = "error: No solution found when resolving dependencies\n  cause: Because rocm-torch was not found \
                      in the package\n   registry and you require rocm-torch, we can conclude";
        assert_eq!(absent(reason), [ProjectName::new("rocm-torch").unwrap()]);
        assert_eq!(absent("Because a depends on b"), []);
    }
}
