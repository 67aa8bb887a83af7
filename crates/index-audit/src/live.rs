//! A whole audit: links, then a resolve by each client, then the radar, for each architecture.

use std::time::Instant;

use pipe::{Architecture, AuditAnswer, AuditCheck, AuditFinding, Progress, PublicName, Stop};
use wheel::ProjectName;

use crate::address::Address;
use crate::audit::Found;
use crate::client::{Answer, Indexes, Pip, Question, Resolver, RunError, Uv, on_path};
use crate::judge::{Case, Verdict, judge};
use crate::links::Links;
use crate::metapackage::Pins;
use crate::published::Published;
use crate::radar::{Radar, RadarError};
use crate::reach::Reach;
use crate::resolved::{Client, Resolved};
use crate::{Args, With};

/// What a live audit works with.
pub(crate) struct Live<'a> {
    args: &'a Args,
    reach: &'a Reach,
    root: &'a Address,
    resolvers: Vec<Box<dyn Resolver>>,
    deadline: Instant,
}

impl<'a> Live<'a> {
    /// Finds the clients and reads their configuration.
    ///
    /// # Errors
    /// When a client that is asked for is not there, or cannot be run.
    pub(crate) fn new(args: &'a Args, reach: &'a Reach, root: &'a Address) -> Result<Self, Stop> {
        let deadline = reach.deadline();
        let path = std::env::var_os("PATH");
        let upstream = args.upstream.as_deref();
        let mut resolvers: Vec<Box<dyn Resolver>> = Vec::new();
        if args.with != Some(With::Uv) {
            let program = on_path("pip", path.as_deref()).map_err(stopped)?;
            let folder = folder()?;
            let pip = Pip::new(program, upstream, folder.path(), deadline).map_err(stopped)?;
            resolvers.push(Box::new(pip));
        }
        if args.with != Some(With::Pip) {
            let program = on_path("uv", path.as_deref()).map_err(stopped)?;
            resolvers.push(Box::new(Uv::new(program, upstream)?));
        }
        Ok(Self {
            args,
            reach,
            root,
            resolvers,
            deadline,
        })
    }

    /// Audits every architecture.
    ///
    /// # Errors
    /// When something could not be reached or run. What was found until then is told too.
    pub(crate) fn audit(&self, previous: Vec<PublicName>) -> Result<Found, Stop> {
        let mut found = Found {
            previous,
            ..Found::default()
        };
        for arch in &self.args.arch {
            if let Err(stop) = self.architecture(arch, &mut found) {
                return Err(with_findings(stop, &found.verdict.findings));
            }
        }
        Ok(found)
    }

    fn architecture(&self, arch: &Architecture, found: &mut Found) -> Result<(), Stop> {
        let quiet = self.args.shared.quiet;
        let published = Published::read(self.reach, self.root, arch)
            .map_err(|cause| Stop::cannot(cause.to_string()))?;
        let links = Links {
            reach: self.reach,
            published: &published,
            python: &self.args.python,
            download: self.args.download,
            quiet,
        };
        links
            .check(&mut found.verdict)
            .map_err(|cause| Stop::cannot(cause.to_string()))?;
        let progress = Progress::steps(2 * self.resolvers.len() as u64 + 1, quiet);
        for resolver in &self.resolvers {
            progress.on(&format!("{arch}: {} resolves", resolver.client()));
            self.resolve(resolver.as_ref(), &published, &mut found.verdict)?;
            progress.add(1);
        }
        let radar = Radar {
            published: &published,
            python: &self.args.python,
            deadline: self.deadline,
        };
        let could_not = |cause: RadarError| Stop::cannot(cause.to_string());
        for resolver in &self.resolvers {
            progress.on(&format!(
                "{arch}: {} resolves bare names",
                resolver.client()
            ));
            match radar.bare(resolver.as_ref(), &mut found.verdict) {
                Ok(bare) => found.bare.extend(bare),
                // A client may well stop at what the links are wrong about.
                Err(RadarError::Failed { .. }) if has_broken_links(&found.verdict, arch) => {
                    let detail = "the client stops at a broken link";
                    found.verdict.checks.push(AuditCheck {
                        architecture: arch.to_string(),
                        check: "bare".to_owned(),
                        resolver: Some(resolver.client().to_string()),
                        answer: AuditAnswer::NotJudged,
                        detail: detail.to_owned(),
                    });
                }
                Err(cause) => return Err(could_not(cause)),
            }
            progress.add(1);
        }
        // uv says in words which names no index has; pip only in its log. The last one is uv where both are there.
        if let Some(resolver) = self.resolvers.last() {
            progress.on(&format!(
                "{arch}: {} looks for our names",
                resolver.client()
            ));
            let names = radar.registered(resolver.as_ref()).map_err(could_not)?;
            found.verdict.checks.push(AuditCheck {
                architecture: arch.to_string(),
                check: "names".to_owned(),
                resolver: Some(resolver.client().to_string()),
                answer: AuditAnswer::Passed,
                detail: format!(
                    "{} names, {} of them registered publicly",
                    names.len(),
                    names.iter().filter(|name| name.registered).count()
                ),
            });
            Self::names(arch, names, found);
        }
        progress.done();
        Ok(())
    }

