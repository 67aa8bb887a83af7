//! Libraries that are left out of the verdict on purpose.

mod pattern;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Deserialize;

pub use pattern::{Pattern, PatternError};

/// The built-in lists, parsed once. That they parse is a test of this module.
static BUILT_IN: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| parse(include_str!("../../data/excludes.toml")).unwrap_or_default());

/// The patterns of one run: the user's own first, then the built-in lists `rocm` and `torch`.
#[derive(Debug, Clone, Default)]
pub struct Excludes {
    patterns: Vec<Pattern>,
}

impl Excludes {
    /// The user's globs, and the built-in lists unless `built_in` is false.
    ///
    /// # Errors
    /// [`PatternError`] for a glob that is none.
    pub fn new(globs: &[String], built_in: bool) -> Result<Self, PatternError> {
        let mut patterns = globs
            .iter()
            .map(|glob| Pattern::glob(glob))
            .collect::<Result<Vec<_>, _>>()?;
        if built_in {
            patterns.extend(BUILT_IN.iter().cloned());
        }
        Ok(Self { patterns })
    }

    /// The first pattern that a `DT_NEEDED` name matches.
    #[must_use]
    pub fn find(&self, library: &str) -> Option<&Pattern> {
        self.patterns
            .iter()
            .find(|pattern| pattern.matches(library))
    }

    /// A warning for each of the user's globs that none of the libraries matches, with the nearest miss.
    ///
    /// `libraries` are all `DT_NEEDED` names of the run. A glob without the version suffix is the
    /// commonest miss: `librocblas.so` does not match `librocblas.so.5` (ROCm/aiter#5318).
    #[must_use]
    pub fn unused(&self, libraries: &BTreeSet<String>) -> Vec<String> {
        self.patterns
            .iter()
            .filter(|pattern| pattern.is_users())
            .filter(|pattern| !libraries.iter().any(|library| pattern.matches(library)))
            .map(|pattern| pattern.unused_warning(libraries))
            .collect()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    list: Vec<List>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    name: String,
    reason: String,
    stems: Vec<String>,
}

/// Why the built-in lists could not be read.
#[derive(Debug, thiserror::Error)]
enum ListError {
    #[error(transparent)]
    Toml(#[from] toml::de::Error),
    #[error(transparent)]
    Pattern(#[from] PatternError),
}

fn parse(text: &str) -> Result<Vec<Pattern>, ListError> {
    let file: File = toml::from_str(text)?;
    let mut patterns = Vec::new();
    for list in file.list {
        for stem in &list.stems {
            patterns.push(Pattern::stem(
                stem,
                &format!("{}: {}", list.name, list.reason),
            )?);
        }
    }
    Ok(patterns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_lists_parse() {
        assert!(
            parse(include_str!("../../data/excludes.toml"))
                .unwrap()
                .len()
                > 70
        );
    }

    #[test]
    fn what_rocm_ships_is_excluded_with_and_without_version() {
        let excludes = Excludes::new(&[], true).unwrap();
        for library in [
            "libamdhip64.so.7",
            "libamdhip64.so",
            "libMIOpen.so.1",
            "libhipblaslt.so.1",
            "librocblas.so.5",
            "librocm_sysdeps_drm_amdgpu.so.1",
            "librocprofiler-sdk.so.1",
            "librocprofiler-sdk-roctx.so.1",
            "libomp.so",
            "libmigraphx_c.so.3",
        ] {
            let pattern = excludes
                .find(library)
                .unwrap_or_else(|| panic!("{library}"));
            assert_eq!(pattern.reason(), Some("rocm: ships with ROCm"), "{library}");
        }
        let torch = excludes.find("libc10_hip.so").unwrap();
        assert_eq!(torch.text(), "libc10_*.so*");
        assert!(torch.reason().unwrap().starts_with("torch: "));
    }

    #[test]
    fn names_that_only_begin_alike_are_not_excluded() {
        let excludes = Excludes::new(&[], true).unwrap();
        for library in [
            "librocksdb.so.8",
            "libhippo.so",
            "libMIOpenish.so",
            "libamdhip64.something.so",
            "libroc.so",
            "libhip.so",
            "libtorchvision.so",
            "libompi.so.1",
            "libc.so.6",
            "libdrm.so.2",
            "libshmem.so",
        ] {
            assert!(excludes.find(library).is_none(), "{library}");
        }
    }

    #[test]
    fn a_glob_that_matched_nothing_is_told_with_the_nearest_miss() {
        let globs =
            ["librocblas.so", "librocblass.so*", "libx.so*", "libdrm.so*"].map(str::to_owned);
        let excludes = Excludes::new(&globs, true).unwrap();
        let libraries = ["libamdhip64.so.7", "librocblas.so.5", "libdrm.so.2"]
            .map(str::to_owned)
            .into();
        assert_eq!(
            excludes.unused(&libraries),
            [
                "--exclude `librocblas.so` matched no library; the nearest is `librocblas.so.5`, \
                 which `librocblas.so*` matches",
                "--exclude `librocblass.so*` matched no library; the nearest is `librocblas.so.5`, \
                 which `librocblas.so*` matches",
                "--exclude `libx.so*` matched no library",
            ]
        );
    }
}
