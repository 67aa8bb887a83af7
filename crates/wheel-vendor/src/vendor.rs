//! The order of work: each wheel's needs, then, when all of them can be met, the wheels.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufWriter, IntoInnerError};
use std::path::Path;

use anyhow::Context;
use native::exclude::Excludes;
use native::policy::Policy;
use pipe::{Config, Origin, Outcome, Partial, Platform, Record, Stop, Wheel, WheelSet};
use serde_json::json;
use wheel::{Archive, HashingWriter, Inflater};

use crate::Args;
use crate::elf_file::facts;
use crate::explain::explain;
use crate::graft::Grafts;
use crate::output;
use crate::payload::Bench;
use crate::rewrite::rewrite;
use crate::rocm_prefix::RocmPrefixes;
use crate::search::Search;
use crate::target::Target;
use crate::walk::{Start, Tree, World};

const TOOL: &str = "wheel-vendor";

/// What has to be done to one wheel.
struct Job {
    wheel: Wheel,
    grafts: Grafts,
    told: String,
}

/// Reads the set, works out every graft, and writes the wheels when nothing is missing.
pub(crate) fn vendor(args: &Args) -> Result<Outcome, Stop> {
    let config = Config::load(args.config.as_deref()).map_err(anyhow::Error::from)?;
    let globs: Vec<String> = args
        .exclude
        .iter()
        .chain(&config.exclude.libraries)
        .cloned()
        .collect();
    let excludes = Excludes::new(&globs, true).map_err(anyhow::Error::from)?;
    let rocm = RocmPrefixes::new(&args.rocm_prefix);
    let search = Search::new(&args.lib_dir, args.system_libs);
    check_folders(args)?;
    let set = pipe::stdin_set()?;

    let mut jobs = Vec::new();
    let mut faults = Vec::new();
    let mut reasons = Vec::new();
    let mut needed: BTreeSet<String> = BTreeSet::new();
    for wheel in &set.wheels {
        match plan(wheel, args, &excludes, &rocm, &search) {
            Ok(Planned { job, no, libraries }) => {
                reasons.extend(no);
                needed.extend(libraries);
                jobs.push(job);
            }
            Err(error) => faults.push(format!("{}: {error:#}", wheel.path)),
        }
    }
    if !faults.is_empty() {
        return Err(Stop::Cannot(faults));
    }
    if !args.shared.quiet {
        for warning in excludes.unused(&needed) {
            pipe::note(TOOL, &warning);
        }
    }
    if !reasons.is_empty() {
        return Err(Stop::No(reasons));
    }
    let told: String = jobs.iter().map(|job| job.told.as_str()).collect();
    if args.dry_run {
        pipe::print_text(&told)?;
        return Ok(Outcome::Done);
    }
    std::fs::create_dir_all(&args.out).with_context(|| args.out.display().to_string())?;
    let mut wheels = Vec::new();
    for job in jobs {
        let path = job.wheel.path.clone();
        wheels.push(write(job, &args.out).context(path)?);
    }
    let mut done = WheelSet::new(wheels);
    done.more = set.more;
    if args.shared.explain {
        pipe::print_text(&told)?;
    } else {
        pipe::print(&done)?;
    }
    Ok(Outcome::Done)
}

/// A folder that is not there would make every library missing.
fn check_folders(args: &Args) -> Result<(), Stop> {
    let gone: Vec<String> = args
        .lib_dir
        .iter()
        .filter(|folder| !folder.is_dir())
        .map(|folder| format!("{}: --lib-dir is no folder", folder.display()))
        .collect();
    if gone.is_empty() {
        Ok(())
    } else {
        Err(Stop::Cannot(gone))
    }
}

struct Planned {
    job: Job,
    no: Vec<String>,
    libraries: BTreeSet<String>,
}

fn plan(
    wheel: &Wheel,
    args: &Args,
    excludes: &Excludes,
    rocm: &RocmPrefixes,
    search: &Search,
) -> anyhow::Result<Planned> {
    let Some(platform) = &wheel.platform else {
        anyhow::bail!("was not measured; pipe the set through glibc-probe first");
    };
    let mut planned = Planned {
        job: Job {
            wheel: wheel.clone(),
            grafts: Grafts {
                folder: String::new(),
                libraries: Vec::new(),
                members: BTreeMap::new(),
            },
            told: format!("{}\n  {}\n", wheel.filename, nothing(platform)),
        },
        no: Vec::new(),
        libraries: platform
            .excluded
            .iter()
            .map(|one| one.library.clone())
            .collect(),
    };
    let target = match platform.machine {
        None => Target::None,
        Some(_) => Target::choose(args.plat.as_deref(), platform)?,
    };
    let Target::Policy(policy) = target else {
        return Ok(planned);
    };
    let archive = Archive::open(Path::new(&wheel.path))?;
    let starts = starts(&archive, platform, policy, args.plat.is_some())?;
    let world = World {
        policy,
        excludes,
        rocm,
        search,
        in_wheel: in_wheel(&archive),
    };
    let tree = Tree::grow(&starts, &world)?;
    let filename = archive.filename();
    let data = format!(
        "{}.data",
        archive.dist_info().trim_end_matches(".dist-info")
    );
    let grafts = Grafts::plan(&tree, &starts, filename.distribution(), &data)?;
    planned
        .libraries
        .extend(tree.needs.iter().map(|need| need.library.clone()));
    for (library, needers) in tree.missing() {
        let needers: Vec<String> = needers.iter().map(ToString::to_string).collect();
        planned.no.push(format!(
            "{}: {library} was not found, needed by {}; name its folder with --lib-dir, or leave it out with --exclude '{library}'",
            wheel.path,
            needers.join(", ")
        ));
    }
    if grafts.size() > args.max_graft {
        let mut largest: Vec<_> = grafts.libraries.iter().collect();
        largest.sort_by_key(|graft| std::cmp::Reverse(graft.size));
        let largest: Vec<String> = largest
            .iter()
            .take(3)
            .map(|graft| format!("{} ({} bytes)", graft.path.display(), graft.size))
            .collect();
        planned.no.push(format!(
            "{}: {} bytes would be grafted, more than --max-graft {}; the largest: {}",
            wheel.path,
            grafts.size(),
            args.max_graft,
            largest.join(", ")
        ));
    }
    planned.job.told = explain(&wheel.filename, &policy.name, &starts, &tree, &grafts);
    planned.job.grafts = grafts;
    Ok(planned)
}

