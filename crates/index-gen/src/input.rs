//! What a run works on: the documents, the policy, what was published before.

use std::collections::BTreeSet;
use std::io::ErrorKind;

use pipe::{Config, ReadError, Stop, WheelSet};
use wheel::ProjectName;

use crate::arguments::Arguments;
use crate::entrant::Entrant;
use crate::ledger::Ledger;
use crate::problems::Problems;
use crate::site::Site;

/// The documents as they came in.
pub(crate) fn read_text(arguments: &Arguments) -> Result<Vec<u8>, Stop> {
    let Some(files) = pipe::named_or_stdin(&arguments.sets) else {
        return Ok(pipe::stdin_bytes()?);
    };
    let mut bytes = Vec::new();
    for file in files {
        let mut text = pipe::read_document(file).map_err(|error| match error.kind() {
            ErrorKind::IsADirectory => anyhow::anyhow!(
                "{}: this is a folder, and a set is wanted; pipe the folder through glibc-probe",
                file.display()
            ),
            _ => pipe::failed(file, &error),
        })?;
        bytes.append(&mut text);
        bytes.push(b'\n');
    }
    Ok(bytes)
}

/// The set that the documents make together.
pub(crate) fn read_set(arguments: &Arguments, text: &[u8]) -> Result<WheelSet, Stop> {
    let error = match pipe::read_set(text) {
        Ok(set) => return Ok(set),
        Err(error) => error,
    };
    // Of several files, it is told which one it was.
    for file in pipe::named_or_stdin(&arguments.sets).unwrap_or_default() {
        let text = pipe::read_document(file).map_err(|error| pipe::failed(file, &error))?;
        match pipe::read_set(&text) {
            Err(ReadError::Conflict { .. }) | Ok(_) => {}
            Err(error) => return Err(Stop::cannot(format!("{}: {error}", file.display()))),
        }
    }
    Err(error.into())
}

/// The wheels of the set, in order of their file names.
pub(crate) fn entrants(set: &WheelSet) -> Result<Vec<Entrant<'_>>, Stop> {
    let mut problems = Problems::default();
    let mut entrants = Vec::with_capacity(set.wheels.len());
    for wheel in &set.wheels {
        match Entrant::new(wheel) {
            Ok(entrant) => entrants.push(entrant),
            Err(error) => problems.fault(&wheel.path, error),
        }
    }
    problems.settle()?;
    if entrants.is_empty() {
        return Err(Stop::cannot(
            "the set holds no wheel; nothing would be left on the index",
        ));
    }
    Ok(entrants)
}

/// The canonical names of what must carry code for the index's architecture.
pub(crate) fn must_carry(arguments: &Arguments) -> Result<BTreeSet<String>, Stop> {
    let config = Config::load(arguments.config.as_deref()).map_err(anyhow::Error::from)?;
    let names = config.index.must_carry.iter().map(|name| {
        let name = ProjectName::new(name);
        name.map_or_else(
            |error| Err(Stop::cannot(format!("must-carry: {error}"))),
            |name| Ok(name.to_string()),
        )
    });
    names.collect()
}

/// Every name that was published before; none before the first run.
pub(crate) fn load_ledger(site: &Site) -> Result<Ledger, Stop> {
    if !site.is_published() {
        return Ok(Ledger::default());
    }
    let path = site.folder().join("published.json");
    let cannot = |cause: String| Stop::cannot(format!("{}: {cause}", path.display()));
    let bytes = pipe::read_document(&path).map_err(|error| cannot(pipe::advised(&error)))?;
    Ledger::parse(&bytes).map_err(|error| cannot(error.to_string()))
}
