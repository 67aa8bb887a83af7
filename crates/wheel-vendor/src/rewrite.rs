//! The wheel anew: changed members and grafted libraries deflated, everything else copied as it is compressed.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::{Context, bail};
use pipe::Wheel;
use wheel::{Archive, Record, RecordRow, Rewriter};

use crate::bench::Bench;
use crate::graft::Grafts;
use crate::patchelf::Patchelf;
use crate::payload::Payload;
use crate::sbom;

/// A regular file that may be executed, as linkers leave libraries, and one that may not.
const LIBRARY: u32 = 0o100_755;
const TEXT: u32 = 0o100_644;

/// Writes the wheel with its grafts into `out` and returns the sha256 of the wheel that was read.
///
/// # Errors
/// When a library cannot be edited as it must be, or `out` not be written.
pub(crate) fn rewrite<W: Write>(
    archive: &Archive,
    wheel: &Wheel,
    grafts: &Grafts,
    bench: &mut Bench,
    patchelf: Patchelf,
    out: W,
) -> anyhow::Result<(W, String)> {
    let Some(record) = archive.record()? else {
        bail!("there is no RECORD in it");
    };
    let own = archive.record_path();
    let mut rows: BTreeMap<String, RecordRow> = BTreeMap::new();
    let mut rewriter = Rewriter::new(archive, out).with_source_hash();
    let Some(template) = archive.index(&own) else {
        bail!("there is no RECORD in it");
    };
    for (index, member) in archive.members().iter().enumerate() {
        let name = member.name();
        if name == own || is_signature(name, &own) {
            continue;
        }
        match grafts.members.get(name) {
            None => rewriter.copy(index, None)?,
            Some(edit) => {
                let payload = bench.member(archive, index, edit, patchelf)?;
                rows.insert(name.to_owned(), payload.row(name));
                rewriter.insert(index, name, member.mode(), payload.into_deflated())?;
            }
        }
    }
    let mut added = Vec::new();
    let mut add = |name: String, mode: u32, payload: Payload| -> anyhow::Result<()> {
        if let Some(taken) = in_the_way(archive, &name) {
            bail!(
                "`{name}` would go into it, where it has `{taken}` already; take that out, or leave out with --exclude what is grafted"
            );
        }
        added.push(payload.row(&name));
        Ok(rewriter.insert(template, &name, mode, payload.into_deflated())?)
    };
    for graft in &grafts.libraries {
        let payload = bench.library(graft, patchelf)?;
        add(
            format!("{}/{}", grafts.folder, graft.name),
            LIBRARY,
            payload,
        )?;
    }
    if !grafts.libraries.is_empty() {
        let document = sbom::sbom(wheel, grafts).context("its bill of materials")?;
        let name = sbom::place(archive.dist_info(), |name| archive.index(name).is_some());
        add(name, TEXT, bench.text(&document)?)?;
    }
    let rows = record
        .rows()
        .iter()
        .filter(|row| row.path != own && !is_signature(&row.path, &own))
        .map(|row| rows.remove(&row.path).unwrap_or_else(|| row.clone()))
        .chain(added)
        .chain([RecordRow::bare(&own)])
        .collect();
    let text = Record::with_rows(&record, rows).to_text();
    rewriter.replace(template, &own, text.as_bytes())?;
    let done = rewriter.finish()?;
    Ok((done.out, done.source_sha256.unwrap_or_default()))
}

/// A member that is the same file as a new one, the file where its folder would be, or a file below it.
fn in_the_way<'a>(archive: &'a Archive, name: &str) -> Option<&'a str> {
    let above = |member: &str| {
        name.strip_prefix(member)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let below = |member: &str| member.strip_prefix(name)?.strip_prefix('/').map(drop);
    let mut names = archive.members().iter().map(wheel::Member::name);
    names.find(|member| (above(member) && !member.ends_with('/')) || below(member).is_some())
}

/// A signature of the RECORD that was: worthless now.
fn is_signature(name: &str, record: &str) -> bool {
    name.strip_prefix(record)
        .is_some_and(|rest| rest == ".jws" || rest == ".p7s")
}
