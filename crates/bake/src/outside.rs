//! Values that come from outside the file: the environment, and `VAR=VALUE` on the command line.

use std::collections::BTreeMap;

use crate::decimal::Decimal;
use crate::error::Cause;
use crate::value::Value;

/// Values for variables. What is given by hand wins over the environment; an empty value is a value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outside {
    environment: BTreeMap<String, String>,
    given: BTreeMap<String, String>,
}

impl Outside {
    /// Nothing from outside: every variable has its default.
    #[must_use]
    pub fn nothing() -> Self {
        Self::default()
    }

    /// The environment of this process; a variable that is not UTF-8 is left out.
    #[must_use]
    pub fn environment() -> Self {
        let environment = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        Self {
            environment,
            given: BTreeMap::new(),
        }
    }

    /// An environment made of these pairs.
    pub fn of<K: Into<String>, V: Into<String>>(pairs: impl IntoIterator<Item = (K, V)>) -> Self {
        Self {
            environment: pairs
                .into_iter()
                .map(|(k, v)| (k.into(), v.into()))
                .collect(),
            given: BTreeMap::new(),
        }
    }

    /// The same with one value given by hand.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.given.insert(name.into(), value.into());
        self
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.given
            .get(name)
            .or_else(|| self.environment.get(name))
            .map(String::as_str)
    }

    /// A value from outside, of the kind that the default has.
    pub(crate) fn typed(name: &str, given: &str, default: Option<&Value>) -> Result<Value, Cause> {
        let refused = |expected| Cause::Override {
            name: name.to_owned(),
            value: given.to_owned(),
            expected,
        };
        match default {
            None | Some(Value::Null | Value::Text(_)) => Ok(Value::text(given)),
            // The spellings of Go's strconv.ParseBool.
            Some(Value::Bool(_)) => match given {
                "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(Value::Bool(true)),
                "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(Value::Bool(false)),
                _ => Err(refused("a boolean")),
            },
            // Read as a 64-bit float there: beyond 15 digits it would be another number.
            Some(Value::Number(_)) => match Decimal::parse(given) {
                Ok(number) if given.bytes().filter(u8::is_ascii_digit).count() <= 15 => {
                    Ok(Value::Number(number))
                }
                _ => Err(refused("a number of 15 digits at most")),
            },
            Some(other) => Err(Cause::NotSettable {
                name: name.to_owned(),
                kind: other.kind(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_by_hand_wins_and_empty_counts() {
        let outside = Outside::of([("ARCH", "gfx942"), ("VCS_REF", "abc")]).with("VCS_REF", "");
        assert_eq!(outside.get("ARCH"), Some("gfx942"));
        assert_eq!(outside.get("VCS_REF"), Some(""));
        assert_eq!(outside.get("NONE"), None);
    }

    #[test]
    fn the_kind_of_the_default_is_kept() {
        let typed = |given, default: &Value| Outside::typed("V", given, Some(default));
        let number = Value::Number(Decimal::from(3));
        assert_eq!(typed("007", &number), Ok(Value::Number(Decimal::from(7))));
        assert_eq!(typed("T", &Value::Bool(false)), Ok(Value::Bool(true)));
        assert_eq!(
            typed("", &Value::Bool(false)).unwrap_err().to_string(),
            "the value `` of `V` from outside is not a boolean, as its default is"
        );
        assert!(typed("12345678901234567890", &number).is_err());
    }
}
