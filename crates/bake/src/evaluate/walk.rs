//! What goes through a collection: splats, `for` expressions, templates.

use std::collections::BTreeMap;

use super::{Evaluator, Scope, kind};
use crate::error::{BakeError, Cause};
use crate::operate;
use crate::syntax::{EACH, Expr, For, Part};
use crate::value::{KindError, Value};

impl Evaluator<'_> {
    /// Null has no members, a scalar is one.
    pub(super) fn splat(
        &self,
        of: &Expr,
        each: &Expr,
        scope: &Scope<'_>,
    ) -> Result<Value, BakeError> {
        let members = match self.eval(of, scope)? {
            Value::Null => Vec::new(),
            Value::List(members) => members,
            single => vec![single],
        };
        let mut values = Vec::with_capacity(members.len());
        for member in members {
            let names = BTreeMap::from([(EACH.to_owned(), member)]);
            let inner = Scope {
                names: &names,
                outer: Some(scope),
            };
            values.push(self.eval(each, &inner)?);
        }
        Ok(Value::List(values))
    }

    /// Calls `body` for each member of a collection with its key and value bound.
    fn walk(
        &self,
        collection: &Expr,
        key_name: Option<&String>,
        value_name: &str,
        scope: &Scope<'_>,
        body: &mut dyn FnMut(&Scope<'_>) -> Result<(), BakeError>,
    ) -> Result<(), BakeError> {
        let pairs: Vec<(Value, Value)> = match self.eval(collection, scope)? {
            Value::List(members) => members
                .into_iter()
                .enumerate()
                .map(|(at, member)| (operate::position(at), member))
                .collect(),
            Value::Object(members) => members
                .into_iter()
                .map(|(key, member)| (Value::Text(key), member))
                .collect(),
            other => {
                let (found, expected) = (other.kind(), "a list or an object");
                return kind(
                    Err(KindError::Mismatch { found, expected }),
                    &collection.span,
                );
            }
        };
        for (key, value) in pairs {
            let mut names = BTreeMap::from([(value_name.to_owned(), value)]);
            if let Some(name) = key_name {
                names.insert(name.clone(), key);
            }
            body(&Scope {
                names: &names,
                outer: Some(scope),
            })?;
        }
        Ok(())
    }

    pub(super) fn for_expr(&self, for_expr: &For, scope: &Scope<'_>) -> Result<Value, BakeError> {
        let mut list = Vec::new();
        let mut object: BTreeMap<String, Value> = BTreeMap::new();
        let (key_name, value_name) = (for_expr.key_name.as_ref(), &for_expr.value_name);
        self.walk(
            &for_expr.collection,
            key_name,
            value_name,
            scope,
            &mut |inner| {
                if let Some(condition) = &for_expr.condition
                    && !self.bool(condition, inner)?
                {
                    return Ok(());
                }
                let value = self.eval(&for_expr.value, inner)?;
                let Some(key_expr) = &for_expr.key else {
                    list.push(value);
                    return Ok(());
                };
                let key = self.text(key_expr, inner)?;
                match (object.get_mut(&key), for_expr.grouped) {
                    (Some(Value::List(group)), true) => group.push(value),
                    (None, true) => {
                        object.insert(key, Value::List(vec![value]));
                    }
                    (None, false) => {
                        object.insert(key, value);
                    }
                    (Some(_), _) => {
                        return Err(BakeError::new(&key_expr.span, Cause::TwiceMade(key)));
                    }
                }
                Ok(())
            },
        )?;
        Ok(if for_expr.key.is_some() {
            Value::Object(object)
        } else {
            Value::List(list)
        })
    }

    pub(super) fn parts(
        &self,
        parts: &[Part],
        scope: &Scope<'_>,
        text: &mut String,
    ) -> Result<(), BakeError> {
        for part in parts {
            match part {
                Part::Text(literal) => text.push_str(literal),
                Part::Value(expr) => text.push_str(&self.text(expr, scope)?),
                Part::If {
                    condition,
                    then,
                    otherwise,
                } => {
                    let taken = if self.bool(condition, scope)? {
                        then
                    } else {
                        otherwise
                    };
                    self.parts(taken, scope, text)?;
                }
                Part::For {
                    key_name,
                    value_name,
                    collection,
                    body,
                } => {
                    let key_name = key_name.as_ref();
                    self.walk(collection, key_name, value_name, scope, &mut |inner| {
                        self.parts(body, inner, text)
                    })?;
                }
            }
        }
        Ok(())
    }
}
