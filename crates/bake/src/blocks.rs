//! Target blocks to targets: a matrix makes several, and one may read another's attributes.

use std::collections::BTreeMap;

use crate::error::{BakeError, Cause};
use crate::evaluate::{Evaluator, Scope};
use crate::field::{self, Field};
use crate::location::Span;
use crate::syntax::{Block, Expr, ExprKind};
use crate::value::{KindError, Value};

/// As many targets as one matrix makes at most.
const LARGEST_MATRIX: usize = 4096;

/// A target that a block makes.
#[derive(Debug, Clone)]
pub(crate) struct Expansion<'a> {
    pub(crate) name: String,
    pub(crate) block: &'a Block,
    /// What the matrix binds for it.
    pub(crate) bound: BTreeMap<String, Value>,
}

impl<'a> Evaluator<'a> {
    /// Every target, in the order of the file.
    pub(crate) fn expand(&self) -> Result<Vec<Expansion<'a>>, BakeError> {
        if let Some(known) = self.expansions.borrow().as_ref() {
            return Ok(known.clone());
        }
        let mut all = Vec::new();
        for block in &self.definitions.targets {
            let made = self.once("a matrix", &block.span, || self.expand_block(block))?;
            all.extend(made);
        }
        *self.expansions.borrow_mut() = Some(all.clone());
        Ok(all)
    }

    fn expand_block(&self, block: &'a Block) -> Result<Vec<Expansion<'a>>, BakeError> {
        let label = block.labels.first().cloned().unwrap_or_default();
        let (matrix, name) = (block.body.attribute("matrix"), block.body.attribute("name"));
        let (matrix, name) = match (matrix, name) {
            (None, None) => {
                check_name(&label, &block.span)?;
                let bound = BTreeMap::new();
                return Ok(vec![Expansion {
                    name: label,
                    block,
                    bound,
                }]);
            }
            (Some(matrix), Some(name)) => (matrix, name),
            (Some(matrix), None) => {
                let (name, inside) = ("name", "a target with a matrix");
                return Err(BakeError::new(
                    &matrix.span,
                    Cause::Missing { name, inside },
                ));
            }
            (None, Some(name)) => {
                let (missing, inside) = ("matrix", "a target with a name of its own");
                let cause = Cause::Missing {
                    name: missing,
                    inside,
                };
                return Err(BakeError::new(&name.span, cause));
            }
        };
        let mut made: Vec<Expansion<'a>> = Vec::new();
        for bound in combinations(&self.top(&matrix.value)?, &matrix.value.span)? {
            let scope = Scope {
                names: &bound,
                outer: None,
            };
            let name = {
                let text = self.text(&name.value, &scope)?;
                check_name(&text, &name.span)?;
                if made.iter().any(|known| known.name == text) {
                    return Err(BakeError::new(&name.span, Cause::SetTwice(text)));
                }
                text
            };
            made.push(Expansion { name, block, bound });
        }
        Ok(made)
    }

    /// Evaluates the attributes of a target.
    pub(crate) fn fields(
        &self,
        expansion: &Expansion<'a>,
    ) -> Result<BTreeMap<&'static str, Field>, BakeError> {
        let scope = Scope {
            names: &expansion.bound,
            outer: None,
        };
        let mut fields = BTreeMap::new();
        for attribute in &expansion.block.body.attributes {
            if matches!(attribute.name.as_str(), "name" | "matrix") {
                continue;
            }
            let Some((name, kind)) = field::kind_of(&attribute.name) else {
                let (name, inside) = (attribute.name.clone(), "a target");
                let cause = Cause::Unexpected { name, inside };
                return Err(BakeError::new(&attribute.span, cause));
            };
            if let Some(field) = field::evaluate(self, attribute, kind, &scope)? {
                fields.insert(name, field);
            }
        }
        Ok(fields)
    }

    /// `target.NAME.ATTRIBUTE`, as it is written there and not as it is inherited; `None` when `expr`
    /// is something else.
    pub(crate) fn block_attribute(
        &self,
        expr: &Expr,
        scope: &Scope<'_>,
    ) -> Option<Result<Value, BakeError>> {
        let ExprKind::Attribute(inner, wanted) = &expr.kind else {
            return None;
        };
        let ExprKind::Attribute(root, name) = &inner.kind else {
            return None;
        };
        match &root.kind {
            ExprKind::Variable(root) if root == "target" && scope.get("target").is_none() => {
                Some(self.target_attribute(name, wanted, &expr.span))
            }
            _ => None,
        }
    }

    fn target_attribute(&self, name: &str, wanted: &str, span: &Span) -> Result<Value, BakeError> {
        let expansions = self.expand()?;
        let mut found = expansions.iter().filter(|known| known.name == name);
        let Some(expansion) = found.next() else {
            return Err(BakeError::new(span, Cause::UnknownTarget(name.to_owned())));
        };
        if found.next().is_some() {
            let cause = Cause::Unsupported("an attribute of a target that is given twice");
            return Err(BakeError::new(span, cause));
        }
        if wanted == "name" {
            return Ok(Value::text(name));
        }
        let Some((field_name, kind)) = field::kind_of(wanted) else {
            let (name, inside) = (wanted.to_owned(), "a target");
            return Err(BakeError::new(span, Cause::Unexpected { name, inside }));
        };
        let Some(attribute) = expansion.block.body.attribute(field_name) else {
            return Ok(Value::Null);
        };
        let inner = Scope {
            names: &expansion.bound,
            outer: None,
        };
        self.once(&format!("target.{name}.{wanted}"), span, || {
            let field = field::evaluate(self, attribute, kind, &inner)?;
            Ok(field.map_or(Value::Null, |field| field.value()))
        })
    }
}

/// Letters, digits, `_` and `-`.
pub(crate) fn check_name(name: &str, span: &Span) -> Result<(), BakeError> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    if name.is_empty() || !name.chars().all(is_part) {
        return Err(BakeError::new(span, Cause::BadName(name.to_owned())));
    }
    Ok(())
}

/// One binding per combination; the first key, by name, changes fastest.
fn combinations(matrix: &Value, span: &Span) -> Result<Vec<BTreeMap<String, Value>>, BakeError> {
    let at = |cause: KindError| BakeError::new(span, Cause::Kind(cause));
    let mut all = vec![BTreeMap::new()];
    for (key, values) in matrix.as_object().map_err(at)? {
        let values = values.as_list().map_err(at)?;
        if all.len().saturating_mul(values.len()) > LARGEST_MATRIX {
            let cause = Cause::Unsupported("a matrix of more than 4096 targets");
            return Err(BakeError::new(span, cause));
        }
        let mut longer = Vec::with_capacity(all.len() * values.len());
        for value in values {
            for shorter in &all {
                let mut bound: BTreeMap<String, Value> = shorter.clone();
                bound.insert(key.clone(), value.clone());
                longer.push(bound);
            }
        }
        all = longer;
    }
    Ok(all)
}
