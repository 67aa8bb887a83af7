//! Values of bake expressions, and how one kind becomes another.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::decimal::Decimal;

/// What an expression evaluates to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// `null`: an argument that is left out.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, exact.
    Number(Decimal),
    /// Text.
    Text(String),
    /// A list. Bake's tuples, lists and sets are one thing here.
    List(Vec<Value>),
    /// An object or a map, ordered by key as bake walks it.
    Object(BTreeMap<String, Value>),
}

/// A value of one kind where another is needed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KindError {
    /// A list where a string is needed, and the like.
    #[error("this is {found}, expected {expected}")]
    Mismatch {
        /// What it is, with an article.
        found: &'static str,
        /// What it has to be, with an article.
        expected: &'static str,
    },
    /// Text that does not read as a number: `"abc" + 1`.
    #[error("`{0}` is not a number")]
    NotANumber(String),
    /// Text that does not read as a boolean: `"yes" && true`.
    #[error("`{0}` is neither `true` nor `false`")]
    NotABool(String),
}

impl Value {
    /// A string value.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// What kind of value it is, with an article.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }

    fn mismatch(&self, expected: &'static str) -> KindError {
        KindError::Mismatch {
            found: self.kind(),
            expected,
        }
    }

    /// The value as text: booleans and numbers convert.
    ///
    /// # Errors
    /// [`KindError::Mismatch`] for null, lists and objects.
    pub fn to_text(&self) -> Result<String, KindError> {
        match self {
            Self::Text(text) => Ok(text.clone()),
            Self::Bool(truth) => Ok(truth.to_string()),
            Self::Number(number) => Ok(number.to_string()),
            _ => Err(self.mismatch("a string")),
        }
    }

    /// The value as a number: text converts.
    ///
    /// # Errors
    /// [`KindError::NotANumber`], and [`KindError::Mismatch`] for every other kind.
    pub fn to_number(&self) -> Result<Decimal, KindError> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Text(text) => {
                Decimal::parse(text).map_err(|_| KindError::NotANumber(text.clone()))
            }
            _ => Err(self.mismatch("a number")),
        }
    }

    /// The value as a boolean: the texts `true`, `false`, `1` and `0` convert.
    ///
    /// # Errors
    /// [`KindError::NotABool`], and [`KindError::Mismatch`] for every other kind.
    pub fn to_bool(&self) -> Result<bool, KindError> {
        match self {
            Self::Bool(truth) => Ok(*truth),
            Self::Text(text) => match text.as_str() {
                "true" | "1" => Ok(true),
                "false" | "0" => Ok(false),
                _ => Err(KindError::NotABool(text.clone())),
            },
            _ => Err(self.mismatch("a boolean")),
        }
    }

    /// The members of a list.
    ///
    /// # Errors
    /// [`KindError::Mismatch`] for everything else.
    pub fn as_list(&self) -> Result<&[Self], KindError> {
        match self {
            Self::List(members) => Ok(members),
            _ => Err(self.mismatch("a list")),
        }
    }

    /// The members of an object.
    ///
    /// # Errors
    /// [`KindError::Mismatch`] for everything else.
    pub fn as_object(&self) -> Result<&BTreeMap<String, Self>, KindError> {
        match self {
            Self::Object(members) => Ok(members),
            _ => Err(self.mismatch("an object")),
        }
    }

    /// The value as JSON text: keys sorted, no blanks, as `jsonencode` writes it.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = String::new();
        self.write_json(&mut text);
        text
    }

    fn write_json(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
            Self::Number(number) => out.push_str(&number.to_string()),
            Self::Text(text) => write_json_text(text, out),
            Self::List(members) => {
                out.push('[');
                for (index, member) in members.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { "," });
                    member.write_json(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (index, (key, member)) in members.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { "," });
                    write_json_text(key, out);
                    out.push(':');
                    member.write_json(out);
                }
                out.push('}');
            }
        }
    }
}

/// The characters that Go's encoder escapes beside those that JSON demands: `<`, `>`, `&` and the two
/// Unicode line separators.
fn write_json_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if c < ' ' || matches!(c, '<' | '>' | '&' | '\u{2028}' | '\u{2029}') => {
                // Writing to a string cannot fail.
                _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Brings values that stand side by side to one kind, as bake does for the branches of a conditional
/// and the members of a list: beside a string, numbers and booleans become strings.
///
/// # Errors
/// [`KindError::Mismatch`] when there is no common kind.
pub(crate) fn unify(values: &mut [Value]) -> Result<(), KindError> {
    let mut present: Vec<&Value> = values
        .iter()
        .filter(|v| !matches!(v, Value::Null))
        .collect();
    present.sort_by_key(|value| kind_order(value));
    let (Some(first), Some(last)) = (present.first(), present.last()) else {
        return Ok(());
    };
    match (first, last) {
        _ if kind_order(first) == kind_order(last) => match first {
            Value::List(_) => unify_lists(values),
            Value::Object(_) => unify_objects(values),
            _ => Ok(()),
        },
        // The order puts text first among the scalars, so the last one tells whether all convert.
        (Value::Text(_), Value::Bool(_) | Value::Number(_)) => {
            for value in values.iter_mut().filter(|v| !matches!(v, Value::Null)) {
                *value = Value::Text(value.to_text()?);
            }
            Ok(())
        }
        (first, last) => Err(KindError::Mismatch {
            found: last.kind(),
            expected: first.kind(),
        }),
    }
}

fn kind_order(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Text(_) => 1,
        Value::Bool(_) => 2,
        Value::Number(_) => 3,
        Value::List(_) => 4,
        Value::Object(_) => 5,
    }
}

