//! Every name that is used must be defined, also where it is not reached: a branch that is not taken
//! today is taken tomorrow. `try` and `can` are the exceptions, since they are made to ask.

use std::collections::BTreeSet;

use crate::definitions::Definitions;
use crate::error::{BakeError, Cause};
use crate::evaluate::BUILT_IN;
use crate::function;
use crate::syntax::{EACH, Expr, ExprKind};

pub(crate) fn check(definitions: &Definitions) -> Result<(), BakeError> {
    let checker = Checker { definitions };
    for default in definitions
        .variables
        .values()
        .filter_map(|v| v.default.as_ref())
    {
        checker.expr(default, &BTreeSet::new())?;
    }
    for constant in definitions.constants.values() {
        checker.expr(&constant.value, &BTreeSet::new())?;
    }
    for function in definitions.functions.values() {
        let parameters = function.parameters.iter().chain(&function.rest);
        checker.expr(&function.result, &parameters.map(String::as_str).collect())?;
    }
    for block in definitions.targets.iter().chain(&definitions.groups) {
        let mut bound = BTreeSet::new();
        if let Some(matrix) = block.body.attribute("matrix") {
            bound.extend(matrix_names(&matrix.value));
        }
        for attribute in &block.body.attributes {
            checker.expr(&attribute.value, &bound)?;
        }
    }
    Ok(())
}

/// The keys of a `matrix` that is written out.
fn matrix_names(matrix: &Expr) -> Vec<&str> {
    match &matrix.kind {
        ExprKind::Object(members) => members
            .iter()
            .filter_map(|(key, _)| match &key.kind {
                ExprKind::Text(name) => Some(name.as_str()),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

struct Checker<'a> {
    definitions: &'a Definitions,
}

impl Checker<'_> {
    fn expr(&self, expr: &Expr, bound: &BTreeSet<&str>) -> Result<(), BakeError> {
        match &expr.kind {
            ExprKind::Variable(name) => {
                let known = bound.contains(name.as_str())
                    || name == EACH
                    || matches!(name.as_str(), "target" | "group")
                    || BUILT_IN.contains(&name.as_str())
                    || self.definitions.variables.contains_key(name)
                    || self.definitions.constants.contains_key(name);
                if !known {
                    let cause = Cause::UnknownVariable(name.clone());
                    return Err(BakeError::new(&expr.span, cause));
                }
            }
            ExprKind::Call { name, .. } if matches!(name.as_str(), "try" | "can") => return Ok(()),
            ExprKind::Call { name, .. }
                if !self.definitions.functions.contains_key(name) && !function::is_known(name) =>
            {
                let cause = Cause::UnknownFunction(name.clone());
                return Err(BakeError::new(&expr.span, cause));
            }
            _ => {}
        }
        let mut outcome = Ok(());
        expr.children(&mut |child, names| {
            if outcome.is_ok() {
                let mut bound = bound.clone();
                bound.extend(names);
                outcome = self.expr(child, &bound);
            }
        });
        outcome
    }
}
