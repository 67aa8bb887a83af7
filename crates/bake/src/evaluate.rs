//! Expressions to values: variables in the order of need, user functions, templates, loops.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use crate::blocks::Expansion;
use crate::definitions::Definitions;
use crate::error::{BakeError, Cause};
use crate::function::{self, FunctionError};
use crate::location::Span;
use crate::operate;
use crate::outside::Outside;
use crate::syntax::{Expr, ExprKind, For, Operator, Part};
use crate::value::{KindError, Value, unify};

/// Names that bake defines itself.
pub(crate) const BUILT_IN: [&str; 2] = ["BAKE_CMD_CONTEXT", "BAKE_LOCAL_PLATFORM"];

/// Evaluations inside one another: far more than a bake file nests, and the stack holds them.
const DEEPEST: usize = 200;

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

    /// Runs `make` unless it is running already, which makes `name` a cycle.
    pub(crate) fn once<T>(
        &self,
        name: &str,
        span: &Span,
        make: impl FnOnce() -> Result<T, BakeError>,
    ) -> Result<T, BakeError> {
        if !self.open.borrow_mut().insert(name.to_owned()) {
            return Err(BakeError::new(span, Cause::Cycle(name.to_owned())));
        }
        let made = make();
        self.open.borrow_mut().remove(name);
        made
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
        self.outside
            .typed(name, given, default.as_ref())
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
                Ok(Value::Number(
                    number.map_err(Cause::Kind).map_err(at)?.negated(),
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

    /// Both branches are evaluated, for their common kind; a fault in the other one does not count.
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
        let Ok(other) = self.eval(other, scope) else {
            return Ok(taken);
        };
        let mut both = [taken, other];
        kind(unify(&mut both), span)?;
        let [taken, _] = both;
        Ok(taken)
    }

    fn call(
        &self,
        expr: &Expr,
        name: &str,
        arguments: &[Expr],
        spread: bool,
        scope: &Scope<'_>,
    ) -> Result<Value, BakeError> {
        match name {
            "can" => {
                return Ok(Value::Bool(self.all(arguments, scope).is_ok()));
            }
            "try" => {
                let mut answer = Err(BakeError::new(
                    &expr.span,
                    Cause::Missing {
                        name: "an argument",
                        inside: "`try`",
                    },
                ));
                for argument in arguments {
                    answer = self.eval(argument, scope);
                    if answer.is_ok() {
                        break;
                    }
                }
                return answer;
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

    /// Null has no members, a scalar is one.
    fn splat(&self, of: &Expr, each: &Expr, scope: &Scope<'_>) -> Result<Value, BakeError> {
        let members = match self.eval(of, scope)? {
            Value::Null => Vec::new(),
            Value::List(members) => members,
            single => vec![single],
        };
        let mut values = Vec::with_capacity(members.len());
        for member in members {
            let names = BTreeMap::from([(crate::syntax::EACH.to_owned(), member)]);
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

    fn for_expr(&self, for_expr: &For, scope: &Scope<'_>) -> Result<Value, BakeError> {
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

    fn parts(&self, parts: &[Part], scope: &Scope<'_>, text: &mut String) -> Result<(), BakeError> {
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
