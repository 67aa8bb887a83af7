//! One pattern on `DT_NEEDED` names.

use std::collections::BTreeSet;
use std::fmt::Write;

use globset::{GlobBuilder, GlobMatcher};

/// A pattern on `DT_NEEDED` names, with where it comes from.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: String,
    matchers: Vec<GlobMatcher>,
    reason: Option<String>,
}

/// A glob that is none: `lib[.so`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("--exclude `{glob}` is not a pattern: {cause}")]
pub struct PatternError {
    glob: String,
    cause: String,
}

impl Pattern {
    /// A user's glob on the whole name: `libdrm.so*`.
    ///
    /// # Errors
    /// [`PatternError`] for a glob that does not parse.
    pub fn glob(text: &str) -> Result<Self, PatternError> {
        Ok(Self {
            text: text.to_owned(),
            matchers: vec![matcher(text)?],
            reason: None,
        })
    }

    /// A stem of a built-in list: it matches `STEM.so` and `STEM.so.*`, and is told as `STEM.so*`.
    ///
    /// # Errors
    /// [`PatternError`] for a stem that is no glob.
    pub(super) fn stem(stem: &str, reason: &str) -> Result<Self, PatternError> {
        Ok(Self {
            text: format!("{stem}.so*"),
            matchers: vec![
                matcher(&format!("{stem}.so"))?,
                matcher(&format!("{stem}.so.*"))?,
            ],
            reason: Some(reason.to_owned()),
        })
    }

    /// The pattern as it is told.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Why a built-in pattern is there: the list's name and its reason. A user's own has none.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// Whether the user gave it.
    #[must_use]
    pub fn is_users(&self) -> bool {
        self.reason.is_none()
    }

    /// Whether it matches a `DT_NEEDED` name.
    #[must_use]
    pub fn matches(&self, library: &str) -> bool {
        self.matchers
            .iter()
            .any(|matcher| matcher.is_match(library))
    }

    /// What to say when no library matched.
    pub(super) fn unused_warning(&self, libraries: &BTreeSet<String>) -> String {
        let mut warning = format!("--exclude `{}` matched no library", self.text);
        if let Some(nearest) = self.nearest(libraries) {
            let stem = stem_of(nearest);
            let _ = write!(
                warning,
                "; the nearest is `{nearest}`, which `{stem}.so*` matches"
            );
        }
        warning
    }

    /// The library that the pattern was probably meant for: the same stem, or one that differs in a
    /// third of its letters at most.
    fn nearest<'a>(&self, libraries: &'a BTreeSet<String>) -> Option<&'a String> {
        let core = |name: &'a str| stem_of(name).strip_prefix("lib").unwrap_or(stem_of(name));
        let stem = stem_of(&self.text).trim_end_matches('*');
        let stem = stem.strip_prefix("lib").unwrap_or(stem);
        let distance = |library: &'a str| strsim::damerau_levenshtein(stem, core(library));
        libraries
            .iter()
            .map(|library| (distance(library), library))
            .min()
            .filter(|(distance, _)| distance * 3 <= stem.len())
            .map(|(_, library)| library)
    }
}

/// What comes before `.so`.
fn stem_of(name: &str) -> &str {
    name.split(".so").next().unwrap_or_default()
}

fn matcher(glob: &str) -> Result<GlobMatcher, PatternError> {
    GlobBuilder::new(glob)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| PatternError {
            glob: glob.to_owned(),
            cause: error.kind().to_string(),
        })
}
