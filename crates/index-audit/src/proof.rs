//! The proof by one client: it resolves the metapackage, and what came is judged.

use pipe::{AuditAnswer, AuditCheck, AuditFinding, Stop};

use crate::Args;
use crate::client::{Answer, Indexes, Question, Resolver};
use crate::judge::{Case, Verdict, judge};
use crate::live::{folder, stopped};
use crate::metapackage::Pins;
use crate::published::Published;
use crate::reach::Reach;
use crate::resolved::{Client, Resolved};

/// What a resolve is asked and judged with.
pub(crate) struct Proof<'a> {
    pub(crate) args: &'a Args,
    pub(crate) reach: &'a Reach,
    pub(crate) published: &'a Published,
    /// Whether no other client is asked.
    pub(crate) is_only_client: bool,
}

impl Proof<'_> {
    /// Resolves the metapackage with one client and judges what came.
    ///
    /// # Errors
    /// When the client cannot look at everything, for no reason that the links explain, or runs on a Python that
    /// makes its answer one for another target.
    pub(crate) fn resolve(
        &self,
        resolver: &dyn Resolver,
        verdict: &mut Verdict,
    ) -> Result<(), Stop> {
        let Args { name, python, .. } = self.args;
        let published = self.published;
        let asked = format!("{name}[{}]", published.arch.extra());
        let question = Question {
            requirements: vec![asked.clone()],
            dependencies: true,
            indexes: Indexes::Beside(&published.folder),
            python,
        };
        let folder = folder()?;
        let answer = resolver
            .ask(&question, folder.path(), self.reach.deadline())
            .map_err(stopped)?;
        let client = resolver.client();
        match answer {
            Answer::Resolved(came) => self.judge(&came, verdict),
            Answer::Unsatisfiable { reason, .. } => {
                let elsewhere = resolver
                    .python()
                    .filter(|runs_on| runs_on != python)
                    .map(|runs_on| {
                        format!(" (it runs on Python {runs_on} and evaluates markers for that)")
                    })
                    .unwrap_or_default();
                let message = format!(
                    "{client} cannot resolve {asked}{elsewhere}: {}",
                    one_line(&reason)
                );
                self.unresolved(client, "unsatisfiable", message, verdict);
                Ok(())
            }
            // A client may well stop at what the links are wrong about.
            Answer::Failed(reason) if verdict.has_broken_links(&published.arch) => {
                let message = format!("{client} stops: {}", one_line(&reason));
                self.unresolved(client, "stopped", message, verdict);
                Ok(())
            }
            Answer::Failed(reason) => Err(Stop::cannot(format!(
                "{client} could not resolve {asked}: {}",
                one_line(&reason)
            ))),
        }
    }

    fn unresolved(&self, client: Client, rule: &str, message: String, verdict: &mut Verdict) {
        self.told(client, AuditAnswer::Failed, "nothing was resolved", verdict);
        verdict.findings.push(AuditFinding {
            architecture: self.published.arch.to_string(),
            rule: rule.to_owned(),
            name: self.args.name.to_string(),
            resolver: Some(client.to_string()),
            message,
        });
    }

    fn told(&self, client: Client, answer: AuditAnswer, detail: &str, verdict: &mut Verdict) {
        verdict.checks.push(AuditCheck {
            architecture: self.published.arch.to_string(),
            check: "resolve".to_owned(),
            resolver: Some(client.to_string()),
            answer,
            detail: detail.to_owned(),
        });
    }

    fn judge(&self, resolved: &Resolved, verdict: &mut Verdict) -> Result<(), Stop> {
        let detail = format!("{} distributions", resolved.distributions.len());
        self.told(resolved.client, AuditAnswer::Passed, &detail, verdict);
        let pins = self.pins(resolved, verdict)?;
        let mut own = Verdict::default();
        let case = Case {
            published: self.published,
            resolved,
            python: &self.args.python,
            pins: pins.as_ref(),
        };
        judge(&case, &mut own);
        if resolved.client == Client::Pip {
            self.leave_markers_to_uv(&mut own)?;
        }
        verdict.append(own);
        Ok(())
    }

    /// pip cannot evaluate markers for another Python than its own. uv can, and is the judge of those.
    fn leave_markers_to_uv(&self, own: &mut Verdict) -> Result<(), Stop> {
        let (wrong_python, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut own.findings)
            .into_iter()
            .partition(|one| one.rule == "target");
        own.findings = rest;
        let Some(first) = wrong_python.first() else {
            return Ok(());
        };
        if self.is_only_client {
            return Err(Stop::cannot(format!("pip: {}", first.message)));
        }
        for check in own
            .checks
            .iter_mut()
            .filter(|check| check.check == "target")
        {
            check.answer = AuditAnswer::NotJudged;
            check.detail.push_str("; uv is the judge of that");
        }
        own.warnings.extend(wrong_python);
        Ok(())
    }

    /// The pins, from the METADATA that our index publishes. The metapackage was asked for by name, so that
    /// one that is not ours does not excuse: the newest of ours says what should have come.
    fn pins(&self, resolved: &Resolved, verdict: &Verdict) -> Result<Option<Pins>, Stop> {
        let Args { name, python, .. } = self.args;
        let published = self.published;
        let project = published.projects.get(name).ok_or_else(|| {
            Stop::cannot(format!(
                "{}: the index has no {name}; name the metapackage with --name",
                published.folder
            ))
        })?;
        let came = resolved.find(name).map(|came| &came.version);
        let version = came
            .filter(|came| project.of_version(came).next().is_some())
            .or_else(|| project.newest());
        let Some(version) = version else {
            return Ok(None);
        };
        match Pins::read(self.reach, published, name, version, python) {
            Ok(pins) => Ok(Some(pins)),
            Err(_) if verdict.has_broken_links(&published.arch) => Ok(None),
            Err(cause) => Err(Stop::cannot(cause.to_string())),
        }
    }
}

fn one_line(reason: &str) -> String {
    reason.split_whitespace().collect::<Vec<_>>().join(" ")
}
