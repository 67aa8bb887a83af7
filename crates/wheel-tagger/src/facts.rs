//! The facts about a wheel after it was written, beside what they were.

use pipe::{Origin, Wheel};

use crate::outputs::Output;
use crate::plan::Plan;

/// The document's entry for a wheel that was written.
pub(crate) fn facts(plan: &Plan, output: &Output) -> Wheel {
    let old = &plan.subject.facts;
    let mut new = Wheel {
        path: output.path.display().to_string(),
        filename: plan.filename.clone(),
        version: plan.version.to_string(),
        tags: plan.tags.clone(),
        size: output.size,
        sha256: output.sha256.clone(),
        record: Some(pipe::Record::Verified),
        ..old.clone()
    };
    if let Some(change) = &plan.change {
        // The file as it first came in; an earlier stage may have said so already.
        new.origin.get_or_insert_with(|| Origin {
            filename: old.filename.clone(),
            version: old.version.clone(),
            tags: old.tags.clone(),
            sha256: output.source_sha256.clone(),
            more: pipe::More::new(),
        });
        rename_members(&mut new, |member| change.renames.name_of(member));
    }
    new.more.remove("notes");
    if !plan.notes.is_empty()
        && let Ok(notes) = serde_json::to_value(&plan.notes)
    {
        new.more.insert("notes".to_owned(), notes);
    }
    new
}

/// What was measured names members, and those below `.data` have other names now.
fn rename_members(wheel: &mut Wheel, name_of: impl Fn(&str) -> String) {
    let rename = |member: &mut String| *member = name_of(member);
    if let Some(platform) = &mut wheel.platform {
        let external = platform
            .external
            .iter_mut()
            .map(|entry| &mut entry.needed_by);
        let excluded = platform
            .excluded
            .iter_mut()
            .map(|entry| &mut entry.needed_by);
        for needed_by in external.chain(excluded) {
            needed_by.iter_mut().for_each(rename);
            needed_by.sort();
        }
        for finding in &mut platform.findings {
            finding.member.iter_mut().for_each(rename);
        }
        platform.findings.sort();
    }
    if let Some(device) = &mut wheel.device {
        for entry in &mut device.members {
            rename(&mut entry.member);
        }
        device.members.sort();
    }
}
