//! Regular expressions. Both syntaxes descend from RE2, and like Go's, the engine here takes `\d`,
//! `\w` and `\s` for ASCII.

use std::collections::BTreeMap;

use regex_lite::{Captures, Regex, RegexBuilder};

use super::{Answer, Arguments, FunctionError};
use crate::value::Value;

/// Bytes that a compiled pattern may take.
const LARGEST: usize = 1 << 20;

pub(super) fn call(name: &str, arguments: Arguments<'_>) -> Option<Answer> {
    let answer = match name {
        "regex" => regex(arguments),
        "regexall" => regexall(arguments),
        "regex_replace" => regex_replace(arguments),
        _ => return None,
    };
    Some(answer)
}

fn compile(pattern: &Value) -> Result<Regex, FunctionError> {
    RegexBuilder::new(&pattern.to_text()?)
        .size_limit(LARGEST)
        .build()
        .map_err(|error| FunctionError::Pattern(error.to_string()))
}

fn regex(arguments: Arguments<'_>) -> Answer {
    let [pattern, text] = arguments.exactly::<2>()?;
    let pattern = compile(pattern)?;
    let text = text.to_text()?;
    let found = pattern.captures(&text).ok_or(FunctionError::NoMatch)?;
    shape(&pattern, &found)
}

fn regexall(arguments: Arguments<'_>) -> Answer {
    let [pattern, text] = arguments.exactly::<2>()?;
    let pattern = compile(pattern)?;
    let text = text.to_text()?;
    let all = pattern
        .captures_iter(&text)
        .map(|found| shape(&pattern, &found))
        .collect::<Result<_, _>>()?;
    Ok(Value::List(all))
}

/// The whole match, or a list of the groups, or an object when every group has a name.
fn shape(pattern: &Regex, found: &Captures<'_>) -> Answer {
    let group = |at: usize| {
        found
            .get(at)
            .map_or(Value::Null, |part| Value::text(part.as_str()))
    };
    let names: Vec<Option<&str>> = pattern.capture_names().skip(1).collect();
    if names.is_empty() {
        return Ok(group(0));
    }
    if names.iter().all(Option::is_none) {
        return Ok(Value::List((1..=names.len()).map(group).collect()));
    }
    let mut object = BTreeMap::new();
    for (at, name) in names.iter().enumerate() {
        let Some(name) = name else {
            let cause = "name every group, or none".to_owned();
            return Err(FunctionError::Pattern(cause));
        };
        object.insert((*name).to_owned(), group(at + 1));
    }
    Ok(Value::Object(object))
}

fn regex_replace(arguments: Arguments<'_>) -> Answer {
    let [text, pattern, replacement] = arguments.exactly::<3>()?;
    let (text, replacement) = (text.to_text()?, replacement.to_text()?);
    let replaced = compile(pattern)?.replace_all(&text, replacement.as_str());
    Ok(Value::text(replaced))
}
