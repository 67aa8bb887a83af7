//! Functions of lists and objects.

use std::collections::BTreeMap;

use super::{Answer, Arguments, FunctionError, are_equal, count, position, texts};
use crate::decimal::Decimal;
use crate::value::{Value, unify};

/// As many as `range` makes at most.
const LONGEST_RANGE: usize = 1024;

pub(super) fn call(name: &str, arguments: Arguments<'_>) -> Option<Answer> {
    let answer = match name {
        "concat" => arguments.some().and_then(|lists| {
            let mut all = Vec::new();
            for list in lists {
                all.extend_from_slice(list.as_list()?);
            }
            Ok(Value::List(all))
        }),
        "compact" => list(arguments, compact),
        "distinct" => list(arguments, distinct),
        "flatten" => list(arguments, |members| {
            let mut flat = Vec::new();
            flatten(members, &mut flat);
            Ok(flat)
        }),
        "reverselist" => list(arguments, |members| {
            Ok(members.iter().rev().cloned().collect())
        }),
        "sort" => arguments.exactly::<1>().and_then(|[list]| {
            let mut sorted = texts(list)?;
            sorted.sort();
            Ok(super::list_of(sorted))
        }),
        "length" => arguments
            .exactly::<1>()
            .and_then(|[list]| Ok(count(list.as_list()?.len()))),
        "contains" => contains(arguments),
        "element" => element(arguments),
        "index" => index(arguments),
        "hasindex" => arguments.exactly::<2>().and_then(|[list, at]| {
            // Here a key does not convert: a text is no position.
            let members = list.as_list()?;
            let found = match at {
                Value::Number(_) => position(at, members.len())?.is_some(),
                _ => false,
            };
            Ok(Value::Bool(found))
        }),
        "slice" => slice(arguments),
        "range" => range(arguments),
        "keys" => object(arguments, |members| {
            members
                .keys()
                .map(|key| Value::text(key.as_str()))
                .collect()
        }),
        "values" => object(arguments, |members| members.values().cloned().collect()),
        "lookup" => lookup(arguments),
        "merge" => merge(arguments),
        "zipmap" => zipmap(arguments),
        "coalesce" => coalesce(arguments),
        "coalescelist" => coalescelist(arguments),
        _ => return None,
    };
    Some(answer)
}

fn list(
    arguments: Arguments<'_>,
    make: impl Fn(&[Value]) -> Result<Vec<Value>, FunctionError>,
) -> Answer {
    let [list] = arguments.exactly::<1>()?;
    Ok(Value::List(make(list.as_list()?)?))
}

fn object(
    arguments: Arguments<'_>,
    make: impl Fn(&BTreeMap<String, Value>) -> Vec<Value>,
) -> Answer {
    let [object] = arguments.exactly::<1>()?;
    Ok(Value::List(make(object.as_object()?)))
}

fn compact(members: &[Value]) -> Result<Vec<Value>, FunctionError> {
    let mut kept = Vec::new();
    for member in members
        .iter()
        .filter(|member| !matches!(member, Value::Null))
    {
        let text = member.to_text()?;
        if !text.is_empty() {
            kept.push(Value::Text(text));
        }
    }
    Ok(kept)
}

fn distinct(members: &[Value]) -> Result<Vec<Value>, FunctionError> {
    let mut all = members.to_vec();
    unify(&mut all)?;
    let mut kept: Vec<Value> = Vec::new();
    for member in all {
        if !kept.contains(&member) {
            kept.push(member);
        }
    }
    Ok(kept)
}

fn flatten(members: &[Value], flat: &mut Vec<Value>) {
    for member in members {
        match member {
            Value::List(inner) => flatten(inner, flat),
            other => flat.push(other.clone()),
        }
    }
}

