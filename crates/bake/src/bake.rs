//! A bake file evaluated: its targets, groups and the values of its variables.

use std::collections::{BTreeMap, BTreeSet};

use crate::blocks::check_name;
use crate::definitions::Definitions;
use crate::error::{BakeError, Cause};
use crate::evaluate::{Evaluator, Scope};
use crate::field::{self, Field, Kind};
use crate::location::{Location, Span};
use crate::outside::Outside;
use crate::target::{Inheritance, Target, merge};
use crate::value::Value;

/// What a bake file says under one environment.
#[derive(Debug, Clone)]
pub struct Bake {
    /// Every target, helpers too, in the order of the file.
    pub targets: Vec<Target>,
    /// Every group, in the order of the file; a matrix makes one of its block's name.
    pub groups: Vec<Group>,
    /// The value of every `variable`.
    pub variables: BTreeMap<String, Value>,
}

/// A group as it is written.
#[derive(Debug, Clone)]
pub struct Group {
    /// Its name.
    pub name: String,
    span: Span,
    members: Vec<(String, Span)>,
}

impl Group {
    /// Where its block starts.
    #[must_use]
    pub fn location(&self) -> Location {
        self.span.location()
    }

    /// Its members as they are written, targets and groups, each with its place.
    pub fn members(&self) -> impl Iterator<Item = (&str, Location)> {
        self.members
            .iter()
            .map(|(name, span)| (name.as_str(), span.location()))
    }
}

/// A name that is neither a target nor a group.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no target or group `{0}`")]
pub struct UnknownName(pub String);

impl Definitions {
    /// Evaluates the file under one environment.
    ///
    /// # Errors
    /// [`BakeError`], with the place.
    pub fn evaluate(&self, outside: &Outside) -> Result<Bake, BakeError> {
        let evaluator = Evaluator::new(self, outside);
        for constant in self.constants.values() {
            evaluator.global(&constant.name, &constant.span)?;
        }
        let mut variables = BTreeMap::new();
        for (name, variable) in &self.variables {
            variables.insert(name.clone(), evaluator.global(name, &variable.span)?);
        }
        let mut own: BTreeMap<String, Target> = BTreeMap::new();
        let mut order: Vec<String> = Vec::new();
        let mut matrices: Vec<Group> = Vec::new();
        for expansion in evaluator.expand()? {
            let fields = evaluator.fields(&expansion)?;
            if let Some(label) = expansion.block.labels.first()
                && *label != expansion.name
            {
                let member = (expansion.name.clone(), expansion.block.span.clone());
                match matrices.iter_mut().find(|group| group.name == *label) {
                    Some(group) => group.members.push(member),
                    None => matrices.push(Group {
                        name: label.clone(),
                        span: expansion.block.span.clone(),
                        members: vec![member],
                    }),
                }
            }
            if let Some(known) = own.get_mut(&expansion.name) {
                merge(&mut known.fields, fields);
                continue;
            }
            order.push(expansion.name.clone());
            let target = Target {
                name: expansion.name.clone(),
                span: expansion.block.span.clone(),
                fields,
            };
            own.insert(expansion.name, target);
        }
        let mut inheritance = Inheritance::new(&own);
        let mut targets = Vec::with_capacity(order.len());
        for name in &order {
            if let Some(span) = own.get(name).map(|target| &target.span) {
                let mut target = inheritance.resolve(name, span)?;
                date(&mut target, outside);
                targets.push(target);
            }
        }
        let mut groups = self.groups(&evaluator)?;
        groups.extend(matrices);
        let bake = Bake {
            targets,
            groups,
            variables,
        };
        bake.check()?;
        Ok(bake)
    }

    fn groups(&self, evaluator: &Evaluator<'_>) -> Result<Vec<Group>, BakeError> {
        let names = BTreeMap::new();
        let scope = Scope {
            names: &names,
            outer: None,
        };
        let mut groups = Vec::with_capacity(self.groups.len());
        for block in &self.groups {
            let name = block.labels.first().cloned().unwrap_or_default();
            check_name(&name, &block.span)?;
            let mut members = None;
            for attribute in &block.body.attributes {
                match attribute.name.as_str() {
                    "targets" => {
                        members = field::evaluate(evaluator, attribute, Kind::List, &scope)?;
                    }
                    "description" => {}
                    other => {
                        let (name, inside) = (other.to_owned(), "a group");
                        let cause = Cause::Unexpected { name, inside };
                        return Err(BakeError::new(&attribute.span, cause));
                    }
                }
            }
            let Some(Field::List(members)) = members else {
                let (name, inside) = ("targets", "a group");
                return Err(BakeError::new(&block.span, Cause::Missing { name, inside }));
            };
            groups.push(Group {
                name,
                span: block.span.clone(),
                members,
            });
        }
        Ok(groups)
    }
}

