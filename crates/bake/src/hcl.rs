//! HCL text to [`Body`]: the parser is hcl-edit, which keeps spans; here its tree becomes ours.

use std::rc::Rc;

use hcl_edit::Span as _;
use hcl_edit::expr::{
    BinaryOperator, Expression, ForExpr, FuncCall, Object, ObjectKey, Traversal, TraversalOperator,
    UnaryOperator,
};
use hcl_edit::structure::{BlockLabel, Body as HclBody, Structure};

use crate::decimal::Decimal;
use crate::error::{BakeError, Cause};
use crate::location::{Source, Span};
use crate::syntax::{Attribute, Block, Body, EACH, Expr, ExprKind, For, Operator};
use crate::template;

/// Reads a bake file in HCL.
pub(crate) fn parse(source: &Rc<Source>) -> Result<Body, BakeError> {
    // A mark at the start is no part of the text; blanks in its place keep every offset.
    let text = match source.text.strip_prefix('\u{feff}') {
        Some(rest) => format!("   {rest}"),
        None => source.text.clone(),
    };
    let body = hcl_edit::parser::parse_body(&text).map_err(|error| {
        let at = error.location().offset();
        let cause = Cause::Syntax(error.message().to_owned());
        BakeError::new(&Span::new(source, at..at), cause)
    })?;
    Reader { source }.body(&body)
}

/// Reads a template as it stands in a JSON string; every span is the whole string's.
pub(crate) fn parse_template(text: &str, span: &Span) -> Result<Expr, BakeError> {
    let inner = Source::new("", text);
    let template = hcl_edit::parser::parse_template(text)
        .map_err(|error| BakeError::new(span, Cause::Syntax(error.message().to_owned())))?;
    let mut expr = template::string(&Reader { source: &inner }, &template, span)
        .map_err(|error| error.moved(span))?;
    expr.place(span);
    Ok(expr)
}

/// Turns hcl-edit's nodes of one source into ours.
pub(crate) struct Reader<'a> {
    pub(crate) source: &'a Rc<Source>,
}

