//! What has to change in one ELF file.

use std::collections::{BTreeMap, BTreeSet};

use native::elf::Facts;

/// The changes to one file's dynamic section.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Edit {
    /// `DT_NEEDED` names to new ones; the version needs of that library follow.
    pub(crate) replace: BTreeMap<String, String>,
    /// `DT_NEEDED` names that go.
    pub(crate) remove: BTreeSet<String>,
    /// The new `DT_SONAME`; `None` leaves it.
    pub(crate) soname: Option<String>,
    /// The new `DT_RPATH`, in place of any `DT_RPATH` and `DT_RUNPATH`; `None` for none at all.
    pub(crate) rpath: Option<String>,
}

/// The dynamic section as a reader sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dynamic {
    /// `DT_NEEDED`, in order.
    pub(crate) needed: Vec<String>,
    /// `DT_SONAME`.
    pub(crate) soname: Option<String>,
    /// `DT_RPATH`.
    pub(crate) rpath: Option<String>,
    /// `DT_RUNPATH`.
    pub(crate) runpath: Option<String>,
    /// (library, version) of the version needs.
    pub(crate) versions: BTreeSet<(String, String)>,
}

impl Edit {
    /// What the file must say after the edit, from what it said before.
    pub(crate) fn expected(&self, before: &Dynamic) -> Dynamic {
        let renamed = |library: &String| self.replace.get(library).unwrap_or(library).clone();
        Dynamic {
            needed: before
                .needed
                .iter()
                .filter(|library| !self.remove.contains(*library))
                .map(renamed)
                .collect(),
            soname: self.soname.clone().or_else(|| before.soname.clone()),
            rpath: self.rpath.clone(),
            runpath: None,
            versions: before
                .versions
                .iter()
                .map(|(library, version)| (renamed(library), version.clone()))
                .collect(),
        }
    }
}

impl From<&Facts> for Dynamic {
    fn from(facts: &Facts) -> Self {
        Self {
            needed: facts.needed.clone(),
            soname: facts.soname.clone(),
            rpath: facts.rpath.clone(),
            runpath: facts.runpath.clone(),
            versions: facts
                .version_needs
                .iter()
                .map(|need| (need.library.clone(), need.version.clone()))
                .collect(),
        }
    }
}
