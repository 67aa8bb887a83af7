//! A requirement of METADATA: `triton==3.9.0+gitaad2a60d; extra == "all"`.
//!
//! <https://packaging.python.org/en/latest/specifications/dependency-specifiers/>

use std::ops::Range;
use std::str::FromStr;

use pep440_rs::{Operator, Version, VersionSpecifier, VersionSpecifiers};

use crate::{Marker, MarkerError, ProjectName};

/// One requirement, with the places of its versions in the text it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// The project, in canonical form.
    pub name: ProjectName,
    /// The extras asked for, in canonical form and in the order of the text.
    pub extras: Vec<ProjectName>,
    /// What is asked of the version.
    pub specifiers: Vec<Specifier>,
    /// A direct reference: `name @ url`.
    pub url: Option<String>,
    /// When it applies.
    pub marker: Option<Marker>,
}

/// One comparison of a requirement, `==3.9.0`, and where its version stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Specifier {
    /// The comparison.
    pub specifier: VersionSpecifier,
    /// The bytes of the version in the requirement's text; a new version can be written there.
    pub version_span: Range<usize>,
}

/// Why a text is no requirement.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequirementError {
    /// Not a project name in front: `-torch`, an empty text.
    #[error("`{0}` does not start with the name of a project")]
    Name(String),
    /// `torch[a`, `torch[a b]`.
    #[error("`{0}` has extras that are not a list in brackets")]
    Extras(String),
    /// `torch 2`, `torch (2.0)`, `torch >= x`.
    #[error("`{specifier}` in `{text}` is not a comparison with a version")]
    Specifier {
        /// The part that is wrong.
        specifier: String,
        /// The whole.
        text: String,
    },
    /// `torch>=2.15.0+git31a77fc`: pip and uv discard the whole wheel for it.
    #[error(
        "`{specifier}` in `{text}`: a local version can only be compared with `==`, `!=` or `===`"
    )]
    Local {
        /// The part that is wrong.
        specifier: String,
        /// The whole.
        text: String,
    },
    /// `torch (>=2`, `torch @`.
    #[error("`{0}` ends too early")]
    End(String),
    /// What follows `;` is none.
    #[error(transparent)]
    Marker(#[from] MarkerError),
    /// Bytes that are no text.
    #[error("a requirement that is not UTF-8")]
    NotUtf8,
}

impl Requirement {
    /// All comparisons together.
    #[must_use]
    pub fn version_specifiers(&self) -> VersionSpecifiers {
        self.specifiers
            .iter()
            .map(|part| part.specifier.clone())
            .collect()
    }

    /// Whether a version meets every comparison. Pre-releases are not treated apart.
    #[must_use]
    pub fn allows(&self, version: &Version) -> bool {
        self.specifiers
            .iter()
            .all(|part| part.specifier.contains(version))
    }

    /// The one version that an `==` or `===` without a wildcard asks for.
    #[must_use]
    pub fn pinned(&self) -> Option<&Version> {
        self.specifiers
            .iter()
            .find(|part| {
                matches!(
                    part.specifier.operator(),
                    Operator::Equal | Operator::ExactEqual
                )
            })
            .map(|part| part.specifier.version())
    }
}

impl FromStr for Requirement {
    type Err = RequirementError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Parser { text, at: 0 }.requirement()
    }
}

