//! `wheelhouse missing`: a plan against what is published.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pipe::{NeededImage, Outcome, RegistryDiff, Stop, TagPlan};

use crate::Reach;
use crate::causes::Causes;
use crate::planned::Planned;
use crate::reference::Reference;
use crate::registry::RegistryError;
use crate::session::{Session, in_order};
use crate::tag_name::TagName;

/// Requests in flight.
const AT_ONCE: usize = 8;

/// The group that is built FROM what other targets published.
const WHEELS: &str = "wheels";

/// The arguments of `wheelhouse missing`.
#[derive(Debug, clap::Args)]
pub(crate) struct MissingArgs {
    #[command(flatten)]
    reach: Reach,
}

/// Compares the plan on stdin with the registry.
///
/// # Errors
/// Exit 2 when the plan cannot be read or the registry not asked. Missing tags are exit 1, with the document.
pub(crate) fn missing(args: &MissingArgs) -> Result<Outcome, Stop> {
    let plan = pipe::stdin_plan()?;
    let planned = Planned::new(&plan, args.reach.registry.as_ref())?;
    let wanted = Wanted::of(&plan, &planned)?;
    let session = Session::new(&args.reach, &planned.place)?;
    let published = published(&session, &planned, wanted.repositories())?;
    let document = wanted.compare(&planned, &published);
    if let Some(note) = unplanned_architectures(&plan, &document.stale) {
        session.log.note(&note);
    }
    if args.reach.shared.explain {
        pipe::print_text(&explained(&document))?;
    } else {
        pipe::print(&document)?;
    }
    let is_whole = document.missing.is_empty() && document.needed.is_empty();
    Ok(if is_whole { Outcome::Done } else { Outcome::No })
}

/// What the plan says must be there.
struct Wanted {
    /// Every tag of every target.
    tags: BTreeSet<Reference>,
    /// Images that targets of the group `wheels` are built FROM, each with those targets.
    needed: BTreeMap<Reference, BTreeSet<String>>,
}

impl Wanted {
    fn of(plan: &TagPlan, planned: &Planned) -> Result<Self, Stop> {
        let (mut tags, mut needed) = (BTreeSet::new(), BTreeMap::<_, BTreeSet<_>>::new());
        let members = plan
            .groups
            .get(WHEELS)
            .map(Vec::as_slice)
            .unwrap_or_default();
        for target in &plan.targets {
            for tag in &target.tags {
                tags.insert(planned.find(&tag.reference)?);
            }
            if members.contains(&target.name) {
                for image in &target.needs_published {
                    let targets = needed.entry(planned.find(image)?).or_default();
                    targets.insert(target.name.clone());
                }
            }
        }
        Ok(Self { tags, needed })
    }

    fn repositories(&self) -> Vec<String> {
        let all = self.tags.iter().chain(self.needed.keys());
        let names: BTreeSet<&str> = all.map(|reference| reference.repository.as_str()).collect();
        names.into_iter().map(str::to_owned).collect()
    }

    fn compare(&self, planned: &Planned, published: &BTreeSet<Reference>) -> RegistryDiff {
        let repositories: BTreeSet<&str> = self
            .tags
            .iter()
            .map(|tag| tag.repository.as_str())
            .collect();
        let mut missing: Vec<_> = self
            .tags
            .difference(published)
            .map(|tag| planned.show(tag))
            .collect();
        let mut stale: Vec<_> = published
            .difference(&self.tags)
            .filter(|tag| repositories.contains(tag.repository.as_str()))
            .map(|tag| planned.show(tag))
            .collect();
        let mut needed: Vec<_> = self
            .needed
            .iter()
            .filter(|(image, _)| !published.contains(*image))
            .map(|(image, targets)| NeededImage {
                reference: planned.show(image),
                needed_by: targets.iter().cloned().collect(),
            })
            .collect();
        missing.sort_unstable();
        stale.sort_unstable();
        needed.sort_by(|a, b| a.reference.cmp(&b.reference));
        RegistryDiff {
            schema: RegistryDiff::SCHEMA.to_owned(),
            missing,
            stale,
            needed,
        }
    }
}

fn published(
    session: &Session,
    planned: &Planned,
    repositories: Vec<String>,
) -> Result<BTreeSet<Reference>, Stop> {
    let work = in_order(repositories, AT_ONCE, |repository| {
        let registry = Arc::clone(&session.registry);
        async move {
            let tags = registry.tags(&repository).await;
            (repository, tags)
        }
    });
    let (mut found, mut wrong) = (BTreeSet::new(), Causes::of("repository"));
    for (repository, tags) in session
        .run(work)
        .map_err(|cause| Stop::cannot(cause.to_string()))?
    {
        match tags {
            Ok(tags) => found.extend(tags.into_iter().map(|tag| {
                let repository = repository.clone();
                Reference { repository, tag }
            })),
            Err(RegistryError::NotFound) => {}
            Err(cause) => wrong.add(planned.show_repository(&repository), &cause),
        }
    }
    let wrong = wrong.into_lines();
    if wrong.is_empty() {
        Ok(found)
    } else {
        Err(Stop::Cannot(wrong))
    }
}

/// A plan for one card knows no tag of another, which is no reason to think that nobody does.
fn unplanned_architectures(plan: &TagPlan, stale: &[String]) -> Option<String> {
    let planned: BTreeSet<&str> = plan
        .targets
        .iter()
        .filter_map(|t| t.architecture.as_deref())
        .collect();
    let tags = stale
        .iter()
        .filter_map(|text| text.rsplit_once(':').map(|(_, tag)| tag));
    let architectures = tags.filter_map(|tag| TagName::new(tag).architecture);
    let others: Vec<&str> = architectures
        .filter(|name| !planned.contains(name))
        .collect();
    let names: BTreeSet<&str> = others.iter().copied().collect();
    (!others.is_empty()).then(|| {
        let (count, names) = (others.len(), Vec::from_iter(names).join(","));
        format!("{count} of the stale tags belong to architectures outside this plan ({names}); plan those too to judge them: tag-planner --arch")
    })
}

fn explained(document: &RegistryDiff) -> String {
    let mut rows = vec![];
    for image in &document.needed {
        rows.push(vec![
            "needed first".to_owned(),
            image.reference.clone(),
            image.needed_by.join(", "),
        ]);
    }
    for reference in &document.missing {
        rows.push(vec!["missing".to_owned(), reference.clone(), String::new()]);
    }
    for reference in &document.stale {
        rows.push(vec!["stale".to_owned(), reference.clone(), String::new()]);
    }
    if rows.is_empty() {
        return "everything planned is published, and nothing else\n".to_owned();
    }
    pipe::table(&["state", "image", "needed by"], &rows)
}