fn contains(arguments: Arguments<'_>) -> Answer {
    let [list, wanted] = arguments.exactly::<2>()?;
    for member in list.as_list()? {
        if are_equal(member, wanted)? {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}

/// The index wraps around.
fn element(arguments: Arguments<'_>) -> Answer {
    let [list, at] = arguments.exactly::<2>()?;
    let members = list.as_list()?;
    let at = usize::try_from(at.to_number()?.whole()?)
        .map_err(|_| FunctionError::Range("takes no negative index"))?;
    at.checked_rem(members.len())
        .and_then(|at| members.get(at).cloned())
        .ok_or(FunctionError::Range("takes no empty list"))
}

fn index(arguments: Arguments<'_>) -> Answer {
    let [list, at] = arguments.exactly::<2>()?;
    let members = list.as_list()?;
    position(at, members.len())?
        .and_then(|at| members.get(at).cloned())
        .ok_or(FunctionError::Range("the index lies outside the list"))
}

fn slice(arguments: Arguments<'_>) -> Answer {
    let [list, start, end] = arguments.exactly::<3>()?;
    let members = list.as_list()?;
    let bound = |value: &Value| -> Result<Option<usize>, FunctionError> {
        position(value, members.len() + 1)
    };
    let (Some(start), Some(end)) = (bound(start)?, bound(end)?) else {
        return Err(FunctionError::Range("the bounds lie outside the list"));
    };
    members
        .get(start..end)
        .map(|members| Value::List(members.to_vec()))
        .ok_or(FunctionError::Range("the start lies behind the end"))
}

/// Without a step it counts towards the end, down too.
fn range(arguments: Arguments<'_>) -> Answer {
    let numbers = arguments
        .some()?
        .iter()
        .map(|value| Ok(value.to_number()?.whole()?))
        .collect::<Result<Vec<i64>, FunctionError>>()?;
    let towards = |start: i64, end: i64| if end < start { -1 } else { 1 };
    let (start, end, step) = match numbers.as_slice() {
        [end] => (0, *end, towards(0, *end)),
        [start, end] => (*start, *end, towards(*start, *end)),
        [start, end, step] => (*start, *end, *step),
        other => {
            let (expected, found) = ("one to three", other.len());
            return Err(FunctionError::Count { expected, found });
        }
    };
    if start != end && (step == 0 || (end > start) != (step > 0)) {
        return Err(FunctionError::Range("the step leads away from the end"));
    }
    let mut members = Vec::new();
    let mut next = start;
    while (step > 0 && next < end) || (step < 0 && next > end) {
        if members.len() == LONGEST_RANGE {
            return Err(FunctionError::Range("makes 1024 numbers at most"));
        }
        members.push(Value::Number(Decimal::from(next)));
        next = next.saturating_add(step);
    }
    Ok(Value::List(members))
}

fn lookup(arguments: Arguments<'_>) -> Answer {
    let [object, key, default] = arguments.exactly::<3>()?;
    let key = key.to_text()?;
    Ok(object.as_object()?.get(&key).unwrap_or(default).clone())
}

/// Later objects win; a null one is passed over.
fn merge(arguments: Arguments<'_>) -> Answer {
    let mut merged = BTreeMap::new();
    for object in arguments
        .0
        .iter()
        .filter(|value| !matches!(value, Value::Null))
    {
        merged.extend(object.as_object()?.clone());
    }
    Ok(Value::Object(merged))
}

fn zipmap(arguments: Arguments<'_>) -> Answer {
    let [keys, values] = arguments.exactly::<2>()?;
    let (keys, values) = (texts(keys)?, values.as_list()?);
    if keys.len() != values.len() {
        return Err(FunctionError::Range("there are not as many keys as values"));
    }
    Ok(Value::Object(
        keys.into_iter().zip(values.iter().cloned()).collect(),
    ))
}

/// The first that is not null, of the kind that all of them have in common.
fn coalesce(arguments: Arguments<'_>) -> Answer {
    let mut all = arguments.0.to_vec();
    unify(&mut all)?;
    all.into_iter()
        .find(|value| !matches!(value, Value::Null))
        .ok_or(FunctionError::AllNull)
}

fn coalescelist(arguments: Arguments<'_>) -> Answer {
    let lists = arguments.some()?;
    let mut first = None;
    for list in lists {
        if !list.as_list()?.is_empty() && first.is_none() {
            first = Some(list.clone());
        }
    }
    first.ok_or(FunctionError::Range("every list is empty"))
}
