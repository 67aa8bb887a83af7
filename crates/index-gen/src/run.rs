//! The order of work.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::path::Path;

use pipe::{Outcome, Stop, Wheel, WheelSet};

use crate::TOOL;
use crate::admission::{Admitted, Knowledge};
use crate::arguments::Arguments;
use crate::assets::{self, Published, sidecar};
use crate::collide::{RocmLines, equal_versions};
use crate::entrant::Entrant;
use crate::explain;
use crate::input::{entrants, load_ledger, must_carry, read_set, read_text};
use crate::judgement::{immutable, judge};
use crate::keep_old::{Kept, beside, published};
use crate::memory::Memory;
use crate::options::Options;
use crate::pages::{Pages, indexes};
use crate::problems::Problems;
use crate::publish::{Publication, new_staging};
use crate::replace::Replace;
use crate::seal::Conditions;
use crate::site::Site;
use crate::staging::Staging;
use crate::told::{Seen, Stamp};

/// Publishes the set, or says why not.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, Stop> {
    let options = arguments.options()?;
    let must_carry = must_carry(arguments)?;
    let text = read_text(arguments)?;
    let set = read_set(arguments, &text)?;
    let mut site = Site::lock(&arguments.out, || {
        tell(arguments, "waiting for another run that writes this site");
    })?;
    let (sealed, remembered) = (
        format!("{}.seal", options.arch),
        format!("{}.read", options.arch),
    );

    let conditions = conditions(arguments, &options, &must_carry, &text);
    drop(text);
    let seen = looked_at(&set, site.is_published());
    if !arguments.distrust_cache && site.is_published() {
        let sealed = site.beside(&sealed);
        let there = seen.iter().map(|seen| seen.as_ref()?.as_ref().ok());
        let seal = conditions
            .clone()
            .seal(there.clone().map(|seen| Some(seen?.stamp)));
        let inputs = there.flatten().map(|seen| seen.inode).collect();
        if let Some(told) = seal.holds(&sealed, site.folder(), &options.arch, &inputs) {
            drop(site);
            return finish(arguments, &told, &set);
        }
    }

    let entrants = entrants(&set)?;
    let mut problems = Problems::default();
    let mut notes = judge(&entrants, arguments, &options, &must_carry, &mut problems);
    problems.settle()?;
    let mut ledger = load_ledger(&site)?;
    let replace = &arguments.replace;
    immutable(&entrants, &ledger, &options.arch, replace, &mut problems);
    problems.settle()?;

    let Reading {
        knowledge,
        published,
        staging,
        changed,
    } = read_wheels(
        &entrants,
        &seen,
        arguments,
        &options,
        &site,
        &site.beside(&remembered),
    )?;
    let admitted = knowledge.admitted(&entrants);
    let kept = kept(&site, &admitted, &published, &options)?;
    one_release_each(&admitted, &kept)?;
    notes.extend(python_notes(&admitted, &options));
    // Names out of a wheel's bytes are in them, and they go onto the page.
    for note in &mut notes {
        *note = pipe::one_line(note);
    }
    notes.sort();

    for Admitted { entrant, .. } in &admitted {
        ledger.publish(&options.arch, &entrant.wheel.filename, entrant.sha256);
    }
    let publication = Publication {
        pages: Pages {
            options: &options,
            admitted: &admitted,
            kept: &kept,
            notes: &notes,
        },
        published: &published,
        ledger: &ledger,
    };
    publication.publish(&mut site, staging)?;
    if changed {
        let known = admitted.iter().map(|a| (&a.entrant, a.known));
        let kept = site.keep(&remembered, &|out| Memory::record(out, known.clone()));
        // The site is published by now; without its memory the next run only takes longer.
        if let Err(error) = kept {
            tell(
                arguments,
                &format!("{error:#}: the next run reads all wheels again"),
            );
        }
    }
    notes.extend(unused_yanks(&options, &admitted, &kept));
    notes.extend(unused_replacements(&arguments.replace, &set));
    let stamps = seen
        .iter()
        .zip(&admitted)
        .map(|(seen, admitted)| match seen {
            Some(seen) => seen.as_ref().ok().map(|seen| seen.stamp),
            None => Some(admitted.known.stamp),
        });
    let seal = conditions.seal(stamps);
    if let Ok(text) = seal.on(site.folder(), &options.arch, &notes) {
        let _ = site.keep(&sealed, &|out| out.write_all(&text));
    }
    // Whoever waits for the lock must not wait for the reader of our document too.
    drop(site);
    finish(arguments, &notes, &set)
}

/// Everything that decides what a run makes.
fn conditions(
    arguments: &Arguments,
    options: &Options,
    must_carry: &BTreeSet<String>,
    text: &[u8],
) -> Conditions {
    let mut conditions = Conditions::new();
    let flags = (
        arguments.unmeasured,
        arguments.no_asset_limit,
        &arguments.replace,
    );
    conditions.add(format!("{options:?} {must_carry:?} {flags:?}").as_bytes());
    conditions.add(text);
    conditions
}

/// How each wheel's file is. In a first run nothing is known that could spare the reading of it: a small one
/// is read as fast as it is looked at, and only of large ones it is worth knowing before that one is missing.
fn looked_at(set: &WheelSet, is_published: bool) -> Vec<Option<io::Result<Seen>>> {
    const SMALL: u64 = 64 << 10;
    let look = |wheel: &Wheel| {
        (is_published || wheel.size > SMALL).then(|| Seen::at(Path::new(&wheel.path)))
    };
    set.wheels.iter().map(look).collect()
}

