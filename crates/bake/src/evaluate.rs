//! Expressions to values: variables in the order of need, user functions, templates, loops.

mod call;
mod walk;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use crate::blocks::Expansion;
use crate::definitions::Definitions;
use crate::error::{BakeError, Cause};
use crate::function::{self, FunctionError};
use crate::location::Span;
use crate::operate;
use crate::outside::Outside;
use crate::syntax::{Expr, ExprKind, Operator};
use crate::value::{KindError, Value, unify};

/// Names that bake defines itself.
pub(crate) const BUILT_IN: [&str; 2] = ["BAKE_CMD_CONTEXT", "BAKE_LOCAL_PLATFORM"];

/// Evaluations inside one another: far more than a bake file nests, and the stack holds them.
const DEEPEST: usize = 100;

/// Bytes of values that one evaluation may make in all: a file of a few lines can double a text forty
/// times.
const MOST_BYTES: usize = 64 << 20;

/// What an evaluation needs and remembers.
pub(crate) struct Evaluator<'a> {
    pub(crate) definitions: &'a Definitions,
    pub(crate) outside: &'a Outside,
    known: RefCell<BTreeMap<String, Value>>,
    /// What is being resolved, to find a cycle.
    open: RefCell<BTreeSet<String>>,
    depth: Cell<usize>,
    spent: Cell<usize>,
    pub(crate) expansions: RefCell<Option<Vec<Expansion<'a>>>>,
}

/// Names that are bound inside an expression.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) names: &'a BTreeMap<String, Value>,
    pub(crate) outer: Option<&'a Scope<'a>>,
}

