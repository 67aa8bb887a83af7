//! The judgement in Markdown, for the page of a CI job or the text of an issue.

use std::fmt::Write as _;

use pipe::{AuditFinding, AuditReport};

use crate::explain::{BARE_HEAD, CHECKS_HEAD, EVIDENCE_HEAD, checks, evidence, foreign_bare_names};

/// Findings first, then warnings, the radar, the checks, and what came.
pub(crate) fn markdown(report: &AuditReport) -> String {
    let clean = report.findings.is_empty();
    let mut text = format!(
        "# {} is {}\n\n",
        code(&report.index),
        if clean { "clean" } else { "not clean" }
    );
    findings(&mut text, "Wrong", &report.findings);
    findings(&mut text, "Worth knowing", &report.warnings);
    table(
        &mut text,
        "Names that come from elsewhere without the metapackage",
        BARE_HEAD,
        &foreign_bare_names(report),
    );
    let unregistered = report.names.iter().filter(|name| !name.registered);
    let rows: Vec<Vec<String>> = unregistered.map(|name| vec![name.name.clone()]).collect();
    table(
        &mut text,
        "Names that nobody has registered publicly",
        &["name"],
        &rows,
    );
    table(
        &mut text,
        "What was looked at",
        CHECKS_HEAD,
        &checks(report),
    );
    table(&mut text, "What came", EVIDENCE_HEAD, &evidence(report));
    text
}

fn findings(text: &mut String, title: &str, findings: &[AuditFinding]) {
    let rows: Vec<Vec<String>> = findings
        .iter()
        .map(|finding| {
            vec![
                finding.architecture.clone(),
                finding.resolver.clone().unwrap_or_default(),
                finding.rule.clone(),
                finding.message.clone(),
            ]
        })
        .collect();
    table(text, title, &["GPU", "client", "rule", "what"], &rows);
}

/// A table under a heading; nothing at all without rows.
fn table(text: &mut String, title: &str, head: &[&str], rows: &[Vec<String>]) {
    if rows.is_empty() {
        return;
    }
    let line = "---|".repeat(head.len());
    let _ = writeln!(text, "## {title}\n\n| {} |\n|{line}", head.join(" | "));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| cell_text(cell)).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text.push('\n');
}

fn code(text: &str) -> String {
    format!("`{}`", pipe::one_line(text).replace('`', "'"))
}

/// Text from outside must neither end a cell, nor be markup, nor call anybody by name, nor steer a terminal.
fn cell_text(cell: &str) -> String {
    let mut text = String::with_capacity(cell.len());
    for c in pipe::one_line(cell).chars() {
        match c {
            // Escapes mean nothing inside of a code span, so that there must be none.
            '\\' | '|' | '[' | '`' | '*' => text.extend(['\\', c]),
            '<' => text.push_str("&lt;"),
            '&' => text.push_str("&amp;"),
            '@' => text.push_str("&#64;"),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostile_cell_stays_a_cell() {
        assert_eq!(
            cell_text("a|b\n<img> [x](y) @team"),
            "a\\|b &lt;img> \\[x](y) &#64;team"
        );
        assert_eq!(
            cell_text("`c|d` \\| **e** &#64;f \u{1b}[2J\u{202e}"),
            "\\`c\\|d\\` \\\\\\| \\*\\*e\\*\\* &amp;#64;f \u{fffd}\\[2J\u{fffd}"
        );
        assert_eq!(code("h`\u{1b}[2J"), "`h'\u{fffd}[2J`");
    }
}
