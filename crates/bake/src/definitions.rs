//! What a bake file defines, before anything is evaluated.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::error::{BakeError, Cause};
use crate::evaluate::BUILT_IN;
use crate::function;
use crate::location::{Location, Source, Span};
use crate::names;
use crate::syntax::{Attribute, Block, Body, Expr, ExprKind};
use crate::{hcl, json, text_file};

/// The variables, constants, functions, targets and groups of one or several bake files.
#[derive(Debug, Clone, Default)]
pub struct Definitions {
    pub(crate) variables: BTreeMap<String, Variable>,
    pub(crate) constants: BTreeMap<String, Attribute>,
    pub(crate) functions: BTreeMap<String, Function>,
    pub(crate) targets: Vec<Block>,
    pub(crate) groups: Vec<Block>,
}

/// A `variable` block.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub(crate) span: Span,
    pub(crate) default: Option<Expr>,
}

/// A `function` block.
#[derive(Debug, Clone)]
pub(crate) struct Function {
    pub(crate) parameters: Vec<String>,
    /// Takes the arguments that are left, as a list.
    pub(crate) rest: Option<String>,
    pub(crate) result: Expr,
}

/// A bake file that could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Not there, not readable, not UTF-8.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// Read, and not a bake file.
    #[error(transparent)]
    Bake(#[from] BakeError),
}

impl Definitions {
    /// Reads bake files, HCL or JSON, and merges them as `bake -f A -f B` does.
    ///
    /// # Errors
    /// [`ReadError::Io`] and [`ReadError::Bake`].
    pub fn read<P: AsRef<Path>>(paths: &[P]) -> Result<Self, ReadError> {
        let mut sources = Vec::with_capacity(paths.len());
        for path in paths {
            let path = path.as_ref();
            let text = text_file::read(path).map_err(|cause| ReadError::Io {
                path: path.to_owned(),
                cause,
            })?;
            sources.push(Source::new(path.display().to_string(), text));
        }
        Ok(Self::parse(&sources)?)
    }

    /// The same from texts; a name that ends in `.json`, or a text that starts with `{`, is JSON.
    ///
    /// # Errors
    /// [`BakeError`], with the place.
    pub fn parse(sources: &[Rc<Source>]) -> Result<Self, BakeError> {
        let mut definitions = Self::default();
        for source in sources {
            let body = match source.name.rsplit_once('.').map(|(_, extension)| extension) {
                Some("yml" | "yaml") => {
                    let span = Span::new(source, 0..0);
                    return Err(BakeError::new(&span, Cause::Unsupported("a compose file")));
                }
                Some("json") => json::parse(source)?,
                Some("hcl") => hcl::parse(source)?,
                _ if source.text.trim_start().starts_with('{') => json::parse(source)?,
                _ => hcl::parse(source)?,
            };
            definitions.add(body)?;
        }
        for name in definitions.variables.keys() {
            if let Some(constant) = definitions.constants.get(name) {
                let cause = Cause::SetTwice(name.clone());
                return Err(BakeError::new(&constant.span, cause));
            }
        }
        names::check(&definitions)?;
        Ok(definitions)
    }

    /// The names of the `variable` blocks, sorted, and where each stands.
    pub fn variables(&self) -> impl Iterator<Item = (&str, Location)> {
        self.variables
            .iter()
            .map(|(name, variable)| (name.as_str(), variable.span.location()))
    }

    /// Whether there is a `variable` block of that name.
    #[must_use]
    pub fn has_variable(&self, name: &str) -> bool {
        self.variables.contains_key(name)
    }

