//! `rocm-bake.toml`: what is policy and not code.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The policy of a project. Each part has defaults, so that the file may be absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Config {
    /// Which wheels get the ROCm mark.
    pub mark: Mark,
    /// Libraries left out of the verdict, beside the built-in lists.
    pub exclude: Exclude,
    /// What an index must hold.
    pub index: Index,
    /// What the tag planner takes as intended.
    pub tags: Tags,
    /// Which cache repositories are cleaned, where it is not all of them.
    pub caches: Caches,
}

/// Which pure-Python wheels get the ROCm mark; compiled ones always do.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Mark {
    /// Mark all wheels, whatever the lists say.
    pub everything: bool,
    /// Pure-Python distributions that are marked all the same.
    pub pure: Vec<String>,
    /// Distributions that are never marked.
    pub leave: Vec<String>,
}

impl Default for Mark {
    fn default() -> Self {
        Self {
            everything: false,
            pure: vec!["nixl".to_owned()],
            leave: vec!["triton-kernels".to_owned()],
        }
    }
}

/// Libraries left out of the verdict.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Exclude {
    /// Globs on `DT_NEEDED` names.
    pub libraries: Vec<String>,
}

/// What an index must hold.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Index {
    /// Distributions that are refused without code for the index's architecture.
    pub must_carry: Vec<String>,
}

impl Default for Index {
    fn default() -> Self {
        Self {
            must_carry: vec!["torch".to_owned(), "amd-aiter".to_owned()],
        }
    }
}

/// What the tag planner takes as intended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Tags {
    /// Targets whose image serves every architecture, each with the reason.
    pub noarch: BTreeMap<String, String>,
    /// Tags that move by design, each with the reason.
    pub floating: BTreeMap<String, String>,
    /// Variables that a target's tag ignores on purpose.
    pub ignores: Vec<Ignore>,
}

/// A variable that reaches a target and not its tag, on purpose.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Ignore {
    /// The bake targets: one name, or a list.
    #[serde(rename = "target", deserialize_with = "one_or_more")]
    pub targets: Vec<String>,
    /// The bake variable.
    pub variable: String,
    /// Why that is right.
    pub reason: String,
}

/// Which of the cache repositories `make clean-cache` removes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Caches {
    /// The repositories, without the registry; none: all that the bake file writes.
    pub cleaned: Vec<String>,
    /// Why these and no others.
    pub reason: String,
}

/// A string, or a list of them.
fn one_or_more<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a name or a list of names")]
    enum Names {
        One(String),
        More(Vec<String>),
    }
    Ok(match Names::deserialize(from)? {
        Names::One(name) => vec![name],
        Names::More(names) => names,
    })
}

/// Why a configuration could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A named file that is not there, or cannot be read.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// Not TOML, or a key that no tool knows.
    #[error("{}: {cause}", path.display())]
    Toml {
        /// The file.
        path: PathBuf,
        /// Line, column and cause, on one line.
        cause: String,
    },
}

impl Config {
    /// The file that is read when no `--config` names another.
    pub const DEFAULT_FILE: &'static str = "rocm-bake.toml";

    /// Reads `named`, or else `rocm-bake.toml` of the working directory where there is one.
    ///
    /// # Errors
    /// [`ConfigError::Io`] when a named file is missing or a present one unreadable,
    /// [`ConfigError::Toml`] when it does not parse or has an unknown key.
    pub fn load(named: Option<&Path>) -> Result<Self, ConfigError> {
        let path = named.unwrap_or(Path::new(Self::DEFAULT_FILE));
        match crate::read_small_text(path) {
            Ok(text) => Self::parse(&text).map_err(|cause| ConfigError::Toml {
                path: path.to_owned(),
                cause,
            }),
            Err(cause) if named.is_none() && cause.kind() == std::io::ErrorKind::NotFound => {
                Ok(Self::default())
            }
            Err(cause) => Err(ConfigError::Io {
                path: path.to_owned(),
                cause,
            }),
        }
    }

    fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| {
            let cause = error.message().replace('\n', " ");
            match error.span() {
                Some(span) => {
                    let line = text[..span.start].matches('\n').count() + 1;
                    format!("line {line}: {cause}")
                }
                None => cause,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_key_is_an_error_with_its_line() {
        let cause = Config::parse("[mark]\nevrything = true\n").unwrap_err();
        assert_eq!(
            cause,
            "line 2: unknown field `evrything`, expected one of `everything`, `pure`, `leave`"
        );
    }

    #[test]
    fn an_empty_file_is_the_defaults() {
        assert_eq!(Config::parse("").unwrap(), Config::default());
    }

    #[test]
    fn every_part_is_read() {
        let text = r#"
            [mark]
            everything = true
            [exclude]
            libraries = ["libdrm.so*"]
            [index]
            must-carry = ["torch"]
            [tags]
            noarch = { triton-wheel = "a compiler" }
            ignores = [
                { target = "a", variable = "B", reason = "c" },
                { target = ["d", "e"], variable = "F", reason = "g" },
            ]
            [caches]
            cleaned = ["a-cache"]
            reason = "the largest"
        "#;
        let config = Config::parse(text).unwrap();
        assert!(config.mark.everything);
        assert_eq!(config.mark.pure, ["nixl"]);
        assert_eq!(config.exclude.libraries, ["libdrm.so*"]);
        assert_eq!(config.index.must_carry, ["torch"]);
        assert_eq!(config.tags.noarch["triton-wheel"], "a compiler");
        assert_eq!(config.tags.ignores[0].targets, ["a"]);
        assert_eq!(config.tags.ignores[1].targets, ["d", "e"]);
        assert_eq!(config.tags.ignores[1].variable, "F");
        assert_eq!(config.caches.cleaned, ["a-cache"]);
    }
}
