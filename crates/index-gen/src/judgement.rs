//! Which wheels of a set belong into the index, judged by the document alone.

use std::collections::BTreeSet;

use native::policy::{Claim, claim_is_kept};
use pipe::{Architecture, Record, Wheel};

use crate::arguments::Arguments;
use crate::belongs::belongs;
use crate::collide::spellings;
use crate::entrant::Entrant;
use crate::facts::platforms;
use crate::ledger::Ledger;
use crate::options::Options;
use crate::problems::Problems;
use crate::replace::Replace;

/// Release hosts take assets smaller than this many bytes.
const ASSET_LIMIT: u64 = 1 << 31;

/// Faults of one wheel that are named; what is more is counted.
const NAMED_FAULTS: usize = 20;

/// Judges the set, before any wheel is read. Returns what is right but worth knowing.
pub(crate) fn judge(
    entrants: &[Entrant],
    arguments: &Arguments,
    options: &Options,
    must_carry: &BTreeSet<String>,
    problems: &mut Problems,
) -> Vec<String> {
    let mut notes = Vec::new();
    for entrant in entrants {
        let wheel = &entrant.wheel;
        let file = &wheel.filename;
        if !arguments.no_asset_limit && wheel.size >= ASSET_LIMIT {
            problems.refuse(file, format!(
                "has {} bytes, and release hosts take fewer than {ASSET_LIMIT}; host it elsewhere with --no-asset-limit",
                wheel.size
            ));
        }
        match wheel.record {
            Some(Record::Mismatch) => {
                problems.fault(
                    &wheel.path,
                    "its RECORD does not match its members; rebuild it",
                );
            }
            Some(Record::Missing) => problems.fault(&wheel.path, "it has no RECORD; rebuild it"),
            Some(Record::Verified) | None => {}
        }
        if let Err(error) = options.location.of(&options.arch, file) {
            problems.fault(file, error);
        }
        if let Some(other) = metapackage_of(entrant).filter(|other| *other != options.arch) {
            let reason = format!(
                "is the metapackage of {other}, and versions of two architectures on one page sort as text; publish it in the index of {other}"
            );
            problems.refuse(file, reason);
        }
        if let Some(faults) = device_faults(wheel) {
            problems.refuse(
                file,
                format!(
                    "its GPU code is damaged or was not measured in full ({faults}); build it again"
                ),
            );
        }
        notes.extend(broken_claim(wheel).map(|note| format!("{file}: {note}")));
        match &wheel.device {
            None if arguments.unmeasured => {}
            None => problems.fault(
                file,
                "was not measured; pipe the set through glibc-probe, or pass --unmeasured",
            ),
            Some(device) => {
                match belongs(
                    &options.arch,
                    device,
                    must_carry.contains(entrant.project()),
                ) {
                    Ok(told) => {
                        notes.extend(told.into_iter().map(|note| format!("{file}: {note}")));
                    }
                    Err(reason) => problems.refuse(file, reason),
                }
            }
        }
    }
    if let Err(error) = spellings(entrants, problems) {
        problems.fault("the set", error);
    }
    notes
}

/// What the file name promises and the measured code does not keep: pip would install it where it cannot run.
///
/// `linux_<machine>` promises nothing but the machine, and a wheel for `any` platform loads its code by choice.
/// Without code for the host, a promise costs machines and breaks none.
fn broken_claim(wheel: &Wheel) -> Option<String> {
    let measured = wheel.platform.as_ref()?;
    measured.machine.as_ref()?;
    let broken: Vec<String> = platforms(&wheel.tags)
        .into_iter()
        .filter(|claim| claim != "any" && !claim_is_kept(claim, measured))
        .collect();
    let needs = match Claim::parse(&measured.tag) {
        Claim::Linux { .. } => "keeps no more than",
        _ => "needs",
    };
    (!broken.is_empty()).then(|| {
        format!(
            "its name promises {}, its code {needs} {}; run wheel-tagger first",
            broken.join(" and "),
            measured.tag
        )
    })
}

/// The members whose GPU code is no ground to publish on, each with the rule that says so.
///
/// The targets of such a wheel are what could still be read of it; that it serves an architecture does not
/// follow.
fn device_faults(wheel: &Wheel) -> Option<String> {
    let findings = wheel
        .platform
        .iter()
        .flat_map(|platform| &platform.findings);
    let faults: BTreeSet<(&str, &str)> = findings
        .filter(|finding| native::device::is_device_fault(&finding.rule))
        .map(|finding| {
            let member = finding.member.as_deref().unwrap_or("the wheel");
            (member, finding.rule.as_str())
        })
        .collect();
    let named = faults.iter().take(NAMED_FAULTS);
    let mut named: Vec<String> = named
        .map(|(member, rule)| format!("{member}: {rule}"))
        .collect();
    if let Some(more) = faults
        .len()
        .checked_sub(NAMED_FAULTS)
        .filter(|&more| more > 0)
    {
        named.push(format!("and {more} more"));
    }
    (!named.is_empty()).then(|| named.join(", "))
}

/// The architecture whose pins a metapackage holds: `10.1.0+gfx950.424e84fe`.
fn metapackage_of(entrant: &Entrant) -> Option<Architecture> {
    let (_, local) = entrant.wheel.version.split_once('+')?;
    local.split('.').next()?.parse().ok()
}

/// Refuses published names with other bytes, but for those that `--replace` names.
pub(crate) fn immutable(
    entrants: &[Entrant],
    ledger: &Ledger,
    arch: &Architecture,
    replace: &[Replace],
    problems: &mut Problems,
) {
    for entrant in entrants {
        let wheel = &entrant.wheel;
        let may_change = || {
            let mut replace = replace.iter();
            replace.any(|name| name.means(&wheel.filename, &wheel.name))
        };
        match ledger.sha256(arch, &wheel.filename) {
            Some(published) if published != entrant.sha256 && !may_change() => problems.refuse(
                &wheel.filename,
                format!(
                    "was published for {arch} with other bytes (sha256 {published}); give the new build a new version, or pass --replace {}",
                    wheel.name
                ),
            ),
            _ => {}
        }
    }
}
