//! The JSON form of a bake file to the same [`Body`], with spans.
//!
//! Strings are templates, keys too. `variable`, `function`, `target` and `group` hold labelled blocks;
//! whatever else stands at the top is an attribute.

use std::rc::Rc;

use crate::decimal::Decimal;
use crate::error::{BakeError, Cause};
use crate::hcl::parse_template;
use crate::location::{Source, Span};
use crate::syntax::{Attribute, Block, Body, Expr, ExprKind};

/// The blocks of a bake file.
const BLOCKS: [&str; 4] = ["variable", "function", "target", "group"];

/// As deep as hcl-edit goes, so that the evaluator's recursion is bounded alike.
const DEEPEST: usize = 64;

/// Reads a bake file in JSON.
pub(crate) fn parse(source: &Rc<Source>) -> Result<Body, BakeError> {
    let mut reader = Reader {
        source,
        at: 0,
        depth: 0,
    };
    let top = reader.value()?;
    reader.blanks();
    if reader.at < source.text.len() {
        return Err(reader.error("the file ends here in JSON, and more follows"));
    }
    body(top)
}

/// A JSON value before it is known whether it is an expression or a block.
struct Json {
    kind: JsonKind,
    span: Span,
}

enum JsonKind {
    Null,
    Bool(bool),
    Number(Decimal),
    Text(String),
    List(Vec<Json>),
    Object(Vec<Member>),
}

struct Member {
    key: String,
    key_span: Span,
    value: Json,
}

fn body(top: Json) -> Result<Body, BakeError> {
    let mut read = Body::default();
    for member in members(top)? {
        if BLOCKS.contains(&member.key.as_str()) {
            for labelled in members(member.value)? {
                let span = labelled.key_span.clone();
                // One label may stand for several blocks, as a list.
                let bodies = match labelled.value.kind {
                    JsonKind::List(bodies) => bodies,
                    kind => vec![Json {
                        kind,
                        span: labelled.value.span,
                    }],
                };
                for inner in bodies {
                    read.blocks.push(Block {
                        kind: member.key.clone(),
                        labels: vec![labelled.key.clone()],
                        span: span.clone(),
                        body: attributes(inner)?,
                    });
                }
            }
        } else {
            read.attributes.push(attribute(member)?);
        }
    }
    Ok(read)
}

fn attributes(json: Json) -> Result<Body, BakeError> {
    let attributes = members(json)?
        .into_iter()
        .map(attribute)
        .collect::<Result<_, _>>()?;
    Ok(Body {
        attributes,
        blocks: Vec::new(),
    })
}

fn attribute(member: Member) -> Result<Attribute, BakeError> {
    Ok(Attribute {
        name: member.key,
        span: member.key_span,
        value: expression(member.value)?,
    })
}

fn members(json: Json) -> Result<Vec<Member>, BakeError> {
    match json.kind {
        JsonKind::Object(members) => Ok(members),
        _ => Err(BakeError::new(
            &json.span,
            Cause::Syntax("an object is expected here".to_owned()),
        )),
    }
}

fn expression(json: Json) -> Result<Expr, BakeError> {
    let kind = match json.kind {
        JsonKind::Null => ExprKind::Null,
        JsonKind::Bool(truth) => ExprKind::Bool(truth),
        JsonKind::Number(number) => ExprKind::Number(number),
        JsonKind::Text(text) => return parse_template(&text, &json.span),
        JsonKind::List(members) => ExprKind::List(
            members
                .into_iter()
                .map(expression)
                .collect::<Result<_, _>>()?,
        ),
        JsonKind::Object(members) => ExprKind::Object(
            members
                .into_iter()
                .map(|member| {
                    let key = parse_template(&member.key, &member.key_span)?;
                    Ok((key, expression(member.value)?))
                })
                .collect::<Result<_, BakeError>>()?,
        ),
    };
    Ok(Expr {
        kind,
        span: json.span,
    })
}

