//! The name of an image in a registry: repository and tag.

use std::str::FromStr;

/// An image by repository and tag, without the registry's host.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reference {
    /// Repository with the path below the host.
    pub(crate) repository: String,
    /// The tag.
    pub(crate) tag: String,
}

/// Why a text names no image.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ReferenceError {
    /// `Pytorch`, `a//b`
    #[error(
        "`{0}` is not a repository: lower-case letters and digits, between them `.`, `_`, `__`, hyphens or `/`"
    )]
    Repository(String),
    /// `2.15.0+git`, or more than 128 characters.
    #[error(
        "`{0}` is not a tag: at most 128 letters, digits, `_`, `.` and `-`, the first no `.` or `-`"
    )]
    Tag(String),
    /// `pytorch`, `pytorch@sha256:…`
    #[error("it has no tag")]
    NoTag,
}

impl FromStr for Reference {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        let (repository, tag) = text.split_once(':').ok_or(ReferenceError::NoTag)?;
        if repository.contains('@') {
            return Err(ReferenceError::NoTag);
        }
        check_repository(repository)?;
        check_tag(tag)?;
        Ok(Self {
            repository: repository.to_owned(),
            tag: tag.to_owned(),
        })
    }
}

/// Whether a text is a tag (distribution specification, "Pulling manifests").
pub(crate) fn check_tag(text: &str) -> Result<(), ReferenceError> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_tag = text.starts_with(is_word)
        && text.chars().all(|c| is_word(c) || c == '.' || c == '-')
        && text.len() <= 128;
    if is_tag {
        return Ok(());
    }
    Err(ReferenceError::Tag(text.to_owned()))
}

/// Whether a text is the name of a repository (distribution specification, "Pulling manifests").
///
/// oci-client knows the same grammar as a regular expression, which takes longer to compile than a registry
/// takes to list ten thousand tags.
pub(crate) fn check_repository(text: &str) -> Result<(), ReferenceError> {
    if text.len() <= 255 && text.split('/').all(is_component) {
        return Ok(());
    }
    Err(ReferenceError::Repository(text.to_owned()))
}

/// `[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*`
fn is_component(text: &str) -> bool {
    let is_alphanumeric = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let mut separators = text.split(is_alphanumeric).filter(|part| !part.is_empty());
    text.starts_with(is_alphanumeric)
        && text.ends_with(is_alphanumeric)
        && separators.all(|part| matches!(part, "." | "_" | "__") || part.chars().all(|c| c == '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_what_the_client_library_takes_for_one() {
        let parts = [
            "a", "B", "0", ".", "_", "__", "-", "--", "/", ":", "@", "+", "",
        ];
        let mut accepted = 0;
        for number in 0..parts.len().pow(4) {
            let picks = (0..4).map(|at| parts[number / parts.len().pow(at) % parts.len()]);
            let text: String = picks.collect();
            let ours = text.parse::<Reference>();
            let theirs = oci_distribution::Reference::try_from(format!("localhost/{text}"));
            let theirs = theirs
                .ok()
                .filter(|found| found.digest().is_none() && text.contains(':'));
            let theirs = theirs.map(|found| Reference {
                repository: found.repository().to_owned(),
                tag: found.tag().unwrap_or_default().to_owned(),
            });
            accepted += usize::from(ours.is_ok());
            assert_eq!(ours.ok(), theirs, "{text}");
        }
        assert!(accepted > 20, "{accepted}");
    }

    #[test]
    fn what_is_no_image_is_told() {
        let long = format!("a:{}", "t".repeat(129));
        let cases = [
            ("pytorch", ReferenceError::NoTag),
            ("pytorch@sha256:00", ReferenceError::NoTag),
            (
                "Pytorch:1",
                ReferenceError::Repository("Pytorch".to_owned()),
            ),
            ("a:2.15.0+git", ReferenceError::Tag("2.15.0+git".to_owned())),
            // The library's expression takes letters of every script here; the specification does not.
            ("a:é", ReferenceError::Tag("é".to_owned())),
            ("a:", ReferenceError::Tag(String::new())),
            (&long, ReferenceError::Tag("t".repeat(129))),
        ];
        for (text, expected) in cases {
            assert_eq!(text.parse::<Reference>(), Err(expected), "{text}");
        }
    }
}
