//! Which published wheels may change their bytes.

use std::fmt;
use std::str::FromStr;

use wheel::{ProjectName, WheelFilename};

/// A published name that may change its bytes: one file's, or those of a whole project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Replace {
    /// By its file name.
    File(String),
    /// By its canonical name.
    Project(ProjectName),
}

/// Text that names neither.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither a wheel's file name nor a project's name")]
pub(crate) struct ReplaceError(String);

impl FromStr for Replace {
    type Err = ReplaceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.parse::<WheelFilename>().is_ok() {
            return Ok(Self::File(text.to_owned()));
        }
        let name = ProjectName::new(text).map_err(|_| ReplaceError(text.to_owned()))?;
        Ok(Self::Project(name))
    }
}

impl Replace {
    /// Whether a wheel is meant, by its file name or by its project's canonical name.
    pub(crate) fn means(&self, filename: &str, project: &str) -> bool {
        match self {
            Self::File(file) => file == filename,
            Self::Project(name) => name.as_str() == project,
        }
    }
}

impl fmt::Display for Replace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => f.write_str(file),
            Self::Project(name) => write!(f, "{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "foo_bar-1.0-py3-none-any.whl";

    #[test]
    fn a_file_or_a_whole_project_is_meant() {
        let file: Replace = FILE.parse().unwrap();
        assert!(
            file.means(FILE, "foo-bar") && !file.means("foo_bar-1.1-py3-none-any.whl", "foo-bar")
        );
        let project: Replace = "Foo.Bar".parse().unwrap();
        assert!(project.means(FILE, "foo-bar") && !project.means(FILE, "foo"));
    }

    #[test]
    fn what_names_neither_is_refused() {
        for text in ["", "../x", "a b", "foo-1.0.whl/"] {
            let error = text.parse::<Replace>().unwrap_err();
            assert_eq!(error, ReplaceError(text.to_owned()));
        }
    }
}