    fn add(&mut self, body: Body) -> Result<(), BakeError> {
        for attribute in body.attributes {
            if self.constants.contains_key(&attribute.name) {
                let cause = Cause::SetTwice(attribute.name);
                return Err(BakeError::new(&attribute.span, cause));
            }
            if is_reserved(&attribute.name) {
                return Err(unexpected(&attribute.name, &attribute.span, "a bake file"));
            }
            self.constants.insert(attribute.name.clone(), attribute);
        }
        for block in body.blocks {
            let [name] = block.labels.as_slice() else {
                let cause = Cause::Unsupported("a block with other than one label");
                return Err(BakeError::new(&block.span, cause));
            };
            let name = name.clone();
            match block.kind.as_str() {
                "variable" => {
                    if is_reserved(&name) {
                        return Err(BakeError::new(&block.span, Cause::SetTwice(name)));
                    }
                    self.variables.insert(name, variable(block)?);
                }
                "function" => {
                    if function::is_known(&name) {
                        let cause = Cause::SetTwice(name);
                        return Err(BakeError::new(&block.span, cause));
                    }
                    self.functions.insert(name, user_function(block)?);
                }
                "target" => self.targets.push(checked(block)?),
                // A group that is given again replaces the one before.
                "group" => {
                    let block = checked(block)?;
                    self.groups.retain(|known| known.labels != block.labels);
                    self.groups.push(block);
                }
                other => return Err(unexpected(other, &block.span, "a bake file")),
            }
        }
        Ok(())
    }
}

fn is_reserved(name: &str) -> bool {
    matches!(name, "target" | "group" | "variable" | "function") || BUILT_IN.contains(&name)
}

fn unexpected(name: &str, span: &Span, inside: &'static str) -> BakeError {
    let name = name.to_owned();
    BakeError::new(span, Cause::Unexpected { name, inside })
}

/// A target or group: no blocks inside, and each attribute once.
fn checked(block: Block) -> Result<Block, BakeError> {
    if let Some(inner) = block.body.blocks.first() {
        return Err(unexpected(&inner.kind, &inner.span, "a target or group"));
    }
    let mut seen = BTreeSet::new();
    for attribute in &block.body.attributes {
        if !seen.insert(&attribute.name) {
            let cause = Cause::SetTwice(attribute.name.clone());
            return Err(BakeError::new(&attribute.span, cause));
        }
    }
    Ok(block)
}

fn variable(block: Block) -> Result<Variable, BakeError> {
    let mut block = checked_variable(block)?;
    let mut default = None;
    for attribute in block.body.attributes.drain(..) {
        match attribute.name.as_str() {
            "default" => default = Some(attribute.value),
            "description" => {}
            "type" => {
                let cause = Cause::Unsupported("`type` of a variable");
                return Err(BakeError::new(&attribute.span, cause));
            }
            other => return Err(unexpected(other, &attribute.span, "a variable")),
        }
    }
    Ok(Variable {
        span: block.span,
        default,
    })
}

fn checked_variable(block: Block) -> Result<Block, BakeError> {
    match block.body.blocks.first() {
        Some(inner) if inner.kind == "validation" => {
            let cause = Cause::Unsupported("`validation` of a variable");
            Err(BakeError::new(&inner.span, cause))
        }
        _ => checked(block),
    }
}

fn user_function(block: Block) -> Result<Function, BakeError> {
    let block = checked(block)?;
    let (mut parameters, mut rest, mut result) = (None, None, None);
    for attribute in block.body.attributes {
        match attribute.name.as_str() {
            "params" => parameters = Some(names_in(&attribute.value)?),
            "variadic_params" => rest = Some(name_in(&attribute.value)?),
            "result" => result = Some(attribute.value),
            other => return Err(unexpected(other, &attribute.span, "a function")),
        }
    }
    let missing = |name| {
        let inside = "a function";
        BakeError::new(&block.span, Cause::Missing { name, inside })
    };
    Ok(Function {
        parameters: parameters.ok_or_else(|| missing("params"))?,
        rest,
        result: result.ok_or_else(|| missing("result"))?,
    })
}

fn names_in(list: &Expr) -> Result<Vec<String>, BakeError> {
    match &list.kind {
        ExprKind::List(members) => members.iter().map(name_in).collect(),
        _ => Err(BakeError::new(&list.span, not_names())),
    }
}

/// A parameter is a bare name in HCL and a string in JSON.
fn name_in(name: &Expr) -> Result<String, BakeError> {
    match &name.kind {
        ExprKind::Variable(name) | ExprKind::Text(name) => Ok(name.clone()),
        _ => Err(BakeError::new(&name.span, not_names())),
    }
}

fn not_names() -> Cause {
    Cause::Syntax("parameters are names".to_owned())
}
