//! Image references: repository, tag, and what the distribution specification allows in them.

/// The most characters that a tag may have.
pub(crate) const LONGEST_TAG: usize = 128;

/// The most characters that a repository may have, registry included.
const LONGEST_REPOSITORY: usize = 255;

/// An image reference taken apart. A digest is left out: it names bytes, and a plan names tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reference<'a> {
    /// Registry and path.
    pub(crate) repository: &'a str,
    /// What stands behind the last colon; `latest` where nothing does, as in docker.
    pub(crate) tag: &'a str,
}

impl<'a> Reference<'a> {
    pub(crate) fn split(text: &'a str) -> Self {
        let text = text.split_once('@').map_or(text, |(name, _)| name);
        let name = text.rfind('/').map_or(0, |slash| slash + 1);
        match text[name..].find(':') {
            Some(colon) => Self {
                repository: &text[..name + colon],
                tag: &text[name + colon + 1..],
            },
            None => Self {
                repository: text,
                tag: "latest",
            },
        }
    }

    /// The first character of the tag that may not stand there.
    pub(crate) fn bad_in_tag(self) -> Option<char> {
        self.tag.char_indices().find_map(|(at, c)| {
            let allowed =
                c.is_ascii_alphanumeric() || c == '_' || (at > 0 && matches!(c, '.' | '-'));
            (!allowed).then_some(c)
        })
    }

    /// What is wrong with the repository.
    pub(crate) fn fault_in_repository(self) -> Option<&'static str> {
        if self.repository.len() > LONGEST_REPOSITORY {
            return Some("is longer than 255 characters");
        }
        let mut parts = self.repository.split('/');
        let first = parts.next().unwrap_or_default();
        let is_host = first.contains(['.', ':']) || first == "localhost";
        if self.repository.contains('/') && is_host {
            if !is_registry(first) {
                return Some("does not begin with a registry, `host` or `host:port`");
            }
        } else if !is_component(first) {
            return Some(COMPONENT);
        }
        parts.any(|part| !is_component(part)).then_some(COMPONENT)
    }
}

const COMPONENT: &str =
    "is not made of lower-case letters and digits, with `.`, `_`, `__` or `-` between them";

fn is_registry(text: &str) -> bool {
    let (host, port) = text.split_once(':').unwrap_or((text, "0"));
    let is_label = |label: &str| {
        let inner = |c: char| c.is_ascii_alphanumeric() || c == '-';
        !label.is_empty()
            && label.chars().all(inner)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    host.split('.').all(is_label) && !port.is_empty() && port.bytes().all(|c| c.is_ascii_digit())
}

/// `[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*`
fn is_component(text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let mut rest = text;
    loop {
        let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        if word == 0 {
            return false;
        }
        rest = &rest[word..];
        if rest.is_empty() {
            return true;
        }
        let between = rest.find(is_word).unwrap_or(rest.len());
        let separator = &rest[..between];
        let allowed = matches!(separator, "." | "_" | "__") || separator.chars().all(|c| c == '-');
        if !allowed {
            return false;
        }
        rest = &rest[between..];
    }
}

/// Whether a tag ends in `-g` and a commit: 7 to 40 lower-case hex digits. `-gfx950` does not, since `x`
/// is no hex digit.
pub(crate) fn names_commit(tag: &str) -> bool {
    tag.rsplit_once("-g")
        .is_some_and(|(_, commit)| is_commit(commit))
}

pub(crate) fn is_commit(text: &str) -> bool {
    (7..=40).contains(&text.len())
        && text
            .bytes()
            .all(|c| c.is_ascii_digit() || (b'a'..=b'f').contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_not_taken_for_a_tag() {
        let cases = [
            ("host:8080/path/name:tag", "host:8080/path/name", "tag"),
            ("host:8080/path/name", "host:8080/path/name", "latest"),
            ("name:1@sha256:00", "name", "1"),
            ("name", "name", "latest"),
            ("name:", "name", ""),
            ("a:b:c", "a", "b:c"),
        ];
        for (text, repository, tag) in cases {
            assert_eq!(
                Reference::split(text),
                Reference { repository, tag },
                "{text}"
            );
        }
    }

    #[test]
    fn the_grammar_of_tags() {
        let bad = |tag: &str| Reference::split(&format!("r:{tag}")).bad_in_tag();
        assert_eq!(bad("2.15.0-10.1.0-full_x"), None);
        assert_eq!(bad("2.15.0a0+git31"), Some('+'));
        assert_eq!(bad("gfx950;gfx1201"), Some(';'));
        assert_eq!(bad("-x"), Some('-'));
        assert_eq!(bad(".x"), Some('.'));
    }

    #[test]
    fn the_grammar_of_repositories() {
        let is_good = |text| Reference::split(text).fault_in_repository().is_none();
        for good in [
            "localhost/a",
            "host.example:80/a/b-c/d__e",
            "a.b/c",
            "rocm/dev-ubuntu-26.04",
            "a--b",
        ] {
            assert!(is_good(good), "{good}");
        }
        for bad in [
            "host:80/A",
            "host:80/a//b",
            "host:x/a",
            "R",
            "a/b_-c",
            "a/-b",
            "a/b.",
            "host.-x/a",
        ] {
            assert!(!is_good(bad), "{bad}");
        }
        assert!(!is_good(&"a".repeat(256)));
    }

    #[test]
    fn a_commit_is_told_from_an_architecture() {
        assert!(names_commit("2.15.0-10.1.0-full-gfx950-gaad2a60d"));
        assert!(!names_commit("2.15.0-10.1.0-full-gfx950"));
        assert!(!names_commit("1-gABCDEF0"));
        assert!(!names_commit("1-gabc"));
    }
}