fn unused_yanks(options: &Options, admitted: &[Admitted], kept: &Kept) -> Vec<String> {
    let ours = admitted.iter().filter_map(|Admitted { entrant, .. }| {
        let version = entrant.version().ok()?;
        Some((entrant.wheel.filename.as_str(), entrant.project(), version))
    });
    let kept = kept.iter().flat_map(|(project, files)| {
        files
            .iter()
            .map(|(version, file)| (file.filename.as_str(), project.as_str(), version.clone()))
    });
    options.yanks.unused(ours.chain(kept))
}

/// What `--replace` names and the set does not have: most likely a slip.
fn unused_replacements(replace: &[Replace], set: &WheelSet) -> Vec<String> {
    let unused = replace.iter().filter(|name| {
        let mut wheels = set.wheels.iter();
        !wheels.any(|wheel| name.means(&wheel.filename, &wheel.name))
    });
    unused
        .map(|name| format!("--replace {name}: the set has no such wheel"))
        .collect()
}

/// Tells the notes, prints the set or what a person wants to see of it.
fn finish(arguments: &Arguments, notes: &[String], set: &WheelSet) -> Result<Outcome, Stop> {
    for note in notes {
        tell(arguments, note);
    }
    if arguments.shared.explain {
        let table = explain::table(arguments.arch.as_str(), &set.wheels);
        let page = arguments.out.join("index.html");
        pipe::print_text(&format!("{table}\nsite: {}\n", page.display()))?;
    } else {
        pipe::print(set)?;
    }
    Ok(Outcome::Done)
}

fn tell(arguments: &Arguments, note: &str) {
    if !arguments.shared.quiet {
        pipe::note(TOOL, note);
    }
}

/// What is known of the wheels: from earlier runs, or read now.
struct Reading {
    knowledge: Knowledge,
    published: Published,
    /// The next site with new sidecars in it, when something had to be read.
    staging: Option<Staging>,
    /// Whether what is known has changed.
    changed: bool,
}

fn read_wheels(
    entrants: &[Entrant],
    seen: &[Option<io::Result<Seen>>],
    arguments: &Arguments,
    options: &Options,
    site: &Site,
    remembered: &Path,
) -> Result<Reading, Stop> {
    let mut problems = Problems::default();
    let assets = assets::folder(&options.arch);
    let mut published = Published::default();
    if site.is_published() {
        published = Published::open(site.folder().join(&assets), Stamp::of(remembered).ok());
    }
    let mut memory = Memory::default();
    if !arguments.distrust_cache {
        memory = Memory::open(remembered);
    }
    let mut knowledge = Knowledge::recall(
        entrants,
        seen,
        &mut memory,
        &published,
        options,
        &mut problems,
    );
    problems.settle()?;
    let changed = !knowledge.is_whole() || memory.has_more();
    let mut staging = None;
    if !knowledge.is_whole() {
        let next = new_staging(site, &options.arch)?;
        let (sidecars, quiet) = (next.folder(&assets)?, arguments.shared.quiet);
        knowledge.read(entrants, &sidecars, quiet, &mut problems)?;
        staging = Some(next);
    }
    problems.settle()?;
    Ok(Reading {
        knowledge,
        published,
        staging,
        changed,
    })
}

fn kept(
    site: &Site,
    admitted: &[Admitted],
    assets: &Published,
    options: &Options,
) -> anyhow::Result<Kept> {
    if !options.keep_old {
        return Ok(Kept::new());
    }
    let published = published(&site.folder().join(indexes()), &options.arch)?;
    let kept = beside(published, admitted, options);
    for (_, file) in kept.values().flatten() {
        assets.check_kept(&sidecar(&file.filename), &file.core_metadata.sha256)?;
        if file.is_in_site() {
            assets.check_kept(&file.filename, &file.hashes.sha256)?;
        }
    }
    Ok(kept)
}

/// Refuses two ROCm lines, or two spellings of one version, of one project, what is kept of earlier sets included.
fn one_release_each(admitted: &[Admitted], kept: &Kept) -> Result<(), Stop> {
    let mut projects: BTreeMap<&str, Vec<&Entrant>> = BTreeMap::new();
    for Admitted { entrant, .. } in admitted {
        projects.entry(entrant.project()).or_default().push(entrant);
    }
    for project in kept.keys() {
        projects.entry(project).or_default();
    }
    let mut lines = RocmLines::default();
    let mut problems = Problems::default();
    for (project, entrants) in projects {
        // A project's versions are parsed together and go again: those of a whole set take much memory.
        let mut wheels = Vec::with_capacity(entrants.len());
        for entrant in entrants {
            let version = entrant.version().map_err(anyhow::Error::from)?;
            wheels.push((version, entrant.wheel.filename.as_str()));
        }
        for (version, file) in kept.get(project).into_iter().flatten() {
            wheels.push((version.clone(), file.filename.as_str()));
        }
        for (version, _) in &wheels {
            lines.add(project, version);
        }
        equal_versions(project, wheels.into_iter(), &mut problems);
    }
    lines.judge(&mut problems);
    problems.settle()
}

fn python_notes(admitted: &[Admitted], options: &Options) -> Vec<String> {
    let mut notes = Vec::new();
    for Admitted { entrant, known, .. } in admitted {
        let wheel = &entrant.wheel;
        let range = known.told.requires_python.as_deref();
        let by_range = range.and_then(|range| options.python.note(range));
        let by_tag = options.python.tag_note(&wheel.tags);
        let told = by_range.into_iter().chain(by_tag);
        notes.extend(told.map(|note| format!("{}: {note}", wheel.filename)));
    }
    notes
}
