//! The order of work: read the index, read or make the resolve, judge.

use std::io::IsTerminal;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use pipe::{AuditReport, BareName, More, PublicName, Stop};

use crate::Args;
use crate::address::Address;
use crate::judge::{Case, Verdict, judge, shown};
use crate::live::Live;
use crate::metapackage::{Pins, PinsError};
use crate::origin::{Origin, origin};
use crate::published::Published;
use crate::reach::Reach;
use crate::report;
use crate::resolved::Resolved;

/// Everything that an audit finds out.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The judgement.
    pub(crate) verdict: Verdict,
    /// Where bare names come from.
    pub(crate) bare: Vec<BareName>,
    /// Our names on the public index.
    pub(crate) names: Vec<PublicName>,
    /// The same in the last report.
    pub(crate) previous: Vec<PublicName>,
}

/// Audits what the arguments ask for.
///
/// # Errors
/// When the index, the report or a pin's METADATA cannot be read, or a client cannot be run.
pub(crate) fn audit(args: &Args) -> Result<AuditReport, Stop> {
    let deadline = Instant::now() + Duration::from_secs(args.deadline);
    let reach = Reach::new(deadline);
    let root = root(&args.index)?;
    let found = if let Some(report) = &args.report {
        judged(args, &reach, &root, report)?
    } else {
        let previous = args.previous.as_deref().map(previous).transpose()?;
        Live::new(args, &reach, &root)?.audit(previous.unwrap_or_default())?
    };
    Ok(document(args, found))
}

/// Judges a saved resolve.
fn judged(args: &Args, reach: &Reach, root: &Address, report: &Path) -> Result<Found, Stop> {
    let [arch] = &args.arch[..] else {
        return Err(Stop::cannot(
            "--report: a resolve is for one architecture; name one with --arch",
        ));
    };
    let resolved = report::read(&bytes(report)?)
        .map_err(|cause| Stop::cannot(format!("{}: {cause}", report.display())))?;
    let published =
        Published::read(reach, root, arch).map_err(|cause| Stop::cannot(cause.to_string()))?;
    let pins = pins(args, reach, &published, &resolved)
        .map_err(|cause| Stop::cannot(cause.to_string()))?;
    let case = Case {
        published: &published,
        resolved: &resolved,
        python: &args.python,
        pins: pins.as_ref(),
    };
    let mut found = Found::default();
    published.told(&mut found.verdict);
    judge(&case, &mut found.verdict);
    Ok(found)
}

/// The names of an earlier document.
fn previous(file: &Path) -> anyhow::Result<Vec<PublicName>> {
    let shown = || file.display().to_string();
    let bytes = report::bytes(file).with_context(shown)?;
    let report: AuditReport = serde_json::from_slice(&bytes)
        .context("not a whole `index-audit/1` document")
        .with_context(shown)?;
    anyhow::ensure!(
        report.schema == AuditReport::SCHEMA,
        "{}: this is a `{}` document, expected `{}`",
        file.display(),
        report.schema,
        AuditReport::SCHEMA
    );
    Ok(report.names)
}

/// The pins of the metapackage that came, where it is ours: from pip's report, which holds METADATA, or
/// from our index.
fn pins(
    args: &Args,
    reach: &Reach,
    published: &Published,
    resolved: &Resolved,
) -> Result<Option<Pins>, PinsError> {
    let (Some(came), Some(project)) = (
        resolved.find(&args.name),
        published.projects.get(&args.name),
    ) else {
        return Ok(None);
    };
    let is_ours = came
        .files
        .iter()
        .all(|file| matches!(origin(published, project, file), Origin::Ours(_)));
    if !is_ours {
        return Ok(None);
    }
    let pins = match &came.requires {
        Some(requires) => Pins::of(
            &came.name,
            &came.version,
            requires.iter(),
            &published.arch,
            &args.python,
        ),
        None => Pins::read(reach, published, &came.name, &came.version, &args.python),
    };
    pins.map(Some)
}

/// The root of the index: an address, or a folder of this machine.
fn root(text: &str) -> anyhow::Result<Address> {
    if let Some((_, rest)) = text.split_once("://") {
        let authority = rest.split('/').next().unwrap_or_default();
        anyhow::ensure!(
            !authority.contains('@'),
            "--index: an index is public; take name and password out of its address"
        );
        return Address::parse(text).context("--index");
    }
    let path = Path::new(text)
        .canonicalize()
        .with_context(|| format!("--index: {text}"))?;
    let path = path
        .to_str()
        .with_context(|| format!("--index: {text}: the path is not UTF-8"))?;
    Ok(Address::of_path(path, true))
}

/// The report, from a file or from stdin.
fn bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path == Path::new("-") {
        let stdin = std::io::stdin().lock();
        anyhow::ensure!(
            !stdin.is_terminal(),
            "stdin is a terminal; name the report, or pipe it in"
        );
        return pipe::read_at_most(stdin, report::LONGEST).context("stdin");
    }
    report::bytes(path).with_context(|| path.display().to_string())
}

fn document(args: &Args, mut found: Found) -> AuditReport {
    let verdict = &mut found.verdict;
    verdict.findings.sort();
    verdict.findings.dedup();
    verdict.warnings.sort();
    verdict.warnings.dedup();
    verdict.evidence.sort();
    found.bare.sort();
    found.names.sort();
    AuditReport {
        schema: AuditReport::SCHEMA.to_owned(),
        index: shown(&args.index),
        python: args.python.clone(),
        checks: found.verdict.checks,
        findings: found.verdict.findings,
        warnings: found.verdict.warnings,
        evidence: found.verdict.evidence,
        bare: found.bare,
        names: found.names,
        more: More::new(),
    }
}
