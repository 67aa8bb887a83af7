//! Which library leads to which: `DT_NEEDED` followed inside the wheel, as a loader would.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use pipe::Excluded;

use crate::elf::Facts;
use crate::exclude::Excludes;

use super::Member;
use super::subject::Subject;

/// The roots of a wheel and where their needs lead.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    pub(super) roots: Vec<Root<'a>>,
    excluded: BTreeMap<String, (String, Option<String>, BTreeSet<String>)>,
}

/// A member that is loaded by itself: an extension module, or a file that no other member needs.
#[derive(Debug)]
pub(super) struct Root<'a> {
    pub(super) member: &'a Member,
    /// Every library in the closure: who needs it first, and the member that it is, where the wheel
    /// brings it.
    pub(super) libraries: BTreeMap<&'a str, Option<&'a Member>>,
}

impl<'a> Tree<'a> {
    /// Follows every root's needs through the wheel. Nothing is looked up on this machine.
    pub(super) fn grow(subject: &Subject<'a>, excludes: &Excludes) -> Self {
        let search = Search::new(subject.all);
        let needed: HashSet<&str> = subject
            .members
            .iter()
            .flat_map(|member| member.facts.needed.iter().map(String::as_str))
            .collect();
        let mut tree = Self {
            roots: Vec::new(),
            excluded: BTreeMap::new(),
        };
        for member in &subject.members {
            let file = member.name.rsplit('/').next().unwrap_or_default();
            if member.facts.extension.is_some() || !needed.contains(file) {
                let root = tree.root(member, &search, excludes);
                tree.roots.push(root);
            }
        }
        tree
    }

    fn root(&mut self, member: &'a Member, search: &Search<'a>, excludes: &Excludes) -> Root<'a> {
        let mut libraries: BTreeMap<&'a str, Option<&'a Member>> = BTreeMap::new();
        // Depth first, in the order of `DT_NEEDED`: the first way to a library decides where it is
        // found. The stack holds what is still to be followed, nearest last.
        let mut stack: Vec<(&'a Member, &'a str)> = Vec::new();
        let push = |stack: &mut Vec<(&'a Member, &'a str)>, needer: &'a Member| {
            stack.extend(
                needer
                    .facts
                    .needed
                    .iter()
                    .rev()
                    .map(|library| (needer, library.as_str())),
            );
        };
        push(&mut stack, member);
        while let Some((needer, library)) = stack.pop() {
            if libraries.contains_key(library) {
                continue;
            }
            let found = if is_libpython(library) {
                None
            } else {
                search.find(member, needer, library)
            };
            if found.is_none()
                && let Some(pattern) = excludes.find(library)
            {
                let entry = self.excluded.entry(library.to_owned()).or_insert_with(|| {
                    (
                        pattern.text().to_owned(),
                        pattern.reason().map(str::to_owned),
                        BTreeSet::new(),
                    )
                });
                entry.2.insert(needer.name.clone());
                continue;
            }
            libraries.insert(library, found);
            if let Some(found) = found {
                push(&mut stack, found);
            }
        }
        Root { member, libraries }
    }

    /// What was left out, by name.
    pub(super) fn excluded(&self) -> Vec<Excluded> {
        self.excluded
            .iter()
            .map(|(library, (pattern, reason, needed_by))| Excluded {
                library: library.clone(),
                pattern: pattern.clone(),
                reason: reason.clone(),
                needed_by: needed_by.iter().cloned().collect(),
            })
            .collect()
    }
}

impl<'a> Root<'a> {
    /// The libraries that a set of granted names leaves open: needed, not granted, and not brought by
    /// the wheel; each with the members that need it. A granted library's own needs are the system's.
    pub(super) fn external(
        &self,
        granted: impl Fn(&str) -> bool,
    ) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
        let mut external: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let mut seen: HashSet<&str> = HashSet::new();
        let mut stack = vec![self.member];
        while let Some(needer) = stack.pop() {
            for library in &needer.facts.needed {
                // What is not in the closure was excluded.
                let Some((library, found)) = self.libraries.get_key_value(library.as_str()) else {
                    continue;
                };
                if granted(library) {
                    continue;
                }
                match found {
                    None => {
                        external.entry(library).or_default().insert(&needer.name);
                    }
                    Some(member) => {
                        if seen.insert(library) {
                            stack.push(member);
                        }
                    }
                }
            }
        }
        external
    }
}