/// Lists of one length keep their members' own kinds by position; others become lists of one kind.
fn unify_lists(values: &mut [Value]) -> Result<(), KindError> {
    let mut lists: Vec<&mut Vec<Value>> = values
        .iter_mut()
        .filter_map(|value| match value {
            Value::List(members) => Some(members),
            _ => None,
        })
        .collect();
    let length = lists.first().map_or(0, |list| list.len());
    if lists.iter().all(|list| list.len() == length) {
        for position in 0..length {
            let mut column: Vec<Value> = lists.iter().map(|list| list[position].clone()).collect();
            unify(&mut column)?;
            for (list, value) in lists.iter_mut().zip(column) {
                list[position] = value;
            }
        }
        return Ok(());
    }
    let mut all: Vec<Value> = lists.iter().flat_map(|list| list.iter().cloned()).collect();
    unify(&mut all)?;
    let mut rest = all.into_iter();
    for list in lists {
        for member in list.iter_mut() {
            if let Some(value) = rest.next() {
                *member = value;
            }
        }
    }
    Ok(())
}

/// Objects of the same keys unify key by key; others become maps of one kind.
fn unify_objects(values: &mut [Value]) -> Result<(), KindError> {
    let mut objects: Vec<&mut BTreeMap<String, Value>> = values
        .iter_mut()
        .filter_map(|value| match value {
            Value::Object(members) => Some(members),
            _ => None,
        })
        .collect();
    let keys: Vec<String> = objects
        .first()
        .map(|object| object.keys().cloned().collect())
        .unwrap_or_default();
    if objects.iter().all(|object| object.keys().eq(keys.iter())) {
        for key in &keys {
            let mut column: Vec<Value> = objects
                .iter()
                .filter_map(|object| object.get(key).cloned())
                .collect();
            unify(&mut column)?;
            for (object, value) in objects.iter_mut().zip(column) {
                object.insert(key.clone(), value);
            }
        }
        return Ok(());
    }
    let mut all: Vec<Value> = objects
        .iter()
        .flat_map(|object| object.values().cloned())
        .collect();
    unify(&mut all)?;
    let mut rest = all.into_iter();
    for object in objects {
        for member in object.values_mut() {
            if let Some(value) = rest.next() {
                *member = value;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Value {
        Value::Number(Decimal::parse(text).unwrap())
    }

    #[test]
    fn beside_a_string_everything_becomes_a_string() {
        let mut values = [
            number("1"),
            Value::text("a"),
            Value::Bool(true),
            Value::Null,
        ];
        unify(&mut values).unwrap();
        assert_eq!(
            values,
            [
                Value::text("1"),
                Value::text("a"),
                Value::text("true"),
                Value::Null
            ]
        );
    }

    #[test]
    fn kinds_without_a_common_one_are_refused() {
        let error = unify(&mut [Value::Bool(true), number("1")]).unwrap_err();
        assert_eq!(error.to_string(), "this is a number, expected a boolean");
        assert!(unify(&mut [Value::text("a"), Value::List(Vec::new())]).is_err());
    }

    #[test]
    fn lists_of_different_lengths_become_lists_of_one_kind() {
        let mut values = [
            Value::List(vec![number("1"), Value::text("a")]),
            Value::List(vec![number("2")]),
        ];
        unify(&mut values).unwrap();
        assert_eq!(
            values,
            [
                Value::List(vec![Value::text("1"), Value::text("a")]),
                Value::List(vec![Value::text("2")]),
            ]
        );
    }

    #[test]
    fn json_is_written_as_the_encoder_of_bake_writes_it() {
        let object = Value::Object(BTreeMap::from([
            ("b".to_owned(), Value::text("<\"&\n\u{1}")),
            (
                "a".to_owned(),
                Value::List(vec![number("1.50"), Value::Null]),
            ),
        ]));
        assert_eq!(
            object.to_json(),
            r#"{"a":[1.5,null],"b":"\u003c\"\u0026\n\u0001"}"#
        );
    }
}
