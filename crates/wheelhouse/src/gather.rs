//! All wheel images of a plan: found, pulled, and told what became of each.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use pipe::{Progress, Source, Stop, Wheel, WheelSet};

use crate::causes::Causes;
use crate::image::{Image, ImageError};
use crate::planned::{Planned, WheelImage};
use crate::registry::RegistryError;
use crate::session::{OutOfTime, Session, in_order};
use crate::store::{Store, StoreError};
use crate::tag_name::TagName;
use crate::wheels::{Context, PullError, Pulled};

/// Manifests asked for at once.
const MANIFESTS_AT_ONCE: usize = 8;

/// Images pulled at once.
const IMAGES_AT_ONCE: usize = 4;

/// What came of a pull that could be done.
pub(crate) struct Report {
    /// The wheels.
    pub(crate) set: WheelSet,
    /// Planned and not published, a line each.
    pub(crate) missing: Vec<String>,
    /// Wheels that their tag does not announce, a line each.
    pub(crate) warnings: Vec<String>,
}

/// An image of the plan, and its reference for messages.
struct Asked {
    wanted: WheelImage,
    shown: String,
}

/// An image that is published.
struct Found {
    asked: Asked,
    image: Image,
}

/// Why some images gave no wheels, a line each.
#[derive(Default)]
struct Failures {
    missing: Vec<String>,
    conflicts: Vec<String>,
    wrong: Vec<String>,
}

/// Why no image at all could be pulled to its end.
#[derive(Debug, thiserror::Error)]
enum GatherError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Time(#[from] OutOfTime),
}

/// Images by what became of them, for the report of a run that did not end well.
struct Tally {
    fetched: Vec<String>,
    open: Vec<String>,
}

/// Pulls the wheels of these images into a folder.
///
/// # Errors
/// [`Stop::No`] when two images hold one file name with different bytes. [`Stop::Cannot`] when an image could
/// not be pulled; the others are, and the last line tells which.
pub(crate) fn gather(
    session: &Session,
    planned: &Planned,
    out: &Path,
    images: Vec<WheelImage>,
) -> Result<Report, Stop> {
    let asked = images.into_iter().map(|wanted| {
        let shown = planned.show(&wanted.reference);
        Asked { wanted, shown }
    });
    let asked: Vec<Asked> = asked.collect();
    let open = asked.iter().map(|asked| asked.shown.clone()).collect();
    let tally = Arc::new(Mutex::new(Tally {
        fetched: vec![],
        open,
    }));
    let mut failures = Failures::default();
    let found = find(session, asked, &mut failures).map_err(GatherError::from);
    let pulled = found.and_then(|found| match found[..] {
        [] => Ok(vec![]),
        _ => pull(session, out, found, &tally),
    });
    let pulled = pulled.map_err(|cause| cut(&tally, vec![cause.to_string()]))?;
    let (mut wheels, mut warnings) = (BTreeMap::new(), vec![]);
    for (found, result) in pulled {
        let shown = &found.asked.shown;
        match result {
            Ok(pulled) => {
                warnings.extend(unlike_its_tag(&found.asked, &pulled));
                for wheel in pulled {
                    let wheel = entry(planned, out, &found, wheel);
                    wheels.entry(wheel.filename.clone()).or_insert(wheel);
                }
            }
            Err(PullError::Store(cause @ StoreError::Conflict { .. })) => {
                failures.conflicts.push(format!("{shown}: {cause}"));
            }
            Err(cause) => failures.wrong.push(format!("{shown}: {cause}")),
        }
    }
    let Failures {
        missing,
        conflicts,
        wrong,
    } = failures;
    if !wrong.is_empty() {
        let mut causes = [wrong, conflicts, missing].concat();
        causes.sort_unstable();
        return Err(cut(&tally, causes));
    }
    if !conflicts.is_empty() {
        return Err(Stop::No([conflicts, missing].concat()));
    }
    let set = WheelSet::new(wheels.into_values().collect());
    Ok(Report {
        set,
        missing,
        warnings,
    })
}

