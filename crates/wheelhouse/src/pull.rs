//! `wheelhouse pull`: the wheels of a plan, out of their images.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::Reach;
use crate::image::{Image, ImageError};
use crate::planned::{Planned, WheelImage};
use crate::registry::{Registry, RegistryError};
use crate::session::{Session, in_order};
use crate::store::{Store, StoreError};
use crate::wheels::{Context, PullError, Pulled};
use pipe::{Outcome, Progress, Source, Stop, Wheel, WheelSet};

/// Manifests asked for at once.
const MANIFESTS_AT_ONCE: usize = 8;

/// Images pulled at once.
const IMAGES_AT_ONCE: usize = 4;

/// The arguments of `wheelhouse pull`.
#[derive(Debug, clap::Args)]
pub(crate) struct PullArgs {
    /// The folder that the wheels are written to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print the set of what is published, also when something planned is not
    #[arg(long)]
    partial: bool,
    #[command(flatten)]
    reach: Reach,
}

/// Pulls the wheels of the plan on stdin.
///
/// # Errors
/// Exit 1 when something planned is not published, or two images hold one file name with different bytes;
/// exit 2 when something could not be fetched. What was fetched is kept for the next try.
pub(crate) fn pull(args: &PullArgs) -> Result<Outcome, Stop> {
    let plan = pipe::stdin_plan()?;
    let planned = Planned::new(&plan, args.reach.registry.as_ref())?;
    let images = planned.wheel_images(&plan)?;
    let session = Session::new(&args.reach, &planned.place)?;
    let work = Work {
        session: &session,
        planned: &planned,
        out: &args.out,
    };
    let result = work.run(images);
    let log = session.log;
    session.close();
    let report = result?;
    for warning in &report.warnings {
        log.note(warning);
    }
    if !report.missing.is_empty() {
        if !args.partial {
            return Err(Stop::No(report.missing));
        }
        report.missing.iter().for_each(|line| log.note(line));
    }
    if args.reach.shared.explain {
        pipe::print_text(&explained(&report.set))?;
    } else {
        pipe::print(&report.set)?;
    }
    Ok(Outcome::Done)
}

struct Work<'a> {
    session: &'a Session,
    planned: &'a Planned,
    out: &'a Path,
}

/// What came of it.
struct Report {
    set: WheelSet,
    /// Planned and not published, a line each.
    missing: Vec<String>,
    warnings: Vec<String>,
}

/// One image of the plan on its way.
struct Resolved {
    wanted: WheelImage,
    shown: String,
    image: Image,
}

/// Images by what became of them, for the report of a run that did not end well.
#[derive(Default)]
struct Tally {
    fetched: Vec<String>,
    open: Vec<String>,
}

