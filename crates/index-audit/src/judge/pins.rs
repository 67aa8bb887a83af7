//! Every pin of the metapackage arrived, and every project of our index is pinned.

use pipe::AuditAnswer;

use super::{Case, Found, Verdict};

pub(super) fn judge(case: &Case, verdict: &mut Verdict) {
    let Some(pins) = case.pins else {
        let detail = "no metapackage of ours is among what came, so there are no pins to count";
        verdict.add_check(case, "pins", AuditAnswer::NotJudged, detail.to_owned());
        return;
    };
    let mut findings = Vec::new();
    let extra = case.published.arch.extra();
    for pin in &pins.requirements {
        let instead = case.resolved.find(&pin.name);
        if instead.is_some_and(|came| pin.allows(&came.version)) {
            continue;
        }
        let instead = instead.map_or_else(
            || "nothing of that name came".to_owned(),
            |came| format!("{} came", came.called()),
        );
        findings.push(Found {
            rule: "pin.missing",
            name: pin.name.clone(),
            message: format!(
                "{} pins `{}{}` and {instead}; was it asked for as {}[{extra}]?",
                pins.called(),
                pin.name,
                pin.version_specifiers(),
                pins.name
            ),
        });
    }
    for (name, project) in &case.published.projects {
        if *name == pins.name {
            continue;
        }
        let Some(pin) = pins.requirements.iter().find(|pin| pin.name == *name) else {
            findings.push(Found {
                rule: "pin.unpinned",
                name: name.clone(),
                message: format!(
                    "our index carries {name} and {} does not pin it: it comes by chance or not at all",
                    pins.called()
                ),
            });
            continue;
        };
        if !project
            .files
            .iter()
            .any(|file| pin.allows(&file.filename.version))
        {
            findings.push(Found {
                rule: "pin.unpublished",
                name: name.clone(),
                message: format!(
                    "{} pins `{name}{}` and our page has no such version",
                    pins.called(),
                    pin.version_specifiers()
                ),
            });
        }
    }
    let detail = format!("{} pins of {}", pins.requirements.len(), pins.called());
    verdict.add(case, "pins", detail, findings);
}
