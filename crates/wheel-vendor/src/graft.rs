//! From the tree of needs to what is written: the names of grafted libraries and the edit of each file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use wheel::sha256_file;

use crate::edit::Edit;
use crate::need::{Fate, Needer};
use crate::rpath::new_rpath;
use crate::start::Start;
use crate::walk::Tree;

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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Grafts {
    /// The folder of grafted libraries: `<distribution>.libs`.
    pub(crate) folder: String,
    /// By path, hence in a fixed order.
    pub(crate) libraries: Vec<Graft>,
    /// A library's real path to its name in the wheel; copies of one library have one name.
    pub(crate) names: BTreeMap<PathBuf, String>,
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
        let mut files: BTreeMap<&Path, File> = BTreeMap::new();
        for path in tree.grafts.keys() {
            let (sha256, size) = sha256_file(path).with_context(|| path.display().to_string())?;
            let name = hashed_name(path, &sha256);
            files.insert(path, File { name, sha256, size });
        }
        let edits = Edits {
            tree,
            folder: &folder,
            data,
            files: &files,
        };
        let mut names: BTreeMap<&Path, BTreeSet<String>> = BTreeMap::new();
        for need in &tree.needs {
            if let Fate::Graft { path } = &need.fate {
                names.entry(path).or_default().insert(need.library.clone());
            }
        }
        let mut libraries: Vec<Graft> = Vec::new();
        let mut taken: BTreeMap<&str, usize> = BTreeMap::new();
        for path in tree.grafts.keys() {
            let file = &files[path.as_path()];
            if let Some(same) = taken.get(file.name.as_str()).map(|at| &libraries[*at]) {
                // A copy of it in another folder serves both.
                ensure!(
                    same.sha256 == file.sha256,
                    "{} and {} would get one name",
                    same.path.display(),
                    path.display()
                );
                continue;
            }
            taken.insert(&file.name, libraries.len());
            libraries.push(Graft {
                edit: edits.of_library(path, &file.name)?,
                needed_as: names.remove(path.as_path()).unwrap_or_default(),
                path: path.clone(),
                size: file.size,
                sha256: file.sha256.clone(),
                name: file.name.clone(),
            });
        }
        let mut members = BTreeMap::new();
        for start in starts {
            if let Some(edit) = edits.of_member(start)? {
                members.insert(start.member.clone(), edit);
            }
        }
        let names = files
            .into_iter()
            .map(|(path, file)| (path.to_owned(), file.name))
            .collect();
        Ok(Self {
            folder,
            libraries,
            names,
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

/// A library's name in the wheel, its sha256 and its size on this machine.
#[derive(Debug)]
struct File {
    name: String,
    sha256: String,
    size: u64,
}

/// What the edits of one wheel are made from.
#[derive(Debug)]
struct Edits<'a> {
    tree: &'a Tree,
    folder: &'a str,
    data: &'a str,
    files: &'a BTreeMap<&'a Path, File>,
}

impl Edits<'_> {
    fn of_library(&self, path: &Path, name: &str) -> anyhow::Result<Edit> {
        let (mut edit, ways) = self.of(&Needer::Library(path.to_owned()))?;
        edit.soname = Some(name.to_owned());
        // Its old search path was about the machine that it came from.
        edit.rpath = new_rpath(None, &format!("{}/{name}", self.folder), &ways);
        Ok(edit)
    }

    /// The edit of a member; `None` when nothing has to change in it.
    fn of_member(&self, start: &Start) -> anyhow::Result<Option<Edit>> {
        let (mut edit, ways) = self.of(&Needer::Member(start.member.clone()))?;
        if edit.remove.is_empty() && ways.is_empty() {
            return Ok(None);
        }
        let Some(place) = installed(&start.member, self.data) else {
            bail!(
                "{}: is installed where no fixed way leads to `{}`; put it into the package, behind an entry point",
                start.member,
                self.folder
            );
        };
        let old = start
            .facts
            .runpath
            .as_deref()
            .or(start.facts.rpath.as_deref());
        edit.rpath = new_rpath(old, place, &ways);
        Ok(Some(edit))
    }

    /// The names that change, and the folders that have to be found.
    ///
    /// # Errors
    /// When a folder of the wheel has a name that no search path can have.
    fn of(&self, needer: &Needer) -> anyhow::Result<(Edit, BTreeSet<&str>)> {
        let mut edit = Edit::default();
        let mut ways: BTreeSet<&str> = BTreeSet::new();
        for need in self.tree.of(needer) {
            match &need.fate {
                Fate::Graft { path } => {
                    let name = &self.files[path.as_path()].name;
                    edit.replace.insert(need.library.clone(), name.clone());
                    ways.insert(self.folder);
                }
                Fate::Interpreter => {
                    edit.remove.insert(need.library.clone());
                }
                Fate::InWheel { member } => {
                    let home = installed(member, self.data).unwrap_or(member);
                    let folder = home.rsplit_once('/').map_or("", |(folder, _)| folder);
                    // Entries are apart by `:`, and `$` begins a token of the loader's (ld.so(8)).
                    ensure!(
                        !folder.contains([':', '$']),
                        "{member}: no search path can lead to `{folder}`; name the folder without `:` and `$`"
                    );
                    ways.insert(folder);
                }
                Fate::Granted
                | Fate::Excluded { .. }
                | Fate::Rocm { .. }
                | Fate::Missing { .. } => {}
            }
        }
        Ok((edit, ways))
    }
}

/// Where a member ends up below site-packages; `None` for the schemes that lie elsewhere.
///
/// <https://packaging.python.org/en/latest/specifications/binary-distribution-format/#installing-a-wheel-distribution-1-0-py32-none-any-whl>
pub(crate) fn installed<'a>(member: &'a str, data: &str) -> Option<&'a str> {
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

/// Most bytes of each of a grafted name's two parts; a file name has at most 255 with the hash.
const PART: usize = 120;

/// `libfoo-1a2b3c4d.so.1.2` from `libfoo.so.1.2`: split at the first dot, the first 8 hex digits of the file's sha256, as
/// auditwheel names them. A name that has its hash already keeps it.
///
/// What no library is called by is `_`: a control character or a backslash would make a wheel that installers refuse, and
/// `$` begins a token that the loader expands.
fn hashed_name(path: &Path, sha256: &str) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    let name: String = name
        .chars()
        .map(|c| if plain(c) { c } else { '_' })
        .collect();
    let hash = &sha256[..8];
    let (stem, rest) = name.split_once('.').unwrap_or((&name, ""));
    let (stem, rest) = (&stem[..stem.len().min(PART)], &rest[..rest.len().min(PART)]);
    let dot = if rest.is_empty() { "" } else { "." };
    if stem.ends_with(&format!("-{hash}")) {
        format!("{stem}{dot}{rest}")
    } else {
        format!("{stem}-{hash}{dot}{rest}")
    }
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
            ("libstdc++.so.6", "libstdc++-1a2b3c4d.so.6"),
            ("libfoo", "libfoo-1a2b3c4d"),
            ("lib\nf\u{f6}\\o$LIB,.so", "lib_f__o_LIB_-1a2b3c4d.so"),
        ] {
            assert_eq!(hashed_name(Path::new(name), HASH), expected);
        }
        for long in ["x".repeat(255), format!("x.{}", "y".repeat(250))] {
            assert!(hashed_name(Path::new(&long), HASH).len() < 255, "{long}");
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