/// Why a wheel is passed on without a look at its needs.
fn nothing(platform: &Platform) -> String {
    match platform.machine {
        None => "no compiled host code, passed on as it is".to_owned(),
        Some(_) => format!(
            "no policy allows its symbols ({}), so a graft would earn no tag; passed on as it is",
            platform.required.get("GLIBC").map_or_else(
                || platform.symbols_tag.clone(),
                |version| format!("GLIBC_{version}")
            )
        ),
    }
}

/// The members with needs from outside. The measured document names those that the policy of the symbols leaves open; an
/// older policy that was asked for may grant less, and then every member is read.
fn starts(
    archive: &Archive,
    platform: &Platform,
    policy: &Policy,
    older: bool,
) -> anyhow::Result<Vec<Start>> {
    let mut libraries: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for external in &platform.external {
        for member in &external.needed_by {
            libraries
                .entry(member)
                .or_default()
                .insert(&external.library);
        }
    }
    let mut starts = Vec::new();
    for (index, member) in archive.members().iter().enumerate() {
        let name = member.name();
        let open = libraries.remove(name);
        if open.is_none() && !older {
            continue;
        }
        let found = facts(name, member.size(), || Ok(Box::new(archive.stream(index))))
            .with_context(|| name.to_owned())?;
        let Some(facts) = found else { continue };
        let newest = native::policy::all()
            .filter(|one| one.libc == policy.libc)
            .flat_map(|one| one.libraries.iter().map(String::as_str));
        let granted_later: BTreeSet<&str> = if older {
            newest.collect()
        } else {
            BTreeSet::new()
        };
        let wanted: Vec<String> = facts
            .needed
            .iter()
            .filter(|library| {
                let library = library.as_str();
                open.as_ref().is_some_and(|open| open.contains(library))
                    || (granted_later.contains(library) && !policy.libraries.contains(library))
            })
            .cloned()
            .collect();
        if !wanted.is_empty() {
            starts.push(Start {
                member: name.to_owned(),
                facts,
                libraries: wanted,
            });
        }
    }
    anyhow::ensure!(
        libraries.is_empty(),
        "is not the wheel that was measured: {} is not in it",
        libraries.into_keys().collect::<Vec<_>>().join(", ")
    );
    Ok(starts)
}

/// File name to member, for what a grafted library may find in the wheel.
fn in_wheel(archive: &Archive) -> BTreeMap<String, String> {
    let mut members = BTreeMap::new();
    for member in archive.members() {
        let name = member.name();
        let file = name.rsplit('/').next().unwrap_or_default();
        if file.contains(".so") {
            members
                .entry(file.to_owned())
                .or_insert_with(|| name.to_owned());
        }
    }
    members
}

/// Writes one wheel and returns what is known of it afterwards.
fn write(job: Job, out: &Path) -> anyhow::Result<Wheel> {
    let Job {
        mut wheel, grafts, ..
    } = job;
    let path = wheel.path.clone();
    let source = Path::new(&path);
    let place = output::place(out, source, &wheel.filename)?;
    wheel.path = place.display().to_string();
    if grafts.is_empty() {
        output::pass_on(source, &wheel.sha256, &place).context(wheel.path.clone())?;
        return Ok(wheel);
    }
    let archive = Archive::open(source)?;
    if wheel.record != Some(Record::Verified) {
        archive.verify_record(&mut Inflater::default())?;
    }
    let mut bench = Bench::new(out)?;
    let partial = Partial::create(&place).context(wheel.path.clone())?;
    let file = HashingWriter::new(BufWriter::with_capacity(256 * 1024, partial));
    let (file, source_sha256) = rewrite(&archive, &wheel, &grafts, &mut bench, file)?;
    anyhow::ensure!(
        source_sha256 == wheel.sha256,
        "has changed since it was measured; measure it again"
    );
    let (buffered, sha256, size) = file.finish();
    let partial = buffered.into_inner().map_err(IntoInnerError::into_error)?;
    output::finish(partial, &sha256, &place).context(wheel.path.clone())?;

    wheel.origin.get_or_insert_with(|| Origin {
        filename: wheel.filename.clone(),
        version: wheel.version.clone(),
        tags: wheel.tags.clone(),
        sha256: source_sha256,
        more: pipe::More::new(),
    });
    wheel.sha256 = sha256;
    wheel.size = size;
    wheel.record = Some(Record::Verified);
    // A grafted library can need a newer glibc, or hold GPU code: what was measured is not this wheel any more.
    wheel.platform = None;
    wheel.device = None;
    let grafted: Vec<_> = grafts
        .libraries
        .iter()
        .map(|graft| {
            json!({
                "member": format!("{}/{}", grafts.folder, graft.name),
                "needed_as": graft.needed_as,
                "sha256": graft.sha256,
            })
        })
        .collect();
    wheel.more.insert("grafted".to_owned(), grafted.into());
    Ok(wheel)
}
