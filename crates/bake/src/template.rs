//! Templates: `"${a}-${b}"`, `<<EOT`, `%{ if }` and `%{ for }`, with their `~` marks resolved.

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

/// A heredoc; hcl-edit has taken the indent of `<<-` away.
pub(crate) fn heredoc(
    reader: &Reader<'_>,
    heredoc: &HeredocTemplate,
    span: &Span,
) -> Result<Expr, BakeError> {
    refuse_misread(heredoc, span)?;
    let parts = Lowering {
        reader,
        lines: true,
    }
    .parts(&heredoc.template, false, false)?;
    Ok(finished(parts, span))
}

/// hcl-edit reads three heredocs otherwise than bake: an empty one runs on to the next end mark, an end
/// mark with something behind it ends the text, and a line of blanks counts for the indent of `<<-`.
fn refuse_misread(heredoc: &HeredocTemplate, span: &Span) -> Result<(), BakeError> {
    let refused = |what| Err(BakeError::new(span, Cause::Misread(what)));
    let mut lines = span.text().lines();
    let head = lines.next().unwrap_or_default();
    let mut body = lines.clone();
    let is_end = |line: &str| line.trim() == heredoc.delimiter.as_str();
    if body.next().is_some_and(is_end) {
        return refused("an empty heredoc is not told from the next one; write `\"\"`");
    }
    if !span.rest_of_line().trim().is_empty() {
        return refused("a heredoc's end mark stands alone on its line");
    }
    let is_blank = |line: &str| !line.is_empty() && line.trim().is_empty();
    if head.starts_with("<<-") && lines.any(is_blank) {
        return refused(
            "a line of blanks makes the indent of a `<<-` heredoc unsure; leave it empty",
        );
    }
    Ok(())
}

fn finished(mut parts: Vec<Part>, span: &Span) -> Expr {
    let kind = match parts.as_mut_slice() {
        [] => ExprKind::Text(String::new()),
        [Part::Text(text)] => ExprKind::Text(std::mem::take(text)),
        _ => ExprKind::Template(parts),
    };
    Expr {
        kind,
        span: span.clone(),
    }
}

struct Lowering<'a> {
    reader: &'a Reader<'a>,
    /// A literal of a heredoc is one piece per line, and `~` reaches no further than one piece.
    lines: bool,
}

impl Lowering<'_> {
    /// The parts of a template; `start` and `end` say whether marks outside strip its edges.
    fn parts(&self, template: &Template, start: bool, end: bool) -> Result<Vec<Part>, BakeError> {
        let elements: Vec<&Element> = template.iter().collect();
        let mut parts = Vec::with_capacity(elements.len());
        for (index, element) in elements.iter().enumerate() {
            let part = match element {
                Element::Literal(text) => {
                    let before = match index.checked_sub(1).and_then(|i| elements.get(i)) {
                        Some(neighbour) => marks(neighbour).1,
                        None => start,
                    };
                    let after = match elements.get(index + 1) {
                        Some(neighbour) => marks(neighbour).0,
                        None => end,
                    };
                    Part::Text(self.stripped(text.as_str(), before, after))
                }
                Element::Interpolation(inner) => Part::Value(self.reader.expr(&inner.expr)?),
                Element::Directive(directive) => self.directive(directive)?,
            };
            parts.push(part);
        }
        Ok(parts)
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
                    condition: self.reader.expr(&head.cond_expr)?,
                    then: self.parts(&head.template, after(head.strip), after_then)?,
                    otherwise,
                })
            }
            Directive::For(directive) => {
                let (head, tail) = (&directive.for_expr, &directive.endfor_expr);
                Ok(Part::For {
                    key_name: head.key_var.as_ref().map(|name| name.as_str().to_owned()),
                    value_name: head.value_var.as_str().to_owned(),
                    collection: self.reader.expr(&head.collection_expr)?,
                    body: self.parts(&head.template, after(head.strip), before(tail.strip))?,
                })
            }
        }
    }

    fn stripped(&self, text: &str, start: bool, end: bool) -> String {
        let mut text = text.to_owned();
        if start {
            let piece = match text.find('\n') {
                Some(newline) if self.lines => newline + 1,
                _ => text.len(),
            };
            let (first, rest) = text.split_at(piece);
            text = format!("{}{rest}", first.trim_start());
        }
        if end {
            // The last piece starts after the last line end that is not the text's own end.
            let inner = text.strip_suffix('\n').unwrap_or(&text);
            let piece = match inner.rfind('\n') {
                Some(newline) if self.lines => newline + 1,
                _ => 0,
            };
            let (rest, last) = text.split_at(piece);
            text = format!("{rest}{}", last.trim_end());
        }
        text
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
