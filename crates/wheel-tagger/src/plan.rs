//! What becomes of each wheel of the set, decided for all of them together before anything is written.

use std::collections::BTreeMap;

use wheel::Version;

use crate::choices::Choices;
use crate::mark::Marking;
use crate::note::Note;
use crate::ordering::{Ordered, traps};
use crate::pins::{self, Versions};
use crate::platform_tag;
use crate::renames::Renames;
use crate::subject::Subject;

/// What becomes of one wheel.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// The wheel.
    pub(crate) subject: Subject,
    /// Its file name from now on.
    pub(crate) filename: String,
    /// Its version from now on.
    pub(crate) version: Version,
    /// Its tags from now on, expanded.
    pub(crate) tags: Vec<String>,
    /// What changes in the file; `None` when it goes out byte for byte.
    pub(crate) change: Option<Change>,
    /// Why its version is what it is.
    pub(crate) version_because: String,
    /// Why its platform tag is what it is.
    pub(crate) tag_because: String,
    /// What is to be said about it.
    pub(crate) notes: Vec<Note>,
}

/// What changes inside a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    /// METADATA from now on, when it changes.
    pub(crate) metadata: Option<Vec<u8>>,
    /// WHEEL from now on, when it changes.
    pub(crate) wheel_info: Option<Vec<u8>>,
    /// The directories that are renamed; both names are equal when the version stays.
    pub(crate) renames: Renames,
}

/// Plans the whole set. Two wheels that become one file are a no; so is a wheel that was not
/// measured, unless platform tags are kept.
pub(crate) fn plan(subjects: Vec<Subject>, choices: &Choices) -> Result<Vec<Plan>, pipe::Stop> {
    if !choices.keep_platform {
        let unusable: Vec<String> = subjects.iter().filter_map(unusable_platform).collect();
        if !unusable.is_empty() {
            return Err(pipe::Stop::Cannot(unusable));
        }
    }
    let markings: Vec<(Marking, Version)> = subjects
        .iter()
        .map(|subject| {
            let marking = choices.mark.judge(subject, &choices.policy);
            let version = match marking {
                Marking::Appended { .. } => choices.mark.append(&subject.version),
                Marking::There { .. } | Marking::Left { .. } => subject.version.clone(),
            };
            (marking, version)
        })
        .collect();
    let mut versions = Versions::new();
    for (subject, (_, new)) in subjects.iter().zip(&markings) {
        let pair = (subject.version.clone(), new.clone());
        versions.entry(subject.name.clone()).or_default().push(pair);
    }
    let mut plans: Vec<Plan> = subjects
        .into_iter()
        .zip(markings)
        .map(|(subject, (marking, version))| one(subject, &marking, version, &versions, choices))
        .collect();
    add_traps(&mut plans);
    check_names(&plans)?;
    Ok(plans)
}

/// A platform that was not measured, or a tag in the document that would not do in a file name.
fn unusable_platform(subject: &Subject) -> Option<String> {
    let path = subject.path.display();
    let Some(platform) = &subject.facts.platform else {
        return Some(format!(
            "{path}: its platform was not measured; pass the set through glibc-probe, or keep the tags \
             as they are with --keep-platform"
        ));
    };
    let tag = &platform.tag;
    let usual = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (tag.is_empty() || !tag.bytes().all(usual)).then(|| {
        format!("{path}: the document says that its platform is `{tag}`, which is no tag; measure it again")
    })
}

fn one(
    subject: Subject,
    marking: &Marking,
    version: Version,
    versions: &Versions,
    choices: &Choices,
) -> Plan {
    let mut notes = Vec::new();
    let version_because = say_marking(&subject, marking, &mut notes);
    let (platform, tag_because) = platform_of(&subject, choices, &mut notes);
    let mut filename = subject.filename.clone();
    filename.version = version.clone();
    filename.platform = platform;
    let pins = pins::follow(&subject, versions);
    notes.extend(pins.notes);
    // A wheel that is marked or could be is also brought to the normal form of its version.
    let left = matches!(marking, Marking::Left { .. });
    let same_name =
        filename == subject.filename && (left || filename.to_string() == subject.facts.filename);
    let tags = filename.tags();
    let mut plan = Plan {
        filename: if same_name {
            subject.facts.filename.clone()
        } else {
            filename.to_string()
        },
        version,
        tags,
        change: None,
        version_because,
        tag_because,
        notes,
        subject,
    };
    let new_name = plan.filename != plan.subject.facts.filename;
    let retagged = filename.platform != plan.subject.filename.platform
        || (plan.subject.platforms_differ && !choices.keep_platform);
    if new_name || retagged || !pins.edits.is_empty() {
        plan.change = Some(change(&plan, new_name, retagged, pins.edits));
        say_change(&mut plan);
    }
    plan
}

