//! Calls: `try` and `can`, functions of the file, functions of bake.

use std::collections::BTreeMap;

use super::{Evaluator, Scope, kind};
use crate::error::{BakeError, Cause};
use crate::function::{self, FunctionError};
use crate::location::Span;
use crate::syntax::Expr;
use crate::value::Value;

impl Evaluator<'_> {
    pub(super) fn call(
        &self,
        expr: &Expr,
        name: &str,
        arguments: &[Expr],
        spread: bool,
        scope: &Scope<'_>,
    ) -> Result<Value, BakeError> {
        match name {
            "can" => {
                return match self.all(arguments, scope) {
                    Err(fault) if fault.cause.is_ours() => Err(fault),
                    outcome => Ok(Value::Bool(outcome.is_ok())),
                };
            }
            "try" => {
                let (name, inside) = ("an argument", "`try`");
                let mut fault = BakeError::new(&expr.span, Cause::Missing { name, inside });
                for argument in arguments {
                    match self.eval(argument, scope) {
                        Ok(value) => return Ok(value),
                        Err(error) => fault = error,
                    }
                    if fault.cause.is_ours() {
                        break;
                    }
                }
                return Err(fault);
            }
            _ => {}
        }
        let mut values = self.all(arguments, scope)?;
        if spread && let Some(last) = values.pop() {
            let members = kind(last.as_list(), &expr.span)?;
            values.extend_from_slice(members);
        }
        let failed = |cause| {
            let name = name.to_owned();
            BakeError::new(&expr.span, Cause::Call { name, cause })
        };
        if !self.definitions.functions.contains_key(name) {
            return match function::call(name, &values) {
                Some(answer) => answer.map_err(failed),
                None => Err(BakeError::new(
                    &expr.span,
                    Cause::UnknownFunction(name.to_owned()),
                )),
            };
        }
        self.user_call(name, values, &expr.span)?.map_err(failed)
    }

    /// A function sees its parameters and the globals, not what is bound where it is called.
    fn user_call(
        &self,
        name: &str,
        mut values: Vec<Value>,
        span: &Span,
    ) -> Result<Result<Value, FunctionError>, BakeError> {
        let Some(function) = self.definitions.functions.get(name) else {
            return Err(BakeError::new(
                span,
                Cause::UnknownFunction(name.to_owned()),
            ));
        };
        let (found, wanted) = (values.len(), function.parameters.len());
        if found < wanted || (found > wanted && function.rest.is_none()) {
            let expected = "another number of arguments";
            return Ok(Err(FunctionError::Count { expected, found }));
        }
        if values.contains(&Value::Null) {
            return Ok(Err(FunctionError::Null));
        }
        let rest = values.split_off(wanted);
        let mut names: BTreeMap<String, Value> =
            function.parameters.iter().cloned().zip(values).collect();
        if let Some(name) = &function.rest {
            names.insert(name.clone(), Value::List(rest));
        }
        let scope = Scope {
            names: &names,
            outer: None,
        };
        let value = self.once(&format!("{name}()"), span, || {
            self.eval(&function.result, &scope)
        })?;
        Ok(Ok(value))
    }
}
