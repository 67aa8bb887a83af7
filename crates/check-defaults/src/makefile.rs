//! The variables of a Makefile, as make itself evaluates them.
//!
//! `+=`, conditionals, includes and `$(shell …)` count, because it is make that reads them. The environment does not:
//! what is asked for are the defaults.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Before each answer; a control character, so that no value can hold it.
const MARK: &str = "\u{1}";

/// A variable and where its last assignment stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Variable {
    /// The fully expanded value.
    pub(crate) value: String,
    /// The makefile that assigns it, as make names it: relative to the folder of the Makefile.
    pub(crate) file: String,
    /// From 1.
    pub(crate) line: u64,
}

/// Why make could not be asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MakeError {
    /// No `make` on the path, or it could not be started.
    #[error("make: {0}; check-defaults has GNU make evaluate the Makefile")]
    Start(std::io::Error),
    /// The Makefile does not parse, or is not there.
    #[error("{file}: {cause}")]
    Refused {
        /// The Makefile.
        file: String,
        /// make's own words, on one line.
        cause: String,
    },
}

/// Those of `names` that `makefile` or one of its includes assigns.
///
/// No recipe is run but those that make needs to bring an included makefile up to date.
///
/// # Errors
/// [`MakeError::Start`] without make, [`MakeError::Refused`] when it does not accept the Makefile.
pub(crate) fn variables<'a>(
    makefile: &Path,
    names: impl Iterator<Item = &'a str>,
) -> Result<BTreeMap<String, Variable>, MakeError> {
    let folder = makefile
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut recipe = "--eval=__check_defaults: ; @:".to_owned();
    for name in names {
        recipe.extend(["$(info ", MARK, name, "=", MARK, "$(", name, "))"]);
    }
    let output = Command::new("make")
        .args(["--no-print-directory", "-n", "-s", "-rR", "-p"])
        .arg("-f")
        .arg(makefile.file_name().unwrap_or_default())
        .arg(recipe)
        .arg("__check_defaults")
        .current_dir(folder.unwrap_or(Path::new(".")))
        .env_clear()
        .envs(
            ["PATH", "HOME"]
                .iter()
                .filter_map(|name| Some((name, std::env::var_os(name)?))),
        )
        .env("LC_ALL", "C")
        .output()
        .map_err(MakeError::Start)?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let cause = text.lines().next().unwrap_or("make failed without a word");
        return Err(MakeError::Refused {
            file: makefile.display().to_string(),
            cause: cause.trim_end_matches(".  Stop.").to_owned(),
        });
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let places = places(&text);
    Ok(answers(&text)
        .filter_map(|(name, value)| {
            let (file, line) = places.get(name)?;
            let variable = Variable {
                value: value.to_owned(),
                file: (*file).to_owned(),
                line: *line,
            };
            Some((name.to_owned(), variable))
        })
        .collect())
}

/// The lines that our questions printed. A value of several lines ends at its first.
fn answers(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| {
        let (name, value) = line.strip_prefix(MARK)?.split_once(MARK)?;
        Some((name.strip_suffix('=')?, value))
    })
}

/// From make's printed data base: each variable with the place of its last assignment. The place stands in a comment
/// before it: `# makefile (from 'docker/build.mk', line 31)`.
fn places(text: &str) -> BTreeMap<&str, (&str, u64)> {
    let mut places = BTreeMap::new();
    let mut place = None;
    for line in text.lines() {
        if let Some(comment) = line.strip_prefix("# ") {
            place = assigned_at(comment);
        } else if let Some(place) = place.take() {
            let name = line.strip_prefix("define ").unwrap_or(line);
            if let Some(name) = name.split([' ', ':', '=']).next() {
                places.insert(name, place);
            }
        }
    }
    places
}

fn assigned_at(comment: &str) -> Option<(&str, u64)> {
    let (_, place) = comment.split_once("(from '")?;
    let (file, line) = place.strip_suffix(')')?.rsplit_once("', line ")?;
    Some((file, line.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(
        files: &[(&str, &str)],
        names: &[&str],
    ) -> Result<BTreeMap<String, Variable>, MakeError> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        variables(&folder.path().join("Makefile"), names.iter().copied())
    }

    #[test]
    fn appending_conditionals_and_includes_count() {
        let files = [
            (
                "Makefile",
                "A := one\nifdef ABSENT\nA += never\nendif\ninclude more.mk\nA += $(B)\nall:\n\t@echo run\n",
            ),
            ("more.mk", "\nB = two \\\n  three\n"),
        ];
        let found = ask(&files, &["A", "B", "MISSING"]).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(
            found["A"],
            Variable {
                value: "one two three".to_owned(),
                file: "Makefile".to_owned(),
                line: 6
            }
        );
        assert_eq!((found["B"].file.as_str(), found["B"].line), ("more.mk", 2));
    }

    #[test]
    fn the_environment_does_not_hide_a_default() {
        // `PATH` is the one variable that make does get.
        let found = ask(
            &[("Makefile", "HOSTNAME ?= a=b:c\nEMPTY ?=\n")],
            &["HOSTNAME", "EMPTY", "PATH"],
        )
        .unwrap();
        assert_eq!(found["HOSTNAME"].value, "a=b:c");
        assert_eq!(found["EMPTY"].value, "");
        assert!(!found.contains_key("PATH"));
    }

    #[test]
    fn a_variable_of_several_lines_has_its_place() {
        let found = ask(&[("Makefile", "define A\none\ntwo\nendef\n")], &["A"]).unwrap();
        assert_eq!((found["A"].value.as_str(), found["A"].line), ("one", 1));
    }

    #[test]
    fn a_broken_makefile_is_told_in_makes_words() {
        let error = ask(&[("Makefile", "all:\n\techo\n nonsense\n")], &["A"]).unwrap_err();
        let text = error.to_string();
        assert!(
            text.ends_with("/Makefile: Makefile:3: *** missing separator"),
            "{text}"
        );
    }

    #[test]
    fn no_makefile_is_told() {
        let error = ask(&[], &["A"]).unwrap_err();
        let text = error.to_string();
        assert!(
            text.ends_with("/Makefile: make: Makefile: No such file or directory"),
            "{text}"
        );
    }
}