fn change(plan: &Plan, new_name: bool, retagged: bool, mut edits: Vec<wheel::Edit>) -> Change {
    let subject = &plan.subject;
    let version = plan.version.to_string();
    let renames = if new_name {
        Renames::new(&subject.dist_info, &version)
    } else {
        Renames::none()
    };
    let edit = subject.metadata.version_edit(&plan.version);
    if new_name && subject.metadata.bytes()[edit.span.clone()] != *version.as_bytes() {
        edits.push(edit);
    }
    Change {
        metadata: (!edits.is_empty()).then(|| subject.metadata.edited(edits)),
        wheel_info: retagged.then(|| subject.wheel_info.with_tags(&plan.tags)),
        renames,
    }
}

fn say_marking(subject: &Subject, marking: &Marking, notes: &mut Vec<Note>) -> String {
    match marking {
        Marking::Appended { because } => because.clone(),
        Marking::Left { because } => format!("left: {because}"),
        Marking::There { mark, other: false } => format!("has `{mark}`"),
        Marking::There { mark, other: true } => {
            let message = format!(
                "`{}` carries `{mark}`, another ROCm release than the one given; it is kept",
                subject.version
            );
            notes.push(Note::new(&subject.facts.filename, "mark.other", message).strict());
            format!("has `{mark}`, another release")
        }
    }
}

fn platform_of(
    subject: &Subject,
    choices: &Choices,
    notes: &mut Vec<Note>,
) -> (Vec<String>, String) {
    let claims = &subject.filename.platform;
    let filename = &subject.facts.filename;
    if subject.platforms_differ {
        let message = format!(
            "WHEEL has the tags `{}`, the file name says `{}`",
            subject.wheel_info.tags().join(" "),
            subject.filename.tags().join(" ")
        );
        notes.push(Note::new(filename, "wheel.tags-mismatch", message));
    }
    let measured = match &subject.facts.platform {
        Some(measured) if !choices.keep_platform => measured,
        _ => return (claims.clone(), "kept as asked".to_owned()),
    };
    let judged = platform_tag::judge(claims, measured);
    if !judged.broken.is_empty() {
        let message = format!(
            "`{}` promises more than is kept: {}; it becomes `{}`",
            judged.broken.join("` and `"),
            platform_tag::limits(measured),
            judged.platform.join(".")
        );
        notes.push(Note::new(filename, "tag.not-kept", message).strict());
    } else if claims.iter().any(|claim| claim == "any") && measured.machine.is_some() {
        let message = format!(
            "`any` promises more than is kept: {}; it stays",
            platform_tag::limits(measured)
        );
        notes.push(Note::new(filename, "tag.not-kept", message).strict());
    }
    (judged.platform, judged.because)
}

fn say_change(plan: &mut Plan) {
    let filename = plan.subject.facts.filename.clone();
    let mut say = |rule, message: String| plan.notes.push(Note::new(&filename, rule, message));
    for signature in &plan.subject.signatures {
        say(
            "record.signature-dropped",
            format!("`{signature}` is dropped: what it signs is rewritten"),
        );
    }
    if !plan.subject.metadata.is_utf8() {
        say(
            "metadata.not-utf8",
            "METADATA is not UTF-8: uv installs it, pip does not".to_owned(),
        );
    }
    if plan.version != plan.subject.version {
        for sbom in &plan.subject.stale_sboms {
            say(
                "sbom.stale",
                format!("`{sbom}` names this wheel by its old version; make it again"),
            );
        }
    }
}

fn add_traps(plans: &mut [Plan]) {
    let wheels: Vec<Ordered<'_>> = plans
        .iter()
        .map(|plan| Ordered {
            filename: &plan.subject.facts.filename,
            name: &plan.subject.name,
            version: &plan.version,
        })
        .collect();
    for note in traps(&wheels) {
        let wheel = plans
            .iter_mut()
            .find(|plan| plan.subject.facts.filename == note.filename);
        if let Some(plan) = wheel {
            plan.notes.push(note);
        }
    }
}

/// Two builds of one name cannot both be in a folder, nor in an index.
fn check_names(plans: &[Plan]) -> Result<(), pipe::Stop> {
    let mut taken: BTreeMap<&str, &Plan> = BTreeMap::new();
    let mut reasons = Vec::new();
    for plan in plans {
        if let Some(first) = taken.insert(&plan.filename, plan) {
            reasons.push(format!(
                "{} and {}: both become `{}`; keep one of them",
                first.subject.path.display(),
                plan.subject.path.display(),
                plan.filename
            ));
        }
    }
    if reasons.is_empty() {
        Ok(())
    } else {
        Err(pipe::Stop::No(reasons))
    }
}
