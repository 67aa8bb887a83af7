//! Listing tags: every page, whatever a registry's idea of pages is.

use std::collections::HashSet;

use reqwest::Url;
use reqwest::header::LINK;
use serde::de::{Deserialize, Deserializer, Error};

use super::error::RegistryError;
use super::remote::{Ask, Remote, Reply};
use crate::few::Few;
use crate::reference::check_tag;

/// Tags asked for at once. Registries with a lower cap (1000 is the usual one) give what they give; one that sends more,
/// in no order, knows no pages and need not be asked for a second.
const PAGE: usize = 5_000;

/// More tags than any repository has; the end of a registry that makes them up. They are held in memory.
const MOST: usize = 100_000;

/// So many pages that bring nothing new may follow one another, each with a link to the next: what a reader may not see
/// is left out of a page by some.
const FRUITLESS: usize = 100;

/// A registry without pages sends a hundred thousand tags of 128 characters in 13 MB; bytes.
const PAGE_LIMIT: u64 = 16 << 20;

const WHAT: &str = "the list of tags";

#[derive(serde::Deserialize)]
struct Page {
    /// `null` for a repository without tags.
    tags: Option<Few<Tag, MOST>>,
}

/// A tag by the specification's grammar: all others could steer a terminal, or the address that a manifest is asked at.
struct Tag(String);

impl<'de> Deserialize<'de> for Tag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        check_tag(&text).map_err(D::Error::custom)?;
        Ok(Self(text))
    }
}

/// All tags of a repository, each once, in no order.
///
/// A `Link` to the next page is followed, whatever its token means. Without one, a last page cannot be told
/// from a capped one, nor from a registry that knows no pages and always sends everything: so the next page
/// is asked for until one brings nothing new.
///
/// # Errors
/// [`RegistryError::NotFound`] when there is no such repository, [`RegistryError::Elsewhere`] when a next
/// page is at another host, and every failure of a request.
pub(crate) async fn list(remote: &Remote, repository: &str) -> Result<Vec<String>, RegistryError> {
    let first = remote.url(repository, "tags/list");
    let mut known = HashSet::new();
    let mut sized = true;
    let (mut asked, mut fruitless) = (HashSet::new(), 0);
    let mut url = page_after(&first, sized, None);
    loop {
        let page = match page(remote, repository, url.clone()).await {
            // Some refuse a page that is larger than their cap instead of capping it.
            Err(RegistryError::Status { status, .. })
                if status == 400 && sized && known.is_empty() =>
            {
                sized = false;
                url = page_after(&first, sized, None);
                continue;
            }
            other => other?,
        };
        let (tags, next) = page;
        let last = tags.last().cloned();
        // More than was asked for, and not in the order that pages have: the registry knows no pages and sent everything.
        let is_everything = sized && next.is_none() && tags.len() > PAGE && !tags.is_sorted();
        let before = known.len();
        known.extend(tags);
        let is_fruitless = known.len() == before;
        fruitless = if is_fruitless { fruitless + 1 } else { 0 };
        if known.len() > MOST || fruitless > FRUITLESS {
            let what = WHAT;
            let cause = format!(
                "after {} tags it has no end; ask who runs the registry",
                known.len()
            );
            return Err(RegistryError::Malformed { what, cause });
        }
        asked.insert(url);
        url = match (next, last) {
            (Some(next), _) if asked.contains(&next) => break,
            (Some(next), _) => next,
            (None, _) if is_fruitless || is_everything => break,
            (None, Some(last)) => page_after(&first, sized, Some(&last)),
            (None, None) => break,
        };
    }
    Ok(known.into_iter().collect())
}

fn page_after(first: &Url, sized: bool, last: Option<&str>) -> Url {
    let mut url = first.clone();
    if sized {
        url.query_pairs_mut().append_pair("n", &PAGE.to_string());
    }
    if let Some(last) = last {
        url.query_pairs_mut().append_pair("last", last);
    }
    url
}

async fn page(
    remote: &Remote,
    repository: &str,
    url: Url,
) -> Result<(Vec<String>, Option<Url>), RegistryError> {
    let what = WHAT;
    let ask = Ask {
        repository,
        url,
        accept: &[],
        offset: 0,
    };
    let read = |reply: Reply| {
        let page: Page = serde_json::from_slice(&reply.body).map_err(|cause| {
            let cause = format!("{cause}; is this a registry?");
            RegistryError::Malformed { what, cause }
        })?;
        let links = reply
            .headers
            .get_all(LINK)
            .iter()
            .filter_map(|value| value.to_str().ok());
        let next = links.flat_map(values).find_map(next_target);
        let next = next.map(|target| reply.url.join(target)).transpose();
        let next = next.map_err(|cause| RegistryError::Malformed {
            what,
            cause: cause.to_string(),
        })?;
        let tags = page.tags.unwrap_or_default().0.into_iter();
        Ok((tags.map(|Tag(tag)| tag).collect(), next))
    };
    let (tags, next) = remote.document(ask, what, PAGE_LIMIT, read).await?;
    match next {
        Some(next) if !remote.is_here(&next) => Err(RegistryError::Elsewhere(
            "it says that the next page of tags is at another host; ask who runs the registry"
                .to_owned(),
        )),
        next => Ok((tags, next)),
    }
}

/// The values of a `Link` header: separated by commas, which may also stand in a target or in quotes.
fn values(header: &str) -> Vec<&str> {
    let (mut in_target, mut in_quotes) = (false, false);
    let separates = move |c: char| {
        match c {
            '<' if !in_quotes => in_target = true,
            '>' if !in_quotes => in_target = false,
            '"' if !in_target => in_quotes = !in_quotes,
            _ => {}
        }
        c == ',' && !in_target && !in_quotes
    };
    header.split(separates).collect()
}

/// The target of a link value whose relation is `next` (RFC 8288 section 3).
fn next_target(link: &str) -> Option<&str> {
    let (target, parameters) = link.trim().strip_prefix('<')?.split_once('>')?;
    let is_next = parameters.split(';').any(|parameter| {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let value = value.trim().trim_matches('"');
        name.trim().eq_ignore_ascii_case("rel")
            && value
                .split_ascii_whitespace()
                .any(|relation| relation.eq_ignore_ascii_case("next"))
    });
    is_next.then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_the_link_with_that_relation() {
        let cases = [
            (
                r#"</v2/a/tags/list?n=2&last=b>; rel="next""#,
                Some("/v2/a/tags/list?n=2&last=b"),
            ),
            ("<?next_page=gAAA>; rel=next", Some("?next_page=gAAA")),
            (r#"</x>; title="t"; rel="prev next""#, Some("/x")),
            (r#"</x>; rel="prev""#, None),
            ("/x; rel=next", None),
        ];
        for (link, expected) in cases {
            assert_eq!(next_target(link), expected, "{link}");
        }
        let several = r#"</a,b>; rel="prev"; title="x, y", </c,d>; rel="next""#;
        assert_eq!(
            values(several).into_iter().find_map(next_target),
            Some("/c,d")
        );
    }
}
