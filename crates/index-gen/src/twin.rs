//! The JSON twin of a page: the simple repository API (PEP 691, 700, 714, 592).

use serde::{Deserialize, Serialize};

use crate::facts::Facts;

/// The API version that our pages speak: sizes and the list of versions came with 1.1 (PEP 700).
pub(crate) const API_VERSION: &str = "1.1";

/// The project page as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProjectTwin {
    pub(crate) meta: Meta,
    /// The canonical project name.
    pub(crate) name: String,
    /// Every version with a file, in PEP 440 order.
    pub(crate) versions: Vec<String>,
    /// In PEP 440 order, then by file name.
    pub(crate) files: Vec<File>,
}

/// The list of projects as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ListTwin {
    pub(crate) meta: Meta,
    /// Sorted by name.
    pub(crate) projects: Vec<Project>,
    /// What the landing page tells about the architecture. A leading underscore is private to the
    /// server (PEP 691).
    #[serde(rename = "_notes", default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Project {
    pub(crate) name: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Meta {
    #[serde(rename = "api-version")]
    pub(crate) api_version: String,
}

impl Meta {
    pub(crate) fn current() -> Self {
        Self {
            api_version: API_VERSION.to_owned(),
        }
    }
}

/// One file of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct File {
    pub(crate) filename: String,
    /// Absolute, or relative to the page.
    pub(crate) url: String,
    pub(crate) hashes: Hashes,
    /// As METADATA has it, whether or not it parses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) requires_python: Option<String>,
    /// Bytes.
    pub(crate) size: u64,
    /// RFC 3339, UTC; only when the wheel set brought it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) upload_time: Option<String>,
    pub(crate) yanked: Yanked,
    /// The hashes of `<url>.metadata`.
    pub(crate) core_metadata: Hashes,
    /// The first name of the same field; clients from before PEP 714 know no other.
    pub(crate) dist_info_metadata: Hashes,
    /// What the landing page tells beside. A leading underscore is private to the server (PEP 691).
    #[serde(rename = "_measured")]
    pub(crate) facts: Facts,
}

impl File {
    /// Whether the site itself holds the file: only then is its address relative.
    pub(crate) fn is_in_site(&self) -> bool {
        self.url.starts_with("../")
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Hashes {
    /// 64 lower-case hex digits.
    pub(crate) sha256: String,
}

/// PEP 592: not yanked, or yanked for a reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Yanked {
    /// `false`; `true` would be a yank without a reason, which we do not write.
    Flag(bool),
    Reason(String),
}

impl Yanked {
    /// The reason, when the file is yanked.
    pub(crate) fn reason(&self) -> Option<&str> {
        match self {
            Self::Flag(false) => None,
            Self::Flag(true) => Some(""),
            Self::Reason(reason) => Some(reason),
        }
    }
}