    fn resolve(
        &self,
        resolver: &dyn Resolver,
        published: &Published,
        verdict: &mut Verdict,
    ) -> Result<(), Stop> {
        let Args { name, python, .. } = self.args;
        let asked = format!("{name}[{}]", published.arch.extra());
        let question = Question {
            requirements: vec![asked.clone()],
            dependencies: true,
            indexes: Indexes::Beside(&published.folder),
            python,
        };
        let folder = folder()?;
        let answer = resolver
            .ask(&question, folder.path(), self.deadline)
            .map_err(stopped)?;
        let client = resolver.client();
        match answer {
            Answer::Resolved(came) => self.judge(published, &came, verdict),
            Answer::Unsatisfiable { reason, .. } => {
                let message = format!("{client} cannot resolve {asked}: {}", one_line(&reason));
                self.unresolved(published, client, "unsatisfiable", message, verdict);
                Ok(())
            }
            // A client may well stop at what the links are wrong about.
            Answer::Failed(reason) if has_broken_links(verdict, &published.arch) => {
                let message = format!("{client} stops: {}", one_line(&reason));
                self.unresolved(published, client, "stopped", message, verdict);
                Ok(())
            }
            Answer::Failed(reason) => Err(Stop::cannot(format!(
                "{client} could not resolve {asked}: {}",
                one_line(&reason)
            ))),
        }
    }

    fn unresolved(
        &self,
        published: &Published,
        client: Client,
        rule: &str,
        message: String,
        verdict: &mut Verdict,
    ) {
        let architecture = published.arch.to_string();
        verdict.checks.push(AuditCheck {
            architecture: architecture.clone(),
            check: "resolve".to_owned(),
            resolver: Some(client.to_string()),
            answer: AuditAnswer::Failed,
            detail: "nothing was resolved".to_owned(),
        });
        verdict.findings.push(AuditFinding {
            architecture,
            rule: rule.to_owned(),
            name: self.args.name.to_string(),
            resolver: Some(client.to_string()),
            message,
        });
    }

    fn judge(
        &self,
        published: &Published,
        resolved: &Resolved,
        verdict: &mut Verdict,
    ) -> Result<(), Stop> {
        let Args { name, python, .. } = self.args;
        verdict.checks.push(AuditCheck {
            architecture: published.arch.to_string(),
            check: "resolve".to_owned(),
            resolver: Some(resolved.client.to_string()),
            answer: AuditAnswer::Passed,
            detail: format!("{} distributions", resolved.distributions.len()),
        });
        let pins = self.pins(published, name, resolved, verdict)?;
        let mut own = Verdict::default();
        let case = Case {
            published,
            resolved,
            python,
            pins: pins.as_ref(),
        };
        judge(&case, &mut own);
        // pip cannot evaluate markers for another Python than its own. uv can, and is the judge then.
        if resolved.client == Client::Pip {
            let (wrong_python, rest): (Vec<_>, Vec<_>) = own
                .findings
                .into_iter()
                .partition(|one| one.rule == "target");
            own.findings = rest;
            if let Some(first) = wrong_python.first()
                && self.resolvers.len() == 1
            {
                return Err(Stop::cannot(format!("pip: {}", first.message)));
            }
            if !wrong_python.is_empty() {
                for check in own
                    .checks
                    .iter_mut()
                    .filter(|check| check.check == "target")
                {
                    check.answer = AuditAnswer::NotJudged;
                    check.detail.push_str("; uv is the judge of that");
                }
            }
            own.warnings.extend(wrong_python);
        }
        verdict.append(own);
        Ok(())
    }

    /// The pins, from the METADATA that our index publishes. The metapackage was asked for by name, so that
    /// one that is not ours does not excuse: the newest of ours says what should have come.
    fn pins(
        &self,
        published: &Published,
        name: &ProjectName,
        resolved: &Resolved,
        verdict: &Verdict,
    ) -> Result<Option<Pins>, Stop> {
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
        match Pins::read(self.reach, published, name, version, &self.args.python) {
            Ok(pins) => Ok(Some(pins)),
            Err(_) if has_broken_links(verdict, &published.arch) => Ok(None),
            Err(cause) => Err(Stop::cannot(cause.to_string())),
        }
    }

    /// Adds what is known about names; those that several architectures share are told once.
    fn names(arch: &Architecture, names: Vec<PublicName>, found: &mut Found) {
        for mut name in names {
            if found.names.iter().any(|known| known.name == name.name) {
                continue;
            }
            let before = found.previous.iter().find(|known| known.name == name.name);
            name.new = name.registered && before.is_some_and(|before| !before.registered);
            if name.new {
                found.verdict.warnings.push(AuditFinding {
                    architecture: arch.to_string(),
                    rule: "registered".to_owned(),
                    name: name.name.clone(),
                    resolver: None,
                    message: format!(
                        "somebody has registered {} on the public index since the last report",
                        name.name
                    ),
                });
            }
            found.names.push(name);
        }
    }
}

fn has_broken_links(verdict: &Verdict, arch: &Architecture) -> bool {
    verdict
        .findings
        .iter()
        .any(|one| one.rule.starts_with("link.") && one.architecture == arch.as_str())
}

/// What was found before the audit had to stop is not lost: each finding is a line too.
fn with_findings(stop: Stop, findings: &[AuditFinding]) -> Stop {
    match stop {
        Stop::Cannot(causes) => {
            let told = findings
                .iter()
                .map(|one| format!("{}: {}: {}", one.architecture, one.rule, one.message));
            Stop::Cannot(told.chain(causes).collect())
        }
        Stop::No(reasons) => Stop::No(reasons),
    }
}

fn one_line(reason: &str) -> String {
    reason.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn folder() -> Result<tempfile::TempDir, Stop> {
    tempfile::tempdir().map_err(|cause| Stop::cannot(format!("a folder for the clients: {cause}")))
}

#[expect(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
fn stopped(error: RunError) -> Stop {
    Stop::cannot(error.to_string())
}
