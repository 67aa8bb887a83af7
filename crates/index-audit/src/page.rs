//! One page of a simple index: the links on it, as pip and uv read them.

use crate::address::{Address, AddressError};

/// A link of a project's page.
///
/// See the simple repository API, "Base HTML API" (PEP 503, 592, 658, 714).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    /// Where it leads.
    pub(crate) address: Address,
    /// Whether the page writes it relative to itself.
    pub(crate) is_relative: bool,
    /// The `#sha256=` that it promises.
    pub(crate) sha256: Option<String>,
    /// What it promises of the `.metadata` file beside it.
    pub(crate) metadata: Sidecar,
    /// Whether it is yanked: clients take it for an exact pin only.
    pub(crate) is_yanked: bool,
}

/// What a link promises of the METADATA beside its file (PEP 658 and 714).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sidecar {
    /// Nothing.
    Absent,
    /// That it is there.
    Present,
    /// That it is there and has this sha256.
    Hashed(String),
}

/// Reads the links of the page at `base`.
///
/// HTML's own rules are wider than what a simple index may hold (PEP 833 froze the form): anchors are
/// found, comments passed over, `<base href>` is honoured, and everything else is text.
///
/// # Errors
/// The first link that leads nowhere a client could go.
pub(crate) fn links(html: &str, base: &Address) -> Result<Vec<Link>, AddressError> {
    let mut base = base.clone();
    let mut links = Vec::new();
    for tag in tags(html) {
        let Some(href) = tag.attribute("href").filter(|href| !href.is_empty()) else {
            continue;
        };
        match tag.name.as_str() {
            "base" => base = base.join(&href)?,
            "a" => {
                let address = base.join(&href)?;
                links.push(Link {
                    is_relative: !href.contains("://") && !href.starts_with("//"),
                    sha256: sha256_fragment(&href),
                    metadata: sidecar(&tag),
                    is_yanked: tag.attribute("data-yanked").is_some(),
                    address,
                });
            }
            _ => {}
        }
    }
    Ok(links)
}

fn sidecar(tag: &Tag) -> Sidecar {
    let value = ["data-core-metadata", "data-dist-info-metadata"]
        .iter()
        .find_map(|name| tag.attribute(name));
    match value.as_deref() {
        None | Some("false") => Sidecar::Absent,
        Some(value) => value
            .strip_prefix("sha256=")
            .map_or(Sidecar::Present, |hex| {
                Sidecar::Hashed(hex.to_ascii_lowercase())
            }),
    }
}

fn sha256_fragment(href: &str) -> Option<String> {
    let (_, fragment) = href.split_once('#')?;
    let value = fragment
        .split('&')
        .find_map(|part| part.strip_prefix("sha256="))?;
    is_sha256(value).then(|| value.to_ascii_lowercase())
}

/// Whether text is a sha256: 64 hex digits.
pub(crate) fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|c| c.is_ascii_hexdigit())
}

struct Tag {
    name: String,
    attributes: Vec<(String, String)>,
}

impl Tag {
    /// The first attribute of that name, as HTML has it.
    fn attribute(&self, name: &str) -> Option<String> {
        let (_, raw) = self.attributes.iter().find(|(key, _)| key == name)?;
        Some(unescaped(raw))
    }
}

/// The start tags of a document, in order.
fn tags(html: &str) -> Vec<Tag> {
    let mut tags = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            continue;
        }
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            continue;
        }
        let name_end = rest
            .find(|c: char| c.is_ascii_whitespace() || c == '>' || c == '/')
            .unwrap_or(rest.len());
        let name = rest[..name_end].to_ascii_lowercase();
        let (attributes, after) = attributes(&rest[name_end..]);
        rest = after;
        // What is inside a script or a style is not markup.
        if name == "script" || name == "style" {
            let close = format!("</{name}");
            rest = rest.find(&close).map_or("", |end| &rest[end..]);
        }
        tags.push(Tag { name, attributes });
    }
    tags
}

