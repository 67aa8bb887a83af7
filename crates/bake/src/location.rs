//! Where something stands in a file: for errors that say file, line and column.

use std::fmt;
use std::ops::Range;
use std::rc::Rc;

/// A text that was read, with the name that messages give it.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// The file's name as it was given.
    pub name: String,
    /// Its whole text.
    pub text: String,
}

impl Source {
    /// A text with a name.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Rc<Self> {
        Rc::new(Self {
            name: name.into(),
            text: text.into(),
        })
    }
}

/// A piece of a source: cheap to clone, resolved to a [`Location`] only when somebody asks.
#[derive(Clone, PartialEq, Eq)]
pub struct Span {
    source: Rc<Source>,
    range: Range<usize>,
}

impl Span {
    /// The bytes `range` of `source`; a range beyond its end is cut.
    #[must_use]
    pub fn new(source: &Rc<Source>, range: Range<usize>) -> Self {
        let end = range.end.min(source.text.len());
        Self {
            source: Rc::clone(source),
            range: range.start.min(end)..end,
        }
    }

    /// The text that it covers.
    #[must_use]
    pub fn text(&self) -> &str {
        self.source.text.get(self.range.clone()).unwrap_or_default()
    }

    /// The character before it.
    pub(crate) fn before(&self) -> Option<char> {
        self.source
            .text
            .get(..self.range.start)?
            .chars()
            .next_back()
    }

    /// What stands behind it on its last line.
    pub(crate) fn rest_of_line(&self) -> &str {
        let rest = self.source.text.get(self.range.end..).unwrap_or_default();
        rest.lines().next().unwrap_or_default()
    }

    /// File, line and column of its first character.
    #[must_use]
    pub fn location(&self) -> Location {
        let before = self
            .source
            .text
            .get(..self.range.start)
            .unwrap_or(&self.source.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Location {
            file: self.source.name.clone(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

/// As `file:line:column`, so that a failing assertion can be read.
impl fmt::Debug for Span {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.location(), formatter)
    }
}

/// A place in a file, as messages name it: `docker-bake.hcl:12:3`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The file's name as it was given.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}:{}", self.file, self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_counts_characters_and_not_bytes() {
        let source = Source::new("a.hcl", "x = 1\né = ü + y\n");
        let start = source.text.find('y').unwrap();
        let span = Span::new(&source, start..start + 1);
        assert_eq!(span.location().to_string(), "a.hcl:2:9");
        assert_eq!(span.text(), "y");
    }

    #[test]
    fn a_span_beyond_the_end_is_cut() {
        let source = Source::new("a.hcl", "ab");
        assert_eq!(Span::new(&source, 7..9).location().to_string(), "a.hcl:1:3");
    }
}
