//! Where libraries are looked for: the folders that were given, a library's own search path, and this
//! machine's folders only when asked.

use std::path::{Path, PathBuf};

use native::elf::Facts;

use crate::elf_file::facts_of_file;

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
}

/// A library that was found.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// Where it was found.
    pub(crate) path: PathBuf,
    /// What it says about itself.
    pub(crate) facts: Facts,
}

impl Search {
    /// The user's folders, and whether this machine's own count.
    pub(crate) fn new(folders: &[PathBuf], system: bool) -> Self {
        Self {
            folders: folders.to_vec(),
            system,
        }
    }

    /// The first file called `library` that fits the needer's machine, in the loader's order: `DT_RPATH`, the folders that
    /// were given (they stand where `LD_LIBRARY_PATH` does), `DT_RUNPATH`, this machine's folders.
    ///
    /// `origin` is the folder of the needer on this machine; a member of a wheel has none.
    ///
    /// # Errors
    /// When a file of that name is an ELF file with damaged tables.
    pub(crate) fn find(
        &self,
        library: &str,
        needer: &Facts,
        origin: Option<&Path>,
    ) -> anyhow::Result<Option<Found>> {
        if library.contains('/') {
            return Ok(None);
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
            if !path.is_file() {
                continue;
            }
            let facts =
                facts_of_file(&path).map_err(|error| error.context(path.display().to_string()))?;
            if let Some(facts) = facts
                && facts.machine == needer.machine
                && facts.bits == needer.bits
                && facts.little_endian == needer.little_endian
            {
                return Ok(Some(Found { path, facts }));
            }
        }
        Ok(None)
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
