//! Every link of an index: does the file answer, and is it what the page promises.

use std::collections::BTreeMap;

use pipe::{AuditAnswer, AuditCheck, AuditFinding, Progress};
use serde::Deserialize;
use wheel::{Environment, Metadata, ProjectName};

use crate::judge::Verdict;
use crate::page::Sidecar;
use crate::published::{File, Project, Published};
use crate::reach::{Reach, ReachError};

/// The longest METADATA that is read: 16 MiB.
const LONGEST_METADATA: u64 = 16 << 20;
/// The longest JSON twin that is read: 64 MiB.
const LONGEST_TWIN: u64 = 64 << 20;
/// How a wheel, being a zip, begins.
const ZIP_START: &[u8] = b"PK\x03\x04";

/// How links are checked.
pub(crate) struct Links<'a> {
    pub(crate) reach: &'a Reach,
    pub(crate) published: &'a Published,
    pub(crate) python: &'a str,
    /// Whether every byte is read and hashed, or the size and the start only.
    pub(crate) download: bool,
    /// Whether no progress is to be shown.
    pub(crate) quiet: bool,
}

/// A question that the server did not answer.
#[derive(Debug, thiserror::Error)]
#[error("{address}: {cause}")]
pub(crate) struct Unanswered {
    address: String,
    cause: ReachError,
}

/// What the JSON twin of a page says of its files (PEP 691 and 700).
#[derive(Deserialize)]
struct Twin {
    files: Vec<TwinFile>,
}

#[derive(Deserialize)]
struct TwinFile {
    filename: String,
    size: Option<u64>,
    #[serde(default)]
    hashes: BTreeMap<String, String>,
}

