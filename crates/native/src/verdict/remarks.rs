//! Findings that hold nothing back.

use pipe::Finding;

use super::subject::Subject;

/// What is worth knowing and holds nothing back.
pub(super) fn of_members(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for member in &subject.members {
        let facts = &member.facts;
        let mut say = |rule: &str, message: &str| {
            findings.push(Finding {
                rule: rule.to_owned(),
                member: Some(member.name.clone()),
                message: Some(message.to_owned()),
                ..Finding::default()
            });
        };
        let folder = member
            .name
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder);
        if folder.split('/').any(|part| part == "purelib") {
            say(
                "purelib",
                "compiled code lies in a folder named `purelib`, where installers put what is the same on every machine",
            );
        }
        if facts.is_dynamic && !facts.has_sections {
            say(
                "no-section-headers",
                "its section headers are gone; its needs were read by its segments, as a loader does",
            );
        }
        if let Some(reason) = facts.symbols_unread {
            say("symbols-unread", reason);
        }
        for need in &facts.views_differ {
            findings.push(Finding {
                rule: "version-needs-differ".to_owned(),
                member: Some(member.name.clone()),
                library: Some(need.library.clone()),
                version: Some(need.version.clone()),
                message: Some(
                    "its segments and its section headers disagree about this need; it counts"
                        .to_owned(),
                ),
            });
        }
    }
}

/// A member that begins as an ELF file and is none.
pub(super) fn stub(name: &str) -> Finding {
    Finding {
        rule: "elf-stub".to_owned(),
        member: Some(name.to_owned()),
        message: Some(
            "begins as an ELF file does and has no whole header; no loader would take it"
                .to_owned(),
        ),
        ..Finding::default()
    }
}

/// A machine and C library that no policy is about.
pub(super) fn no_policy(subject: &Subject<'_>) -> Finding {
    Finding {
        rule: "no-policy".to_owned(),
        message: Some(format!(
            "no {} policy is defined for {}",
            subject.libc.word(),
            subject.machine
        )),
        ..Finding::default()
    }
}
