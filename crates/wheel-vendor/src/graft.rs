//! From the tree of needs to what is written: the names of grafted libraries and the edit of each file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use native::elf::Facts;
use wheel::sha256_file;

use crate::edit::Edit;
use crate::need::{Fate, Needer};
use crate::rpath::new_rpath;
use crate::walk::{Start, Tree};

/// A library that goes into the wheel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Graft {
    /// Its real path on this machine.
    pub(crate) path: PathBuf,
    /// Its bytes before the edit.
    pub(crate) size: u64,
    /// sha256 of those bytes.
    pub(crate) sha256: String,
    /// The names by which it was needed, sorted.
    pub(crate) needed_as: BTreeSet<String>,
    /// Its file name in the wheel: content-hashed, so that two wheels never load each other's.
    pub(crate) name: String,
    /// What changes in it.
    pub(crate) edit: Edit,
}

/// Everything that changes in one wheel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grafts {
    /// The folder of grafted libraries: `<distribution>.libs`.
    pub(crate) folder: String,
    /// By path, hence in a fixed order.
    pub(crate) libraries: Vec<Graft>,
    /// Member to its edit.
    pub(crate) members: BTreeMap<String, Edit>,
}

impl Grafts {
    /// Works out names and edits. `distribution` and `data` (`<name>-<version>.data`) are as the wheel spells them.
    ///
    /// # Errors
    /// When a library cannot be read, or a member lies where no fixed way leads from it to the grafted libraries.
    pub(crate) fn plan(
        tree: &Tree,
        starts: &[Start],
        distribution: &str,
        data: &str,
    ) -> anyhow::Result<Self> {
        let folder = format!("{distribution}.libs");
        let mut names: BTreeMap<PathBuf, (String, String, u64)> = BTreeMap::new();
        for path in tree.grafts.keys() {
            let (sha256, size) = sha256_file(path).with_context(|| path.display().to_string())?;
            let name = hashed_name(path, &sha256)?;
            names.insert(path.clone(), (name, sha256, size));
        }
        let edit = |needer: &Needer, facts: &Facts, place: &str, soname: Option<&str>| -> Edit {
            let mut edit = Edit {
                soname: soname.map(str::to_owned),
                ..Edit::default()
            };
            let mut folders: BTreeSet<String> = BTreeSet::new();
            for need in tree.needs.iter().filter(|need| need.needer == *needer) {
                match &need.fate {
                    Fate::Graft { path } => {
                        let (name, ..) = &names[path];
                        edit.replace.insert(need.library.clone(), name.clone());
                        folders.insert(folder.clone());
                    }
                    Fate::Interpreter => {
                        edit.remove.insert(need.library.clone());
                    }
                    Fate::InWheel { member } => {
                        let home = installed(member, data).unwrap_or(member);
                        folders.insert(
                            home.rsplit_once('/')
                                .map_or("", |(folder, _)| folder)
                                .to_owned(),
                        );
                    }
                    Fate::Granted | Fate::Excluded { .. } | Fate::Rocm { .. } | Fate::Missing => {}
                }
            }
            let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
            // A grafted library's old search path was about the machine that it came from.
            let old = match needer {
                Needer::Member(_) => facts.runpath.as_deref().or(facts.rpath.as_deref()),
                Needer::Library(_) => None,
            };
            edit.rpath = new_rpath(old, place, &folders);
            edit
        };
        let mut libraries = Vec::new();
        for (path, facts) in &tree.grafts {
            let (name, sha256, size) = names[path].clone();
            let needer = Needer::Library(path.clone());
            libraries.push(Graft {
                edit: edit(&needer, facts, &format!("{folder}/{name}"), Some(&name)),
                needed_as: tree
                    .needs
                    .iter()
                    .filter(|need| matches!(&need.fate, Fate::Graft { path: one } if one == path))
                    .map(|need| need.library.clone())
                    .collect(),
                path: path.clone(),
                size,
                sha256,
                name,
            });
        }
        let mut members = BTreeMap::new();
        for start in starts {
            let needer = Needer::Member(start.member.clone());
            let Some(place) = installed(&start.member, data) else {
                bail!(
                    "{}: is installed where no fixed way leads to `{folder}`; put it into the package, behind an entry point",
                    start.member
                );
            };
            let edit = edit(&needer, &start.facts, place, None);
            if !edit.replace.is_empty() || !edit.remove.is_empty() {
                members.insert(start.member.clone(), edit);
            }
        }
        Ok(Self {
            folder,
            libraries,
            members,
        })
    }

    /// Bytes of all libraries that go in.
    pub(crate) fn size(&self) -> u64 {
        self.libraries.iter().map(|library| library.size).sum()
    }

    /// Whether nothing changes.
    pub(crate) fn is_empty(&self) -> bool {
        self.libraries.is_empty() && self.members.is_empty()
    }
}

/// Where a member ends up below site-packages; `None` for the schemes that lie elsewhere.
///
/// <https://packaging.python.org/en/latest/specifications/binary-distribution-format/#installing-a-wheel-distribution-1-0-py32-none-any-whl>
fn installed<'a>(member: &'a str, data: &str) -> Option<&'a str> {
    match member
        .strip_prefix(data)
        .and_then(|rest| rest.strip_prefix('/'))
    {
        None => Some(member),
        Some(rest) => rest
            .strip_prefix("platlib/")
            .or_else(|| rest.strip_prefix("purelib/")),
    }
}

/// `libfoo-1a2b3c4d.so.1.2` from `libfoo.so.1.2`: split at the first dot, the first 8 hex digits of the file's sha256, as
/// auditwheel names them. A name that has its hash already keeps it.
fn hashed_name(path: &Path, sha256: &str) -> anyhow::Result<String> {
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.with_context(|| format!("{}: its name is not UTF-8", path.display()))?;
    let hash = &sha256[..8];
    let (stem, rest) = name.split_once('.').unwrap_or((name, ""));
    Ok(if stem.ends_with(&format!("-{hash}")) || rest.is_empty() {
        name.to_owned()
    } else {
        format!("{stem}-{hash}.{rest}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "1a2b3c4d5e6f";

    #[test]
    fn names_are_hashed_once_and_split_at_the_first_dot() {
        for (name, expected) in [
            ("libfoo.so.1.2", "libfoo-1a2b3c4d.so.1.2"),
            ("libfoo-1.2.so", "libfoo-1-1a2b3c4d.2.so"),
            ("libfoo-1a2b3c4d.so.1", "libfoo-1a2b3c4d.so.1"),
        ] {
            assert_eq!(hashed_name(Path::new(name), HASH).unwrap(), expected);
        }
    }

    #[test]
    fn only_what_ends_up_below_site_packages_has_a_fixed_way() {
        assert_eq!(installed("x/a.so", "x-1.data"), Some("x/a.so"));
        assert_eq!(
            installed("x-1.data/platlib/x/a.so", "x-1.data"),
            Some("x/a.so")
        );
        assert_eq!(installed("x-1.data/scripts/x", "x-1.data"), None);
        assert_eq!(
            installed("x-1.database/a.so", "x-1.data"),
            Some("x-1.database/a.so")
        );
    }
}
