//! The judgement for a person.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use pipe::{AuditAnswer, AuditFinding, AuditReport};

/// Columns of [`evidence`].
pub(crate) const EVIDENCE_HEAD: &[&str] =
    &["GPU", "distribution", "version", "origin", "client", "file"];
/// Columns of [`foreign_bare_names`].
pub(crate) const BARE_HEAD: &[&str] = &["GPU", "name alone", "version", "file", "when asked as"];

/// Columns of [`checks`].
pub(crate) const CHECKS_HEAD: &[&str] = &["GPU", "check", "client", "answer", "what was looked at"];

/// What came and from where, what was looked at, and what is wrong, worst last.
pub(crate) fn explain(report: &AuditReport) -> String {
    let mut text = String::new();
    table(&mut text, EVIDENCE_HEAD, &evidence(report));
    table(&mut text, BARE_HEAD, &foreign_bare_names(report));
    let unregistered: Vec<&str> = report
        .names
        .iter()
        .filter(|name| !name.registered)
        .map(|name| name.name.as_str())
        .collect();
    if !unregistered.is_empty() {
        let _ = writeln!(
            text,
            "registered by nobody on the public index: {}\n",
            unregistered.join(", ")
        );
    }
    table(&mut text, CHECKS_HEAD, &checks(report));
    list(&mut text, "worth knowing", &report.warnings);
    list(&mut text, "wrong", &report.findings);
    text.push_str(if report.findings.is_empty() {
        "clean\n"
    } else {
        "not clean\n"
    });
    text
}

/// One row for each check.
pub(crate) fn checks(report: &AuditReport) -> Vec<Vec<String>> {
    report
        .checks
        .iter()
        .map(|check| {
            vec![
                check.architecture.clone(),
                check.check.clone(),
                check.resolver.clone().unwrap_or_default(),
                answer(check.answer).to_owned(),
                check.detail.clone(),
            ]
        })
        .collect()
}

/// One row for each file that came, with the clients that chose it.
pub(crate) fn evidence(report: &AuditReport) -> Vec<Vec<String>> {
    let mut rows: BTreeMap<[&str; 5], BTreeSet<&str>> = BTreeMap::new();
    for one in &report.evidence {
        let origin = if one.ours { "ours" } else { "elsewhere" };
        rows.entry([&one.architecture, &one.name, &one.version, origin, &one.url])
            .or_default()
            .insert(&one.resolver);
    }
    rows.into_iter()
        .map(|([arch, name, version, origin, url], clients)| {
            vec![
                arch.to_owned(),
                name.to_owned(),
                version.to_owned(),
                origin.to_owned(),
                joined(clients, ", "),
                url.to_owned(),
            ]
        })
        .collect()
}

/// One row for each file that a bare name brings and that is not ours, with the ways of asking for it.
pub(crate) fn foreign_bare_names(report: &AuditReport) -> Vec<Vec<String>> {
    let mut rows: BTreeMap<[&str; 4], BTreeSet<String>> = BTreeMap::new();
    for one in report.bare.iter().filter(|one| !one.ours) {
        let version = one.version.as_deref().unwrap_or("nothing fits");
        let url = one.url.as_deref().unwrap_or_default();
        rows.entry([&one.architecture, &one.name, version, url])
            .or_default()
            .insert(format!("{} {}", one.resolver, one.order));
    }
    rows.into_iter()
        .map(|([arch, name, version, url], ways)| {
            vec![
                arch.to_owned(),
                name.to_owned(),
                version.to_owned(),
                url.to_owned(),
                joined(ways, "; "),
            ]
        })
        .collect()
}

fn joined<T: AsRef<str>>(parts: BTreeSet<T>, between: &str) -> String {
    let parts: Vec<T> = parts.into_iter().collect();
    let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
    parts.join(between)
}

fn table(text: &mut String, head: &[&str], rows: &[Vec<String>]) {
    if !rows.is_empty() {
        let _ = writeln!(text, "{}", pipe::table(head, rows));
    }
}

fn list(text: &mut String, title: &str, findings: &[AuditFinding]) {
    for finding in findings {
        let client = finding
            .resolver
            .as_ref()
            .map_or_else(String::new, |client| format!(" {client}"));
        let _ = writeln!(
            text,
            "{title}: {}{client}: {}: {}",
            finding.architecture, finding.rule, finding.message
        );
    }
}

/// An answer in words.
fn answer(answer: AuditAnswer) -> &'static str {
    match answer {
        AuditAnswer::Passed => "passed",
        AuditAnswer::Failed => "failed",
        AuditAnswer::NotJudged => "not judged",
    }
}
