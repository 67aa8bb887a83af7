//! The attributes of a target: which there are, what kind each is, and how two of them merge.

use std::collections::BTreeMap;

use crate::error::{BakeError, Cause};
use crate::evaluate::{Evaluator, Scope};
use crate::location::Span;
use crate::syntax::{Attribute, Expr, ExprKind};
use crate::value::{KindError, Value};

/// What an attribute holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Bool,
    /// A later list replaces an earlier one.
    List,
    /// A later list is appended to an earlier one.
    Appended,
    /// Merged key by key.
    Map,
}

/// The attributes of a target in buildx, but `name` and `matrix`, which make targets.
pub(crate) const FIELDS: [(&str, Kind); 26] = [
    ("annotations", Kind::Appended),
    ("args", Kind::Map),
    ("attest", Kind::Appended),
    ("cache-from", Kind::Appended),
    ("cache-to", Kind::List),
    ("call", Kind::Text),
    ("context", Kind::Text),
    ("contexts", Kind::Map),
    ("description", Kind::Text),
    ("dockerfile", Kind::Text),
    ("dockerfile-inline", Kind::Text),
    ("entitlements", Kind::Appended),
    ("extra-hosts", Kind::Map),
    ("inherits", Kind::Appended),
    ("labels", Kind::Map),
    ("network", Kind::Text),
    ("no-cache", Kind::Bool),
    ("no-cache-filter", Kind::Appended),
    ("output", Kind::List),
    ("platforms", Kind::List),
    ("pull", Kind::Bool),
    ("secret", Kind::Appended),
    ("shm-size", Kind::Text),
    ("ssh", Kind::Appended),
    ("tags", Kind::List),
    ("target", Kind::Text),
];

pub(crate) fn kind_of(name: &str) -> Option<(&'static str, Kind)> {
    let at = FIELDS
        .binary_search_by(|(known, _)| (*known).cmp(name))
        .ok()?;
    FIELDS.get(at).copied()
}

/// The value of an attribute, with the place of each of its parts.
#[derive(Debug, Clone)]
pub(crate) enum Field {
    Text(String, Span),
    Bool(bool),
    List(Vec<(String, Span)>),
    Map(BTreeMap<String, (String, Span)>),
}

impl Field {
    /// What bake would print: the parts without their places.
    pub(crate) fn value(&self) -> Value {
        match self {
            Self::Text(text, _) => Value::text(text.as_str()),
            Self::Bool(truth) => Value::Bool(*truth),
            Self::List(members) => Value::List(
                members
                    .iter()
                    .map(|(text, _)| Value::text(text.as_str()))
                    .collect(),
            ),
            Self::Map(members) => Value::Object(
                members
                    .iter()
                    .map(|(key, (text, _))| (key.clone(), Value::text(text.as_str())))
                    .collect(),
            ),
        }
    }

    pub(crate) fn merge(&mut self, later: Self, kind: Kind) {
        match (self, later) {
            (Self::Map(members), Self::Map(later)) => members.extend(later),
            (Self::List(members), Self::List(later)) if kind == Kind::Appended => {
                members.extend(later);
            }
            (earlier, later) => *earlier = later,
        }
    }
}

/// Evaluates an attribute; `None` when it is null, which is as if it were not there.
pub(crate) fn evaluate(
    evaluator: &Evaluator<'_>,
    attribute: &Attribute,
    kind: Kind,
    scope: &Scope<'_>,
) -> Result<Option<Field>, BakeError> {
    let expr = &attribute.value;
    let span = expr.span.clone();
    let field = match kind {
        Kind::Map => match map(evaluator, expr, scope)? {
            Some(members) => Field::Map(members),
            None => return Ok(None),
        },
        Kind::List | Kind::Appended => match list(evaluator, expr, scope)? {
            Some(members) => Field::List(members),
            None => return Ok(None),
        },
        Kind::Text | Kind::Bool => {
            let value = evaluator.eval(expr, scope)?;
            let at = |cause| BakeError::new(&span, Cause::Kind(cause));
            match kind {
                _ if value == Value::Null => return Ok(None),
                Kind::Bool => Field::Bool(value.to_bool().map_err(at)?),
                _ => Field::Text(value.to_text().map_err(at)?, span.clone()),
            }
        }
    };
    Ok(Some(field))
}

