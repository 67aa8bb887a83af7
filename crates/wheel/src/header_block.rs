//! The header block that METADATA and WHEEL share: `Name: value` lines, kept byte for byte.
//!
//! The bytes are never decoded as a whole, so that an edit of one value leaves all others as they
//! are: line ends, folding, and a body that is not UTF-8.

use std::ops::Range;

/// A header block and what follows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeaderBlock {
    bytes: Vec<u8>,
    headers: Vec<Header>,
}

/// One header: where it stands in the bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    /// The name in lower case.
    name: String,
    /// From the name to the end of its last line, line end included.
    line: Range<usize>,
    /// The value without blanks around it; a folded one with its line ends inside.
    value: Range<usize>,
}

/// One replacement in the bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that go.
    pub span: Range<usize>,
    /// What comes in their place.
    pub text: String,
}

impl HeaderBlock {
    /// Finds the headers. As in Python's `email` package, they end at the first empty line or at the
    /// first line that is neither a header nor the continuation of one.
    pub(crate) fn parse(bytes: Vec<u8>) -> Self {
        let mut headers: Vec<Header> = Vec::new();
        let mut start = 0;
        while start < bytes.len() {
            let end = line_end(&bytes, start);
            let line = &bytes[start..end];
            if matches!(line.first(), Some(b' ' | b'\t')) && !headers.is_empty() {
                if let Some(last) = headers.last_mut() {
                    last.line.end = end;
                    last.value.end = end;
                }
            } else if let Some(colon) = header_colon(line) {
                headers.push(Header {
                    name: String::from_utf8_lossy(&line[..colon]).to_ascii_lowercase(),
                    line: start..end,
                    value: start + colon + 1..end,
                });
            } else {
                break;
            }
            start = end;
        }
        for header in &mut headers {
            header.value = trimmed(&bytes, header.value.clone());
        }
        Self { bytes, headers }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The headers of this name, whatever the case of its letters.
    pub(crate) fn named(&self, name: &str) -> impl Iterator<Item = &Header> {
        let name = name.to_ascii_lowercase();
        self.headers
            .iter()
            .filter(move |header| header.name == name)
    }

    /// The value on one line, bytes that are not UTF-8 replaced.
    pub(crate) fn value(&self, header: &Header) -> String {
        let text = String::from_utf8_lossy(&self.bytes[header.value.clone()]);
        text.chars().filter(|c| !matches!(c, '\r' | '\n')).collect()
    }

    /// The value as it stands, when it is UTF-8.
    pub(crate) fn raw_value(&self, header: &Header) -> Option<&str> {
        std::str::from_utf8(&self.bytes[header.value.clone()]).ok()
    }

    /// All headers in order: name in lower case and value on one line.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, String)> {
        self.headers
            .iter()
            .map(|header| (header.name.as_str(), self.value(header)))
    }

    /// The bytes with these replacements; they must not overlap.
    pub(crate) fn edited(&self, mut edits: Vec<Edit>) -> Vec<u8> {
        edits.sort_by_key(|edit| edit.span.start);
        let mut out = Vec::with_capacity(self.bytes.len() + 256);
        let mut from = 0;
        for edit in edits {
            out.extend_from_slice(&self.bytes[from..edit.span.start]);
            out.extend_from_slice(edit.text.as_bytes());
            from = edit.span.end;
        }
        out.extend_from_slice(&self.bytes[from..]);
        out
    }
}

impl Header {
    pub(crate) fn line(&self) -> Range<usize> {
        self.line.clone()
    }

    pub(crate) fn value_span(&self) -> Range<usize> {
        self.value.clone()
    }
}

/// Just behind the line end of the line that starts here: `\n`, `\r\n`, or a lone `\r`, which Python's
/// `email` takes as one too.
fn line_end(bytes: &[u8], start: usize) -> usize {
    match bytes[start..]
        .iter()
        .position(|b| matches!(b, b'\n' | b'\r'))
    {
        None => bytes.len(),
        Some(at) => {
            let at = start + at;
            if bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n') {
                at + 2
            } else {
                at + 1
            }
        }
    }
}

/// The colon of a header line: a name of printable ASCII without blanks stands before it.
fn header_colon(line: &[u8]) -> Option<usize> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let name = &line[..colon];
    (!name.is_empty() && name.iter().all(u8::is_ascii_graphic)).then_some(colon)
}

fn trimmed(bytes: &[u8], span: Range<usize>) -> Range<usize> {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let value = &bytes[span.clone()];
    let Some(first) = value.iter().position(|byte| !blank(byte)) else {
        return span.start..span.start;
    };
    let last = value.iter().rposition(|byte| !blank(byte)).unwrap_or(first);
    span.start + first..span.start + last + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: &[u8] =
        b"Name: a\r\nversion:\t1.0 \r\nAuthor: x\r\n        Version: 7.7\r\n\r\nVersion: 9.9\xff";

    #[test]
    fn a_folded_line_and_the_body_hold_no_header() {
        let block = HeaderBlock::parse(BLOCK.to_vec());
        let all: Vec<(&str, String)> = block.all().collect();
        assert_eq!(
            all,
            [
                ("name", "a".to_owned()),
                ("version", "1.0".to_owned()),
                ("author", "x        Version: 7.7".to_owned())
            ]
        );
    }

    #[test]
    fn an_edit_changes_its_span_and_nothing_else() {
        let block = HeaderBlock::parse(BLOCK.to_vec());
        let header = block.named("Version").next().unwrap().clone();
        let edited = block.edited(vec![Edit {
            span: header.value_span(),
            text: "1.0+x".to_owned(),
        }]);
        let at = header.value_span();
        assert_eq!(&edited[..at.start], &BLOCK[..at.start]);
        assert_eq!(&edited[at.start..at.start + 5], b"1.0+x");
        assert_eq!(&edited[at.start + 5..], &BLOCK[at.end..]);
    }

    #[test]
    fn a_line_that_is_no_header_ends_the_block() {
        let block = HeaderBlock::parse(b"A: 1\nstray\nB: 2\n".to_vec());
        assert_eq!(block.all().count(), 1);
    }

    #[test]
    fn an_empty_value_has_an_empty_span() {
        let block = HeaderBlock::parse(b"A:   \nB:\n".to_vec());
        assert!(block.all().all(|(_, value)| value.is_empty()));
    }
}
