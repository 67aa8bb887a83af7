//! Which Debian package owns a library: read from dpkg's own lists, without running it.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// Where dpkg keeps its lists.
const DPKG: &str = "/var/lib/dpkg";

/// A package and the version of it that is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Package {
    /// `libgomp1`
    pub(crate) name: String,
    /// `12.2.0-14+deb12u1`
    pub(crate) version: String,
    /// `amd64`
    pub(crate) architecture: String,
    /// `debian` or `ubuntu`, as os-release says.
    pub(crate) distribution: String,
}

impl Package {
    /// The packages that own these files. One is not among them where that cannot be told: another distribution, a library
    /// that was built here.
    pub(crate) fn owners<'a>(paths: impl Iterator<Item = &'a Path>) -> BTreeMap<PathBuf, Self> {
        let os = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
        let distribution = os
            .lines()
            .find_map(|line| line.strip_prefix("ID="))
            .unwrap_or("debian")
            .trim_matches('"')
            .to_owned();
        owners_in(Path::new(DPKG), paths, &distribution)
    }

    /// The package URL: <https://github.com/package-url/purl-spec>.
    pub(crate) fn purl(&self) -> String {
        let encode = |text: &str| {
            text.replace('%', "%25")
                .replace('+', "%2B")
                .replace(':', "%3A")
                .replace('~', "%7E")
        };
        format!(
            "pkg:deb/{}/{}@{}?arch={}",
            self.distribution,
            encode(&self.name),
            encode(&self.version),
            self.architecture
        )
    }
}

fn owners_in<'a>(
    dpkg: &Path,
    paths: impl Iterator<Item = &'a Path>,
    distribution: &str,
) -> BTreeMap<PathBuf, Package> {
    let wanted: HashMap<PathBuf, &Path> = paths.flat_map(spellings).collect();
    let mut owners = BTreeMap::new();
    for list in lists(dpkg) {
        let Ok(text) = std::fs::read_to_string(&list) else {
            continue;
        };
        for line in text.lines() {
            let Some(path) = wanted.get(Path::new(line)) else {
                continue;
            };
            if let Some(package) = package(dpkg, &list, distribution) {
                owners.entry((*path).to_owned()).or_insert(package);
            }
        }
    }
    owners
}

/// With a merged /usr the lists may hold either spelling of a path.
fn spellings(path: &Path) -> Vec<(PathBuf, &Path)> {
    let other = match path.strip_prefix("/usr") {
        Ok(rest) => Path::new("/").join(rest),
        Err(_) => Path::new("/usr").join(path.strip_prefix("/").unwrap_or(path)),
    };
    vec![(path.to_owned(), path), (other, path)]
}

/// The lists of files, one for each package, sorted.
fn lists(dpkg: &Path) -> Vec<PathBuf> {
    let mut lists: Vec<PathBuf> = std::fs::read_dir(dpkg.join("info"))
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "list")
        })
        .collect();
    lists.sort();
    lists
}

/// The package of a list, as dpkg has it installed.
fn package(dpkg: &Path, list: &Path, distribution: &str) -> Option<Package> {
    // `libgomp1:amd64.list`, `zlib1g.list`
    let name = list.file_stem()?.to_str()?;
    let (name, architecture) = match name.split_once(':') {
        Some((name, architecture)) => (name, Some(architecture)),
        None => (name, None),
    };
    let status = std::fs::read_to_string(dpkg.join("status")).ok()?;
    status.split("\n\n").find_map(|paragraph| {
        let field = |name: &str| {
            paragraph
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
        };
        let fits = field("Package") == Some(name)
            && architecture.is_none_or(|architecture| field("Architecture") == Some(architecture));
        fits.then(|| {
            Some(Package {
                name: name.to_owned(),
                version: field("Version")?.to_owned(),
                architecture: field("Architecture")?.to_owned(),
                distribution: distribution.to_owned(),
            })
        })?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dpkg() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("info")).unwrap();
        std::fs::write(
            folder.path().join("info/libfoo1:amd64.list"),
            "/.\n/usr/lib/x86_64-linux-gnu/libfoo.so.1.2\n",
        )
        .unwrap();
        std::fs::write(
            folder.path().join("status"),
            "Package: libfoo1\nArchitecture: i386\nVersion: 1.0\n\nPackage: libfoo1\nArchitecture: amd64\nVersion: 1:1.2+b1~a\n",
        )
        .unwrap();
        folder
    }

    #[test]
    fn the_owner_is_found_under_either_spelling_of_usr() {
        let folder = dpkg();
        for path in [
            "/usr/lib/x86_64-linux-gnu/libfoo.so.1.2",
            "/lib/x86_64-linux-gnu/libfoo.so.1.2",
        ] {
            let path = Path::new(path);
            let owners = owners_in(folder.path(), [path].into_iter(), "debian");
            assert_eq!(
                owners[path].purl(),
                "pkg:deb/debian/libfoo1@1%3A1.2%2Bb1%7Ea?arch=amd64",
                "{}",
                path.display()
            );
        }
    }

    #[test]
    fn a_library_that_no_package_owns_has_no_owner() {
        let path = Path::new("/opt/x/libfoo.so.1.2");
        let owners = owners_in(dpkg().path(), [path].into_iter(), "debian");
        assert_eq!(owners, BTreeMap::new());
    }
}
