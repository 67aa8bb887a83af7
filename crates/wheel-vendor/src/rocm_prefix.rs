//! The path rule: nothing below a ROCm installation is grafted, whatever its name.
//!
//! A list of names goes stale with every release; what an installation holds does not. A wheel that
//! carried its own copy of a ROCm library would shadow the runtime that everything else uses.

use std::path::{Path, PathBuf};

/// A file that ROCm's packages put below their prefix and that nobody else has there.
const MARKER: &str = ".info/version";

/// Where ROCm is installed.
#[derive(Debug, Clone, Default)]
pub(crate) struct RocmPrefixes(Vec<PathBuf>);

impl RocmPrefixes {
    /// The folders that the user named, in their real place too.
    pub(crate) fn new(named: &[PathBuf]) -> Self {
        let real = named.iter().filter_map(|path| path.canonicalize().ok());
        Self(named.iter().cloned().chain(real).collect())
    }

    /// The ROCm prefix above `path`, as `path` is spelled or in its real place.
    pub(crate) fn above(&self, path: &Path) -> Option<PathBuf> {
        let real = path.canonicalize().ok();
        [Some(path), real.as_deref()]
            .into_iter()
            .flatten()
            .filter_map(Path::parent)
            .flat_map(Path::ancestors)
            .find(|folder| self.is_prefix(folder))
            .map(Path::to_owned)
    }

    fn is_prefix(&self, folder: &Path) -> bool {
        let named = self.0.iter().any(|prefix| prefix == folder);
        let by_name = folder.parent() == Some(Path::new("/opt"))
            && folder
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("rocm"));
        named || by_name || (!folder.as_os_str().is_empty() && folder.join(MARKER).is_file())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opt_rocm_is_a_prefix_by_its_name() {
        let prefixes = RocmPrefixes::default();
        let above = |path: &str| prefixes.above(Path::new(path));
        assert_eq!(
            above("/opt/rocm-7.0.1/lib/libfoo.so.1"),
            Some(PathBuf::from("/opt/rocm-7.0.1"))
        );
        assert_eq!(
            above("/opt/rocm/lib/libfoo.so.1"),
            Some(PathBuf::from("/opt/rocm"))
        );
        assert_eq!(above("/opt/ucx/lib/libfoo.so.1"), None);
        assert_eq!(above("/usr/lib/rocm-like/libfoo.so.1"), None);
    }

    #[test]
    fn a_folder_with_rocms_marker_is_a_prefix_also_behind_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let rocm = folder.path().join("therock");
        std::fs::create_dir_all(rocm.join("lib")).unwrap();
        std::fs::create_dir_all(rocm.join(".info")).unwrap();
        std::fs::write(rocm.join(".info/version"), "10.1.0").unwrap();
        std::fs::write(rocm.join("lib/libfoo.so.1"), "").unwrap();
        let link = folder.path().join("libfoo.so.1");
        std::os::unix::fs::symlink(rocm.join("lib/libfoo.so.1"), &link).unwrap();
        assert!(RocmPrefixes::default().above(&link).is_some());
    }

    #[test]
    fn a_named_prefix_counts() {
        let folder = tempfile::tempdir().unwrap();
        let library = folder.path().join("lib/libfoo.so");
        assert_eq!(RocmPrefixes::default().above(&library), None);
        let prefixes = RocmPrefixes::new(&[folder.path().to_owned()]);
        assert_eq!(prefixes.above(&library), Some(folder.path().to_owned()));
    }
}