struct Reader<'a> {
    source: &'a Rc<Source>,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.source.text.get(self.at..).unwrap_or_default()
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(self.source, start..self.at)
    }

    fn error(&self, cause: &str) -> BakeError {
        BakeError::new(&self.span_from(self.at), Cause::Syntax(cause.to_owned()))
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    /// Steps over `token` when it stands here, after blanks.
    fn take(&mut self, token: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn value(&mut self) -> Result<Json, BakeError> {
        self.blanks();
        let start = self.at;
        let kind = match self.rest().bytes().next() {
            Some(b'{') => self.nested(Self::object)?,
            Some(b'[') => self.nested(Self::list)?,
            Some(b'"') => JsonKind::Text(self.text()?),
            _ if self.take("null") => JsonKind::Null,
            _ if self.take("true") => JsonKind::Bool(true),
            _ if self.take("false") => JsonKind::Bool(false),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => return Err(self.error("a JSON value is expected here")),
        };
        Ok(Json {
            kind,
            span: self.span_from(start),
        })
    }

    fn nested(
        &mut self,
        read: fn(&mut Self) -> Result<JsonKind, BakeError>,
    ) -> Result<JsonKind, BakeError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error("the file is nested too deeply"));
        }
        let kind = read(self)?;
        self.depth -= 1;
        Ok(kind)
    }

    fn object(&mut self) -> Result<JsonKind, BakeError> {
        let mut members: Vec<Member> = Vec::new();
        self.take("{");
        if self.take("}") {
            return Ok(JsonKind::Object(members));
        }
        loop {
            self.blanks();
            let start = self.at;
            let key = self.text()?;
            let key_span = self.span_from(start);
            if members.iter().any(|member| member.key == key) {
                return Err(BakeError::new(&key_span, Cause::SetTwice(key)));
            }
            if !self.take(":") {
                return Err(self.error("`:` is expected here"));
            }
            let value = self.value()?;
            members.push(Member {
                key,
                key_span,
                value,
            });
            if self.take("}") {
                return Ok(JsonKind::Object(members));
            }
            if !self.take(",") {
                return Err(self.error("`,` or `}` is expected here"));
            }
        }
    }

    fn list(&mut self) -> Result<JsonKind, BakeError> {
        let mut members = Vec::new();
        self.take("[");
        if self.take("]") {
            return Ok(JsonKind::List(members));
        }
        loop {
            members.push(self.value()?);
            if self.take("]") {
                return Ok(JsonKind::List(members));
            }
            if !self.take(",") {
                return Err(self.error("`,` or `]` is expected here"));
            }
        }
    }

    fn number(&mut self) -> Result<JsonKind, BakeError> {
        let start = self.at;
        let is_part = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
        self.at += self
            .rest()
            .find(|c| !is_part(c))
            .unwrap_or(self.rest().len());
        let span = self.span_from(start);
        Decimal::parse(span.text())
            .map(JsonKind::Number)
            .map_err(|error| BakeError::new(&span, Cause::Number(error)))
    }

    /// A quoted string: the escapes of JSON, surrogate pairs joined.
    fn text(&mut self) -> Result<String, BakeError> {
        if !self.rest().starts_with('"') {
            return Err(self.error("a string is expected here"));
        }
        self.at += 1;
        let mut text = String::new();
        loop {
            let Some(c) = self.rest().chars().next() else {
                return Err(self.error("the string has no end"));
            };
            match c {
                '"' => {
                    self.at += 1;
                    return Ok(text);
                }
                '\\' => text.push(self.escape()?),
                c if c < ' ' => return Err(self.error("a control character stands in the string")),
                c => {
                    text.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, BakeError> {
        let escaped = self.rest().chars().nth(1);
        let plain = match escaped {
            Some('"') => '"',
            Some('\\') => '\\',
            Some('/') => '/',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => return self.unicode_escape(),
            _ => return Err(self.error("this is no escape of JSON")),
        };
        self.at += 2;
        Ok(plain)
    }

    fn unicode_escape(&mut self) -> Result<char, BakeError> {
        let first = self.code_unit()?;
        let code = match first {
            0xd800..=0xdbff if self.rest().starts_with("\\u") => {
                let second = self.code_unit()?;
                0x10000 + ((first - 0xd800) << 10) + (second.wrapping_sub(0xdc00) & 0x3ff)
            }
            _ => first,
        };
        char::from_u32(code).ok_or_else(|| self.error("half a surrogate pair is no character"))
    }

    fn code_unit(&mut self) -> Result<u32, BakeError> {
        let digits = self.rest().get(2..6).unwrap_or_default();
        if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(self.error("`\\u` takes four hex digits"));
        }
        let unit = u32::from_str_radix(digits, 16).unwrap_or_default();
        self.at += 6;
        Ok(unit)
    }
}