/// Bake hands `SOURCE_DATE_EPOCH` on to every target that does not set it itself.
fn date(target: &mut Target, outside: &Outside) {
    const NAME: &str = "SOURCE_DATE_EPOCH";
    let Some(value) = outside.get(NAME).filter(|value| !value.is_empty()) else {
        return;
    };
    let placed = (value.to_owned(), target.span.clone());
    let args = target
        .fields
        .entry("args")
        .or_insert_with(|| Field::Map(BTreeMap::new()));
    if let Field::Map(args) = args {
        args.entry(NAME.to_owned()).or_insert(placed);
    }
}

impl Bake {
    /// The target of that name.
    #[must_use]
    pub fn target(&self, name: &str) -> Option<&Target> {
        self.targets.iter().find(|target| target.name == name)
    }

    /// The group of that name.
    #[must_use]
    pub fn group(&self, name: &str) -> Option<&Group> {
        self.groups.iter().find(|group| group.name == name)
    }

    /// The targets of a group, groups inside it resolved, each once; of a target, itself.
    ///
    /// # Errors
    /// [`UnknownName`].
    pub fn members(&self, name: &str) -> Result<Vec<&Target>, UnknownName> {
        let mut found = Vec::new();
        self.gather(name, &mut BTreeSet::new(), &mut found)?;
        Ok(found)
    }

    fn gather<'a>(
        &'a self,
        name: &str,
        seen: &mut BTreeSet<String>,
        found: &mut Vec<&'a Target>,
    ) -> Result<(), UnknownName> {
        if !seen.insert(name.to_owned()) {
            return Ok(());
        }
        if let Some(group) = self.group(name) {
            for (member, _) in &group.members {
                // A group that holds a target of its own name means the target.
                match self.target(member) {
                    Some(target) if member == name => found.push(target),
                    _ => self.gather(member, seen, found)?,
                }
            }
            return Ok(());
        }
        match self.target(name) {
            Some(target) => {
                found.push(target);
                Ok(())
            }
            None => Err(UnknownName(name.to_owned())),
        }
    }

    /// The names of the groups that hold a target, sorted.
    #[must_use]
    pub fn groups_of(&self, target: &str) -> Vec<String> {
        let holds = |group: &&Group| {
            self.members(&group.name)
                .is_ok_and(|members| members.iter().any(|member| member.name == target))
        };
        let mut names: Vec<String> = self
            .groups
            .iter()
            .filter(holds)
            .map(|group| group.name.clone())
            .collect();
        names.sort();
        names
    }

    /// What names a target or group must find one, or bake fails when it comes to it.
    fn check(&self) -> Result<(), BakeError> {
        for group in &self.groups {
            for (member, span) in &group.members {
                if self.target(member).is_none() && self.group(member).is_none() {
                    return Err(BakeError::new(span, Cause::UnknownTarget(member.clone())));
                }
            }
        }
        for target in &self.targets {
            let Some(Field::Map(contexts)) = target.fields.get("contexts") else {
                continue;
            };
            for (value, span) in contexts.values() {
                if let Some(linked) = value.strip_prefix("target:")
                    && self.target(linked).is_none()
                {
                    return Err(BakeError::new(
                        span,
                        Cause::UnknownTarget(linked.to_owned()),
                    ));
                }
            }
        }
        self.check_links()
    }

    /// Links must not lead back to where they start.
    fn check_links(&self) -> Result<(), BakeError> {
        let mut done = BTreeSet::new();
        for target in &self.targets {
            let mut path = Vec::new();
            self.follow(target, &mut path, &mut done)?;
        }
        Ok(())
    }

    fn follow<'a>(
        &'a self,
        target: &'a Target,
        path: &mut Vec<&'a str>,
        done: &mut BTreeSet<&'a str>,
    ) -> Result<(), BakeError> {
        if done.contains(target.name.as_str()) {
            return Ok(());
        }
        if path.len() > 100 {
            let cause = Cause::Unsupported("a chain of more than 100 links");
            return Err(BakeError::new(&target.span, cause));
        }
        if path.contains(&target.name.as_str()) {
            let cause = Cause::Cycle(target.name.clone());
            return Err(BakeError::new(&target.span, cause));
        }
        path.push(&target.name);
        for linked in target.links().into_values() {
            if let Some(linked) = self.target(linked) {
                self.follow(linked, path, done)?;
            }
        }
        path.pop();
        done.insert(&target.name);
        Ok(())
    }
}
