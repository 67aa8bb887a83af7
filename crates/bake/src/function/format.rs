//! `format` and `formatlist`: the verbs that make text and whole numbers.

use super::{Answer, Arguments, FunctionError, list_of};
use crate::value::Value;

/// A field wider than this is a mistake.
const WIDEST: usize = 1024;

pub(super) fn call(name: &str, arguments: Arguments<'_>) -> Option<Answer> {
    let answer = match name {
        "format" => arguments
            .some_or_null()
            .and_then(|(pattern, values)| Ok(Value::Text(format(&pattern.to_text()?, values)?))),
        "formatlist" => formatlist(arguments),
        _ => return None,
    };
    Some(answer)
}

impl<'a> Arguments<'a> {
    /// The pattern, and values that may be null.
    fn some_or_null(self) -> Result<(&'a Value, &'a [Value]), FunctionError> {
        self.0.split_first().ok_or(FunctionError::Count {
            expected: "one or more",
            found: 0,
        })
    }
}

/// Lists among the values are walked together; a scalar stands beside each member.
fn formatlist(arguments: Arguments<'_>) -> Answer {
    let (pattern, values) = arguments.some_or_null()?;
    arguments.no_null()?;
    let pattern = pattern.to_text()?;
    let lengths: Vec<usize> = values
        .iter()
        .filter_map(|value| value.as_list().ok().map(<[Value]>::len))
        .collect();
    let length = lengths.first().copied().unwrap_or(1);
    if lengths.iter().any(|other| *other != length) {
        return Err(FunctionError::Range("the lists differ in length"));
    }
    let mut lines = Vec::with_capacity(length);
    for at in 0..length {
        let row: Vec<Value> = values
            .iter()
            .map(|value| match value {
                Value::List(members) => members.get(at).cloned().unwrap_or(Value::Null),
                scalar => scalar.clone(),
            })
            .collect();
        lines.push(format(&pattern, &row)?);
    }
    Ok(list_of(lines))
}

fn format(pattern: &str, values: &[Value]) -> Result<String, FunctionError> {
    let mut out = String::new();
    let mut values = values.iter();
    let mut rest = pattern;
    while let Some(start) = rest.find('%') {
        out.push_str(&rest[..start]);
        let body = &rest[start + 1..];
        let length = body
            .find(|c: char| c.is_ascii_alphabetic() || c == '%')
            .ok_or_else(|| FunctionError::Verb(rest[start..].to_owned()))?;
        let verb = &rest[start..=start + 1 + length];
        let (flags, letter) = (&body[..length], &body[length..=length]);
        rest = &body[length + 1..];
        if letter == "%" {
            out.push('%');
            continue;
        }
        let unsupported = || FunctionError::Verb(verb.to_owned());
        let value = values.next().ok_or_else(unsupported)?;
        let text = match letter {
            "v" => shown(value),
            "s" => value.to_text()?,
            "d" => value.to_number()?.whole()?.to_string(),
            "t" => value.to_bool()?.to_string(),
            "q" => Value::Text(value.to_text()?).to_json(),
            _ => return Err(unsupported()),
        };
        out.push_str(&padded(&text, flags, letter).ok_or_else(unsupported)?);
    }
    out.push_str(rest);
    if values.next().is_some() {
        return Err(FunctionError::TooManyValues);
    }
    Ok(out)
}

/// `%v`: scalars as text, the rest as JSON.
fn shown(value: &Value) -> String {
    value.to_text().unwrap_or_else(|_| value.to_json())
}

/// `-5` to the left, `5` to the right, `05` a number with leading zeros.
fn padded(text: &str, flags: &str, letter: &str) -> Option<String> {
    if flags.is_empty() {
        return Some(text.to_owned());
    }
    let (left, flags) = match flags.strip_prefix('-') {
        Some(flags) => (true, flags),
        None => (false, flags),
    };
    let zeros = flags.starts_with('0');
    let width: usize = flags.parse().ok().filter(|width| *width <= WIDEST)?;
    match (left, zeros) {
        (true, false) => Some(format!("{text:<width$}")),
        (false, false) => Some(format!("{text:>width$}")),
        (false, true) if letter == "d" => {
            let (sign, digits) = match text.strip_prefix('-') {
                Some(digits) => ("-", digits),
                None => ("", text),
            };
            Some(format!(
                "{sign}{digits:0>width$}",
                width = width.saturating_sub(sign.len())
            ))
        }
        _ => None,
    }
}
