//! The functions that a bake file may call, with the meaning they have in buildx.
//!
//! What depends on the moment or on chance (`timestamp`, `uuidv4`, `bcrypt`) is left out on purpose: a
//! tag made of it is another one on every run.

mod collection;
mod format;
mod number;
mod regex;
mod text;

use crate::decimal::{Decimal, DecimalError};
use crate::value::{KindError, Value};

/// A call that cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FunctionError {
    /// `upper()`, `upper("a", "b")`.
    #[error("takes {expected}, and {found} came")]
    Count {
        /// How many it takes.
        expected: &'static str,
        /// How many came.
        found: usize,
    },
    /// `upper(null)`.
    #[error("takes no null")]
    Null,
    /// `upper([])`.
    #[error(transparent)]
    Kind(#[from] KindError),
    /// A number that would have to be rounded.
    #[error(transparent)]
    Number(#[from] DecimalError),
    /// `element([], 0)`, `slice(["a"], 0, 5)`.
    #[error("{0}")]
    Range(&'static str),
    /// Within what bake takes, and beyond what is supported here: `parseint("z", 62)`.
    #[error("{0}")]
    Limit(&'static str),
    /// `regex("[", "a")`, with what the parser said.
    #[error("the pattern is not one: {0}")]
    Pattern(String),
    /// `regex("z", "a")`.
    #[error("the pattern is nowhere in the text")]
    NoMatch,
    /// `format("%d")`, `format("%f", 1)`.
    #[error("the verb `{0}` has no value, or is none that is supported here")]
    Verb(String),
    /// `format("a", "b")`.
    #[error("more values than verbs")]
    TooManyValues,
    /// `coalesce(null)`.
    #[error("every argument is null")]
    AllNull,
    /// `strlen("ü")`: characters there are clusters of several.
    #[error("counts characters of ASCII text only")]
    NotAscii,
    /// `equal([], [])`: whether that holds depends on how each was made.
    #[error("lists and objects are not compared; compare their members")]
    Collections,
}

impl FunctionError {
    /// Whether bake itself may well answer the call, so that nothing can be concluded from the error.
    pub(crate) fn is_ours(&self) -> bool {
        match self {
            Self::Number(cause) => cause.is_ours(),
            Self::Limit(_)
            | Self::Pattern(_)
            | Self::Verb(_)
            | Self::NotAscii
            | Self::Collections => true,
            Self::Count { .. }
            | Self::Null
            | Self::Kind(_)
            | Self::Range(_)
            | Self::NoMatch
            | Self::TooManyValues
            | Self::AllNull => false,
        }
    }
}

type Answer = Result<Value, FunctionError>;

/// Calls the function `name`; `None` when there is none of that name.
pub(crate) fn call(name: &str, arguments: &[Value]) -> Option<Answer> {
    let arguments = Arguments(arguments);
    let answer = text::call(name, arguments)
        .or_else(|| collection::call(name, arguments))
        .or_else(|| number::call(name, arguments))
        .or_else(|| regex::call(name, arguments))
        .or_else(|| format::call(name, arguments))?;
    Some(answer)
}

/// Whether there is a function of that name, `try` and `can` included.
pub(crate) fn is_known(name: &str) -> bool {
    matches!(name, "try" | "can") || call(name, &[]).is_some()
}

/// Whether two scalars are equal, without conversion: `1 == "1"` does not hold.
pub(crate) fn are_equal(left: &Value, right: &Value) -> Result<bool, FunctionError> {
    match (left, right) {
        (Value::Null, Value::Null) => Ok(true),
        (Value::Null, _) | (_, Value::Null) => Ok(false),
        (Value::List(_) | Value::Object(_), _) | (_, Value::List(_) | Value::Object(_)) => {
            Err(FunctionError::Collections)
        }
        // From outside a fraction comes in 64 bits, from the file in 512: tenths of both differ.
        (Value::Number(left), Value::Number(right)) if left == right && !left.is_binary() => {
            Err(DecimalError::Rounds(left.to_string()).into())
        }
        _ => Ok(left == right),
    }
}

/// What a function was called with.
#[derive(Clone, Copy)]
pub(crate) struct Arguments<'a>(&'a [Value]);

impl<'a> Arguments<'a> {
    /// Exactly `N`, none of them null.
    fn exactly<const N: usize>(self) -> Result<&'a [Value; N], FunctionError> {
        const WORDS: [&str; 5] = ["none", "one", "two", "three", "four"];
        let expected = WORDS.get(N).copied().unwrap_or("some");
        let found = self.0.len();
        let exact = self
            .0
            .try_into()
            .map_err(|_| FunctionError::Count { expected, found })?;
        self.no_null()?;
        Ok(exact)
    }

    /// At least one, none of them null.
    fn some(self) -> Result<&'a [Value], FunctionError> {
        if self.0.is_empty() {
            let expected = "one or more";
            return Err(FunctionError::Count { expected, found: 0 });
        }
        self.no_null()?;
        Ok(self.0)
    }

    fn no_null(self) -> Result<(), FunctionError> {
        if self.0.contains(&Value::Null) {
            return Err(FunctionError::Null);
        }
        Ok(())
    }
}

/// The members of a list as text.
fn texts(list: &Value) -> Result<Vec<String>, FunctionError> {
    list.as_list()?
        .iter()
        .map(|member| Ok(member.to_text()?))
        .collect()
}

fn list_of(texts: impl IntoIterator<Item = impl Into<String>>) -> Value {
    Value::List(texts.into_iter().map(Value::text).collect())
}

/// A count of characters or members as a number.
fn count(length: usize) -> Value {
    Value::Number(Decimal::from(i64::try_from(length).unwrap_or(i64::MAX)))
}

/// A position in a list or text of `length`, when it lies inside.
fn position(value: &Value, length: usize) -> Result<Option<usize>, FunctionError> {
    let whole = value.to_number()?.whole()?;
    Ok(usize::try_from(whole).ok().filter(|at| *at < length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_answers_for_an_unknown_name() {
        assert_eq!(call("timestamp", &[]), None);
        assert!(!is_known("uuidv4"));
        assert!(is_known("try") && is_known("join"));
    }

    #[test]
    fn a_wrong_count_is_told() {
        let error = call("upper", &[]).unwrap().unwrap_err();
        assert_eq!(error.to_string(), "takes one, and 0 came");
        let error = call("upper", &[Value::Null]).unwrap().unwrap_err();
        assert_eq!(error.to_string(), "takes no null");
    }

    #[test]
    fn collections_are_not_compared() {
        let list = Value::List(Vec::new());
        assert_eq!(are_equal(&list, &Value::Null), Ok(false));
        assert_eq!(are_equal(&list, &list), Err(FunctionError::Collections));
        assert_eq!(are_equal(&Value::text("1"), &count(1)), Ok(false));
    }
}