type Places = Vec<(String, Span)>;
type Members = BTreeMap<String, (String, Span)>;

fn list(
    evaluator: &Evaluator<'_>,
    expr: &Expr,
    scope: &Scope<'_>,
) -> Result<Option<Places>, BakeError> {
    // A list that is written out tells the place of each member.
    if let ExprKind::List(members) = &expr.kind {
        let member = |member: &Expr| {
            let value = evaluator.eval(member, scope)?;
            Ok((entry(&value, &member.span)?, member.span.clone()))
        };
        return Ok(Some(
            members
                .iter()
                .map(member)
                .collect::<Result<_, BakeError>>()?,
        ));
    }
    match evaluator.eval(expr, scope)? {
        Value::Null => Ok(None),
        Value::List(members) => {
            let member = |member: &Value| Ok((entry(member, &expr.span)?, expr.span.clone()));
            Ok(Some(
                members
                    .iter()
                    .map(member)
                    .collect::<Result<_, BakeError>>()?,
            ))
        }
        other => Err(mismatch(&other, "a list", &expr.span)),
    }
}

/// A member of a list. An object, which newer files write for caches and outputs, becomes the comma
/// list that means the same, `type` first.
fn entry(value: &Value, span: &Span) -> Result<String, BakeError> {
    let Value::Object(members) = value else {
        return value
            .to_text()
            .map_err(|cause| BakeError::new(span, Cause::Kind(cause)));
    };
    let mut pairs = Vec::with_capacity(members.len());
    for (key, value) in members
        .iter()
        .filter(|(_, value)| !matches!(value, Value::Null))
    {
        let text = value
            .to_text()
            .map_err(|cause| BakeError::new(span, Cause::Kind(cause)))?;
        if text.contains([',', '"']) {
            let cause = Cause::Unsupported("a comma or quote inside an entry");
            return Err(BakeError::new(span, cause));
        }
        pairs.push((key != "type", format!("{key}={text}")));
    }
    pairs.sort();
    let texts: Vec<String> = pairs.into_iter().map(|(_, pair)| pair).collect();
    Ok(texts.join(","))
}

fn map(
    evaluator: &Evaluator<'_>,
    expr: &Expr,
    scope: &Scope<'_>,
) -> Result<Option<Members>, BakeError> {
    let mut members = Members::new();
    let mut add = |key: String, value: Value, span: &Span| {
        match value {
            // A null argument is not set; it does not take an inherited one away.
            Value::Null => {
                members.remove(&key);
            }
            value => {
                let text = value
                    .to_text()
                    .map_err(|c| BakeError::new(span, Cause::Kind(c)))?;
                members.insert(key, (text, span.clone()));
            }
        }
        Ok::<_, BakeError>(())
    };
    if let ExprKind::Object(written) = &expr.kind {
        for (key, value) in written {
            add(
                evaluator.text(key, scope)?,
                evaluator.eval(value, scope)?,
                &key.span,
            )?;
        }
        return Ok(Some(members));
    }
    match evaluator.eval(expr, scope)? {
        Value::Null => Ok(None),
        Value::Object(object) => {
            for (key, value) in object {
                add(key, value, &expr.span)?;
            }
            Ok(Some(members))
        }
        other => Err(mismatch(&other, "an object", &expr.span)),
    }
}

fn mismatch(value: &Value, expected: &'static str, span: &Span) -> BakeError {
    let found = value.kind();
    BakeError::new(span, Cause::Kind(KindError::Mismatch { found, expected }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_are_sorted_so_that_a_search_finds_them() {
        assert!(FIELDS.is_sorted_by_key(|(name, _)| *name));
        assert_eq!(kind_of("tags"), Some(("tags", Kind::List)));
        assert_eq!(kind_of("dockerfil"), None);
    }
}
