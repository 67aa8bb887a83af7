//! Functions of text.

use super::{Answer, Arguments, FunctionError, count, list_of, texts};
use crate::value::Value;

pub(super) fn call(name: &str, arguments: Arguments<'_>) -> Option<Answer> {
    let answer = match name {
        "upper" => one(arguments, |text| Ok(each_char(text, char::to_uppercase))),
        "lower" => one(arguments, |text| Ok(each_char(text, char::to_lowercase))),
        "title" => one(arguments, |text| Ok(title(text))),
        "reverse" => one(arguments, |text| Ok(ascii(text)?.chars().rev().collect())),
        "chomp" => one(arguments, |text| {
            Ok(text.trim_end_matches(['\n', '\r']).to_owned())
        }),
        "trimspace" => one(arguments, |text| Ok(text.trim().to_owned())),
        "trim" => two(arguments, |text, cut| {
            text.trim_matches(|c| cut.contains(c)).to_owned()
        }),
        "trimprefix" => two(arguments, |text, prefix| {
            text.strip_prefix(prefix).unwrap_or(text).to_owned()
        }),
        "trimsuffix" => two(arguments, |text, suffix| {
            text.strip_suffix(suffix).unwrap_or(text).to_owned()
        }),
        "replace" => arguments.exactly::<3>().and_then(|[text, from, to]| {
            Ok(Value::Text(
                text.to_text()?.replace(&from.to_text()?, &to.to_text()?),
            ))
        }),
        "strlen" => arguments
            .exactly::<1>()
            .and_then(|[text]| Ok(count(ascii(&text.to_text()?)?.len()))),
        "substr" => substr(arguments),
        "split" => split(arguments),
        "join" => join(arguments),
        "indent" => indent(arguments),
        "jsonencode" => match arguments.0 {
            [value] => Ok(Value::Text(value.to_json())),
            other => Err(FunctionError::Count {
                expected: "one",
                found: other.len(),
            }),
        },
        _ => return None,
    };
    Some(answer)
}

fn one(arguments: Arguments<'_>, make: impl Fn(&str) -> Result<String, FunctionError>) -> Answer {
    let [text] = arguments.exactly::<1>()?;
    Ok(Value::Text(make(&text.to_text()?)?))
}

fn two(arguments: Arguments<'_>, make: impl Fn(&str, &str) -> String) -> Answer {
    let [text, other] = arguments.exactly::<2>()?;
    Ok(Value::Text(make(&text.to_text()?, &other.to_text()?)))
}

fn ascii(text: &str) -> Result<&str, FunctionError> {
    if text.is_ascii() {
        Ok(text)
    } else {
        Err(FunctionError::NotAscii)
    }
}

/// Character by character: one that would become several stays, `ß` for example.
fn each_char<I: Iterator<Item = char>>(text: &str, map: fn(char) -> I) -> String {
    text.chars()
        .map(|c| {
            let mut mapped = map(c);
            match (mapped.next(), mapped.next()) {
                (Some(single), None) => single,
                _ => c,
            }
        })
        .collect()
}

/// A word starts after anything but a letter, a digit or `_`.
fn title(text: &str) -> String {
    let mut inside = false;
    let mut titled = String::with_capacity(text.len());
    for c in text.chars() {
        let first = !inside && c.is_alphabetic();
        inside = c.is_alphanumeric() || c == '_';
        if first {
            titled.push_str(&each_char(c.encode_utf8(&mut [0; 4]), char::to_uppercase));
        } else {
            titled.push(c);
        }
    }
    titled
}

/// A negative offset counts from the end; a negative length takes the rest.
fn substr(arguments: Arguments<'_>) -> Answer {
    let [text, offset, length] = arguments.exactly::<3>()?;
    let text = text.to_text()?;
    let total = ascii(&text)?.len();
    let offset = offset.to_number()?.whole()?;
    let back = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
    let start = if offset < 0 {
        total.saturating_sub(back)
    } else {
        back.min(total)
    };
    let length = length.to_number()?.whole()?;
    let end =
        usize::try_from(length).map_or(total, |length| start.saturating_add(length).min(total));
    Ok(Value::text(&text[start..end]))
}

fn split(arguments: Arguments<'_>) -> Answer {
    let [separator, text] = arguments.exactly::<2>()?;
    let (separator, text) = (separator.to_text()?, text.to_text()?);
    if separator.is_empty() {
        return Ok(list_of(text.chars()));
    }
    Ok(list_of(text.split(separator.as_str())))
}

fn join(arguments: Arguments<'_>) -> Answer {
    let [separator, lists @ ..] = arguments.some()? else {
        return Err(FunctionError::AllNull);
    };
    if lists.is_empty() {
        let expected = "a separator and one or more lists";
        return Err(FunctionError::Count { expected, found: 1 });
    }
    let mut all = Vec::new();
    for list in lists {
        all.extend(texts(list)?);
    }
    Ok(Value::Text(all.join(&separator.to_text()?)))
}

fn indent(arguments: Arguments<'_>) -> Answer {
    let [spaces, text] = arguments.exactly::<2>()?;
    let spaces = usize::try_from(spaces.to_number()?.whole()?)
        .ok()
        .filter(|spaces| *spaces <= 1024)
        .ok_or(FunctionError::Limit("indents by 0 to 1024 spaces"))?;
    let line_start = format!("\n{}", " ".repeat(spaces));
    Ok(Value::Text(text.to_text()?.replace('\n', &line_start)))
}
