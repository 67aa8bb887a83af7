//! What a stage is made of: the stages, contexts and images that it reaches, and the build arguments
//! that count on the way.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;

use super::{Arg, Dockerfile, Stage, expand::names};
use crate::dockerfile::expand;

/// Where a stage gets files from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A stage of the same file, by position.
    Stage(usize),
    /// A named context of the bake target.
    Context(String),
    /// An image.
    Image(String),
    /// Nothing: `FROM scratch`, or a `FROM` that comes out empty.
    Nothing,
}

/// Everything below one stage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reach {
    /// Positions of the stages, the one asked for included.
    pub stages: BTreeSet<usize>,
    /// For each stage below, the stage that takes from it and the instruction that does: `FROM`, `COPY`,
    /// `ADD` or `RUN`.
    pub takers: BTreeMap<usize, (usize, &'static str)>,
    /// Named contexts that are taken from.
    pub contexts: BTreeSet<String>,
    /// Images, with the build arguments that name them: empty for one that is written out.
    pub images: BTreeMap<String, BTreeSet<String>>,
    /// Build arguments that are declared on the way, and so can change the outcome.
    pub args: BTreeSet<String>,
}

/// Build arguments that count without being declared: proxies, and BuildKit's own.
fn counts_undeclared(name: &str) -> bool {
    const PROXIES: [&str; 5] = [
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "FTP_PROXY",
        "NO_PROXY",
        "ALL_PROXY",
    ];
    name.starts_with("BUILDKIT_") || PROXIES.iter().any(|proxy| proxy.eq_ignore_ascii_case(name))
}

impl Dockerfile {
    /// What stage `start` (a position) reaches, with these build arguments and named contexts.
    #[must_use]
    pub fn reach(
        &self,
        start: usize,
        args: &BTreeMap<String, String>,
        contexts: &BTreeSet<String>,
    ) -> Reach {
        let mut reach = Reach::default();
        let mut open = VecDeque::from([start]);
        while let Some(position) = open.pop_front() {
            let Some(stage) = self.stages.get(position) else {
                continue;
            };
            if !reach.stages.insert(position) {
                continue;
            }
            reach
                .args
                .extend(stage.args.iter().map(|arg| arg.name.clone()));
            let naming = self.naming(&stage.from);
            reach.args.extend(naming.iter().cloned());
            let from = ("FROM", self.from(position, args, contexts), naming);
            let sources = stage.sources.iter().map(|source| {
                let origin = self.origin(&source.name, position, contexts);
                (source.keyword, origin, BTreeSet::new())
            });
            for (keyword, origin, naming) in [from].into_iter().chain(sources) {
                match origin {
                    Origin::Stage(below) => {
                        if !reach.stages.contains(&below) {
                            reach.takers.entry(below).or_insert((position, keyword));
                        }
                        open.push_back(below);
                    }
                    Origin::Context(name) => {
                        reach.contexts.insert(name);
                    }
                    Origin::Image(image) => {
                        reach.images.entry(image).or_default().extend(naming);
                    }
                    Origin::Nothing => {}
                }
            }
        }
        reach
            .args
            .extend(args.keys().filter(|name| counts_undeclared(name)).cloned());
        reach
    }

    /// Where a build argument enters what stage `start` reaches, and the way from there to it:
    /// `docker/Dockerfile:7, stage clone, COPY into build`.
    #[must_use]
    pub fn route(&self, start: usize, reach: &Reach, argument: &str) -> Option<String> {
        // Later stages first: they are closer to what is built.
        let entry = reach.stages.iter().rev().find_map(|position| {
            let stage = self.stages.get(*position)?;
            let declared = stage
                .args
                .iter()
                .find(|arg| arg.name == argument)
                .map(|arg| arg.line);
            let named = self
                .naming(&stage.from)
                .contains(argument)
                .then_some(stage.line);
            Some((*position, declared.or(named)?))
        });
        let (mut position, line) = entry?;
        let title = |position: usize| Some(self.stages.get(position)?.title(position));
        let mut route = format!("{}:{line}, stage {}", self.name, title(position)?);
        while position != start {
            let (taker, keyword) = reach.takers.get(&position)?;
            position = *taker;
            // Writing to a string cannot fail.
            _ = write!(route, ", {keyword} into {}", title(position)?);
        }
        Some(route)
    }

    /// What the `FROM` of a stage comes out as.
    #[must_use]
    pub fn from(
        &self,
        position: usize,
        args: &BTreeMap<String, String>,
        contexts: &BTreeSet<String>,
    ) -> Origin {
        let Some(stage) = self.stages.get(position) else {
            return Origin::Nothing;
        };
        let written = || stage.from.clone();
        let image = expand(&stage.from, &|name| self.global(name, args, 0)).unwrap_or_else(written);
        self.origin(&image, position, contexts)
    }

    /// What a name in stage `position` means: an earlier stage, a named context, or an image. A
    /// context of a stage's name takes the stage's place.
    #[must_use]
    pub fn origin(&self, name: &str, position: usize, contexts: &BTreeSet<String>) -> Origin {
        if name.is_empty() || name == "scratch" {
            return Origin::Nothing;
        }
        if contexts.contains(name) {
            return Origin::Context(name.to_owned());
        }
        match self.stage(name) {
            Some(below) if below < position => Origin::Stage(below),
            _ => Origin::Image(name.to_owned()),
        }
    }

