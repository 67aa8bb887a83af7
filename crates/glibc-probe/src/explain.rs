//! `--explain`: the verdict for somebody who debugs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use native::policy::claim_is_kept;
use native::verdict::{Obstacle, Upgrade, Verdict};
use pipe::{Device, Finding, Platform};

use crate::measure::Measured;

/// Most symbols, libraries or members that one line names.
const MOST: usize = 5;

/// One wheel, explained.
pub(crate) fn wheel(measured: &Measured) -> String {
    let mut page = Page::new(&measured.wheel.filename);
    let platform = &measured.verdict.platform;
    page.verdict(platform);
    for claim in &measured.claims {
        let kept = if claim_is_kept(claim, platform) {
            "kept"
        } else {
            "not kept"
        };
        page.row("claims", &format!("{claim}: {kept}"));
    }
    if let Some(differ) = &measured.tags_differ {
        page.row("claims", differ);
    }
    page.platform(platform, &measured.verdict.upgrades);
    if let Some(device) = &measured.wheel.device {
        page.device(device);
    }
    page.record(measured);
    page.remarks(platform);
    page.text
}

/// One library, explained.
pub(crate) fn library(path: &Path, verdict: &Verdict) -> String {
    let mut page = Page::new(&path.display().to_string());
    page.verdict(&verdict.platform);
    page.platform(&verdict.platform, &verdict.upgrades);
    page.remarks(&verdict.platform);
    page.text
}

/// Lines with a word in front; a word that repeats is written once.
struct Page {
    text: String,
    last: &'static str,
}

impl Page {
    fn new(title: &str) -> Self {
        Self {
            text: format!("{title}\n"),
            last: "",
        }
    }

