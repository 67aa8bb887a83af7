//! Expressions as the evaluator walks them, the same for the HCL and the JSON form of a bake file.

use crate::decimal::Decimal;
use crate::location::Span;

/// An expression and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
}

/// What an expression does.
#[derive(Debug, Clone)]
pub(crate) enum ExprKind {
    Null,
    Bool(bool),
    Number(Decimal),
    Text(String),
    Template(Vec<Part>),
    List(Vec<Expr>),
    /// Keys are expressions, too: `(VAR) = 1`.
    Object(Vec<(Expr, Expr)>),
    Variable(String),
    Call {
        name: String,
        arguments: Vec<Expr>,
        /// `f(list...)`: the last argument is spread.
        spread: bool,
    },
    Attribute(Box<Expr>, String),
    Index(Box<Expr>, Box<Expr>),
    /// `list[*].a.b`: what follows is applied to each member, which is bound to no name but [`EACH`].
    Splat {
        of: Box<Expr>,
        each: Box<Expr>,
    },
    Not(Box<Expr>),
    Negative(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    Conditional(Box<[Expr; 3]>),
    For(Box<For>),
}

/// The name under which a splat's member is bound: no identifier can spell it.
pub(crate) const EACH: &str = "*";

/// `[for key, value in collection : result if condition]`, and the same with `{ key => value }`.
#[derive(Debug, Clone)]
pub(crate) struct For {
    pub(crate) key_name: Option<String>,
    pub(crate) value_name: String,
    pub(crate) collection: Expr,
    /// Present: the result is an object.
    pub(crate) key: Option<Expr>,
    pub(crate) value: Expr,
    /// `...`: values of one key are gathered in a list.
    pub(crate) grouped: bool,
    pub(crate) condition: Option<Expr>,
}

/// A piece of a template.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    Text(String),
    Value(Expr),
    If {
        condition: Expr,
        then: Vec<Part>,
        otherwise: Vec<Part>,
    },
    For {
        key_name: Option<String>,
        value_name: String,
        collection: Expr,
        body: Vec<Part>,
    },
}

/// An operator between two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Plus,
    Minus,
    Times,
    Over,
    Remainder,
    And,
    Or,
}

/// `key = value` of a body.
#[derive(Debug, Clone)]
pub(crate) struct Attribute {
    pub(crate) name: String,
    /// Of the name.
    pub(crate) span: Span,
    pub(crate) value: Expr,
}

/// `kind "label" { ... }`.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) kind: String,
    pub(crate) labels: Vec<String>,
    /// Of the block's first line: its kind and labels.
    pub(crate) span: Span,
    pub(crate) body: Body,
}

/// What stands between the braces of a block, or in a file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Body {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) blocks: Vec<Block>,
}

impl Body {
    pub(crate) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|known| known.name == name)
    }
}

impl Expr {
    /// Sets the span of this expression and of every one inside it.
    pub(crate) fn place(&mut self, span: &Span) {
        self.span = span.clone();
        match &mut self.kind {
            ExprKind::Null
            | ExprKind::Bool(_)
            | ExprKind::Number(_)
            | ExprKind::Text(_)
            | ExprKind::Variable(_) => {}
            ExprKind::Template(parts) => place_parts(parts, span),
            ExprKind::List(members)
            | ExprKind::Call {
                arguments: members, ..
            } => members.iter_mut().for_each(|member| member.place(span)),
            ExprKind::Object(members) => {
                for (key, value) in members {
                    key.place(span);
                    value.place(span);
                }
            }
            ExprKind::Attribute(inner, _) | ExprKind::Not(inner) | ExprKind::Negative(inner) => {
                inner.place(span);
            }
            ExprKind::Index(left, right)
            | ExprKind::Binary(_, left, right)
            | ExprKind::Splat {
                of: left,
                each: right,
            } => {
                left.place(span);
                right.place(span);
            }
            ExprKind::Conditional(three) => three.iter_mut().for_each(|one| one.place(span)),
            ExprKind::For(for_expr) => {
                for_expr.collection.place(span);
                for_expr.value.place(span);
                let optional = [&mut for_expr.key, &mut for_expr.condition];
                optional
                    .into_iter()
                    .flatten()
                    .for_each(|expr| expr.place(span));
            }
        }
    }

    /// Calls `visit` for every expression directly below this one, with the names that this one binds
    /// for it.
    pub(crate) fn children<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr, Vec<&'a str>)) {
        match &self.kind {
            ExprKind::Null
            | ExprKind::Bool(_)
            | ExprKind::Number(_)
            | ExprKind::Text(_)
            | ExprKind::Variable(_) => {}
            ExprKind::Template(parts) => part_children(parts, &[], visit),
            ExprKind::List(members)
            | ExprKind::Call {
                arguments: members, ..
            } => {
                for member in members {
                    visit(member, Vec::new());
                }
            }
            ExprKind::Object(members) => {
                for (key, value) in members {
                    visit(key, Vec::new());
                    visit(value, Vec::new());
                }
            }
            ExprKind::Attribute(inner, _) | ExprKind::Not(inner) | ExprKind::Negative(inner) => {
                visit(inner, Vec::new());
            }
            ExprKind::Index(left, right) | ExprKind::Binary(_, left, right) => {
                visit(left, Vec::new());
                visit(right, Vec::new());
            }
            ExprKind::Splat { of, each } => {
                visit(of, Vec::new());
                visit(each, vec![EACH]);
            }
            ExprKind::Conditional(three) => {
                for one in three.iter() {
                    visit(one, Vec::new());
                }
            }
            ExprKind::For(for_expr) => {
                visit(&for_expr.collection, Vec::new());
                let names = loop_names(for_expr.key_name.as_deref(), &for_expr.value_name);
                let bound = [&for_expr.key, &for_expr.condition];
                for expr in bound.into_iter().flatten().chain([&for_expr.value]) {
                    visit(expr, names.clone());
                }
            }
        }
    }
}

fn part_children<'a>(
    parts: &'a [Part],
    names: &[&'a str],
    visit: &mut dyn FnMut(&'a Expr, Vec<&'a str>),
) {
    for part in parts {
        match part {
            Part::Text(_) => {}
            Part::Value(expr) => visit(expr, names.to_vec()),
            Part::If {
                condition,
                then,
                otherwise,
            } => {
                visit(condition, names.to_vec());
                part_children(then, names, visit);
                part_children(otherwise, names, visit);
            }
            Part::For {
                key_name,
                value_name,
                collection,
                body,
            } => {
                visit(collection, names.to_vec());
                let mut inner = names.to_vec();
                inner.extend(loop_names(key_name.as_deref(), value_name));
                part_children(body, &inner, visit);
            }
        }
    }
}

fn place_parts(parts: &mut [Part], span: &Span) {
    for part in parts {
        match part {
            Part::Text(_) => {}
            Part::Value(expr) => expr.place(span),
            Part::If {
                condition,
                then,
                otherwise,
            } => {
                condition.place(span);
                place_parts(then, span);
                place_parts(otherwise, span);
            }
            Part::For {
                collection, body, ..
            } => {
                collection.place(span);
                place_parts(body, span);
            }
        }
    }
}

fn loop_names<'a>(key: Option<&'a str>, value: &'a str) -> Vec<&'a str> {
    key.into_iter().chain([value]).collect()
}