    /// The value of a global `ARG`. Defaults may use earlier ones; `depth` ends a circle.
    fn global(&self, name: &str, args: &BTreeMap<String, String>, depth: usize) -> Option<String> {
        let arg = self.global_args.iter().rfind(|arg| arg.name == name)?;
        if let Some(given) = args.get(name) {
            return Some(given.clone());
        }
        let default = arg.default.as_ref()?;
        if depth > self.global_args.len() {
            return None;
        }
        expand(default, &|inner| self.global(inner, args, depth + 1))
    }

    /// The global arguments that a text uses, also through the defaults of others.
    fn naming(&self, text: &str) -> BTreeSet<String> {
        let mut used = BTreeSet::new();
        let mut open: Vec<&str> = names(text);
        while let Some(name) = open.pop() {
            let known = self.global_args.iter().rfind(|arg| arg.name == name);
            if let Some(Arg { default, .. }) = known
                && used.insert(name.to_owned())
            {
                open.extend(default.as_deref().map(names).unwrap_or_default());
            }
        }
        used
    }
}

impl Stage {
    /// The name, or the position for one without.
    #[must_use]
    pub fn title(&self, position: usize) -> String {
        self.name.clone().unwrap_or_else(|| position.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"# syntax=docker/dockerfile:1
ARG BASE_IMAGE=base
ARG TAG=1
ARG HELPER=helper:${TAG}

FROM ${HELPER} AS source
ARG REF
RUN git checkout ${REF}

FROM ${BASE_IMAGE} AS build
ARG ARCH
COPY --from=source /src /src
RUN --mount=type=bind,from=tools:3,target=/t \
    # a comment with $NOTHING
    make ARCH="${ARCH}" && echo \$HOME $SHELL_VARIABLE

FROM scratch AS wheel
COPY --from=build /dist/*.whl /wheels/

FROM build
"#;

    fn parsed() -> Dockerfile {
        Dockerfile::parse("Dockerfile", FILE).unwrap()
    }

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_stage_reaches_stages_images_and_arguments() {
        let file = parsed();
        let reach = file.reach(2, &BTreeMap::new(), &BTreeSet::new());
        assert_eq!(reach.stages, BTreeSet::from([0, 1, 2]));
        assert_eq!(
            reach.args,
            set(&["ARCH", "BASE_IMAGE", "HELPER", "REF", "TAG"])
        );
        let images: Vec<_> = reach.images.keys().map(String::as_str).collect();
        assert_eq!(images, ["base", "helper:1", "tools:3"]);
        assert_eq!(reach.images["helper:1"], set(&["HELPER", "TAG"]));
    }

    #[test]
    fn the_way_of_an_argument_is_told() {
        let file = parsed();
        let reach = file.reach(2, &BTreeMap::new(), &BTreeSet::new());
        let route = |argument| file.route(2, &reach, argument).unwrap();
        assert_eq!(
            route("REF"),
            "Dockerfile:7, stage source, COPY into build, COPY into wheel"
        );
        assert_eq!(
            route("TAG"),
            "Dockerfile:6, stage source, COPY into build, COPY into wheel"
        );
        assert_eq!(route("ARCH"), "Dockerfile:11, stage build, COPY into wheel");
        assert_eq!(file.route(2, &reach, "NONE"), None);
    }

    #[test]
    fn an_argument_of_another_stage_does_not_count() {
        let reach = parsed().reach(0, &BTreeMap::new(), &BTreeSet::new());
        assert_eq!(reach.args, set(&["HELPER", "REF", "TAG"]));
    }

    #[test]
    fn a_context_takes_the_place_of_a_stage_and_of_an_image() {
        let file = parsed();
        let args = BTreeMap::from([("BASE_IMAGE".to_owned(), "base".to_owned())]);
        let reach = file.reach(2, &args, &set(&["source", "base"]));
        assert_eq!(reach.contexts, set(&["base", "source"]));
        assert_eq!(reach.stages, BTreeSet::from([1, 2]));
    }

    #[test]
    fn a_from_may_name_a_stage_through_an_argument() {
        let text = "ARG WHICH=one\nFROM a AS one\nFROM b AS two\nFROM ${WHICH}\n";
        let file = Dockerfile::parse("Dockerfile", text).unwrap();
        let none = BTreeSet::new();
        assert_eq!(file.from(2, &BTreeMap::new(), &none), Origin::Stage(0));
        let args = BTreeMap::from([("WHICH".to_owned(), "two".to_owned())]);
        assert_eq!(file.from(2, &args, &none), Origin::Stage(1));
    }

    #[test]
    fn uses_have_their_lines_and_comments_have_none() {
        let stage = &parsed().stages[1];
        let uses: Vec<_> = stage
            .uses
            .iter()
            .map(|u| (u.keyword, u.name.as_str(), u.line))
            .collect();
        assert_eq!(
            uses,
            [
                ("FROM", "BASE_IMAGE", 10),
                ("RUN", "ARCH", 15),
                ("RUN", "SHELL_VARIABLE", 15),
            ]
        );
        assert_eq!(stage.args[0].line, 11);
        assert_eq!(stage.sources[1].line, 13);
    }

    #[test]
    fn a_fault_is_told_with_its_place() {
        let error = Dockerfile::parse("docker/Dockerfile.x", "FROM a\nFETCH b\n").unwrap_err();
        assert_eq!(
            error.to_string(),
            "docker/Dockerfile.x:2:1: unknown instruction 'FETCH'"
        );
    }
}