impl Reader<'_> {
    pub(crate) fn span(&self, range: Option<std::ops::Range<usize>>) -> Span {
        Span::new(self.source, range.unwrap_or(0..0))
    }

    fn body(&self, body: &HclBody) -> Result<Body, BakeError> {
        let mut read = Body::default();
        for structure in body {
            match structure {
                Structure::Attribute(attribute) => read.attributes.push(Attribute {
                    name: attribute.key.as_str().to_owned(),
                    span: self.span(attribute.key.span()),
                    value: self.expr(&attribute.value)?,
                }),
                Structure::Block(block) => {
                    let start = block.ident.span();
                    let end = block
                        .labels
                        .last()
                        .map_or(start.clone(), |label| match label {
                            BlockLabel::Ident(ident) => ident.span(),
                            BlockLabel::String(text) => text.span(),
                        });
                    let range = start.zip(end).map(|(start, end)| start.start..end.end);
                    read.blocks.push(Block {
                        kind: block.ident.as_str().to_owned(),
                        labels: block.labels.iter().map(|l| l.as_str().to_owned()).collect(),
                        span: self.span(range),
                        body: self.body(&block.body)?,
                    });
                }
            }
        }
        Ok(read)
    }

    fn boxed(&self, expression: &Expression) -> Result<Box<Expr>, BakeError> {
        Ok(Box::new(self.expr(expression)?))
    }

    pub(crate) fn expr(&self, expression: &Expression) -> Result<Expr, BakeError> {
        let span = self.span(expression.span());
        let kind = match expression {
            Expression::Null(_) => ExprKind::Null,
            Expression::Bool(truth) => ExprKind::Bool(**truth),
            // Its own text and not hcl-edit's number, which is a float from 20 digits on.
            Expression::Number(_) => ExprKind::Number(
                Decimal::parse(&span.text().replace(char::is_whitespace, ""))
                    .map_err(|error| BakeError::new(&span, Cause::Number(error)))?,
            ),
            Expression::String(text) => {
                template::refuse_line_end(&span)?;
                ExprKind::Text(text.as_str().to_owned())
            }
            Expression::StringTemplate(inner) => {
                template::refuse_line_end(&span)?;
                return template::string(self, inner, &span);
            }
            Expression::HeredocTemplate(heredoc) => {
                return template::heredoc(self, heredoc, &span);
            }
            Expression::Array(members) => ExprKind::List(
                members
                    .iter()
                    .map(|m| self.expr(m))
                    .collect::<Result<_, _>>()?,
            ),
            Expression::Object(object) => ExprKind::Object(self.object(object)?),
            Expression::Parenthesis(inner) => return self.expr(inner.inner()),
            Expression::Variable(name) => ExprKind::Variable(name.as_str().to_owned()),
            Expression::Conditional(conditional) => ExprKind::Conditional(Box::new([
                self.expr(&conditional.cond_expr)?,
                self.expr(&conditional.true_expr)?,
                self.expr(&conditional.false_expr)?,
            ])),
            Expression::FuncCall(call) => self.call(call, &span)?,
            Expression::Traversal(traversal) => return self.traversal(traversal, &span),
            Expression::UnaryOp(operation) => {
                let operand = self.boxed(&operation.expr)?;
                match operation.operator.value() {
                    UnaryOperator::Not => ExprKind::Not(operand),
                    UnaryOperator::Neg => ExprKind::Negative(operand),
                }
            }
            Expression::BinaryOp(operation) => ExprKind::Binary(
                operator(*operation.operator.value()),
                self.boxed(&operation.lhs_expr)?,
                self.boxed(&operation.rhs_expr)?,
            ),
            Expression::ForExpr(for_expr) => ExprKind::For(Box::new(self.for_expr(for_expr)?)),
        };
        Ok(Expr { kind, span })
    }

    /// An expression behind `in` or `if`, which hcl-edit also takes without a blank between the two.
    pub(crate) fn after_word(&self, expression: &Expression) -> Result<Expr, BakeError> {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let span = self.span(expression.span());
        if span.text().starts_with(is_part) && span.before().is_some_and(is_part) {
            let cause = "a blank is expected before this name";
            return Err(BakeError::new(&span, Cause::Misread(cause)));
        }
        self.expr(expression)
    }

    fn object(&self, object: &Object) -> Result<Vec<(Expr, Expr)>, BakeError> {
        let mut members = Vec::with_capacity(object.len());
        for (key, value) in object {
            let key = match key {
                ObjectKey::Ident(name) => Expr {
                    kind: ExprKind::Text(name.as_str().to_owned()),
                    span: self.span(name.span().or_else(|| value.expr().span())),
                },
                // As a key a keyword is a name.
                ObjectKey::Expression(word @ (Expression::Null(_) | Expression::Bool(_))) => {
                    let span = self.span(word.span());
                    let kind = ExprKind::Text(span.text().trim().to_owned());
                    Expr { kind, span }
                }
                ObjectKey::Expression(expression) => self.expr(expression)?,
            };
            members.push((key, self.expr(value.expr())?));
        }
        Ok(members)
    }

    fn call(&self, call: &FuncCall, span: &Span) -> Result<ExprKind, BakeError> {
        let name = call.name.name.as_str().to_owned();
        if call.name.is_namespaced() {
            return Err(BakeError::new(span, Cause::UnknownFunction(name)));
        }
        Ok(ExprKind::Call {
            name,
            arguments: call
                .args
                .iter()
                .map(|a| self.expr(a))
                .collect::<Result<_, _>>()?,
            spread: call.args.expand_final(),
        })
    }

    fn for_expr(&self, for_expr: &ForExpr) -> Result<For, BakeError> {
        let intro = &for_expr.intro;
        Ok(For {
            key_name: intro.key_var.as_ref().map(|name| name.as_str().to_owned()),
            value_name: intro.value_var.as_str().to_owned(),
            collection: self.after_word(&intro.collection_expr)?,
            key: for_expr
                .key_expr
                .as_ref()
                .map(|key| self.expr(key))
                .transpose()?,
            value: self.expr(&for_expr.value_expr)?,
            grouped: for_expr.grouping,
            condition: for_expr
                .cond
                .as_ref()
                .map(|cond| self.after_word(&cond.expr))
                .transpose()?,
        })
    }

    /// `a.b[0]` from the inside out. What follows a splat is applied to each member.
    fn traversal(&self, traversal: &Traversal, span: &Span) -> Result<Expr, BakeError> {
        let operators: Vec<_> = traversal
            .operators
            .iter()
            .map(hcl_edit::Decorated::value)
            .collect();
        self.steps(self.expr(&traversal.expr)?, &operators, span)
    }

    fn steps(
        &self,
        start: Expr,
        operators: &[&TraversalOperator],
        span: &Span,
    ) -> Result<Expr, BakeError> {
        let mut expr = start;
        for (index, operator) in operators.iter().enumerate() {
            let inner = Box::new(expr);
            let kind = match operator {
                TraversalOperator::GetAttr(name) => {
                    ExprKind::Attribute(inner, name.as_str().to_owned())
                }
                TraversalOperator::Index(key) => ExprKind::Index(inner, self.boxed(key)?),
                TraversalOperator::LegacyIndex(position) => {
                    let position = i64::try_from(*position.value()).unwrap_or(i64::MAX);
                    let kind = ExprKind::Number(Decimal::from(position));
                    let span = span.clone();
                    ExprKind::Index(inner, Box::new(Expr { kind, span }))
                }
                TraversalOperator::FullSplat(_) => {
                    let each = self.steps(each(span), &operators[index + 1..], span)?;
                    return Ok(splat(inner, each, span));
                }
                // `.*` takes the attributes that follow; an index after them is of the whole.
                TraversalOperator::AttrSplat(_) => {
                    let rest = &operators[index + 1..];
                    let taken = rest
                        .iter()
                        .take_while(|o| matches!(o, TraversalOperator::GetAttr(_)))
                        .count();
                    let each = self.steps(each(span), &rest[..taken], span)?;
                    return self.steps(splat(inner, each, span), &rest[taken..], span);
                }
            };
            let span = span.clone();
            expr = Expr { kind, span };
        }
        Ok(expr)
    }
}

fn each(span: &Span) -> Expr {
    Expr {
        kind: ExprKind::Variable(EACH.to_owned()),
        span: span.clone(),
    }
}

fn splat(of: Box<Expr>, each: Expr, span: &Span) -> Expr {
    Expr {
        kind: ExprKind::Splat {
            of,
            each: Box::new(each),
        },
        span: span.clone(),
    }
}

fn operator(operator: BinaryOperator) -> Operator {
    match operator {
        BinaryOperator::Eq => Operator::Equal,
        BinaryOperator::NotEq => Operator::NotEqual,
        BinaryOperator::LessEq => Operator::LessOrEqual,
        BinaryOperator::GreaterEq => Operator::GreaterOrEqual,
        BinaryOperator::Less => Operator::Less,
        BinaryOperator::Greater => Operator::Greater,
        BinaryOperator::Plus => Operator::Plus,
        BinaryOperator::Minus => Operator::Minus,
        BinaryOperator::Mul => Operator::Times,
        BinaryOperator::Div => Operator::Over,
        BinaryOperator::Mod => Operator::Remainder,
        BinaryOperator::And => Operator::And,
        BinaryOperator::Or => Operator::Or,
    }
}
