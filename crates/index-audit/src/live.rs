//! A whole audit: links, then a resolve by each client, then the radar, for each architecture.

use std::time::Instant;

use pipe::{Architecture, AuditAnswer, AuditCheck, AuditFinding, Progress, PublicName, Stop};

use crate::address::Address;
use crate::audit::Found;
use crate::client::{Pip, Resolver, RunError, Uv, on_path};
use crate::links::Links;
use crate::proof::Proof;
use crate::published::Published;
use crate::radar::{Radar, RadarError};
use crate::reach::Reach;
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

    /// Audits every architecture, the others too when one cannot be reached.
    ///
    /// # Errors
    /// When something could not be reached or run. What was found all the same is told too.
    pub(crate) fn audit(&self, previous: Vec<PublicName>) -> Result<Found, Stop> {
        let mut found = Found {
            previous,
            ..Found::default()
        };
        let mut causes = Vec::new();
        for arch in &self.args.arch {
            match self.architecture(arch, &mut found) {
                Ok(()) => {}
                Err(Stop::No(told) | Stop::Cannot(told)) => causes.extend(told),
            }
        }
        if causes.is_empty() {
            return Ok(found);
        }
        let told = found.verdict.findings.iter();
        let told = told.map(|one| format!("{}: {}: {}", one.architecture, one.rule, one.message));
        Err(Stop::Cannot(told.chain(causes).collect()))
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
        let proof = Proof {
            args: self.args,
            reach: self.reach,
            published: &published,
            is_only_client: self.resolvers.len() == 1,
        };
        for resolver in &self.resolvers {
            progress.on(&format!("{arch}: {} resolves", resolver.client()));
            proof.resolve(resolver.as_ref(), &mut found.verdict)?;
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
                Err(RadarError::Failed { .. }) if found.verdict.has_broken_links(arch) => {
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

/// An empty folder for a client to run in.
pub(crate) fn folder() -> Result<tempfile::TempDir, Stop> {
    tempfile::tempdir().map_err(|cause| Stop::cannot(format!("a folder for the clients: {cause}")))
}

/// A client that did not come to its end stops the audit.
#[expect(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
pub(crate) fn stopped(error: RunError) -> Stop {
    Stop::cannot(error.to_string())
}