impl Scope<'_> {
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.names
            .get(name)
            .or_else(|| self.outer.and_then(|outer| outer.get(name)))
    }
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(definitions: &'a Definitions, outside: &'a Outside) -> Self {
        Self {
            definitions,
            outside,
            known: RefCell::default(),
            open: RefCell::default(),
            depth: Cell::new(0),
            spent: Cell::new(0),
            expansions: RefCell::new(None),
        }
    }

    /// Runs `resolve` unless it is running already, which makes `name` a cycle.
    pub(crate) fn once<T>(
        &self,
        name: &str,
        span: &Span,
        resolve: impl FnOnce() -> Result<T, BakeError>,
    ) -> Result<T, BakeError> {
        if !self.open.borrow_mut().insert(name.to_owned()) {
            return Err(BakeError::new(span, Cause::Cycle(name.to_owned())));
        }
        let answer = resolve();
        self.open.borrow_mut().remove(name);
        answer
    }

    /// The value of a variable, a constant or a built-in name.
    pub(crate) fn global(&self, name: &str, span: &Span) -> Result<Value, BakeError> {
        if let Some(value) = self.known.borrow().get(name) {
            return Ok(value.clone());
        }
        let value = self.once(name, span, || self.resolve(name, span))?;
        self.known
            .borrow_mut()
            .insert(name.to_owned(), value.clone());
        Ok(value)
    }

    fn resolve(&self, name: &str, span: &Span) -> Result<Value, BakeError> {
        match name {
            "BAKE_CMD_CONTEXT" => return Ok(Value::text("cwd://")),
            "BAKE_LOCAL_PLATFORM" => return Ok(Value::text(local_platform())),
            _ => {}
        }
        if let Some(constant) = self.definitions.constants.get(name) {
            return self.top(&constant.value);
        }
        let Some(variable) = self.definitions.variables.get(name) else {
            return Err(BakeError::new(
                span,
                Cause::UnknownVariable(name.to_owned()),
            ));
        };
        // The default is evaluated in any case: its kind is the variable's.
        let default = variable
            .default
            .as_ref()
            .map(|expr| self.top(expr))
            .transpose()?;
        let Some(given) = self.outside.get(name) else {
            return Ok(default.unwrap_or(Value::text("")));
        };
        Outside::typed(name, given, default.as_ref())
            .map_err(|cause| BakeError::new(&variable.span, cause))
    }

    /// An expression in which nothing but globals is bound.
    pub(crate) fn top(&self, expr: &Expr) -> Result<Value, BakeError> {
        let names = BTreeMap::new();
        self.eval(
            expr,
            &Scope {
                names: &names,
                outer: None,
            },
        )
    }

    pub(crate) fn eval(&self, expr: &Expr, scope: &Scope<'_>) -> Result<Value, BakeError> {
        let depth = self.depth.get();
        if depth >= DEEPEST {
            let cause = Cause::Unsupported("an evaluation this deep");
            return Err(BakeError::new(&expr.span, cause));
        }
        self.depth.set(depth + 1);
        let value = self.eval_kind(expr, scope);
        self.depth.set(depth);
        let value = value?;
        let spent = self.spent.get().saturating_add(weight(&value));
        self.spent.set(spent);
        if spent > MOST_BYTES {
            let cause = Cause::Unsupported("a file that expands to more than 64 MiB");
            return Err(BakeError::new(&expr.span, cause));
        }
        Ok(value)
    }

    fn eval_kind(&self, expr: &Expr, scope: &Scope<'_>) -> Result<Value, BakeError> {
        let at = |cause| BakeError::new(&expr.span, cause);
        match &expr.kind {
            ExprKind::Null => Ok(Value::Null),
            ExprKind::Bool(truth) => Ok(Value::Bool(*truth)),
            ExprKind::Number(number) => Ok(Value::Number(*number)),
            ExprKind::Text(text) => Ok(Value::text(text.as_str())),
            ExprKind::Template(parts) => {
                let mut text = String::new();
                self.parts(parts, scope, &mut text)?;
                Ok(Value::Text(text))
            }
            ExprKind::List(members) => Ok(Value::List(self.all(members, scope)?)),
            ExprKind::Object(members) => {
                let mut object = BTreeMap::new();
                for (key, value) in members {
                    object.insert(self.text(key, scope)?, self.eval(value, scope)?);
                }
                Ok(Value::Object(object))
            }
            ExprKind::Variable(name) => match scope.get(name) {
                Some(value) => Ok(value.clone()),
                None if matches!(name.as_str(), "target" | "group") => {
                    Err(at(Cause::Unsupported("a whole target or group as a value")))
                }
                None => self.global(name, &expr.span),
            },
            ExprKind::Call {
                name,
                arguments,
                spread,
            } => self.call(expr, name, arguments, *spread, scope),
            ExprKind::Attribute(inner, name) => {
                if let Some(answer) = self.block_attribute(expr, scope) {
                    return answer;
                }
                let of = self.eval(inner, scope)?;
                operate::attribute(&of, name).map_err(at)
            }
            ExprKind::Index(inner, key) => {
                let of = self.eval(inner, scope)?;
                operate::index(&of, &self.eval(key, scope)?).map_err(at)
            }
            ExprKind::Splat { of, each } => self.splat(of, each, scope),
            ExprKind::Not(inner) => {
                let truth = self.eval(inner, scope)?.to_bool();
                Ok(Value::Bool(!truth.map_err(Cause::Kind).map_err(at)?))
            }
            ExprKind::Negative(inner) => {
                let number = self.eval(inner, scope)?.to_number();
                let number = number.map_err(Cause::Kind).map_err(at)?;
                Ok(Value::Number(
                    number.negated().map_err(Cause::Number).map_err(at)?,
                ))
            }
            ExprKind::Binary(operator, left, right) => {
                self.binary(*operator, left, right, scope, &expr.span)
            }
            ExprKind::Conditional(three) => self.conditional(three, scope, &expr.span),
            ExprKind::For(for_expr) => self.for_expr(for_expr, scope),
        }
    }

    fn all(&self, exprs: &[Expr], scope: &Scope<'_>) -> Result<Vec<Value>, BakeError> {
        exprs.iter().map(|expr| self.eval(expr, scope)).collect()
    }

    /// An expression as text.
    pub(crate) fn text(&self, expr: &Expr, scope: &Scope<'_>) -> Result<String, BakeError> {
        kind(self.eval(expr, scope)?.to_text(), &expr.span)
    }

    fn bool(&self, expr: &Expr, scope: &Scope<'_>) -> Result<bool, BakeError> {
        kind(self.eval(expr, scope)?.to_bool(), &expr.span)
    }

    fn binary(
        &self,
        operator: Operator,
        left: &Expr,
        right: &Expr,
        scope: &Scope<'_>,
        span: &Span,
    ) -> Result<Value, BakeError> {
        let operands = [self.eval(left, scope)?, self.eval(right, scope)?];
        match function::call(operate::function_of(operator), &operands) {
            Some(answer) => answer.map_err(|cause| {
                let cause = match cause {
                    FunctionError::Kind(cause) => Cause::Kind(cause),
                    FunctionError::Number(cause) => Cause::Number(cause),
                    FunctionError::Null => Cause::Kind(KindError::Mismatch {
                        found: "null",
                        expected: "a value",
                    }),
                    cause => Cause::Call {
                        name: operate::sign_of(operator).to_owned(),
                        cause,
                    },
                };
                BakeError::new(span, cause)
            }),
            None => Err(BakeError::new(span, Cause::Unsupported("this operator"))),
        }
    }

    /// Both branches are evaluated, for their common kind. A member that is not there, or a call that
    /// fails, has no kind, so it does no harm in the branch that is not taken; any other fault does.
    fn conditional(
        &self,
        [condition, then, otherwise]: &[Expr; 3],
        scope: &Scope<'_>,
        span: &Span,
    ) -> Result<Value, BakeError> {
        let (taken, other) = if self.bool(condition, scope)? {
            (then, otherwise)
        } else {
            (otherwise, then)
        };
        let taken = self.eval(taken, scope)?;
        let other = match self.eval(other, scope) {
            Ok(other) => other,
            Err(fault) => {
                let is_kindless = match other.kind {
                    _ if fault.cause.is_ours() => false,
                    ExprKind::Call { .. } => true,
                    ExprKind::Attribute(..) | ExprKind::Index(..) => {
                        matches!(fault.cause, Cause::NoMember(_))
                    }
                    _ => false,
                };
                return if is_kindless { Ok(taken) } else { Err(fault) };
            }
        };
        let mut both = [taken, other];
        kind(unify(&mut both), span)?;
        let [taken, _] = both;
        Ok(taken)
    }
}

/// An answer with the place where it was asked.
fn kind<T>(answer: Result<T, KindError>, span: &Span) -> Result<T, BakeError> {
    answer.map_err(|cause| BakeError::new(span, Cause::Kind(cause)))
}

/// About as many bytes as a value takes.
fn weight(value: &Value) -> usize {
    const NODE: usize = 32;
    match value {
        Value::Text(text) => NODE + text.len(),
        Value::List(members) => NODE + members.iter().map(weight).sum::<usize>(),
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| key.len() + weight(value);
            NODE + members.iter().map(member).sum::<usize>()
        }
        _ => NODE,
    }
}

/// The platform that bake runs on, in the words of image platforms.
fn local_platform() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "linux/amd64",
        "aarch64" => "linux/arm64",
        "riscv64" => "linux/riscv64",
        "powerpc64" => "linux/ppc64le",
        "s390x" => "linux/s390x",
        _ => "linux",
    }
}
