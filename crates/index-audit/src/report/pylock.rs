//! `pylock.toml`, version 1: what uv and `pip lock` write.
//!
//! <https://packaging.python.org/en/latest/specifications/pylock-toml/>

use std::collections::BTreeMap;

use serde::Deserialize;
use wheel::{Operator, ProjectName, Version, VersionSpecifiers};

use super::{ReportError, entry};
use crate::resolved::{Client, Distribution, Resolved, ResolvedFile, Target};

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Lock {
    #[serde(rename = "lock-version")]
    format: String,
    #[serde(default)]
    created_by: String,
    requires_python: Option<String>,
    #[serde(default)]
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: Option<String>,
    #[serde(default)]
    wheels: Vec<File>,
    sdist: Option<File>,
    archive: Option<File>,
    vcs: Option<File>,
    directory: Option<File>,
}

#[derive(Deserialize)]
struct File {
    url: Option<String>,
    path: Option<String>,
    #[serde(default)]
    hashes: BTreeMap<String, String>,
}

pub(super) fn read(bytes: &[u8]) -> Result<Resolved, ReportError> {
    let text =
        std::str::from_utf8(bytes).map_err(|_| ReportError::Toml("it is not UTF-8".to_owned()))?;
    let lock: Lock = toml::from_str(text)
        .map_err(|error| ReportError::Toml(error.message().replace('\n', " ")))?;
    if !lock.format.starts_with("1.") {
        return Err(ReportError::Version {
            format: "a pylock.toml",
            version: lock.format,
            known: "1",
        });
    }
    let client = if lock.created_by.starts_with("pip") {
        Client::Pip
    } else {
        Client::Uv
    };
    Ok(Resolved {
        client,
        distributions: lock
            .packages
            .into_iter()
            .map(distribution)
            .collect::<Result<_, _>>()?,
        target: lock
            .requires_python
            .and_then(|requires| oldest(&requires))
            .map_or(Target::Unknown, Target::Oldest),
    })
}

fn distribution(package: Package) -> Result<Distribution, ReportError> {
    let called = package.name;
    let name = ProjectName::new(&called).map_err(entry(&called))?;
    let Some(version) = package.version else {
        return Err(entry(&called)(
            "it has no version; only wheels can be judged",
        ));
    };
    let version: Version = version.parse().map_err(entry(&called))?;
    let others = [
        package.sdist,
        package.archive,
        package.vcs,
        package.directory,
    ];
    let mut files: Vec<ResolvedFile> = package.wheels.into_iter().filter_map(file).collect();
    if files.is_empty() {
        files = others.into_iter().flatten().filter_map(file).collect();
    }
    if files.is_empty() {
        return Err(entry(&called)("it has no file with an address"));
    }
    Ok(Distribution {
        name,
        version,
        files,
        requires: None,
        extras: Vec::new(),
    })
}

fn file(file: File) -> Option<ResolvedFile> {
    Some(ResolvedFile {
        url: file.url.or(file.path)?,
        sha256: file
            .hashes
            .get("sha256")
            .map(|hex| hex.to_ascii_lowercase()),
    })
}

/// `3.14` of `>=3.14`: the Python for which uv evaluated markers.
fn oldest(requires: &str) -> Option<String> {
    let specifiers: VersionSpecifiers = requires.parse().ok()?;
    let floor = specifiers.iter().find(|specifier| {
        matches!(
            specifier.operator(),
            Operator::GreaterThanEqual
                | Operator::Equal
                | Operator::EqualStar
                | Operator::TildeEqual
        )
    })?;
    match floor.version().release() {
        [major, minor, ..] => Some(format!("{major}.{minor}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"lock-version = "1.0"
created-by = "uv"
requires-python = ">=3.14"
[[packages]]
name = "torch"
version = "2.15.0"
wheels = [{ url = "https://h/torch-2.15.0-py3-none-any.whl", size = 7, hashes = { sha256 = "AB" } }]
"#;

    #[test]
    fn a_lock_is_read() {
        let resolved = read(LOCK.as_bytes()).unwrap();
        assert_eq!(resolved.distributions[0].called(), "torch 2.15.0");
        assert_eq!(
            resolved.distributions[0].files,
            [ResolvedFile {
                url: "https://h/torch-2.15.0-py3-none-any.whl".to_owned(),
                sha256: Some("ab".to_owned()),
            }]
        );
        assert!(matches!(&resolved.target, Target::Oldest(python) if python == "3.14"));
    }

    #[test]
    fn what_is_no_lock_is_refused() {
        for (text, cause) in [
            ("<html>", "not a whole pylock.toml: "),
            (
                "[x]\ny = 1\n",
                "not a whole pylock.toml: missing field `lock-version`",
            ),
            (
                "lock-version = \"2.0\"\n",
                "a pylock.toml of version `2.0`; this tool reads version 1",
            ),
            (
                "lock-version = \"1.0\"\n[[packages]]\nname = \"a\"\nversion = \"1\"\n",
                "`a` in the report: it has no file with an address",
            ),
        ] {
            let error = read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with(cause), "{error}");
        }
    }
}
