//! A target as bake would build it: inherited, merged, and with the place of each part.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::{BakeError, Cause};
use crate::field::{Field, Kind, kind_of};
use crate::location::{Location, Span};
use crate::value::Value;

/// One target, resolved.
#[derive(Debug, Clone)]
pub struct Target {
    /// Its name.
    pub name: String,
    pub(crate) span: Span,
    pub(crate) fields: BTreeMap<&'static str, Field>,
}

/// A value and the place that it was written at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed<'a> {
    /// The value.
    pub value: &'a str,
    span: &'a Span,
}

impl Placed<'_> {
    /// File, line and column.
    #[must_use]
    pub fn location(&self) -> Location {
        self.span.location()
    }
}

impl Target {
    /// Where its block starts.
    #[must_use]
    pub fn location(&self) -> Location {
        self.span.location()
    }

    /// An attribute that is one text: `context`, `dockerfile`, `dockerfile-inline`, `target`, …
    #[must_use]
    pub fn text(&self, name: &str) -> Option<Placed<'_>> {
        match self.fields.get(name) {
            Some(Field::Text(value, span)) => Some(Placed { value, span }),
            _ => None,
        }
    }

    /// An attribute that is a list: `tags`, `cache-to`, `platforms`, …; empty when it is not set.
    #[must_use]
    pub fn list(&self, name: &str) -> Vec<Placed<'_>> {
        match self.fields.get(name) {
            Some(Field::List(members)) => members
                .iter()
                .map(|(value, span)| Placed { value, span })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// An attribute that is a map: `args`, `contexts`, `labels`; empty when it is not set.
    #[must_use]
    pub fn map(&self, name: &str) -> BTreeMap<&str, Placed<'_>> {
        match self.fields.get(name) {
            Some(Field::Map(members)) => members
                .iter()
                .map(|(key, (value, span))| (key.as_str(), Placed { value, span }))
                .collect(),
            _ => BTreeMap::new(),
        }
    }

    /// The build context: a folder or an address.
    #[must_use]
    pub fn context(&self) -> &str {
        self.text("context").map_or(".", |placed| placed.value)
    }

    /// The Dockerfile, relative to the context; `None` for an inline one.
    #[must_use]
    pub fn dockerfile(&self) -> Option<&str> {
        match self.text("dockerfile-inline") {
            Some(_) => None,
            None => Some(
                self.text("dockerfile")
                    .map_or("Dockerfile", |placed| placed.value),
            ),
        }
    }

    /// The stage that is built; `None` for the last one.
    #[must_use]
    pub fn stage(&self) -> Option<&str> {
        self.text("target")
            .map(|placed| placed.value)
            .filter(|stage| !stage.is_empty())
    }

    /// What it would publish.
    #[must_use]
    pub fn tags(&self) -> Vec<&str> {
        self.list("tags")
            .into_iter()
            .map(|placed| placed.value)
            .collect()
    }

    /// The targets that it is linked to: `contexts = { base = "target:x" }`, by context name.
    #[must_use]
    pub fn links(&self) -> BTreeMap<&str, &str> {
        self.map("contexts")
            .into_iter()
            .filter_map(|(name, placed)| Some((name, placed.value.strip_prefix("target:")?)))
            .collect()
    }

    /// Whether it is pushed when its group is: false when every output is a file, a cache or a daemon.
    #[must_use]
    pub fn is_pushed(&self) -> bool {
        let outputs = self.list("output");
        outputs.is_empty()
            || outputs.iter().any(|output| {
                let mut parts = output.value.split(',');
                parts.any(|part| matches!(part, "type=registry" | "type=image" | "push=true"))
            })
    }

    /// The object that `bake --print` shows for it, under its name.
    #[must_use]
    pub fn printed(&self) -> Value {
        let mut object: BTreeMap<String, Value> = self
            .fields
            .iter()
            .filter(|(name, _)| **name != "description")
            .map(|(name, field)| ((*name).to_owned(), field.value()))
            .filter(|(_, value)| !is_empty(value))
            .collect();
        object.insert("context".to_owned(), Value::text(self.context()));
        let dockerfile = self
            .text("dockerfile")
            .map_or("Dockerfile", |placed| placed.value);
        object.insert("dockerfile".to_owned(), Value::text(dockerfile));
        Value::Object(object)
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::List(members) => members.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// Merges `later` over `earlier`, as inheritance and a second block of the same name do.
pub(crate) fn merge(
    earlier: &mut BTreeMap<&'static str, Field>,
    later: BTreeMap<&'static str, Field>,
) {
    for (name, field) in later {
        let kind = kind_of(name).map_or(Kind::Text, |(_, kind)| kind);
        match earlier.get_mut(name) {
            Some(known) => known.merge(field, kind),
            None => {
                earlier.insert(name, field);
            }
        }
    }
}

/// Resolves what a target inherits: parents from left to right, its own attributes last.
pub(crate) struct Inheritance<'a> {
    /// Own attributes of every target, by name.
    pub(crate) own: &'a BTreeMap<String, Target>,
    resolved: BTreeMap<String, Target>,
    open: BTreeSet<String>,
}

impl<'a> Inheritance<'a> {
    pub(crate) fn new(own: &'a BTreeMap<String, Target>) -> Self {
        Self {
            own,
            resolved: BTreeMap::new(),
            open: BTreeSet::new(),
        }
    }

    /// The target `name`, which `span` asks for.
    pub(crate) fn resolve(&mut self, name: &str, span: &Span) -> Result<Target, BakeError> {
        if let Some(known) = self.resolved.get(name) {
            return Ok(known.clone());
        }
        let Some(own) = self.own.get(name) else {
            return Err(BakeError::new(span, Cause::UnknownTarget(name.to_owned())));
        };
        if self.open.len() > 100 {
            let cause = Cause::Unsupported("a chain of more than 100 parents");
            return Err(BakeError::new(span, cause));
        }
        if !self.open.insert(name.to_owned()) {
            return Err(BakeError::new(span, Cause::Cycle(name.to_owned())));
        }
        let mut fields = BTreeMap::new();
        if let Some(Field::List(parents)) = own.fields.get("inherits") {
            for (parent, span) in parents {
                merge(&mut fields, self.resolve(parent, span)?.fields);
            }
        }
        merge(&mut fields, own.fields.clone());
        fields.remove("inherits");
        normalise(&mut fields);
        self.open.remove(name);
        let target = Target {
            fields,
            ..own.clone()
        };
        self.resolved.insert(name.to_owned(), target.clone());
        Ok(target)
    }
}

/// Lists lose empty members and repetitions, contexts lose empty ones, and an empty `dockerfile` is
/// the default one.
fn normalise(fields: &mut BTreeMap<&'static str, Field>) {
    for (name, field) in fields.iter_mut() {
        match field {
            Field::List(members) => {
                let mut seen = BTreeSet::new();
                members.retain(|(text, _)| !text.is_empty() && seen.insert(text.clone()));
            }
            Field::Map(members) if *name == "contexts" => {
                members.retain(|_, (text, _)| !text.is_empty());
            }
            _ => {}
        }
    }
    if matches!(fields.get("dockerfile"), Some(Field::Text(name, _)) if name.is_empty()) {
        fields.remove("dockerfile");
    }
}