/// The white space of the grammar, and the line ends of a folded header.
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn requirement(mut self) -> Result<Requirement, RequirementError> {
        let name = self.name()?;
        let extras = self.extras()?;
        let mut url = None;
        let mut specifiers = Vec::new();
        if self.take('@') {
            url = Some(self.url()?);
        } else if self.take('(') {
            let end = self.rest().find(')').ok_or_else(|| self.end())?;
            specifiers = self.specifiers(self.at + end)?;
            self.at += 1;
        } else {
            let end = self.rest().find(';').unwrap_or(self.rest().len());
            specifiers = self.specifiers(self.at + end)?;
        }
        let marker = if self.take(';') {
            Some(Marker::from_str(self.rest())?)
        } else if self.rest().is_empty() {
            None
        } else {
            return Err(self.not_a_specifier(self.rest()));
        };
        Ok(Requirement {
            name,
            extras,
            specifiers,
            url,
            marker,
        })
    }

    fn name(&mut self) -> Result<ProjectName, RequirementError> {
        self.blanks();
        let word = self.word();
        ProjectName::new(&word).map_err(|_| RequirementError::Name(self.text.to_owned()))
    }

    fn extras(&mut self) -> Result<Vec<ProjectName>, RequirementError> {
        let mut extras = Vec::new();
        if !self.take('[') {
            return Ok(extras);
        }
        if self.take(']') {
            return Ok(extras);
        }
        loop {
            self.blanks();
            let word = self.word();
            let bad = || RequirementError::Extras(self.text.to_owned());
            extras.push(ProjectName::new(&word).map_err(|_| bad())?);
            if self.take(']') {
                return Ok(extras);
            }
            if !self.take(',') {
                return Err(RequirementError::Extras(self.text.to_owned()));
            }
        }
    }

    /// Up to the first blank; a `;` inside an address belongs to it.
    fn url(&mut self) -> Result<String, RequirementError> {
        self.blanks();
        let rest = self.rest();
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        if length == 0 {
            return Err(self.end());
        }
        let url = rest[..length].to_owned();
        self.at += length;
        self.blanks();
        Ok(url)
    }

    /// The comparisons up to `end`, parted by commas; one comma may stand behind the last.
    fn specifiers(&mut self, end: usize) -> Result<Vec<Specifier>, RequirementError> {
        let whole = self.text[self.at..end].to_owned();
        let mut specifiers = Vec::new();
        let mut parts = whole.split(',').peekable();
        while let Some(part) = parts.next() {
            let trimmed = part.trim_matches(BLANKS);
            if !trimmed.is_empty() {
                let start = self.at + part.len() - part.trim_start_matches(BLANKS).len();
                specifiers.push(self.specifier(trimmed, start)?);
            } else if parts.peek().is_some() || (specifiers.is_empty() && whole.contains(',')) {
                return Err(self.not_a_specifier(&whole));
            }
            self.at += part.len() + 1;
        }
        self.at = end;
        Ok(specifiers)
    }

    fn specifier(&self, part: &str, start: usize) -> Result<Specifier, RequirementError> {
        let operator = part
            .find(|c: char| !matches!(c, '=' | '<' | '>' | '!' | '~'))
            .unwrap_or(part.len());
        let version = part[operator..].trim_start_matches(BLANKS);
        if operator == 0 || version.is_empty() || version.contains(char::is_whitespace) {
            return Err(self.not_a_specifier(part));
        }
        match VersionSpecifier::from_str(part) {
            Ok(specifier) => {
                let from = start + part.len() - version.len();
                Ok(Specifier {
                    specifier,
                    version_span: from..from + version.len(),
                })
            }
            Err(_) if Version::from_str(version).is_ok_and(|version| version.is_local()) => {
                Err(RequirementError::Local {
                    specifier: part.to_owned(),
                    text: self.one_line(),
                })
            }
            Err(_) => Err(self.not_a_specifier(part)),
        }
    }

    fn word(&mut self) -> String {
        let rest = self.rest();
        let length = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')))
            .unwrap_or(rest.len());
        let word = rest[..length].to_owned();
        self.at += length;
        word
    }

    fn take(&mut self, expected: char) -> bool {
        self.blanks();
        let found = self.rest().starts_with(expected);
        if found {
            self.at += expected.len_utf8();
        }
        found
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(BLANKS).len();
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn end(&self) -> RequirementError {
        RequirementError::End(self.one_line())
    }

    fn not_a_specifier(&self, part: &str) -> RequirementError {
        RequirementError::Specifier {
            specifier: part.trim().to_owned(),
            text: self.one_line(),
        }
    }

    /// A folded requirement is told on one line.
    fn one_line(&self) -> String {
        self.text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Requirement {
        Requirement::from_str(text).unwrap()
    }

    #[test]
    fn every_form_of_a_pin_is_read_with_its_place() {
        for text in [
            "Triton==3.9.0+gitaad2a60d",
            "triton == 3.9.0+gitaad2a60d",
            "triton (==3.9.0+gitaad2a60d)",
            "triton[ a , b_C ] ( == 3.9.0+gitaad2a60d ) ; extra == 'all'",
            "triton\r\n  ===3.9.0+gitaad2a60d",
            "triton !=3.8,\t==3.9.0+gitaad2a60d",
        ] {
            let requirement = read(text);
            assert_eq!(requirement.name.as_str(), "triton", "{text}");
            let span = requirement.specifiers.last().unwrap().version_span.clone();
            assert_eq!(&text[span], "3.9.0+gitaad2a60d", "{text}");
            assert_eq!(
                requirement.pinned().unwrap().to_string(),
                "3.9.0+gitaad2a60d"
            );
        }
    }

    #[test]
    fn parts_of_a_requirement_are_told_apart() {
        let requirement = read("Foo.Bar[x,Y_z]>=1,<2; python_version < '3.15'");
        assert_eq!(requirement.name.as_str(), "foo-bar");
        let extras: Vec<&str> = requirement.extras.iter().map(ProjectName::as_str).collect();
        assert_eq!(extras, ["x", "y-z"]);
        assert_eq!(requirement.version_specifiers().to_string(), ">=1, <2");
        assert!(requirement.marker.is_some());
        assert!(requirement.allows(&Version::from_str("1.5+x").unwrap()));
        let direct = read("foo @ https://host/a;b.whl#x=1 ; os_name == 'posix'");
        assert_eq!(direct.url.as_deref(), Some("https://host/a;b.whl#x=1"));
        assert!(direct.marker.is_some());
    }

    #[test]
    fn a_local_version_matches_a_pin_as_pip_matches_it() {
        let marked = Version::from_str("1.5.2+rocm10.1.0").unwrap();
        assert!(read("nixl==1.5.2").allows(&marked));
        assert!(read("nixl==1.5.2+rocm10.1.0").allows(&marked));
        assert!(!read("nixl===1.5.2").allows(&marked));
        assert!(!read("nixl==1.5.2+rocm10.1.0").allows(&Version::from_str("1.5.2").unwrap()));
    }

    #[test]
    fn an_order_on_a_local_version_is_told_apart_from_other_errors() {
        let error = Requirement::from_str("torch >=2.15.0+git1 ; extra == 'x'").unwrap_err();
        assert_eq!(
            error.to_string(),
            "`>=2.15.0+git1` in `torch >=2.15.0+git1 ; extra == 'x'`: a local version can only be \
             compared with `==`, `!=` or `===`"
        );
    }

    #[test]
    fn what_is_no_requirement_is_refused() {
        for text in [
            "",
            "-a",
            "a b",
            "a (2.0)",
            "a >= x",
            "a[b",
            "a[b c]",
            "a[,]",
            "a (>=1",
            "a @",
            "a @ ",
            "a ==1 ==2",
            "a ,",
            "a >=1,,<2",
            "a; nonsense",
            "a>=1 2",
        ] {
            assert!(Requirement::from_str(text).is_err(), "{text}");
        }
    }
}
