//! The judgement for a person.

use std::fmt::Write as _;

use pipe::{AuditAnswer, AuditFinding, AuditReport};

/// What came and from where, what was looked at, and what is wrong, worst last.
pub(crate) fn explain(report: &AuditReport) -> String {
    let mut text = String::new();
    let evidence: Vec<Vec<String>> = report
        .evidence
        .iter()
        .map(|one| {
            vec![
                one.architecture.clone(),
                one.resolver.clone(),
                one.name.clone(),
                one.version.clone(),
                if one.ours { "ours" } else { "elsewhere" }.to_owned(),
                one.url.clone(),
            ]
        })
        .collect();
    if !evidence.is_empty() {
        let head = ["gpu", "client", "distribution", "version", "origin", "file"];
        let _ = writeln!(text, "{}", pipe::table(&head, &evidence));
    }
    let checks: Vec<Vec<String>> = report
        .checks
        .iter()
        .map(|check| {
            vec![
                check.architecture.clone(),
                check.resolver.clone().unwrap_or_default(),
                check.check.clone(),
                answer(check.answer).to_owned(),
                check.detail.clone(),
            ]
        })
        .collect();
    let head = ["gpu", "client", "check", "answer", "what was looked at"];
    let _ = writeln!(text, "{}", pipe::table(&head, &checks));
    list(&mut text, "worth knowing", &report.warnings);
    list(&mut text, "wrong", &report.findings);
    text.push_str(if report.findings.is_empty() {
        "clean\n"
    } else {
        "not clean\n"
    });
    text
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
pub(crate) fn answer(answer: AuditAnswer) -> &'static str {
    match answer {
        AuditAnswer::Passed => "passed",
        AuditAnswer::Failed => "failed",
        AuditAnswer::NotJudged => "not judged",
    }
}
