//! One library that something needs, and what becomes of it.

use std::path::PathBuf;

/// Who needs a library.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Needer {
    /// A member of the wheel, by its path in it.
    Member(String),
    /// A library that will be grafted, by its real path.
    Library(PathBuf),
}

impl std::fmt::Display for Needer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Member(name) => out.write_str(name),
            Self::Library(path) => write!(out, "{}", path.display()),
        }
    }
}

/// One entry of `DT_NEEDED` and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Need {
    /// Who needs it.
    pub(crate) needer: Needer,
    /// Its `DT_NEEDED` name.
    pub(crate) library: String,
    /// What becomes of it.
    pub(crate) fate: Fate,
}

/// What becomes of a needed library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Every system that the policy names has it.
    Granted,
    /// A pattern leaves it out; its own needs are not followed.
    Excluded {
        /// The pattern.
        pattern: String,
        /// The built-in list and its reason; none for a user's own pattern.
        reason: Option<String>,
    },
    /// It lies below a ROCm prefix; its own needs are not followed.
    Rocm {
        /// Where it was found.
        path: PathBuf,
        /// The prefix.
        prefix: PathBuf,
    },
    /// The wheel brings it.
    InWheel {
        /// The member that it is.
        member: String,
    },
    /// The interpreter brings it, since it is the interpreter: the need is removed.
    Interpreter,
    /// It is grafted.
    Graft {
        /// Its real path.
        path: PathBuf,
    },
    /// It was found nowhere.
    Missing {
        /// What has its name and does not fit, one part of a sentence each.
        unfit: Vec<String>,
    },
}