/// auditwheel's pattern for the interpreter's library, which is never searched for:
/// `libpython3.12.so.1.0`, not the free-threaded `libpython3.13t.so.1.0`.
#[must_use]
pub fn is_libpython(library: &str) -> bool {
    fn digits(text: &str) -> Option<&str> {
        let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
        (rest.len() < text.len()).then_some(rest)
    }
    let matches = || -> Option<bool> {
        let rest = digits(library.strip_prefix("libpython")?)?;
        let rest = digits(rest.strip_prefix('.')?)?;
        let rest = rest.strip_prefix('m').unwrap_or(rest);
        let mut rest = rest.strip_prefix(".so")?;
        while let Some(after) = rest.strip_prefix('.') {
            let mut characters = after.chars();
            characters.next().filter(char::is_ascii_digit)?;
            rest = characters.as_str();
        }
        Some(rest.is_empty())
    };
    matches().unwrap_or(false)
}

/// The wheel's files and folders, for a loader's search.
#[derive(Debug)]
struct Search<'a> {
    files: HashMap<&'a str, &'a Member>,
    folders: HashSet<&'a str>,
}

impl<'a> Search<'a> {
    fn new(members: &'a [Member]) -> Self {
        let mut folders = HashSet::from([""]);
        for member in members {
            let mut folder = member.name.as_str();
            while let Some((parent, _)) = folder.rsplit_once('/') {
                if !folders.insert(parent) {
                    break;
                }
                folder = parent;
            }
        }
        Self {
            files: members
                .iter()
                .map(|member| (member.name.as_str(), member))
                .collect(),
            folders,
        }
    }

    /// Finds a library by the search paths of the root and of the member that needs it.
    fn find(&self, root: &'a Member, needer: &'a Member, library: &str) -> Option<&'a Member> {
        let (root_rpath, root_runpath) = self.paths(root);
        let (own_rpath, own_runpath) = self.paths(needer);
        [root_rpath, own_rpath, own_runpath, root_runpath]
            .into_iter()
            .flatten()
            .filter_map(|folder| normal(&folder, library))
            .filter_map(|path| self.files.get(path.as_str()))
            .find(|found| is_compatible(&needer.facts, &found.facts))
            .copied()
    }

    /// The folders of `DT_RPATH` and `DT_RUNPATH` inside the wheel. The first is void when the second
    /// is there (ld.so(8)).
    fn paths(&self, member: &Member) -> (Vec<String>, Vec<String>) {
        let folder = member
            .name
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder);
        let expand = |paths: &Option<String>| -> Vec<String> {
            paths
                .iter()
                .flat_map(|paths| paths.split(':'))
                .filter_map(|path| {
                    let rest = path
                        .strip_prefix("$ORIGIN")
                        .or_else(|| path.strip_prefix("${ORIGIN}"))?;
                    normal(folder, rest)
                })
                .filter(|path| self.folders.contains(path.as_str()))
                .collect()
        };
        let runpath = expand(&member.facts.runpath);
        let rpath = if runpath.is_empty() {
            expand(&member.facts.rpath)
        } else {
            Vec::new()
        };
        (rpath, runpath)
    }
}

/// A path below a folder of the wheel, without `.` and `..`; `None` when it leaves the wheel.
fn normal(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Whether a loader would take the second file for the first: the same class, byte order, machine, and
/// System V or GNU as its system.
fn is_compatible(needer: &Facts, found: &Facts) -> bool {
    let systems = [needer.os_abi, found.os_abi];
    (systems[0] == systems[1] || systems.iter().all(|system| matches!(system, 0 | 3)))
        && needer.bits == found.bits
        && needer.little_endian == found.little_endian
        && needer.machine == found.machine
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_interpreters_library_is_libpython() {
        for (library, is) in [
            ("libpython3.12.so.1.0", true),
            ("libpython3.7m.so.1.0", true),
            ("libpython3.14.so", true),
            ("libpython3.13t.so.1.0", false),
            ("libpython3.so", false),
            ("libpython3.12.so.10", false),
            ("libpythonic.so", false),
        ] {
            assert_eq!(is_libpython(library), is, "{library}");
        }
    }

    #[test]
    fn a_path_that_leaves_the_wheel_leads_nowhere() {
        assert_eq!(normal("a/b", "/../x.libs").as_deref(), Some("a/x.libs"));
        assert_eq!(normal("a", "/../../x"), None);
        assert_eq!(normal("", "").as_deref(), Some(""));
    }
}
