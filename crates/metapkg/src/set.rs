//! The order of work on a set: read it, judge it, pin it, write the metapackage.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use pipe::{Device, DeviceKind, MadeFolders, More, Platform, Record, Stop, Wheel, WheelSet};

use crate::checks::{self, Finding};
use crate::member::Member;
use crate::metapackage::Metapackage;
use crate::pins::{Pin, Pins};
use crate::requires_python::RequiresPython;
use crate::{Args, TOOL};

/// The set without a metapackage of an earlier run, which is not pinned by its successor.
///
/// # Errors
/// When nothing is left to be pinned.
pub(crate) fn without_metapackage(mut set: WheelSet, args: &Args) -> Result<WheelSet, Stop> {
    set.wheels.retain(|wheel| {
        let is_ours = wheel.name == args.name.as_str();
        if is_ours && !args.shared.quiet {
            pipe::note(
                TOOL,
                &format!(
                    "{}: left out, a new {} takes its place",
                    wheel.path, args.name
                ),
            );
        }
        !is_ours
    });
    if set.wheels.is_empty() {
        return Err(Stop::cannot(
            "the set holds no wheels to pin; look at what the stage before was given",
        ));
    }
    Ok(set)
}

/// Reads every wheel's METADATA; all that cannot be read are named.
///
/// # Errors
/// One line for each wheel that cannot be read.
pub(crate) fn members(wheels: &[Wheel]) -> Result<Vec<Member<'_>>, Stop> {
    let mut members = Vec::new();
    let mut causes = Vec::new();
    for wheel in wheels {
        match Member::read(wheel) {
            Ok(member) => members.push(member),
            Err(cause) => causes.push(format!("{}: {cause}", wheel.path)),
        }
    }
    if causes.is_empty() {
        Ok(members)
    } else {
        Err(Stop::Cannot(causes))
    }
}

/// What is wrong with the set, and what is only worth knowing: under `--strict` that is wrong too.
pub(crate) fn judged(members: &[Member], args: &Args) -> (Vec<String>, Vec<String>) {
    let mut findings = checks::check(members, &args.name, &args.rocm);
    if args.strict {
        findings.errors.append(&mut findings.warnings);
    }
    let told = |findings: &std::collections::BTreeSet<Finding>| {
        findings.iter().map(ToString::to_string).collect()
    };
    (told(&findings.errors), told(&findings.warnings))
}

/// Pins a set that holds together.
///
/// # Errors
/// When the version cannot be made.
pub(crate) fn pinned(members: &[Member], args: &Args) -> anyhow::Result<Metapackage> {
    let mut pins: BTreeMap<_, Pin> = BTreeMap::new();
    let mut requires_python = RequiresPython::default();
    for member in members {
        pins.entry(member.name.clone())
            .or_insert_with(|| Pin {
                version: member.version.clone(),
                files: std::collections::BTreeSet::new(),
            })
            .files
            .insert(member.wheel.sha256.clone());
        if let Some(requires) = &member.requires_python {
            requires_python.and(requires);
        }
    }
    if let Some(&oldest) = checks::joint_pythons(members).first() {
        requires_python.and_not_before(oldest);
    }
    let pins = Pins(pins);
    let digest = if args.digest_files {
        pins.digest_with_files()
    } else {
        pins.digest()
    };
    Metapackage::new(
        args.name.clone(),
        args.rocm.clone(),
        args.arch.clone(),
        pins,
        &digest,
        requires_python.to_string(),
    )
}

/// Writes the metapackage into `folder` and makes its entry of the set.
///
/// # Errors
/// When the folder cannot be made or written to.
pub(crate) fn written(metapackage: &Metapackage, folder: &Path) -> anyhow::Result<Wheel> {
    let bytes = metapackage.bytes().context("the metapackage")?;
    let made = MadeFolders::make(folder).map_err(|error| pipe::failed(folder, &error))?;
    let path = folder.join(metapackage.filename());
    pipe::write_whole(&path, &bytes).map_err(|error| match error.downcast_ref() {
        Some(cause) => pipe::failed(&path, cause),
        None => error,
    })?;
    made.keep();
    Ok(Wheel {
        path: path.display().to_string(),
        filename: metapackage.filename(),
        name: metapackage.name.to_string(),
        version: metapackage.version.to_string(),
        tags: Metapackage::tags(),
        size: bytes.len() as u64,
        sha256: wheel::sha256_hex(&bytes),
        requires_python: Some(metapackage.requires_python.clone()),
        record: Some(Record::Verified),
        platform: Some(Platform {
            tag: "any".to_owned(),
            symbols_tag: "any".to_owned(),
            machine: None,
            libc: None,
            required: BTreeMap::new(),
            external: Vec::new(),
            excluded: Vec::new(),
            findings: Vec::new(),
            more: More::new(),
        }),
        device: Some(Device {
            kind: DeviceKind::None,
            targets: Vec::new(),
            common: Vec::new(),
            members: Vec::new(),
            more: More::new(),
        }),
        origin: None,
        source: None,
        more: More::new(),
    })
}
