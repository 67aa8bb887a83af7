//! Text of hostile files, made fit to be shown: it must not steer a terminal, and look as it reads.

use std::io;

use serde_json::ser::{Formatter, PrettyFormatter};

/// Whether a terminal or a page would obey this character instead of showing it: the controls of ASCII
/// and of Latin-1 (U+009B starts an escape sequence, too), and what turns the direction of text
/// (the `Bidi_Control` characters of Unicode) or ends a line for some readers.
#[must_use]
pub const fn steers(c: char) -> bool {
    matches!(c,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{61c}' | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// One line of text: line ends and tabs are blanks, and what [`steers`] is U+FFFD.
#[must_use]
pub fn one_line(text: &str) -> String {
    let shown = |c| match c {
        '\n' | '\r' | '\t' => ' ',
        c if steers(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    text.chars()
        .map(shown)
        .collect::<String>()
        .trim_end()
        .into()
}

/// Text of several lines: they stay, and what else [`steers`] is U+FFFD.
pub(crate) fn lines(text: &str) -> String {
    let shown = |c| match c {
        '\n' | '\t' => c,
        c if steers(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    text.chars().map(shown).collect()
}

/// Indented JSON in which what [`steers`] is written as `\u…`; it reads back the same.
pub(crate) struct PlainJson(pub(crate) PrettyFormatter<'static>);

impl Formatter for PlainJson {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        // Nearly all text: a set of many wheels is a document of many megabytes.
        if fragment.bytes().all(|b| (b' '..0x7f).contains(&b)) {
            return out.write_all(fragment.as_bytes());
        }
        let mut rest = fragment;
        while let Some((at, c)) = rest.char_indices().find(|&(_, c)| steers(c)) {
            // All that steers is in the first plane, so that it is one unit of UTF-16.
            write!(out, "{}\\u{:04x}", &rest[..at], u32::from(c))?;
            rest = &rest[at + c.len_utf8()..];
        }
        out.write_all(rest.as_bytes())
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_array(out)
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array(out)
    }

    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array_value(out)
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object(out)
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object(out)
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object_value(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escape_sequence_does_not_reach_the_terminal() {
        assert_eq!(one_line("a\u{1b}[31m\nb\n"), "a\u{fffd}[31m b");
        assert_eq!(lines("a\u{9b}31m\nb\n"), "a\u{fffd}31m\nb\n");
    }

    #[test]
    fn text_does_not_change_its_direction() {
        assert_eq!(one_line("\u{202e}lhw.x"), "\u{fffd}lhw.x");
    }

    #[test]
    fn a_document_is_indented_as_ever_and_reads_back_the_same() {
        let value = serde_json::json!({"a": ["\u{202e}x\u{9b}31m\u{7f}y\n", 1, {}], "é": []});
        let mut printed = Vec::new();
        let format = PlainJson(PrettyFormatter::new());
        let mut json = serde_json::Serializer::with_formatter(&mut printed, format);
        serde::Serialize::serialize(&value, &mut json).unwrap();
        let printed = String::from_utf8(printed).unwrap();
        let plain = serde_json::to_string_pretty(&value).unwrap();
        let escaped = plain
            .replace('\u{202e}', "\\u202e")
            .replace('\u{9b}', "\\u009b")
            .replace('\u{7f}', "\\u007f");
        assert_eq!(printed, escaped);
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&printed).unwrap(),
            value
        );
    }
}
