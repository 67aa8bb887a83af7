//! What others say of a vendored wheel: auditwheel about the set and the tag, readelf and eu-elflint about the files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::desk::{Desk, Ran, judged, oracle};

/// A wheel that auditwheel repaired.
pub(crate) struct Repaired {
    /// Its path on the desk.
    pub(crate) path: String,
    /// The platform tags of its name.
    pub(crate) tags: Vec<String>,
}

impl Desk {
    /// `auditwheel repair` on a wheel of `in/` and the folder `lib`.
    #[track_caller]
    pub(crate) fn auditwheel(&self, wheel: &str) -> Repaired {
        let ran: Ran = self
            .command(oracle("auditwheel"))
            .args(["repair", "--wheel-dir", "peer", "--ldpaths"])
            .arg(self.path("lib"))
            .arg(self.path("in").join(wheel))
            .output()
            .unwrap()
            .into();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let stem = wheel.rsplit_once('-').unwrap().0;
        let name = self
            .names("peer")
            .into_iter()
            .find(|name| name.starts_with(stem));
        let name = name.unwrap_or_else(|| panic!("auditwheel wrote nothing: {}", ran.stderr));
        let tags = name.trim_end_matches(".whl").rsplit('-').next().unwrap();
        Repaired {
            tags: tags.split('.').map(str::to_owned).collect(),
            path: format!("peer/{name}"),
        }
    }

    /// The grafted libraries of a wheel.
    pub(crate) fn grafted(&self, wheel: &str) -> BTreeSet<String> {
        let members = self.members(wheel);
        members
            .into_iter()
            .filter(|name| name.contains(".libs/") && !name.ends_with('/'))
            .collect()
    }

    /// Vendors `in/WHEEL` from `lib` and asserts that every judge agrees. `answer` is Python code that calls into the grafted
    /// library and what it prints.
    #[track_caller]
    pub(crate) fn agree(&self, wheel: &str, answer: (&str, &str)) {
        self.agree_with(wheel, &[], &[], answer);
    }

    /// The same with more arguments, and with wheels that are installed beside it.
    #[track_caller]
    pub(crate) fn agree_with(
        &self,
        wheel: &str,
        more: &[&str],
        beside: &[PathBuf],
        answer: (&str, &str),
    ) {
        self.agree_without_a_call(wheel, more);
        let (code, expected) = answer;
        let wheels = [beside, &[self.path(&format!("out/{wheel}"))]].concat();
        assert_eq!(
            self.python_with("site", &wheels, code).trim_end(),
            expected,
            "{wheel}"
        );
    }

    /// The same for a wheel that this machine cannot load.
    #[track_caller]
    pub(crate) fn agree_without_a_call(&self, wheel: &str, more: &[&str]) {
        let arguments = [&["--out", "out", "--lib-dir", "lib"], more].concat();
        let set = self.vendor(&arguments).succeeded().stdout;
        let ours = format!("out/{wheel}");
        assert_eq!(self.names("out"), [wheel]);
        let peer = self.auditwheel(wheel);
        assert_eq!(self.grafted(&ours), self.grafted(&peer.path), "{wheel}");
        let tag = &self.tags(&set)[wheel];
        assert!(
            peer.tags.contains(tag),
            "{wheel}: {tag}, auditwheel says {:?}",
            peer.tags
        );
        self.same_files(wheel, &peer.path);
    }

    /// Every file that we changed says what auditwheel's says, and nobody complains of it more than of auditwheel's.
    #[track_caller]
    fn same_files(&self, wheel: &str, peer: &str) {
        let (source, ours) = (format!("in/{wheel}"), format!("out/{wheel}"));
        let before: BTreeSet<String> = self.members(&source).into_iter().collect();
        for member in self.members(&ours) {
            let was = before
                .contains(&member)
                .then(|| self.member(&source, &member));
            let is = self.member(&ours, &member);
            if !is.starts_with(b"\x7fELF") || was.as_ref() == Some(&is) {
                continue;
            }
            let theirs = self.unpack(peer, &member);
            let their_dynamic = dynamic(&theirs);
            let mut known = complaints(&theirs);
            if let Some(was) = was {
                let old = self.path("build/old");
                fs::write(&old, was).unwrap();
                known.extend(complaints(&old));
            }
            let ours = self.unpack(&ours, &member);
            assert_eq!(dynamic(&ours), their_dynamic, "{member}");
            let new: Vec<String> = complaints(&ours).difference(&known).cloned().collect();
            assert!(new.is_empty(), "{member}: {new:#?}");
        }
    }
}

/// What readelf shows of needs, names, search path and version needs; it must not warn.
#[track_caller]
pub(crate) fn dynamic(file: &Path) -> BTreeMap<String, Vec<String>> {
    let mut command = std::process::Command::new("readelf");
    command
        .args(["--wide", "--dynamic", "--version-info"])
        .arg(file);
    let output = command.output().unwrap();
    let warned = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(warned.is_empty(), "{}: {warned}", file.display());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut facts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in text.lines() {
        for kind in ["NEEDED", "SONAME", "RPATH", "RUNPATH"] {
            if line.contains(&format!("({kind})")) {
                let value = line.split(['[', ']']).nth(1).unwrap_or_default();
                facts
                    .entry(kind.to_owned())
                    .or_default()
                    .push(value.to_owned());
            }
        }
        if let Some((_, rest)) = line.split_once("File: ") {
            let library = rest.split_whitespace().next().unwrap_or_default();
            facts
                .entry("version needs".to_owned())
                .or_default()
                .push(library.to_owned());
        }
    }
    facts
}

/// The kinds of complaints that eu-elflint has of a file: its lines without numbers and names.
#[track_caller]
pub(crate) fn complaints(file: &Path) -> BTreeSet<String> {
    let mut command = std::process::Command::new("eu-elflint");
    command.arg("--gnu-ld").arg(file);
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("eu-elflint: {error}; run `make test-services` first"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines()
        .filter(|line| *line != "No errors")
        .map(|line| {
            let unquoted: String = line.split('\'').step_by(2).collect();
            let words = unquoted
                .split_whitespace()
                .filter(|word| !word.contains(|c: char| c.is_ascii_digit()));
            words.collect::<Vec<_>>().join(" ")
        })
        .collect()
}

/// The dynamic facts of one member of a wheel.
#[track_caller]
pub(crate) fn dynamic_of(desk: &Desk, wheel: &str, member: &str) -> BTreeMap<String, Vec<String>> {
    dynamic(&desk.unpack(wheel, member))
}

/// patchelf on one file of the desk.
#[track_caller]
pub(crate) fn patchelf(desk: &Desk, arguments: &[&str]) {
    judged(desk.command(oracle("patchelf")).args(arguments));
}
