//! Variables inside Dockerfile text.

use std::ops::Range;

/// Replaces `$NAME`, `${NAME}`, `${NAME:-default}` and `${NAME:+other}`; a name that `value` does not
/// know is empty, as in `docker build`. `None` when the text uses a form beyond these.
pub fn expand(text: &str, value: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['$', '\\']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with('\\') {
            let next = rest.chars().nth(1);
            out.extend(next);
            rest = &rest[1 + next.map_or(0, char::len_utf8)..];
            continue;
        }
        let body = &rest[1..];
        if let Some(braced) = body.strip_prefix('{') {
            let end = closing(braced)?;
            let inner = &braced[..end];
            let name = identifier(inner);
            let given = value(name);
            match inner.get(name.len()..)? {
                "" => out.push_str(&given.unwrap_or_default()),
                form => out.push_str(&substituted(form, given, value)?),
            }
            rest = &braced[end + 1..];
        } else {
            let name = identifier(body);
            if name.is_empty() {
                out.push('$');
            } else {
                out.push_str(&value(name).unwrap_or_default());
            }
            rest = &body[name.len()..];
        }
    }
    out.push_str(rest);
    Some(out)
}

/// `:-default`, `-default`, `:+other`, `+other`.
fn substituted(
    form: &str,
    given: Option<String>,
    value: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let (given, form) = match form.strip_prefix(':') {
        Some(form) => (given.filter(|text| !text.is_empty()), form),
        None => (given, form),
    };
    if let Some(default) = form.strip_prefix('-') {
        return match given {
            Some(text) => Some(text),
            None => expand(default, value),
        };
    }
    let other = form.strip_prefix('+')?;
    match given {
        Some(_) => expand(other, value),
        None => Some(String::new()),
    }
}

/// The position of the brace that closes `${`.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn identifier(text: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return "";
    }
    &text[..text.find(|c| !is_part(c)).unwrap_or(text.len())]
}

/// The names of the variables that a text uses, in order. `\$X` and `$$` use none.
pub(crate) fn names(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['$', '\\']) {
        let escapes = rest[at..].starts_with('\\') || rest[at..].starts_with("$$");
        rest = &rest[at + 1..];
        if escapes {
            rest = &rest[rest.chars().next().map_or(0, char::len_utf8)..];
            continue;
        }
        let body = rest.strip_prefix('{').unwrap_or(rest);
        let name = identifier(body);
        if !name.is_empty() {
            names.push(name);
        }
        rest = &body[name.len()..];
    }
    names
}

/// The next word of a line, quotes kept together.
pub(super) fn word(text: &str) -> Option<Range<usize>> {
    let blank = |c: char| c.is_whitespace() || c == '\\';
    let start = text.find(|c| !blank(c))?;
    let mut quote = None;
    for (at, c) in text[start..].char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, c) if c.is_whitespace() => return Some(start..start + at),
            _ => {}
        }
    }
    Some(start..text.len())
}

/// A default without its quotes.
pub(super) fn unquoted(text: &str) -> String {
    text.trim().replace(['"', '\''], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(name: &str) -> Option<String> {
        match name {
            "A" => Some("a".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        }
    }

    #[test]
    fn every_form_of_a_variable_is_expanded() {
        let cases = [
            ("$A-${A}", "a-a"),
            ("x${NONE}y$NONE.z", "xy.z"),
            ("${NONE:-d}${EMPTY:-e}${EMPTY-f}${A:-g}", "dea"),
            ("${A:+yes}${EMPTY:+no}${EMPTY+set}${NONE+no}", "yesset"),
            ("${NONE:-${A}}:1", "a:1"),
            (r"\$A $", "$A $"),
        ];
        for (text, expanded) in cases {
            assert_eq!(expand(text, &value).as_deref(), Some(expanded), "{text}");
        }
        assert_eq!(expand("${A%x}", &value), None);
        assert_eq!(expand("${A", &value), None);
    }

    #[test]
    fn names_are_found_and_escapes_are_not() {
        assert_eq!(names(r"$A ${B:-$C} \$D $$E $1 ${F}"), ["A", "B", "C", "F"]);
    }

    #[test]
    fn words_keep_quotes_together() {
        assert_eq!(
            word("  A=\"x y\" B").map(|r| &"  A=\"x y\" B"[r]),
            Some("A=\"x y\"")
        );
        assert_eq!(word("  "), None);
    }
}
