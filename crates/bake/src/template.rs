//! Templates: `"${a}-${b}"`, `<<EOT`, `%{ if }` and `%{ for }`, with their `~` marks resolved.

mod indent;

use hcl_edit::Span as _;
use hcl_edit::template::{Directive, Element, HeredocTemplate, Strip, Template};

use crate::error::{BakeError, Cause};
use crate::hcl::Reader;
use crate::location::Span;
use crate::syntax::{Expr, ExprKind, Part};

/// A quoted string must end on its line; hcl-edit takes one that does not.
pub(crate) fn refuse_line_end(span: &Span) -> Result<(), BakeError> {
    if span.text().contains('\n') {
        let cause = "a quoted string ends on its line; write `\\n` or a heredoc".to_owned();
        return Err(BakeError::new(span, Cause::Syntax(cause)));
    }
    Ok(())
}

/// A quoted template. One that is a single interpolation is the value itself and not its text, so
/// that `"${null}"` leaves an argument out.
pub(crate) fn string(
    reader: &Reader<'_>,
    template: &Template,
    span: &Span,
) -> Result<Expr, BakeError> {
    if let Some(Element::Interpolation(only)) = template.as_single_element() {
        return reader.expr(&only.expr);
    }
    let parts = Lowering {
        reader,
        lines: false,
    }
    .parts(template, false, false)?;
    Ok(finished(parts, span))
}

/// A heredoc.
pub(crate) fn heredoc(
    reader: &Reader<'_>,
    heredoc: &HeredocTemplate,
    span: &Span,
) -> Result<Expr, BakeError> {
    refuse_misread(heredoc, span)?;
    let lowering = Lowering {
        reader,
        lines: true,
    };
    let mut parts = lowering.parts(&heredoc.template, false, false)?;
    if span.text().starts_with("<<-") {
        indent::take_away(&mut parts);
    }
    Ok(finished(parts, span))
}

/// hcl-edit reads two heredocs otherwise than bake: an empty one runs on to the next end mark, and an end
/// mark with something behind it ends the text.
fn refuse_misread(heredoc: &HeredocTemplate, span: &Span) -> Result<(), BakeError> {
    let refused = |what| Err(BakeError::new(span, Cause::Misread(what)));
    let first = span.text().lines().nth(1).unwrap_or_default();
    if first.trim() == heredoc.delimiter.as_str() {
        return refused("an empty heredoc is not told from the next one; write `\"\"`");
    }
    if !span.rest_of_line().trim().is_empty() {
        return refused("a heredoc's end mark stands alone on its line");
    }
    Ok(())
}

fn finished(parts: Vec<Part>, span: &Span) -> Expr {
    let literal: Option<String> = parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    let kind = literal.map_or(ExprKind::Template(parts), ExprKind::Text);
    Expr {
        kind,
        span: span.clone(),
    }
}

struct Lowering<'a> {
    reader: &'a Reader<'a>,
    /// A literal of a heredoc is one piece per line.
    lines: bool,
}

impl Lowering<'_> {
    /// The parts of a template; `start` and `end` say whether marks outside strip its edges.
    fn parts(&self, template: &Template, start: bool, end: bool) -> Result<Vec<Part>, BakeError> {
        let elements: Vec<&Element> = template.iter().collect();
        let mut parts = Vec::with_capacity(elements.len());
        for (index, element) in elements.iter().enumerate() {
            match element {
                Element::Literal(text) => {
                    let before = match index.checked_sub(1).and_then(|i| elements.get(i)) {
                        Some(neighbour) => marks(neighbour).1,
                        None => start,
                    };
                    let after = match elements.get(index + 1) {
                        Some(neighbour) => marks(neighbour).0,
                        None => end,
                    };
                    parts.extend(self.literal(text, before, after));
                }
                Element::Interpolation(inner) => {
                    parts.push(Part::Value(self.reader.expr(&inner.expr)?));
                }
                Element::Directive(directive) => parts.push(self.directive(directive)?),
            }
        }
        Ok(parts)
    }

    /// The pieces of a literal. A mark reaches no further than one piece.
    fn literal(&self, text: &hcl_edit::Spanned<String>, start: bool, end: bool) -> Vec<Part> {
        let mut pieces: Vec<String> = if self.lines {
            // The source's own text: hcl-edit takes the indent of `<<-` away by another rule.
            let raw = self.reader.span(text.span());
            let raw = raw.text().replace("$${", "${").replace("%%{", "%{");
            raw.split_inclusive('\n').map(str::to_owned).collect()
        } else {
            vec![text.value().clone()]
        };
        if let Some(first) = pieces.first_mut().filter(|_| start) {
            *first = first.trim_start().to_owned();
        }
        if let Some(last) = pieces.last_mut().filter(|_| end) {
            *last = last.trim_end().to_owned();
        }
        pieces.into_iter().map(Part::Text).collect()
    }

    fn directive(&self, directive: &Directive) -> Result<Part, BakeError> {
        match directive {
            Directive::If(directive) => {
                let (head, tail) = (&directive.if_expr, &directive.endif_expr);
                let after_then = directive
                    .else_expr
                    .as_ref()
                    .map_or(before(tail.strip), |other| before(other.strip));
                let otherwise = match &directive.else_expr {
                    Some(other) => {
                        self.parts(&other.template, after(other.strip), before(tail.strip))?
                    }
                    None => Vec::new(),
                };
                Ok(Part::If {
                    condition: self.reader.after_word(&head.cond_expr)?,
                    then: self.parts(&head.template, after(head.strip), after_then)?,
                    otherwise,
                })
            }
            Directive::For(directive) => {
                let (head, tail) = (&directive.for_expr, &directive.endfor_expr);
                Ok(Part::For {
                    key_name: head.key_var.as_ref().map(|name| name.as_str().to_owned()),
                    value_name: head.value_var.as_str().to_owned(),
                    collection: self.reader.after_word(&head.collection_expr)?,
                    body: self.parts(&head.template, after(head.strip), before(tail.strip))?,
                })
            }
        }
    }
}

/// Whether an element strips what stands before it, and what stands after it.
fn marks(element: &Element) -> (bool, bool) {
    match element {
        Element::Literal(_) => (false, false),
        Element::Interpolation(inner) => (before(inner.strip), after(inner.strip)),
        Element::Directive(directive) => match directive.as_ref() {
            Directive::If(inner) => (before(inner.if_expr.strip), after(inner.endif_expr.strip)),
            Directive::For(inner) => (before(inner.for_expr.strip), after(inner.endfor_expr.strip)),
        },
    }
}

fn before(strip: Strip) -> bool {
    matches!(strip, Strip::Start | Strip::Both)
}

fn after(strip: Strip) -> bool {
    matches!(strip, Strip::End | Strip::Both)
}
