//! Every distribution whose name our index carries comes from it.

use std::collections::BTreeMap;

use pipe::Evidence;
use wheel::ProjectName;

use super::{Case, Found, Verdict};
use crate::address::Address;
use crate::origin::{Origin, Place, origin};
use crate::published::Project;
use crate::resolved::{Distribution, ResolvedFile};

pub(super) fn judge(case: &Case, verdict: &mut Verdict) {
    let mut findings = Vec::new();
    let mut sites: BTreeMap<String, Vec<&ProjectName>> = BTreeMap::new();
    let (mut ours, mut others) = (0_usize, 0_usize);
    for distribution in &case.resolved.distributions {
        let Some(project) = case.published.projects.get(&distribution.name) else {
            others += 1;
            // Of what is not ours, the file that sorts first stands for all that a lock allows.
            if let Some(file) = distribution.files.iter().min_by_key(|file| &file.url) {
                verdict
                    .evidence
                    .push(evidence(case, distribution, file, false));
            }
            continue;
        };
        for file in &distribution.files {
            let origin = origin(case.published, project, file);
            let is_ours = matches!(origin, Origin::Ours(_));
            verdict
                .evidence
                .push(evidence(case, distribution, file, is_ours));
            match origin {
                Origin::Ours(Place::Linked) => {}
                Origin::Ours(Place::Served(site)) => {
                    sites.entry(site).or_default().push(&distribution.name);
                }
                other => findings.push(Found {
                    rule: rule(&other),
                    name: distribution.name.clone(),
                    message: message(&other, distribution, project, file),
                }),
            }
        }
        ours += 1;
    }
    findings.extend(second_site(&sites));
    let detail = format!("{ours} distributions carry a name of ours, {others} do not");
    verdict.add(case, "origin", detail, findings);
}

/// Files that were found below another address than most.
fn second_site(sites: &BTreeMap<String, Vec<&ProjectName>>) -> Option<Found> {
    let (_, few) = sites.iter().min_by_key(|(_, names)| names.len())?;
    let (most, _) = sites.iter().max_by_key(|(_, names)| names.len())?;
    if sites.len() == 1 {
        return None;
    }
    let others: Vec<String> = sites
        .iter()
        .filter(|(site, _)| *site != most)
        .map(|(site, names)| {
            let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
            format!("{} below {site}", names.join(", "))
        })
        .collect();
    Some(Found {
        rule: "two-sites",
        name: (*few.first()?).clone(),
        message: format!(
            "most of our files came from below {most}, and {}: one of them is a copy that is not ours to vouch for",
            others.join(" and ")
        ),
    })
}

fn rule(origin: &Origin) -> &'static str {
    match origin {
        Origin::OtherBytes { .. } => "replaced",
        Origin::NoHash => "no-hash",
        _ => "foreign",
    }
}

fn message(
    origin: &Origin,
    distribution: &Distribution,
    project: &Project,
    file: &ResolvedFile,
) -> String {
    let called = distribution.called();
    let url = shown(&file.url);
    match origin {
        Origin::OtherBytes { promised } => format!(
            "{called} came from {url} with sha256 {}, and our page promises {promised}: the file was replaced \
             under its name",
            file.sha256.as_deref().unwrap_or("unknown")
        ),
        Origin::NoHash => format!(
            "{called} came from {url} without a sha256 on both sides, so nothing proves that its bytes are ours"
        ),
        _ => {
            let have = match project.newest() {
                Some(newest) => format!("has {newest}"),
                None if project.files.is_empty() => "has no wheel of it".to_owned(),
                None => "has it yanked".to_owned(),
            };
            format!("{called} came from {url}; our index {have}")
        }
    }
}

fn evidence(case: &Case, distribution: &Distribution, file: &ResolvedFile, ours: bool) -> Evidence {
    Evidence {
        architecture: case.published.arch.to_string(),
        name: distribution.name.to_string(),
        resolver: case.client().to_string(),
        version: distribution.version.to_string(),
        url: shown(&file.url),
        sha256: file.sha256.clone(),
        ours,
    }
}

/// An address without name and password.
pub(crate) fn shown(url: &str) -> String {
    Address::parse(url).map_or_else(|_| url.to_owned(), |address| address.to_string())
}
