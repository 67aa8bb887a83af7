//! Where libraries are looked for: the folders that were given, a library's own search path, and this
//! machine's folders only when asked.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context, bail};
use native::elf::Facts;

use crate::elf_file::{LARGEST, facts_of_file};

/// What `ld.so` searches without a cache on the distributions that wheels are built on.
const SYSTEM: [&str; 8] = [
    "/usr/local/lib",
    "/lib",
    "/usr/lib",
    "/lib64",
    "/usr/lib64",
    "/usr/local/lib64",
    "/lib/MULTIARCH",
    "/usr/lib/MULTIARCH",
];

/// The folders to look in.
#[derive(Debug, Clone, Default)]
pub(crate) struct Search {
    folders: Vec<PathBuf>,
    system: bool,
    /// What was read, by the path under which it was found: a library that all others need is read once.
    seen: RefCell<BTreeMap<PathBuf, Option<Rc<Facts>>>>,
}

/// A library that was found.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// Where it was found.
    pub(crate) path: PathBuf,
    /// What it says about itself.
    pub(crate) facts: Rc<Facts>,
}

/// What looking for a library came to.
#[derive(Debug)]
pub(crate) enum Looked {
    /// It is there.
    Found(Found),
    /// It is nowhere. What has its name and does not fit is told, one part of a sentence each.
    Nowhere(Vec<String>),
}

impl Search {
    /// The user's folders, and whether this machine's own count.
    pub(crate) fn new(folders: &[PathBuf], system: bool) -> Self {
        Self {
            folders: folders.to_vec(),
            system,
            seen: RefCell::default(),
        }
    }

    /// The first file called `library` that fits the needer's machine, in the loader's order: `DT_RPATH`, the folders that
    /// were given (they stand where `LD_LIBRARY_PATH` does), `DT_RUNPATH`, this machine's folders.
    ///
    /// `origin` is the folder of the needer on this machine; a member of a wheel has none.
    ///
    /// # Errors
    /// When a file of that name is an ELF file with damaged tables, or one of the user's folders cannot be looked into.
    pub(crate) fn find(
        &self,
        library: &str,
        needer: &Facts,
        origin: Option<&Path>,
    ) -> anyhow::Result<Looked> {
        let mut unfit = Vec::new();
        if library.contains('/') {
            return Ok(Looked::Nowhere(unfit));
        }
        let mut folders: Vec<PathBuf> = Vec::new();
        if needer.runpath.is_none() {
            folders.extend(expand(needer.rpath.as_deref(), origin));
        }
        folders.extend(self.folders.iter().cloned());
        folders.extend(expand(needer.runpath.as_deref(), origin));
        if self.system {
            let machine = needer.machine.to_string();
            folders.extend(SYSTEM.iter().map(|folder| {
                PathBuf::from(folder.replace("MULTIARCH", &format!("{machine}-linux-gnu")))
            }));
        }
        for folder in folders {
            let path = folder.join(library);
            let ours = self.folders.contains(&folder);
            let name = || path.display().to_string();
            let metadata = match path.metadata() {
                Err(error) if ours && !is_nothing(&error) => return Err(error).with_context(name),
                metadata => metadata.ok(),
            };
            let why = match self.look(&path, metadata).with_context(name)? {
                Ok(facts) => match misfit(&facts, needer) {
                    None => return Ok(Looked::Found(Found { path, facts })),
                    Some(why) => why,
                },
                Err(why) => why.to_owned(),
            };
            if !why.is_empty() {
                unfit.push(format!("{} does not fit: {why}", path.display()));
            }
        }
        Ok(Looked::Nowhere(unfit))
    }

    /// Reads what is at a path, or says why that is no library; with nothing where nothing is.
    fn look(
        &self,
        path: &Path,
        metadata: Option<Metadata>,
    ) -> anyhow::Result<Result<Rc<Facts>, &'static str>> {
        let Some(metadata) = metadata else {
            let link = path.symlink_metadata().is_ok();
            return Ok(Err(if link { "its link leads nowhere" } else { "" }));
        };
        if !metadata.is_file() {
            return Ok(Err("it is no file"));
        }
        if metadata.len() > LARGEST {
            bail!("is larger than 16 GiB, as no library is; take it away");
        }
        let known = self.seen.borrow().get(path).cloned();
        let facts = if let Some(facts) = known {
            facts
        } else {
            let facts = facts_of_file(path)?.map(Rc::new);
            let mut seen = self.seen.borrow_mut();
            seen.insert(path.to_owned(), facts.clone());
            facts
        };
        Ok(facts.ok_or("it is no ELF file"))
    }
}

/// Whether the error says that there is nothing, and not that it cannot be told.
fn is_nothing(error: &io::Error) -> bool {
    // ELOOP, a link that leads to itself, has no kind that is stable.
    const ELOOP: i32 = 40;
    matches!(
        error.kind(),
        ErrorKind::NotFound
            | ErrorKind::NotADirectory
            | ErrorKind::InvalidFilename
            | ErrorKind::InvalidInput
    ) || error.raw_os_error() == Some(ELOOP)
}

/// Why a loader would not take a library for a needer.
fn misfit(facts: &Facts, needer: &Facts) -> Option<String> {
    if facts.machine != needer.machine {
        Some(format!("it is for {}", facts.machine))
    } else if facts.bits != needer.bits {
        Some(format!("it is for {} bits", facts.bits))
    } else if facts.little_endian != needer.little_endian {
        Some("it has another byte order".to_owned())
    } else {
        None
    }
}

/// The folders of a search path that exist independently of where the wheel will be installed.
fn expand(path: Option<&str>, origin: Option<&Path>) -> Vec<PathBuf> {
    path.unwrap_or_default()
        .split(':')
        .filter_map(|entry| {
            let rest = entry
                .strip_prefix("$ORIGIN")
                .or_else(|| entry.strip_prefix("${ORIGIN}"));
            match (rest, origin) {
                (Some(rest), Some(origin)) => Some(origin.join(rest.trim_start_matches('/'))),
                (None, _) if entry.starts_with('/') => Some(PathBuf::from(entry)),
                _ => None,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_that_mean_something_here_are_searched() {
        let origin = Path::new("/a/b");
        assert_eq!(
            expand(Some("$ORIGIN/../c:/opt/x:lib::$LIB/y"), Some(origin)),
            [PathBuf::from("/a/b/../c"), PathBuf::from("/opt/x")]
        );
        assert_eq!(expand(Some("$ORIGIN/../c"), None), Vec::<PathBuf>::new());
    }
}
