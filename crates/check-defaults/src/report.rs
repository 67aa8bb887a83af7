//! Findings as text for a person, as the document for a pipe, as annotations for GitHub.

use std::collections::BTreeMap;

use pipe::{Drift, DriftFinding};

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// One line each: `file:line: rule: what differs (other side); what to change`
    Text,
    /// The document drift/1
    Json,
    /// Workflow commands of GitHub Actions, which annotate the lines
    Github,
}

/// Prints `drift` in `format`; notes are left out of text and annotations when `quiet`.
///
/// # Errors
/// When stdout cannot be written.
pub(crate) fn print(drift: &Drift, format: Format, quiet: bool) -> anyhow::Result<()> {
    let notes = if quiet { &[] } else { drift.notes.as_slice() };
    let lines: String = match format {
        Format::Json => return pipe::print(drift),
        Format::Text => drift
            .findings
            .iter()
            .map(|finding| text("", finding))
            .chain(notes.iter().map(|note| text("note: ", note)))
            .collect(),
        Format::Github => drift
            .findings
            .iter()
            .map(|finding| command("error", finding))
            .chain(notes.iter().map(|note| command("notice", note)))
            .collect(),
    };
    pipe::print_text(&lines)
}

/// Prints the findings and notes, and behind them what each rule looked at.
///
/// # Errors
/// When stdout cannot be written.
pub(crate) fn explain(
    drift: &Drift,
    compared: &BTreeMap<&'static str, u64>,
    quiet: bool,
) -> anyhow::Result<()> {
    print(drift, Format::Text, quiet)?;
    let found = |rule: &str| {
        drift
            .findings
            .iter()
            .filter(|finding| finding.rule == rule)
            .count()
    };
    let rows: Vec<Vec<String>> = compared
        .iter()
        .map(|(rule, count)| {
            vec![
                (*rule).to_owned(),
                count.to_string(),
                found(rule).to_string(),
            ]
        })
        .collect();
    pipe::print_text(&pipe::table(&["rule", "compared", "findings"], &rows))
}

fn text(kind: &str, finding: &DriftFinding) -> String {
    format!(
        "{}:{}: {kind}{}: {}\n",
        finding.file,
        finding.line,
        finding.rule,
        sentence(finding)
    )
}

/// A workflow command: <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>.
fn command(level: &str, finding: &DriftFinding) -> String {
    format!(
        "::{level} file={},line={},title={}::{}\n",
        property(&finding.file),
        finding.line,
        property(&finding.rule),
        escaped(&sentence(finding))
    )
}

fn sentence(finding: &DriftFinding) -> String {
    let other = match (&finding.other_file, finding.other_line) {
        (Some(file), Some(line)) => format!(" ({file}:{line})"),
        (Some(file), None) => format!(" ({file})"),
        _ => String::new(),
    };
    format!("{}{other}; {}", finding.message, finding.fix)
}

fn escaped(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// A property ends at a comma, and a command's head at two colons.
fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding() -> DriftFinding {
        DriftFinding {
            file: "docker/build.mk".to_owned(),
            line: 12,
            rule: "wheel-repos".to_owned(),
            other_file: Some("docker-bake.hcl".to_owned()),
            other_line: Some(98),
            message: "WHEEL_REPOS lacks `a`".to_owned(),
            fix: "add it".to_owned(),
        }
    }

    #[test]
    fn a_line_of_text_names_both_sides_and_the_fix() {
        assert_eq!(
            text("", &finding()),
            "docker/build.mk:12: wheel-repos: WHEEL_REPOS lacks `a` (docker-bake.hcl:98); add it\n"
        );
    }

    #[test]
    fn an_annotation_survives_percent_signs_and_line_ends() {
        let mut finding = finding();
        finding.file = "a:b,c.mk".to_owned();
        finding.message = "100%\nover".to_owned();
        finding.other_file = None;
        assert_eq!(
            command("error", &finding),
            "::error file=a%3Ab%2Cc.mk,line=12,title=wheel-repos::100%25%0Aover; add it\n"
        );
    }
}
