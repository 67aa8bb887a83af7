//! Operators, attributes and indices.

use crate::decimal::Decimal;
use crate::error::Cause;
use crate::syntax::Operator;
use crate::value::{KindError, Value};

/// The function that does what an operator does.
pub(crate) fn function_of(operator: Operator) -> &'static str {
    match operator {
        Operator::Equal => "equal",
        Operator::NotEqual => "notequal",
        Operator::Less => "lessthan",
        Operator::LessOrEqual => "lessthanorequalto",
        Operator::Greater => "greaterthan",
        Operator::GreaterOrEqual => "greaterthanorequalto",
        Operator::Plus => "add",
        Operator::Minus => "subtract",
        Operator::Times => "multiply",
        Operator::Over => "divide",
        Operator::Remainder => "modulo",
        Operator::And => "and",
        Operator::Or => "or",
    }
}

/// The operator as it is written.
pub(crate) fn sign_of(operator: Operator) -> &'static str {
    match operator {
        Operator::Equal => "==",
        Operator::NotEqual => "!=",
        Operator::Less => "<",
        Operator::LessOrEqual => "<=",
        Operator::Greater => ">",
        Operator::GreaterOrEqual => ">=",
        Operator::Plus => "+",
        Operator::Minus => "-",
        Operator::Times => "*",
        Operator::Over => "/",
        Operator::Remainder => "%",
        Operator::And => "&&",
        Operator::Or => "||",
    }
}

/// `of.name`
pub(crate) fn attribute(of: &Value, name: &str) -> Result<Value, Cause> {
    let members = of.as_object().map_err(Cause::Kind)?;
    members
        .get(name)
        .cloned()
        .ok_or_else(|| Cause::NoMember(name.to_owned()))
}

/// `of[key]`
pub(crate) fn index(of: &Value, key: &Value) -> Result<Value, Cause> {
    match of {
        Value::Object(_) => attribute(of, &key.to_text().map_err(Cause::Kind)?),
        Value::List(members) => {
            let at = key.to_number().map_err(Cause::Kind)?;
            at.whole()
                .ok()
                .and_then(|at| usize::try_from(at).ok())
                .and_then(|at| members.get(at).cloned())
                .ok_or_else(|| Cause::NoMember(at.to_string()))
        }
        other => Err(Cause::Kind(KindError::Mismatch {
            found: other.kind(),
            expected: "a list or an object",
        })),
    }
}

/// The position of a member, as a loop's key.
pub(crate) fn position(at: usize) -> Value {
    Value::Number(Decimal::from(i64::try_from(at).unwrap_or(i64::MAX)))
}
