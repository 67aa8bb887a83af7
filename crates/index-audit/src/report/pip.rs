//! pip's installation report, version 1.
//!
//! <https://pip.pypa.io/en/stable/reference/installation-report/>

use std::collections::BTreeMap;

use serde::Deserialize;
use wheel::{Environment, ProjectName, Variable};

use super::{ReportError, entry};
use crate::resolved::{Client, Distribution, Resolved, ResolvedFile, Target};

#[derive(Deserialize)]
struct Report {
    version: String,
    install: Vec<Item>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Item {
    download_info: DownloadInfo,
    metadata: Metadata,
    #[serde(default)]
    requested_extras: Vec<String>,
}

#[derive(Deserialize)]
struct DownloadInfo {
    url: String,
    #[serde(default)]
    archive_info: Option<ArchiveInfo>,
}

#[derive(Deserialize)]
struct ArchiveInfo {
    #[serde(default)]
    hashes: BTreeMap<String, String>,
    /// `sha256=…`, from before `hashes`.
    #[serde(default)]
    hash: Option<String>,
}

#[derive(Deserialize)]
struct Metadata {
    name: String,
    version: String,
    #[serde(default)]
    requires_dist: Vec<String>,
}

pub(super) fn read(bytes: &[u8]) -> Result<Resolved, ReportError> {
    let report: Report = serde_json::from_slice(bytes)?;
    if report.version != "1" {
        return Err(ReportError::Version {
            format: "an installation report",
            version: report.version,
            known: "1",
        });
    }
    Ok(Resolved {
        client: Client::Pip,
        distributions: report
            .install
            .into_iter()
            .map(distribution)
            .collect::<Result<_, _>>()?,
        target: target(&report.environment),
    })
}

fn distribution(item: Item) -> Result<Distribution, ReportError> {
    let Metadata {
        name: called,
        version,
        requires_dist,
    } = item.metadata;
    let name = ProjectName::new(&called).map_err(entry(&called))?;
    let version = version.parse().map_err(entry(&called))?;
    let sha256 = item.download_info.archive_info.and_then(|archive| {
        let old = archive
            .hash
            .as_deref()
            .and_then(|hash| hash.strip_prefix("sha256="))
            .map(str::to_owned);
        archive.hashes.get("sha256").cloned().or(old)
    });
    Ok(Distribution {
        name,
        version,
        files: vec![ResolvedFile {
            url: item.download_info.url,
            sha256: sha256.map(|hex| hex.to_ascii_lowercase()),
        }],
        requires: Some(
            requires_dist
                .iter()
                .filter_map(|text| text.parse().ok())
                .collect(),
        ),
        extras: item
            .requested_extras
            .iter()
            .filter_map(|extra| ProjectName::new(extra).ok())
            .collect(),
    })
}

fn target(told: &BTreeMap<String, String>) -> Target {
    let Some(python) = told.get("python_version") else {
        return Target::Unknown;
    };
    let mut environment = Environment::unknown();
    for (name, variable) in [
        ("os_name", Variable::OsName),
        ("sys_platform", Variable::SysPlatform),
        ("platform_machine", Variable::PlatformMachine),
        (
            "platform_python_implementation",
            Variable::PlatformPythonImplementation,
        ),
        ("platform_release", Variable::PlatformRelease),
        ("platform_system", Variable::PlatformSystem),
        ("platform_version", Variable::PlatformVersion),
        ("python_version", Variable::PythonVersion),
        ("python_full_version", Variable::PythonFullVersion),
        ("implementation_name", Variable::ImplementationName),
        ("implementation_version", Variable::ImplementationVersion),
    ] {
        if let Some(value) = told.get(name) {
            environment = environment.with(variable, value);
        }
    }
    Target::Ran {
        python: python.clone(),
        environment,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = r#"{"version": "1", "pip_version": "26.3", "install": [{
        "download_info": {"url": "https://h/Demo_A-1%2Bx-py3-none-any.whl",
            "archive_info": {"hash": "sha256=AB", "hashes": {}}},
        "metadata": {"name": "Demo_A", "version": "1+X", "requires_dist": ["b; extra == 'c'", "!"]},
        "requested_extras": ["C"]}], "environment": {"python_version": "3.13"}}"#;

    #[test]
    fn a_report_is_read_in_canonical_terms() {
        let resolved = read(REPORT.as_bytes()).unwrap();
        let one = &resolved.distributions[0];
        assert_eq!(one.called(), "demo-a 1+x");
        assert_eq!(one.files[0].sha256.as_deref(), Some("ab"));
        assert_eq!(one.required_in(&Environment::linux()).count(), 1);
        assert!(matches!(&resolved.target, Target::Ran { python, .. } if python == "3.13"));
    }

    #[test]
    fn a_later_format_is_refused() {
        let later = REPORT.replacen("\"1\"", "\"2\"", 1);
        assert_eq!(
            read(later.as_bytes()).unwrap_err().to_string(),
            "an installation report of version `2`; this tool reads version 1"
        );
    }

    #[test]
    fn a_report_cut_short_is_refused() {
        for end in 1..REPORT.len() {
            assert!(
                read(&REPORT.as_bytes()[..end]).is_err(),
                "accepted {end} bytes"
            );
        }
    }
}
