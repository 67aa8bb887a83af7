//! The table of wheels of one index.

use maud::{Markup, html};
use native::device::serves;
use pipe::DeviceKind;

use super::metapackage;
use crate::facts::{Facts, device_words};
use crate::reading::Reading;
use crate::size::human;
use crate::twin::File;
use crate::view::{IndexView, ProjectView};

/// Roles are written out: on a narrow screen the rows become cards, and a table that is not drawn as
/// one is no table to a screen reader otherwise.
pub(super) fn wheels(view: &IndexView) -> Markup {
    let arch = view.arch.as_str();
    let set = metapackage(view).map(|(project, _)| project.name.as_str());
    // What installs the set comes first.
    let (first, rest): (Vec<_>, Vec<_>) = view
        .projects
        .iter()
        .partition(|project| Some(project.name.as_str()) == set);
    html! {
        table role="table" aria-label={ "Wheels for " (arch) } {
            thead role="rowgroup" {
                tr role="row" {
                    @for head in ["Wheel", "Version", "Platform", "glibc", "GPU", "Size", "Python", "sha256"] {
                        th role="columnheader" scope="col" { (head) }
                    }
                }
            }
            tbody role="rowgroup" {
                @for project in first.into_iter().chain(rest) {
                    @for file in &project.files { (row(arch, project, file)) }
                }
            }
        }
    }
}

fn row(arch: &str, project: &ProjectView, file: &File) -> Markup {
    html! {
        tr role="row" {
            th role="rowheader" scope="row" {
                a href={ "data/wheels/" (arch) "/" (project.name) "/" } { (project.name) }
                @if file.facts.installs.is_some() { small { "installs the set" } }
                @if let Some(reason) = file.yanked.reason() {
                    small.warn { "yanked" @if !reason.is_empty() { ": " (reason) } }
                }
                @if project.earlier > 0 { small { (project.earlier) " earlier" } }
            }
            td role="cell" data-label="Version" { div { (version(&Reading::of(&project.version), &file.facts)) } }
            td role="cell" data-label="Platform" { div { (platform(&file.facts)) } }
            td.number.third role="cell" data-label="glibc" { div { (file.facts.glibc.as_deref().unwrap_or("–")) } }
            td role="cell" data-label="GPU" { div { (gpu(arch, &file.facts)) } }
            td.number.size.third role="cell" data-label="Size" { div { (human(file.size)) } }
            td.third role="cell" data-label="Python" { div { (file.requires_python.as_deref().unwrap_or("any")) } }
            td role="cell" data-label="sha256" {
                details {
                    summary { code { (file.hashes.sha256.get(..10).unwrap_or_default()) "…" } }
                    code.whole { (file.hashes.sha256) }
                    code.whole { (file.filename) }
                }
            }
        }
    }
}

fn version(reading: &Reading, facts: &Facts) -> Markup {
    let mut parts: Vec<(&str, String)> = Vec::new();
    if let Some(commit) = &reading.commit {
        parts.push(("commit", commit.clone()));
    }
    if let Some(day) = &reading.changed_on {
        parts.push(("changed tree of", day.clone()));
    }
    if let Some(rocm) = reading.rocm.as_ref().filter(|_| reading.pins.is_none()) {
        // `rocm101` is upstream's own mark; which release it means is theirs to say.
        let dotted = rocm.contains('.');
        parts.push(if dotted {
            ("ROCm", rocm.clone())
        } else {
            ("mark", format!("rocm{rocm}"))
        });
    }
    if let Some(pins) = &reading.pins {
        parts.push(("pins", pins.clone()));
    }
    if !reading.other.is_empty() {
        parts.push(("local", reading.other.join(".")));
    }
    let was = facts.before.as_ref().map(|before| before.version.as_str());
    html! {
        span.main { (reading.upstream) }
        @for (what, value) in &parts {
            small { (what) " " span.value { (value) } }
        }
        @if parts.is_empty() && was.is_some() { small { "no mark" } }
    }
}

fn platform(facts: &Facts) -> Markup {
    let was = facts
        .before
        .as_ref()
        .filter(|before| before.platforms != facts.platforms);
    html! {
        @for platform in &facts.platforms { code.main { (platform) } }
        small { (facts.why.as_deref().unwrap_or("not measured")) }
        @if let Some(before) = was { small { "came as " span.value { (before.platforms.join(", ")) } } }
    }
}

fn gpu(arch: &str, facts: &Facts) -> Markup {
    let ours = |target: &&String| serves(arch, std::slice::from_ref(*target)).is_served();
    match facts.device {
        None => html! { small { "not measured" } },
        Some(DeviceKind::Code) => {
            let (serving, others): (Vec<&String>, Vec<&String>) =
                facts.targets.iter().partition(ours);
            html! {
                @for target in serving { span.target { (target) } }
                @if others.len() == 1 {
                    @for target in others { small { "and " (target) } }
                } @else if !others.is_empty() {
                    details {
                        summary { "and " (others.len()) " others" }
                        span.others {
                            @for (i, target) in others.iter().enumerate() {
                                @if i > 0 { ", " }
                                (target)
                            }
                        }
                    }
                }
            }
        }
        Some(kind) => html! { small { (device_words(kind)) } },
    }
}