/// The attributes up to the tag's end, and what follows it.
fn attributes(text: &str) -> (Vec<(String, String)>, &str) {
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if let Some(after) = rest.strip_prefix('>') {
            return (found, after);
        }
        if rest.is_empty() {
            return (found, "");
        }
        // HTML takes a leading `=` as part of the name.
        let name_end = rest
            .char_indices()
            .skip(1)
            .find(|(_, c)| c.is_ascii_whitespace() || "=>/".contains(*c))
            .map_or(rest.len(), |(at, _)| at);
        let name = rest[..name_end].to_ascii_lowercase();
        rest = rest[name_end..].trim_start_matches(|c: char| c.is_ascii_whitespace());
        let Some(value) = rest.strip_prefix('=') else {
            found.push((name, String::new()));
            continue;
        };
        let value = value.trim_start_matches(|c: char| c.is_ascii_whitespace());
        let (value, after) = if let Some(quoted) = value.strip_prefix('"') {
            quoted.split_once('"').unwrap_or((quoted, ""))
        } else if let Some(quoted) = value.strip_prefix('\'') {
            quoted.split_once('\'').unwrap_or((quoted, ""))
        } else {
            let end = value
                .find(|c: char| c.is_ascii_whitespace() || c == '>')
                .unwrap_or(value.len());
            value.split_at(end)
        };
        found.push((name, value.to_owned()));
        rest = after;
    }
}

/// Character references: the five that HTML escaping writes, and numbers.
fn unescaped(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let reference = rest[1..].split_once(';').and_then(|(name, after)| {
            let character = match name {
                "amp" => Some('&'),
                "lt" => Some('<'),
                "gt" => Some('>'),
                "quot" => Some('"'),
                "apos" => Some('\''),
                _ => numbered(name),
            };
            character.map(|character| (character, after))
        });
        if let Some((character, after)) = reference {
            out.push(character);
            rest = after;
        } else {
            out.push('&');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    out
}

fn numbered(name: &str) -> Option<char> {
    let number = name.strip_prefix('#')?;
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => number.parse().ok()?,
    };
    char::from_u32(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(html: &str) -> Vec<Link> {
        let base = Address::parse("https://h/data/wheels/gfx950/torch/").unwrap();
        links(html, &base).unwrap()
    }

    #[test]
    fn a_link_is_read_with_its_promises() {
        let sha256 = "ab".repeat(32);
        let html = format!(
            "<!-- <a href='no.whl'>x</a> --><A HREF=\"../../../../assets/a-1%2Brocm.whl#sha256={sha256}\"\n\
             data-requires-python=\"&gt;=3.10\" data-core-metadata='sha256=CD' data-yanked>a</a>"
        );
        let expected = Link {
            address: Address::parse("https://h/assets/a-1+rocm.whl").unwrap(),
            is_relative: true,
            sha256: Some(sha256),
            metadata: Sidecar::Hashed("cd".to_owned()),
            is_yanked: true,
        };
        assert_eq!(read(&html), [expected]);
    }

    #[test]
    fn an_address_may_be_escaped_and_whole() {
        let found = read("<a class=x href=https://o/d?a=1&amp;b=&#x32;>f</a><a name=top>");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].address.to_string(), "https://o/d?a=1&b=2");
        assert!(!found[0].is_relative);
        assert_eq!(found[0].sha256, None);
        assert_eq!(found[0].metadata, Sidecar::Absent);
    }

    #[test]
    fn a_base_moves_relative_links_as_it_does_for_the_clients() {
        let found = read("<base href='https://o/files/'><a href='x.whl'>x</a>");
        assert_eq!(found[0].address.to_string(), "https://o/files/x.whl");
    }

    #[test]
    fn scripts_and_broken_markup_hold_no_links() {
        for html in [
            "<script>\"<a href='x.whl'>\"</script>",
            "<a href",
            "<a href='x.whl",
            "<",
            "<a é",
            "text > only",
        ] {
            let found = read(html);
            assert!(
                found.len() <= usize::from(html.contains("x.whl") && !html.contains("script")),
                "{html}"
            );
        }
    }

    #[test]
    fn a_hash_that_is_none_is_not_taken() {
        assert_eq!(read("<a href='x.whl#sha256=12'>x</a>")[0].sha256, None);
        assert_eq!(read("<a href='x.whl#md5=12'>x</a>")[0].sha256, None);
    }
}
