//! `wheelhouse tags`: what is published in one repository.

use std::sync::Arc;

use pipe::{Outcome, RegistryTags, Stop, TagEntry};

use crate::Reach;
use crate::image::{Image, ImageError};
use crate::place::Place;
use crate::registry::{Registry, RegistryError, Wanted};
use crate::session::{Session, in_order};
use crate::tag_name::TagName;
use crate::tag_order::sort_by_meaning;

/// Requests in flight for `--long`.
const AT_ONCE: usize = 16;

/// The arguments of `wheelhouse tags`.
#[derive(Debug, clap::Args)]
pub(crate) struct TagsArgs {
    /// The repository: HOST/PATH/NAME, or PATH/NAME beside --registry
    repo: String,
    /// Ask for digest, size and date of each tag, too
    #[arg(long)]
    long: bool,
    #[command(flatten)]
    reach: Reach,
}

/// Lists the tags of a repository.
///
/// # Errors
/// Exit 1 when there is no such repository, exit 2 when the registry cannot be asked.
pub(crate) fn tags(args: &TagsArgs) -> Result<Outcome, Stop> {
    let (place, repository) = Place::of_repository(args.reach.registry.as_ref(), &args.repo)
        .map_err(|cause| Stop::cannot(cause.to_string()))?;
    let session = Session::new(&args.reach, &place)?;
    let document = list(&session, &repository, args.long)?;
    if args.reach.shared.explain {
        pipe::print_text(&explained(&document, args.long))?;
    } else {
        pipe::print(&document)?;
    }
    Ok(Outcome::Done)
}

fn list(session: &Session, repository: &str, is_long: bool) -> Result<RegistryTags, Stop> {
    let told = |cause: &dyn std::fmt::Display| format!("{repository}: {cause}");
    let registry = Arc::clone(&session.registry);
    let tags = session
        .run(registry.tags(repository))
        .map_err(|cause| Stop::cannot(told(&cause)))?;
    let tags = tags.map_err(|cause| match cause {
        RegistryError::NotFound => Stop::no(told(&cause)),
        cause => Stop::cannot(told(&cause)),
    })?;
    let tags = sort_by_meaning(&tags)
        .into_iter()
        .map(str::to_owned)
        .collect();
    let entries = if is_long {
        long(session, repository, tags)?
    } else {
        tags.into_iter().map(named).collect()
    };
    Ok(RegistryTags {
        schema: RegistryTags::SCHEMA.to_owned(),
        repository: repository.to_owned(),
        tags: entries,
    })
}

/// A tag of which only the name is known.
fn named(tag: String) -> TagEntry {
    TagEntry {
        tag,
        digest: None,
        size: None,
        created: None,
    }
}

fn long(session: &Session, repository: &str, tags: Vec<String>) -> Result<Vec<TagEntry>, Stop> {
    let work = in_order(tags, AT_ONCE, |tag| {
        let (registry, repository) = (Arc::clone(&session.registry), repository.to_owned());
        async move {
            let found = entry(&registry, &repository, &tag).await;
            (tag, found)
        }
    });
    let found = session
        .run(work)
        .map_err(|cause| Stop::cannot(format!("{repository}: {cause}")))?;
    let (mut entries, mut wrong) = (vec![], vec![]);
    for (tag, result) in found {
        match result {
            Ok(Some(entry)) => entries.push(entry),
            // Deleted since it was listed.
            Ok(None) => {}
            Err(cause) => wrong.push(format!("{repository}:{tag}: {cause}")),
        }
    }
    if wrong.is_empty() {
        Ok(entries)
    } else {
        Err(Stop::Cannot(wrong))
    }
}

/// What a tag names. Something that is no image for linux/amd64 has a digest all the same.
async fn entry(
    registry: &Registry,
    repository: &str,
    tag: &str,
) -> Result<Option<TagEntry>, RegistryError> {
    let tag = tag.to_owned();
    match Image::resolve(registry, repository, &tag).await {
        Ok(image) => Ok(Some(TagEntry {
            tag,
            digest: Some(image.tagged.to_string()),
            size: Some(image.size()),
            created: image.created,
        })),
        Err(ImageError::Registry(RegistryError::NotFound)) => Ok(None),
        Err(ImageError::Registry(cause)) => Err(cause),
        Err(_) => {
            let (digest, _) = registry.manifest(repository, Wanted::Tag(&tag)).await?;
            let digest = Some(digest.to_string());
            Ok(Some(TagEntry {
                digest,
                ..named(tag)
            }))
        }
    }
}

fn explained(document: &RegistryTags, is_long: bool) -> String {
    let text = |part: Option<&String>| part.cloned().unwrap_or_default();
    let row = |entry: &TagEntry| {
        let name = TagName::new(&entry.tag);
        let rocm = [name.rocm, name.variant]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join("-");
        let mut row = vec![
            entry.tag.clone(),
            name.version.to_owned(),
            rocm,
            name.architecture.unwrap_or_default().to_owned(),
        ];
        if is_long {
            row.push(text(entry.size.map(|size| size.to_string()).as_ref()));
            row.push(text(entry.created.as_ref()));
            row.push(text(entry.digest.as_ref()));
        }
        row
    };
    let rows: Vec<_> = document.tags.iter().map(row).collect();
    let head = [
        "tag",
        "version",
        "ROCm",
        "architecture",
        "size",
        "created",
        "digest",
    ];
    pipe::table(&head[..if is_long { 7 } else { 4 }], &rows)
}
