//! Functions of numbers and of truth; the operators go through them, too.

use std::cmp::Ordering;

use super::{Answer, Arguments, FunctionError, are_equal};
use crate::decimal::{Decimal, DecimalError};
use crate::value::Value;

pub(super) fn call(name: &str, arguments: Arguments<'_>) -> Option<Answer> {
    let answer = match name {
        "add" => arithmetic(arguments, Decimal::plus),
        "subtract" => arithmetic(arguments, Decimal::minus),
        "multiply" => arithmetic(arguments, Decimal::times),
        "divide" => arithmetic(arguments, Decimal::over),
        "modulo" => arithmetic(arguments, Decimal::remainder),
        "negate" => arguments
            .exactly::<1>()
            .and_then(|[number]| Ok(Value::Number(number.to_number()?.negated()?))),
        "absolute" => arguments.exactly::<1>().and_then(|[number]| {
            let number = number.to_number()?;
            let negative = number.order(Decimal::from(0))? == Ordering::Less;
            Ok(Value::Number(if negative {
                number.negated()?
            } else {
                number
            }))
        }),
        "int" => arguments
            .exactly::<1>()
            .and_then(|[number]| Ok(Value::Number(number.to_number()?.truncated()?))),
        "min" => extreme(arguments, Ordering::Less),
        "max" => extreme(arguments, Ordering::Greater),
        "parseint" => parseint(arguments),
        "lessthan" => comparison(arguments, Ordering::is_lt),
        "lessthanorequalto" => comparison(arguments, Ordering::is_le),
        "greaterthan" => comparison(arguments, Ordering::is_gt),
        "greaterthanorequalto" => comparison(arguments, Ordering::is_ge),
        "equal" => equal(arguments).map(Value::Bool),
        "notequal" => equal(arguments).map(|equal| Value::Bool(!equal)),
        "and" => logic(arguments, |left, right| left && right),
        "or" => logic(arguments, |left, right| left || right),
        "not" => arguments
            .exactly::<1>()
            .and_then(|[truth]| Ok(Value::Bool(!truth.to_bool()?))),
        _ => return None,
    };
    Some(answer)
}

fn arithmetic(
    arguments: Arguments<'_>,
    operation: fn(Decimal, Decimal) -> Result<Decimal, DecimalError>,
) -> Answer {
    let [left, right] = arguments.exactly::<2>()?;
    Ok(Value::Number(operation(
        left.to_number()?,
        right.to_number()?,
    )?))
}

fn comparison(arguments: Arguments<'_>, holds: fn(Ordering) -> bool) -> Answer {
    let [left, right] = arguments.exactly::<2>()?;
    Ok(Value::Bool(holds(
        left.to_number()?.order(right.to_number()?)?,
    )))
}

fn logic(arguments: Arguments<'_>, operation: fn(bool, bool) -> bool) -> Answer {
    let [left, right] = arguments.exactly::<2>()?;
    Ok(Value::Bool(operation(left.to_bool()?, right.to_bool()?)))
}

/// Null is a value here.
fn equal(arguments: Arguments<'_>) -> Result<bool, FunctionError> {
    let [left, right] = arguments.0 else {
        let (expected, found) = ("two", arguments.0.len());
        return Err(FunctionError::Count { expected, found });
    };
    are_equal(left, right)
}

fn extreme(arguments: Arguments<'_>, wanted: Ordering) -> Answer {
    let mut best: Option<Decimal> = None;
    for value in arguments.some()? {
        let number = value.to_number()?;
        best = match best {
            Some(known) if number.order(known)? != wanted => Some(known),
            _ => Some(number),
        };
    }
    best.map(Value::Number).ok_or(FunctionError::AllNull)
}

fn parseint(arguments: Arguments<'_>) -> Answer {
    let [text, base] = arguments.exactly::<2>()?;
    let base = u32::try_from(base.to_number()?.whole()?)
        .ok()
        .filter(|base| (2..=36).contains(base))
        .ok_or(FunctionError::Limit("takes a base from 2 to 36"))?;
    let number = i64::from_str_radix(&text.to_text()?, base)
        .map_err(|_| FunctionError::Limit("the text is no whole number of that base in 64 bits"))?;
    Ok(Value::Number(Decimal::from(number)))
}