/// Resolves all tags before anything is downloaded.
fn find(
    session: &Session,
    asked: Vec<Asked>,
    failures: &mut Failures,
) -> Result<Vec<Found>, OutOfTime> {
    let work = in_order(asked, MANIFESTS_AT_ONCE, |asked| {
        let registry = Arc::clone(&session.registry);
        async move {
            let reference = &asked.wanted.reference;
            let image = Image::resolve(&registry, &reference.repository, &reference.tag).await;
            (asked, image)
        }
    });
    let (mut found, mut wrong) = (vec![], Causes::of("image"));
    for (asked, image) in session.run(work)? {
        match image {
            Ok(image) => found.push(Found { asked, image }),
            Err(cause @ ImageError::Registry(RegistryError::NotFound)) => {
                failures.missing.push(format!("{}: {cause}", asked.shown));
            }
            Err(ImageError::Registry(cause)) => wrong.add(asked.shown, &cause),
            Err(cause) => wrong.add_line(format!("{}: {cause}", asked.shown)),
        }
    }
    failures.wrong.extend(wrong.into_lines());
    Ok(found)
}

type PulledImages = Vec<(Found, Result<Vec<Pulled>, PullError>)>;

fn pull(
    session: &Session,
    out: &Path,
    found: Vec<Found>,
    tally: &Arc<Mutex<Tally>>,
) -> Result<PulledImages, GatherError> {
    let store = Store::open(out)?;
    let total = found.iter().map(|found| found.image.size()).sum();
    let bar = Progress::bytes(total, session.log.is_quiet());
    let counting = bar.clone();
    let arrived = Box::new(move |bytes| counting.add(bytes));
    let context = Arc::new(Context::new(Arc::clone(&session.registry), store, arrived));
    let work = in_order(found, IMAGES_AT_ONCE, |found| {
        let (context, tally, bar) = (Arc::clone(&context), Arc::clone(tally), bar.clone());
        async move {
            let (repository, shown) =
                (&found.asked.wanted.reference.repository, &found.asked.shown);
            bar.on(repository);
            let pulled = context.pull(repository, &found.image, shown).await;
            if pulled.is_ok() {
                let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
                tally.open.retain(|open| open != shown);
                tally.fetched.push(shown.clone());
            }
            (found, pulled)
        }
    });
    let pulled = session.run(work);
    bar.done();
    Ok(pulled?)
}

fn entry(planned: &Planned, out: &Path, found: &Found, pulled: Pulled) -> Wheel {
    let (image, reference) = (&found.image, &found.asked.wanted.reference);
    let mut more = pipe::More::new();
    if image.tagged != image.manifest {
        more.insert("index".to_owned(), image.tagged.to_string().into());
    }
    let source = Source {
        repository: planned.show_repository(&reference.repository),
        tag: reference.tag.clone(),
        manifest: image.manifest.to_string(),
        layer: pulled.layer.to_string(),
        more,
    };
    Wheel {
        path: out.join(&pulled.name).display().to_string(),
        name: pulled.filename.name().to_string(),
        version: pulled.filename.version.to_string(),
        tags: pulled.filename.tags(),
        filename: pulled.name,
        size: pulled.entry.size,
        sha256: pulled.entry.sha256,
        requires_python: None,
        record: None,
        platform: None,
        device: None,
        origin: None,
        source: Some(source),
        more: pipe::More::new(),
    }
}

/// Adds to causes what is fetched and what is not.
fn cut(tally: &Mutex<Tally>, mut causes: Vec<String>) -> Stop {
    let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
    tally.fetched.sort_unstable();
    let list = |images: &[String]| match images {
        [] => "nothing".to_owned(),
        images => images.join(", "),
    };
    let (fetched, open) = (list(&tally.fetched), list(&tally.open));
    causes.push(format!(
        "fetched: {fetched}; not fetched: {open}; run it again to go on"
    ));
    Stop::Cannot(causes)
}

/// A warning when no wheel of an image has the version that its tag names.
fn unlike_its_tag(asked: &Asked, pulled: &[Pulled]) -> Option<String> {
    let tag = TagName::new(&asked.wanted.reference.tag);
    if !asked.wanted.names_the_wheel || pulled.iter().any(|wheel| tag.fits(&wheel.filename.version))
    {
        return None;
    }
    let wheel = |wheel: &Pulled| format!("{} {}", wheel.filename.name(), wheel.filename.version);
    let wheels: Vec<String> = pulled.iter().map(wheel).collect();
    let (shown, version, wheels) = (&asked.shown, &tag.version, wheels.join(", "));
    Some(format!(
        "{shown}: the tag says {version}, and the image holds {wheels}"
    ))
}