    fn row(&mut self, word: &'static str, text: &str) {
        let shown = if word == self.last { "" } else { word };
        self.last = word;
        let line = format!("  {shown:<14}{text}");
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn verdict(&mut self, platform: &Platform) {
        self.row("verdict", &platform.tag);
        if platform.symbols_tag != platform.tag {
            let text = format!("{} by its symbol versions alone", platform.symbols_tag);
            self.row("verdict", &text);
        }
    }

    fn platform(&mut self, platform: &Platform, upgrades: &[Upgrade]) {
        if let (Some(machine), Some(libc)) = (&platform.machine, &platform.libc) {
            let mut text = match platform.required.get("GLIBC") {
                Some(version) => format!("glibc {version} or newer, on {machine}"),
                None => format!("{libc}, on {machine}"),
            };
            for (prefix, version) in &platform.required {
                if prefix != "GLIBC" {
                    let _ = write!(text, "; {prefix} {version}");
                }
            }
            self.row("needs", &text);
        }
        if let Some(nearest) = upgrades.first() {
            let lines = forces(&nearest.obstacles);
            for line in lines.iter().take(MOST) {
                self.row("because", line);
            }
            if lines.len() > MOST {
                let more = lines.len() - MOST;
                self.row("because", &format!("and {more} more of the kind"));
            }
        }
        for line in better(upgrades, platform) {
            self.row("better", &line);
        }
        for external in &platform.external {
            let text = format!("{} for {}", external.library, some(&external.needed_by));
            self.row("external", &text);
        }
        for excluded in &platform.excluded {
            let reason = excluded.reason.as_deref().unwrap_or("asked for");
            let text = format!("{} by {} ({reason})", excluded.library, excluded.pattern);
            self.row("excluded", &text);
        }
    }

    fn device(&mut self, device: &Device) {
        let kind = serde_word(&device.kind);
        if device.targets.is_empty() {
            self.row("GPU code", &kind);
            return;
        }
        let targets = device.targets.join(" ");
        if device.kind == pipe::DeviceKind::Code {
            self.row("GPU code", &targets);
        } else {
            self.row("GPU code", &format!("{kind}: {targets}"));
        }
        if device.common != device.targets {
            let common = if device.common.is_empty() {
                "none".to_owned()
            } else {
                device.common.join(" ")
            };
            self.row("GPU code", &format!("in every bundle: {common}"));
        }
        for member in device.members.iter().take(MOST) {
            let targets = member.common.as_ref().unwrap_or(&member.targets);
            let mut text = format!("{} in {}", member.carrier, member.member);
            if member.bundles > 0 {
                let bundles = usize::try_from(member.bundles).unwrap_or(usize::MAX);
                let _ = write!(text, ", {}", counted(bundles, "bundle"));
            }
            let _ = write!(text, ", {}", counted(targets.len(), "target"));
            self.row("GPU code", &text);
        }
        if device.members.len() > MOST {
            let more = device.members.len() - MOST;
            self.row("GPU code", &format!("and {}", counted(more, "more member")));
        }
    }

    fn record(&mut self, measured: &Measured) {
        if let Some(record) = &measured.wheel.record {
            self.row("RECORD", &serde_word(record));
        }
    }

    /// Findings that hold nothing back, a few of each rule.
    fn remarks(&mut self, platform: &Platform) {
        let mut by_rule: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
        for finding in &platform.findings {
            if !native::policy::LIMITS.contains(&finding.rule.as_str()) {
                by_rule.entry(&finding.rule).or_default().push(finding);
            }
        }
        for (rule, findings) in by_rule {
            for finding in findings.iter().take(MOST) {
                self.row("also", &remark(finding));
            }
            if findings.len() > MOST {
                let more = findings.len() - MOST;
                self.row("also", &format!("{rule}: {more} more of them"));
            }
        }
    }
}

/// `rule: message`, with the member and what else the message does not say.
fn remark(finding: &Finding) -> String {
    let message = finding.message.as_deref().unwrap_or_default();
    let mut text = finding.rule.clone();
    for part in [&finding.member, &finding.library, &finding.version]
        .into_iter()
        .flatten()
        .filter(|part| !message.contains(part.as_str()))
    {
        text.push(' ');
        text.push_str(part);
    }
    if !message.is_empty() {
        text.push_str(": ");
        text.push_str(message);
    }
    text
}

/// What each better policy would be had without; neighbours that ask the same share a line.
fn better(upgrades: &[Upgrade], platform: &Platform) -> Vec<String> {
    let machine = platform.machine.as_deref().unwrap_or_default();
    let mut lines: Vec<(&str, &str, String)> = Vec::new();
    for upgrade in upgrades {
        let name = upgrade.tag.strip_suffix(machine).unwrap_or(&upgrade.tag);
        let name = name.trim_end_matches('_');
        let text = must_go(&upgrade.obstacles);
        match lines.last_mut() {
            Some((_, last, same)) if *same == text => *last = name,
            _ => lines.push((name, name, text)),
        }
    }
    lines
        .into_iter()
        .map(|(first, last, text)| {
            if first == last {
                format!("{first}: without {text}")
            } else {
                format!("{first} to {last}: without {text}")
            }
        })
        .collect()
}

/// Member, library, version and symbols of each obstacle; external libraries have rows of their own.
fn forces(obstacles: &[Obstacle]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut external: BTreeSet<&str> = BTreeSet::new();
    for obstacle in obstacles {
        let symbols: Vec<String> = obstacle.symbols.iter().cloned().collect();
        let member = &obstacle.member;
        match (obstacle.rule, &obstacle.library, &obstacle.version) {
            ("external-library", Some(library), _) => {
                external.insert(library);
            }
            ("symbol-version", Some(library), Some(version)) if symbols.is_empty() => {
                lines.push(format!(
                    "{version} of {library} in {member}, used by no symbol"
                ));
            }
            ("symbol-version", Some(library), Some(version)) => {
                lines.push(format!(
                    "{version} of {library} in {member}: {}",
                    some(&symbols)
                ));
            }
            ("forbidden-symbol", Some(library), _) => {
                lines.push(format!("{} of {library} in {member}", some(&symbols)));
            }
            (rule, _, Some(version)) => lines.push(format!("{rule}: {version} in {member}")),
            (rule, _, None) => lines.push(format!("{rule} in {member}")),
        }
    }
    if !external.is_empty() {
        let count = external.len();
        let what = if count == 1 {
            "1 library"
        } else {
            &format!("{count} libraries")
        };
        let line = format!("{what} that no policy grants and the wheel does not bring, below");
        lines.insert(0, line);
    }
    lines
}

/// What would have to go, by kind and member: `3 symbols in torch/lib/libtorch_cpu.so`.
fn must_go(obstacles: &[Obstacle]) -> String {
    let mut symbols: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut libraries: BTreeSet<&str> = BTreeSet::new();
    let mut others: BTreeSet<&str> = BTreeSet::new();
    for obstacle in obstacles {
        match obstacle.rule {
            "symbol-version" | "forbidden-symbol" => {
                let entry = symbols.entry(&obstacle.member).or_default();
                entry.extend(obstacle.symbols.iter().map(String::as_str));
                // A version that no symbol uses is asked for all the same.
                if obstacle.symbols.is_empty() {
                    entry.extend(obstacle.version.as_deref());
                }
            }
            "external-library" => libraries.extend(obstacle.library.as_deref()),
            rule => {
                others.insert(rule);
            }
        }
    }
    let mut parts: Vec<String> = Vec::new();
    let mut by_count: Vec<(&str, usize)> = symbols
        .iter()
        .map(|(member, symbols)| (*member, symbols.len()))
        .collect();
    by_count.sort_by_key(|(member, count)| (std::cmp::Reverse(*count), *member));
    for (member, count) in by_count.iter().take(MOST) {
        parts.push(format!("{} in {member}", counted(*count, "symbol")));
    }
    if by_count.len() > MOST {
        let rest: usize = by_count.iter().skip(MOST).map(|(_, count)| count).sum();
        let members = counted(by_count.len() - MOST, "more member");
        parts.push(format!("{} in {members}", counted(rest, "symbol")));
    }
    if !libraries.is_empty() {
        let names: Vec<String> = libraries.iter().map(|&name| name.to_owned()).collect();
        let word = if libraries.len() == 1 {
            "library"
        } else {
            "libraries"
        };
        parts.push(format!("{} {word} ({})", libraries.len(), some(&names)));
    }
    parts.extend(others.into_iter().map(str::to_owned));
    parts.join(", ")
}

fn counted(count: usize, word: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {word}{plural}")
}

/// The first few of a list, and how many more there are.
fn some(names: &[String]) -> String {
    let mut text = names
        .iter()
        .take(MOST)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > MOST {
        let _ = write!(text, " and {} more", names.len() - MOST);
    }
    text
}

/// The word that stands in the document for a value.
fn serde_word<T: serde::Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}
