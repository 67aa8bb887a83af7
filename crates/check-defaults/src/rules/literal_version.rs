//! A version that a Dockerfile has as an argument stands nowhere in it as a number.
//!
//! Two forms give it away: the value itself, and the name of the thing with a number behind it, which is how a value looks
//! that was right once (`rocm700` beside `ARG ROCM_VERSION`).

use bake::Arg;

use crate::dockerfile::Dockerfile;
use crate::repository::{Report, Repository};

const RULE: &str = "literal-version";

pub(crate) fn check(repository: &Repository, report: &mut Report) {
    for (path, file) in &repository.dockerfiles {
        let versions = versions(file);
        let steps = file.steps.iter().flatten().filter(|step| !step.is_arg);
        for (line, text) in steps.flat_map(|step| &step.lines) {
            for arg in &versions {
                report.count(RULE);
                let variable = repository.bake.variables.get(&arg.name);
                let value = variable.and_then(|variable| spelled(text, &variable.value));
                if let Some(literal) = value.or_else(|| numbered(text, stem(&arg.name))) {
                    let message = format!(
                        "`{literal}` stands beside ARG {}, and does not follow it",
                        arg.name
                    );
                    let at = repository.in_file(path, *line);
                    let other = repository.in_dockerfile(path, arg.line);
                    let fix = format!("write ${{{}}} instead", arg.name);
                    report.finding(RULE, &at, Some(&other), message, fix);
                }
            }
        }
    }
}

/// Each argument that names a version or a commit, where it is declared first.
fn versions(file: &Dockerfile) -> Vec<&Arg> {
    let mut versions: Vec<&Arg> = Vec::new();
    for arg in file.args() {
        let is_version = arg.name.ends_with("_VERSION") || arg.name.ends_with("_REF");
        if is_version && versions.iter().all(|known| known.name != arg.name) {
            versions.push(arg);
        }
    }
    versions
}

/// `PYTHON_VERSION` is about `PYTHON`.
fn stem(name: &str) -> &str {
    name.strip_suffix("_VERSION")
        .or_else(|| name.strip_suffix("_REF"))
        .unwrap_or(name)
}

/// The value as a whole, with or without a leading `v`, and with no more digits around it.
fn spelled<'a>(text: &'a str, value: &str) -> Option<&'a str> {
    let value = value.strip_prefix('v').unwrap_or(value);
    if value.len() < 3 {
        return None;
    }
    text.match_indices(value)
        .map(|(at, found)| (at, found.len()))
        .find_map(|(at, length)| {
            let before = text[..at].ends_with(|c: char| c.is_ascii_digit() || c == '.');
            let rest = &text[at + length..];
            let after = rest.starts_with(|c: char| c.is_ascii_digit())
                || rest
                    .strip_prefix('.')
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
            (!before && !after).then(|| &text[at..at + length])
        })
}

/// `stem` with a number of at least two parts or three digits behind it: `python3.14`, `rocm-7.0`, `rocm700`; not the
/// `python3` that every system has.
fn numbered<'a>(text: &'a str, stem: &str) -> Option<&'a str> {
    let lower = text.to_ascii_lowercase();
    let stem = stem.to_ascii_lowercase();
    lower.match_indices(&stem).find_map(|(at, _)| {
        let start = at + stem.len();
        let rest = &lower[start..];
        let gap = rest.len()
            - rest
                .trim_start_matches(['-', '_', '=', ':', 'v', '>', '<', '~'])
                .len();
        let number = &rest[gap..];
        let length = number
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(number.len());
        let number = number[..length].trim_end_matches('.');
        let is_version = number.contains('.') || number.len() >= 3;
        is_version.then(|| &text[at..start + gap + number.len()])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_only_as_a_whole() {
        assert_eq!(spelled("python3.14-dev", "3.14"), Some("3.14"));
        assert_eq!(spelled("vision v0.29.2", "v0.29.2"), Some("0.29.2"));
        assert_eq!(spelled("3.14.1 and 13.14", "3.14"), None);
        assert_eq!(spelled("-j 8", "8"), None);
    }

    #[test]
    fn a_stale_number_behind_the_name_is_found() {
        for (text, stem, literal) in [
            (
                "--index-url https://example.org/ROCm700/",
                "ROCM",
                "ROCm700",
            ),
            ("apt-get install python3.13-dev", "PYTHON", "python3.13"),
            ("pip install triton==3.8.0", "TRITON", "triton==3.8.0"),
            ("git checkout nixl-v1.4", "NIXL", "nixl-v1.4"),
        ] {
            assert_eq!(numbered(text, stem), Some(literal), "{text}");
        }
        for text in [
            "python3 -m build",
            "rocm-runtime",
            "/opt/rocm/lib",
            "python",
            "rocm.",
        ] {
            assert_eq!(
                numbered(text, "PYTHON").or(numbered(text, "ROCM")),
                None,
                "{text}"
            );
        }
    }
}