impl Links<'_> {
    /// Checks all links of the index.
    ///
    /// # Errors
    /// When a server is in trouble: that says nothing about the index.
    pub(crate) fn check(&self, verdict: &mut Verdict) -> Result<(), Unanswered> {
        let before = verdict.findings.len();
        self.published.told(verdict);
        let twins: Vec<BTreeMap<String, TwinFile>> = self
            .published
            .projects
            .values()
            .map(|project| self.twin(project))
            .collect::<Result<_, _>>()?;
        let progress = if self.download {
            let sizes = twins
                .iter()
                .flat_map(BTreeMap::values)
                .filter_map(|file| file.size);
            Progress::bytes(sizes.sum(), self.quiet)
        } else {
            Progress::steps(twins.len() as u64, self.quiet)
        };
        let mut count = 0_usize;
        for ((name, project), twin) in self.published.projects.iter().zip(&twins) {
            for file in &project.files {
                progress.on(&file.filename.to_string());
                count += 1;
                let mut findings = Findings {
                    name,
                    arch: self.published.arch.as_str(),
                    verdict,
                };
                let told = twin.get(file.link.address.filename());
                self.file(file, told, &progress, &mut findings)?;
                self.metadata(name, file, &mut findings)?;
            }
            if !self.download {
                progress.add(1);
            }
        }
        progress.done();
        let how = if self.download {
            "read whole and hashed"
        } else {
            "their size and first bytes"
        };
        let answer = if verdict.findings.len() == before {
            AuditAnswer::Passed
        } else {
            AuditAnswer::Failed
        };
        verdict.checks.push(AuditCheck {
            architecture: self.published.arch.to_string(),
            check: "links".to_owned(),
            resolver: None,
            answer,
            detail: format!("{count} wheels, {how}; the METADATA beside each"),
        });
        Ok(())
    }

    /// The page's JSON twin by file name; a page need not have one.
    fn twin(&self, project: &Project) -> Result<BTreeMap<String, TwinFile>, Unanswered> {
        let Ok(address) = project.page.join("index.v1.json") else {
            return Ok(BTreeMap::new());
        };
        let answer = match self.reach.get(&address, LONGEST_TWIN) {
            Ok(answer) => answer,
            Err(cause) if cause.is_no() => return Ok(BTreeMap::new()),
            Err(cause) => {
                return Err(Unanswered {
                    address: address.to_string(),
                    cause,
                });
            }
        };
        let twin: Twin =
            serde_json::from_slice(&answer.bytes).unwrap_or(Twin { files: Vec::new() });
        Ok(twin
            .files
            .into_iter()
            .map(|file| (file.filename.clone(), file))
            .collect())
    }

    fn file(
        &self,
        file: &File,
        twin: Option<&TwinFile>,
        progress: &Progress,
        findings: &mut Findings,
    ) -> Result<(), Unanswered> {
        let address = &file.link.address;
        let Some(promised) = &file.link.sha256 else {
            findings.add(
                "link.no-hash",
                format!("the link to {address} has no #sha256=, so no client can tell other bytes"),
            );
            return Ok(());
        };
        if let Some(said) = twin.and_then(|twin| twin.hashes.get("sha256"))
            && said != promised
        {
            findings.add(
                "link.twin",
                format!("the page promises sha256 {promised} for {address}, and its index.v1.json {said}"),
            );
        }
        let said = twin.and_then(|twin| twin.size);
        let size = if self.download {
            let read = self.reach.sha256(address, &|bytes| progress.add(bytes));
            let Some((sha256, size)) = answered(address, read, "link.broken", findings)? else {
                return Ok(());
            };
            if sha256 != *promised {
                findings.add(
                    "link.sha256",
                    format!("{address} has sha256 {sha256}, and the page promises {promised}"),
                );
            }
            Some(size)
        } else {
            let seen = self.reach.glimpse(address);
            let Some(glimpse) = answered(address, seen, "link.broken", findings)? else {
                return Ok(());
            };
            if glimpse.start != ZIP_START {
                findings.add(
                    "link.no-wheel",
                    format!("{address} answers, but not with a wheel"),
                );
            }
            glimpse.size
        };
        if let (Some(size), Some(said)) = (size, said)
            && size != said
        {
            findings.add(
                "link.size",
                format!("{address} has {size} bytes, and index.v1.json says {said}"),
            );
        }
        Ok(())
    }

    /// The METADATA beside a wheel: there, as hashed, of this wheel, for this Python, without CUDA.
    fn metadata(
        &self,
        name: &ProjectName,
        file: &File,
        findings: &mut Findings,
    ) -> Result<(), Unanswered> {
        if file.link.metadata == Sidecar::Absent {
            findings.warn(
                "link.no-metadata",
                format!(
                    "the link to {} promises no METADATA, so clients download the wheel to resolve",
                    file.filename
                ),
            );
            return Ok(());
        }
        let address = file.link.address.with_suffix(".metadata");
        let read = self.reach.get(&address, LONGEST_METADATA);
        let Some(answer) = answered(&address, read, "link.metadata", findings)? else {
            return Ok(());
        };
        if let Sidecar::Hashed(promised) = &file.link.metadata {
            let found = wheel::sha256_hex(&answer.bytes);
            if found != *promised {
                findings.add(
                    "link.metadata",
                    format!("{address} has sha256 {found}, and the page promises {promised}: pip and uv stop at it"),
                );
                return Ok(());
            }
        }
        let metadata = match Metadata::parse(answer.bytes) {
            Ok(metadata) => metadata,
            Err(cause) => {
                findings.add("link.metadata", format!("{address}: {cause}"));
                return Ok(());
            }
        };
        if metadata.name() != name || *metadata.version() != file.filename.version {
            findings.add(
                "link.metadata",
                format!(
                    "{address} is of {} {}, not of {}",
                    metadata.name(),
                    metadata.version(),
                    file.filename
                ),
            );
        }
        if file.link.is_yanked {
            return Ok(());
        }
        self.requirements(file, &metadata, findings);
        Ok(())
    }

    fn requirements(&self, file: &File, metadata: &Metadata, findings: &mut Findings) {
        let target: Option<wheel::Version> = format!("{}.0", self.python).parse().ok();
        let specifiers = metadata
            .requires_python()
            .and_then(|text| text.parse::<wheel::VersionSpecifiers>().ok());
        if let (Some(target), Some(specifiers)) = (target, specifiers)
            && !specifiers.contains(&target)
        {
            // uv passes over an upper bound, pip says that there is no such version.
            findings.add(
                "requires-python",
                format!(
                    "{} asks for Python {specifiers}, and the index is for {}",
                    file.filename, self.python
                ),
            );
        }
        let environment = Environment::linux_cpython(self.python, "x86_64");
        for requirement in metadata
            .requires_dist()
            .into_iter()
            .filter_map(|line| line.requirement.ok())
        {
            let counts = requirement
                .marker
                .as_ref()
                .is_none_or(|marker| marker.evaluate(&environment).unwrap_or(true));
            if counts && let Some(cuda) = wheel::cuda_name(&requirement.name) {
                findings.add(
                    "cuda",
                    format!(
                        "{} requires {}, which brings CUDA (`{}`: {})",
                        file.filename, requirement.name, cuda.pattern, cuda.reason
                    ),
                );
            }
        }
    }
}

/// Passes a value on; a definite no is a finding, and anything else stops the audit.
fn answered<T>(
    address: &crate::address::Address,
    result: Result<T, ReachError>,
    rule: &'static str,
    findings: &mut Findings,
) -> Result<Option<T>, Unanswered> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(cause) if cause.is_no() => {
            findings.add(rule, format!("our page links to {address}: {cause}"));
            Ok(None)
        }
        Err(cause) => Err(Unanswered {
            address: address.to_string(),
            cause,
        }),
    }
}

/// Where the findings about one wheel go.
struct Findings<'a> {
    name: &'a ProjectName,
    arch: &'a str,
    verdict: &'a mut Verdict,
}

impl Findings<'_> {
    fn add(&mut self, rule: &'static str, message: String) {
        let finding = self.finding(rule, message);
        self.verdict.findings.push(finding);
    }

    fn warn(&mut self, rule: &'static str, message: String) {
        let finding = self.finding(rule, message);
        self.verdict.warnings.push(finding);
    }

    fn finding(&self, rule: &'static str, message: String) -> AuditFinding {
        AuditFinding {
            architecture: self.arch.to_owned(),
            rule: rule.to_owned(),
            name: self.name.to_string(),
            resolver: None,
            message,
        }
    }
}
