//! From the needs of a wheel's members to everything that has to be grafted.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::Context;
use native::elf::Facts;
use native::exclude::Excludes;
use native::policy::Policy;
use native::verdict::{is_libpython, is_loader};

use crate::need::{Fate, Need, Needer};
use crate::rocm_prefix::RocmPrefixes;
use crate::search::{Found, Looked, Search};
use crate::start::Start;

/// What the walk is made in.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
    /// What need not be grafted.
    pub(crate) policy: &'a Policy,
    /// The machine that the wheel is for, as a platform tag names it.
    pub(crate) machine: &'a str,
    /// What must not be grafted, by name.
    pub(crate) excludes: &'a Excludes,
    /// What must not be grafted, by place.
    pub(crate) rocm: &'a RocmPrefixes,
    /// Where libraries are looked for.
    pub(crate) search: &'a Search,
    /// Libraries that the wheel brings: file name to member.
    pub(crate) in_wheel: BTreeMap<String, String>,
}

/// Every need that was followed, and the libraries that will be grafted.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// In the order in which they were met: members first, breadth first.
    pub(crate) needs: Vec<Need>,
    /// By real path.
    pub(crate) grafts: BTreeMap<PathBuf, Rc<Facts>>,
    /// Where in `needs` those of one needer are.
    places: BTreeMap<Needer, Range<usize>>,
    /// What was decided of a library, by the path under which it was found.
    decided: BTreeMap<PathBuf, Fate>,
}

/// Why a library is missing.
#[derive(Debug, Default)]
pub(crate) struct Missing<'a> {
    /// Who needs it.
    pub(crate) needers: BTreeSet<&'a Needer>,
    /// What has its name and does not fit.
    pub(crate) unfit: BTreeSet<&'a str>,
}

impl Tree {
    /// Follows all needs, nearest first, each library once.
    ///
    /// # Errors
    /// When a library on the way is an ELF file with damaged tables.
    pub(crate) fn grow(starts: &[Start], walk: &Walk<'_>) -> anyhow::Result<Self> {
        let mut tree = Self::default();
        let mut queue: VecDeque<PathBuf> = VecDeque::new();
        for start in starts {
            let needer = Needer::Member(start.member.clone());
            tree.follow(walk, &needer, &start.facts, &start.libraries, &mut queue)?;
        }
        while let Some(path) = queue.pop_front() {
            let Some(facts) = tree.grafts.get(&path).cloned() else {
                continue;
            };
            let needer = Needer::Library(path);
            tree.follow(walk, &needer, &facts, &facts.needed, &mut queue)?;
        }
        Ok(tree)
    }

    /// The needs of one needer, in its order.
    pub(crate) fn of(&self, needer: &Needer) -> &[Need] {
        let place = self.places.get(needer).cloned().unwrap_or_default();
        self.needs.get(place).unwrap_or_default()
    }

    /// The libraries that were found nowhere.
    pub(crate) fn missing(&self) -> BTreeMap<&str, Missing<'_>> {
        let mut all: BTreeMap<&str, Missing<'_>> = BTreeMap::new();
        for need in &self.needs {
            if let Fate::Missing { unfit } = &need.fate {
                let missing = all.entry(&need.library).or_default();
                missing.needers.insert(&need.needer);
                missing.unfit.extend(unfit.iter().map(String::as_str));
            }
        }
        all
    }

    /// Follows all needs of one needer.
    fn follow(
        &mut self,
        walk: &Walk<'_>,
        needer: &Needer,
        facts: &Facts,
        libraries: &[String],
        queue: &mut VecDeque<PathBuf>,
    ) -> anyhow::Result<()> {
        let start = self.needs.len();
        for library in libraries {
            let fate = match by_name(walk, library) {
                Some(fate) => fate,
                None => match walk.search.find(library, facts, origin(needer))? {
                    Looked::Nowhere(unfit) => Fate::Missing { unfit },
                    Looked::Found(found) => self.found(walk, found, queue)?,
                },
            };
            self.needs.push(Need {
                needer: needer.clone(),
                library: library.clone(),
                fate,
            });
        }
        self.places.insert(needer.clone(), start..self.needs.len());
        Ok(())
    }

    /// A library that was found: grafted, unless ROCm ships it.
    fn found(
        &mut self,
        walk: &Walk<'_>,
        found: Found,
        queue: &mut VecDeque<PathBuf>,
    ) -> anyhow::Result<Fate> {
        if let Some(fate) = self.decided.get(&found.path) {
            return Ok(fate.clone());
        }
        let fate = if let Some(prefix) = walk.rocm.above(&found.path) {
            Fate::Rocm {
                path: found.path.clone(),
                prefix,
            }
        } else {
            let name = || found.path.display().to_string();
            let path = found.path.canonicalize().with_context(name)?;
            if !self.grafts.contains_key(&path) {
                self.grafts.insert(path.clone(), found.facts);
                queue.push_back(path.clone());
            }
            Fate::Graft { path }
        };
        self.decided.insert(found.path, fate.clone());
        Ok(fate)
    }
}

/// What can be told without looking for the file.
fn by_name(walk: &Walk<'_>, library: &str) -> Option<Fate> {
    if is_loader(library) || walk.policy.grants_library(walk.machine, library) {
        return Some(Fate::Granted);
    }
    if is_libpython(library) {
        return Some(Fate::Interpreter);
    }
    // Also for a member whose search path does not lead there: a package that loads its library beforehand must not get a
    // second copy of it. And before the excludes, as a loader would find it.
    if let Some(member) = walk.in_wheel.get(library) {
        return Some(Fate::InWheel {
            member: member.clone(),
        });
    }
    let pattern = walk.excludes.find(library)?;
    Some(Fate::Excluded {
        pattern: pattern.text().to_owned(),
        reason: pattern.reason().map(str::to_owned),
    })
}

/// The folder that `$ORIGIN` means for the needer on this machine.
fn origin(needer: &Needer) -> Option<&Path> {
    match needer {
        Needer::Member(_) => None,
        Needer::Library(path) => path.parent(),
    }
}
