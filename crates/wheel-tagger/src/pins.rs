//! Pins between the wheels of a set: whoever asks for a version by its old local name must ask for
//! the new one, or nothing can be installed any more.
//!
//! `triton==3.9.0+gitaad2a60d` is not met by `3.9.0+gitaad2a60d.rocm10.1.0`, in pip as in uv.

use std::collections::BTreeMap;

use wheel::{
    Edit, Environment, Operator, ProjectName, Requirement, RequirementError, RequiresDist,
    Specifier, Version,
};

use crate::note::Note;
use crate::subject::Subject;

/// Every version in the set by project: as it came in, and as it goes out.
pub(crate) type Versions = BTreeMap<ProjectName, Vec<(Version, Version)>>;

/// What the pins of one wheel become.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Pins {
    /// Edits of METADATA.
    pub(crate) edits: Vec<Edit>,
    /// What was rewritten, and what is not met.
    pub(crate) notes: Vec<Note>,
}

/// Goes through the requirements of one wheel, its own name among them (`pkg[all]==1.0+git…`).
pub(crate) fn follow(subject: &Subject, versions: &Versions) -> Pins {
    let mut pins = Pins::default();
    for line in subject.metadata.requires_dist() {
        match &line.requirement {
            Ok(requirement) => pins.requirement(subject, versions, &line, requirement),
            Err(error) => pins.notes.push(unreadable(subject, error)),
        }
    }
    pins
}

impl Pins {
    fn requirement(
        &mut self,
        subject: &Subject,
        versions: &Versions,
        line: &RequiresDist,
        requirement: &Requirement,
    ) {
        let siblings = versions
            .get(&requirement.name)
            .map_or(&[][..], Vec::as_slice);
        for specifier in &requirement.specifiers {
            match specifier.specifier.operator() {
                Operator::Equal | Operator::ExactEqual => {
                    self.pin(subject, siblings, line, requirement, specifier);
                }
                Operator::NotEqual => {
                    self.exclusion(subject, siblings, requirement, specifier);
                }
                _ => {}
            }
        }
    }

    fn pin(
        &mut self,
        subject: &Subject,
        siblings: &[(Version, Version)],
        line: &RequiresDist,
        requirement: &Requirement,
        specifier: &Specifier,
    ) {
        let asked = specifier.specifier.version();
        // `===` compares texts, so it breaks by a mark also where it names no local version.
        let strict = asked.is_local() || *specifier.specifier.operator() == Operator::ExactEqual;
        if !strict {
            return;
        }
        let name = &requirement.name;
        if let Some((old, new)) = siblings.iter().find(|(old, _)| old == asked) {
            if old != new {
                self.edits.push(Edit {
                    span: line.start + specifier.version_span.start
                        ..line.start + specifier.version_span.end,
                    text: new.to_string(),
                });
                self.say(
                    subject,
                    "pin.rewritten",
                    format!("`{name}` is asked for as `{new}` instead of `{asked}`"),
                );
            }
            return;
        }
        let met = siblings
            .iter()
            .any(|(_, new)| specifier.specifier.contains(new));
        if met || !asked.is_local() || never_on_linux(requirement) {
            return;
        }
        let specifier = &specifier.specifier;
        let cause = match siblings.first() {
            None => format!("`{name}{specifier}` is not met: `{name}` is not in the set"),
            Some((_, new)) => {
                format!("`{name}{specifier}` is not met: the set has `{name}` {new}")
            }
        };
        let note = Note::new(&subject.facts.filename, "pin.unmet", cause);
        self.notes.push(note.strict());
    }

    fn exclusion(
        &mut self,
        subject: &Subject,
        siblings: &[(Version, Version)],
        requirement: &Requirement,
        specifier: &Specifier,
    ) {
        let excluded = specifier.specifier.version();
        let renamed = siblings
            .iter()
            .any(|(old, new)| old == excluded && old != new && excluded.is_local());
        if renamed {
            let name = &requirement.name;
            self.say(
                subject,
                "pin.exclusion",
                format!("`{name}!={excluded}` no longer excludes anything: that build is renamed"),
            );
        }
    }

    fn say(&mut self, subject: &Subject, rule: &'static str, message: String) {
        let note = Note::new(&subject.facts.filename, rule, message);
        self.notes.push(note);
    }
}

/// A pin for another system is nobody's loss here.
fn never_on_linux(requirement: &Requirement) -> bool {
    requirement
        .marker
        .as_ref()
        .is_some_and(|marker| marker.evaluate(&Environment::linux()) == Some(false))
}

fn unreadable(subject: &Subject, error: &RequirementError) -> Note {
    let filename = &subject.facts.filename;
    match error {
        RequirementError::Local { .. } => {
            Note::new(filename, "pin.invalid", error.to_string()).strict()
        }
        _ => Note::new(filename, "requirement.invalid", error.to_string()),
    }
}