impl Work<'_> {
    fn run(&self, images: Vec<WheelImage>) -> Result<Report, Stop> {
        let tally = Arc::new(Mutex::new(Tally {
            fetched: vec![],
            open: images
                .iter()
                .map(|image| self.planned.show(&image.reference))
                .collect(),
        }));
        let (mut missing, mut wrong) = (vec![], vec![]);
        let mut resolved = vec![];
        for (wanted, shown, result) in self.resolve(images).map_err(|stop| cut(&tally, stop))? {
            match result {
                Ok(image) => resolved.push(Resolved {
                    wanted,
                    shown,
                    image,
                }),
                Err(cause @ ImageError::Registry(RegistryError::NotFound)) => {
                    missing.push(format!("{shown}: {cause}"));
                }
                Err(cause) => wrong.push(format!("{shown}: {cause}")),
            }
        }
        let (mut wheels, mut warnings) = (BTreeMap::new(), vec![]);
        let mut conflicts = vec![];
        if !resolved.is_empty() {
            let results = self
                .pull(resolved, &tally)
                .map_err(|stop| cut(&tally, stop))?;
            for (resolved, result) in results {
                match result {
                    Ok(pulled) => {
                        warnings.extend(unlike_its_tag(&resolved, &pulled));
                        for wheel in pulled {
                            let wheel = self.entry(&resolved, wheel);
                            wheels.entry(wheel.filename.clone()).or_insert(wheel);
                        }
                    }
                    Err(PullError::Store(cause @ StoreError::Conflict { .. })) => {
                        conflicts.push(format!("{}: {cause}", resolved.shown));
                    }
                    Err(cause) => wrong.push(format!("{}: {cause}", resolved.shown)),
                }
            }
        }
        if !wrong.is_empty() {
            wrong.extend(conflicts);
            wrong.extend(missing);
            wrong.sort_unstable();
            return Err(cut(&tally, Stop::Cannot(wrong)));
        }
        if !conflicts.is_empty() {
            conflicts.extend(missing);
            return Err(Stop::No(conflicts));
        }
        let set = WheelSet::new(wheels.into_values().collect());
        Ok(Report {
            set,
            missing,
            warnings,
        })
    }

    fn resolve(
        &self,
        images: Vec<WheelImage>,
    ) -> Result<Vec<(WheelImage, String, Result<Image, ImageError>)>, Stop> {
        let work = in_order(images, MANIFESTS_AT_ONCE, |wanted| {
            let registry = Arc::clone(&self.session.registry);
            let shown = self.planned.show(&wanted.reference);
            async move {
                let (repository, tag) = (&wanted.reference.repository, &wanted.reference.tag);
                let image = Image::resolve(&registry, repository, tag).await;
                (wanted, shown, image)
            }
        });
        self.session
            .run(work)
            .map_err(|cause| Stop::cannot(cause.to_string()))
    }

    #[expect(
        clippy::type_complexity,
        reason = "each image with what came of it, used once"
    )]
    fn pull(
        &self,
        images: Vec<Resolved>,
        tally: &Arc<Mutex<Tally>>,
    ) -> Result<Vec<(Resolved, Result<Vec<Pulled>, PullError>)>, Stop> {
        let store = Store::open(self.out).map_err(|cause| Stop::cannot(cause.to_string()))?;
        let total = images.iter().map(|resolved| resolved.image.size()).sum();
        let bar = Progress::bytes(total, self.session.log.is_quiet());
        let arrived = {
            let bar = bar.clone();
            Box::new(move |bytes| bar.add(bytes))
        };
        let registry: Arc<Registry> = Arc::clone(&self.session.registry);
        let context = Arc::new(Context::new(registry, store, arrived));
        let work = in_order(images, IMAGES_AT_ONCE, |resolved| {
            let (context, tally, bar) = (Arc::clone(&context), Arc::clone(tally), bar.clone());
            async move {
                bar.on(&resolved.wanted.reference.repository);
                let repository = &resolved.wanted.reference.repository;
                let pulled = context
                    .pull(repository, &resolved.image, &resolved.shown)
                    .await;
                if pulled.is_ok() {
                    let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
                    tally.open.retain(|shown| *shown != resolved.shown);
                    tally.fetched.push(resolved.shown.clone());
                }
                (resolved, pulled)
            }
        });
        let results = self
            .session
            .run(work)
            .map_err(|cause| Stop::cannot(cause.to_string()));
        bar.done();
        results
    }

    fn entry(&self, resolved: &Resolved, pulled: Pulled) -> Wheel {
        let filename = pulled.filename.to_string();
        let mut more = pipe::More::new();
        if resolved.image.tagged != resolved.image.manifest {
            more.insert("index".to_owned(), resolved.image.tagged.to_string().into());
        }
        let source = Source {
            repository: self
                .planned
                .show_repository(&resolved.wanted.reference.repository),
            tag: resolved.wanted.reference.tag.clone(),
            manifest: resolved.image.manifest.to_string(),
            layer: pulled.layer.to_string(),
            more,
        };
        Wheel {
            path: self.out.join(&filename).display().to_string(),
            name: pulled.filename.name().to_string(),
            version: pulled.filename.version.to_string(),
            tags: pulled.filename.tags(),
            filename,
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
}

/// Adds to a failure what is fetched and what is not.
fn cut(tally: &Mutex<Tally>, stop: Stop) -> Stop {
    let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
    let (Stop::Cannot(mut causes) | Stop::No(mut causes)) = stop;
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
fn unlike_its_tag(resolved: &Resolved, pulled: &[Pulled]) -> Option<String> {
    let tag = &resolved.wanted.tag;
    let tagged = tag
        .parsed_version()
        .filter(|_| resolved.wanted.names_the_wheel)?;
    let fits = |wheel: &Pulled| {
        // A tag names a release and its wheels may be alphas of it: 2.15.0 and 2.15.0a0+git31a77fc.
        let built = &wheel.filename.version;
        let is_release = tagged == tagged.only_release();
        let comparable = if is_release {
            built.only_release()
        } else {
            built.clone().without_local()
        };
        comparable == tagged
    };
    if pulled.iter().any(fits) {
        return None;
    }
    let wheels: Vec<String> = pulled
        .iter()
        .map(|wheel| format!("{} {}", wheel.filename.name(), wheel.filename.version))
        .collect();
    let (shown, version, wheels) = (&resolved.shown, &tag.version, wheels.join(", "));
    Some(format!(
        "{shown}: the tag says {version}, and the image holds {wheels}"
    ))
}

fn explained(set: &WheelSet) -> String {
    let row = |wheel: &Wheel| {
        let source = wheel.source.as_ref();
        let from = source.map(|source| format!("{}:{}", source.repository, source.tag));
        let name = [
            wheel.name.clone(),
            wheel.version.clone(),
            wheel.size.to_string(),
        ];
        name.into_iter()
            .chain([wheel.path.clone(), from.unwrap_or_default()])
            .collect()
    };
    let rows: Vec<Vec<String>> = set.wheels.iter().map(row).collect();
    pipe::table(&["distribution", "version", "size", "path", "image"], &rows)
}
