//! Code objects that are members of their own, put together by folder where they are many.
//!
//! There are wheels with thousands of them, and with hundreds of folders of one each.

use std::collections::BTreeMap;

use super::TargetId;

/// Entries of one folder are told one by one up to this many, and as one entry for the folder beyond.
const MANY: usize = 8;

/// How many code objects, by target.
type Targets = BTreeMap<TargetId, u64>;

/// The code objects of a wheel by folder. What is kept grows with the folders, not with the files.
#[derive(Debug, Default)]
pub(super) struct LooseObjects {
    folders: BTreeMap<Folder, Entries>,
}

/// A folder; deeper ones sort behind, the wheel itself comes first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Folder {
    depth: usize,
    path: String,
}

/// The entries of a folder, in whatever order they came.
#[derive(Debug)]
enum Entries {
    Few(Vec<(String, Targets)>),
    Many(Targets),
}

impl LooseObjects {
    /// One member that is a code object.
    pub(super) fn add(&mut self, name: &str, targets: Targets) {
        let folder = Folder::of(name);
        self.entries(folder).add(name.to_owned(), targets);
    }

    /// All entries: files, and folders with a `/` at their end, `./` for the wheel. The deepest folder comes
    /// first, so that what is left of it counts in the folder above.
    pub(super) fn fold(mut self) -> Vec<(String, Targets)> {
        let mut wheel = Vec::new();
        while let Some((folder, entries)) = self.folders.pop_last() {
            let entries = match entries {
                Entries::Few(entries) => entries,
                Entries::Many(targets) if folder.depth == 0 => vec![("./".to_owned(), targets)],
                Entries::Many(targets) => vec![(format!("{}/", folder.path), targets)],
            };
            for (name, targets) in entries {
                if folder.depth == 0 {
                    wheel.push((name, targets));
                } else {
                    let above = Folder::of(&folder.path);
                    self.entries(above).add(name, targets);
                }
            }
        }
        wheel
    }

    fn entries(&mut self, folder: Folder) -> &mut Entries {
        let none = || Entries::Few(Vec::new());
        self.folders.entry(folder).or_insert_with(none)
    }
}

impl Folder {
    /// The folder that a path stands in.
    fn of(path: &str) -> Self {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        Self {
            depth: if folder.is_empty() {
                0
            } else {
                folder.split('/').count()
            },
            path: folder.to_owned(),
        }
    }
}

impl Entries {
    fn add(&mut self, name: String, targets: Targets) {
        match self {
            Self::Few(entries) if entries.len() < MANY => entries.push((name, targets)),
            Self::Few(entries) => {
                let mut sum = Targets::new();
                for (_, targets) in entries.drain(..) {
                    add(&mut sum, targets);
                }
                add(&mut sum, targets);
                *self = Self::Many(sum);
            }
            Self::Many(sum) => add(sum, targets),
        }
    }
}

fn add(sum: &mut Targets, targets: Targets) {
    for (target, count) in targets {
        let total = sum.entry(target).or_insert(0);
        *total = count.saturating_add(*total);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(names: &[String]) -> Vec<String> {
        let mut objects = LooseObjects::default();
        for name in names {
            objects.add(name, [("gfx942".parse().unwrap(), 1)].into());
        }
        let entries = objects.fold().into_iter();
        let mut told: Vec<String> = entries
            .map(|(name, targets)| format!("{name} {}", targets.values().sum::<u64>()))
            .collect();
        told.sort();
        told
    }

    #[test]
    fn few_objects_are_told_one_by_one() {
        let names: Vec<String> = (0..8).map(|n| format!("a/b/{n}.co")).collect();
        assert_eq!(told(&names).len(), 8);
    }

    #[test]
    fn many_objects_are_one_entry_for_their_folder() {
        let mut names: Vec<String> = (0..9).map(|n| format!("a/b/{n}.co")).collect();
        names.push("a/c/x.co".to_owned());
        assert_eq!(told(&names), ["a/b/ 9", "a/c/x.co 1"]);
    }

    #[test]
    fn many_folders_with_few_objects_are_one_entry_above_them() {
        let names: Vec<String> = (0..9).map(|n| format!("a/{n}/k.co")).collect();
        assert_eq!(told(&names), ["a/ 9"]);
    }

    #[test]
    fn many_objects_at_the_top_are_one_entry_for_the_wheel() {
        let mut names: Vec<String> = (0..20).map(|n| format!("{n:02}/k.co")).collect();
        names.push("k.co".to_owned());
        assert_eq!(told(&names), ["./ 21"]);
    }
}
