//! A Dockerfile as the rules look at it: arguments, stages, and what each step takes from where.

use parse_dockerfile::{Flag, Instruction, Source};

/// A Dockerfile.
#[derive(Debug, Default)]
pub(crate) struct Dockerfile {
    /// The arguments before the first FROM.
    pub(crate) globals: Vec<Argument>,
    /// In the order of the file, at least one.
    pub(crate) stages: Vec<Stage>,
}

/// An `ARG` name with or without a default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Argument {
    pub(crate) name: String,
    pub(crate) default: Option<String>,
    /// From 1, as everywhere here.
    pub(crate) line: u64,
}

/// A FROM and what follows it.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) name: Option<String>,
    /// What stands behind FROM: a stage, an image, or text with variables.
    pub(crate) image: String,
    pub(crate) line: u64,
    pub(crate) steps: Vec<Step>,
}

/// One instruction of a stage.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) kind: Kind,
    /// Its lines with their numbers, comments left out.
    pub(crate) lines: Vec<(u64, String)>,
}

/// What an instruction does, as far as the rules ask.
#[derive(Debug)]
pub(crate) enum Kind {
    Arg(Vec<Argument>),
    /// The names that an ENV sets.
    Env(Vec<String>),
    /// COPY and ADD, and the mounts of a RUN.
    Take(Vec<Taken>),
    Other,
}

/// Files that a step takes from a stage, an image, or the build context.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    /// A stage's name or number, a named context, or an image; none: the build context.
    pub(crate) from: Option<String>,
    /// Paths in it; none where a mount takes the whole.
    pub(crate) paths: Vec<String>,
    pub(crate) line: u64,
}

impl Dockerfile {
    /// Reads a Dockerfile.
    ///
    /// # Errors
    /// The parser's own words, with line and column, where `text` is not a Dockerfile.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let parsed =
            parse_dockerfile::parse(text).map_err(|error| error.to_string().replace('\n', " "))?;
        let lines = Lines(text);
        let mut file = Self::default();
        let mut starts: Vec<usize> = parsed.instructions.iter().map(start).collect();
        starts.push(text.len());
        for (instruction, window) in parsed.instructions.iter().zip(starts.windows(2)) {
            let line = lines.number(window[0]);
            if let Instruction::From(from) = instruction {
                file.stages.push(Stage {
                    name: from.as_.as_ref().map(|(_, name)| name.value.to_string()),
                    image: from.image.value.to_string(),
                    line,
                    steps: Vec::new(),
                });
                continue;
            }
            let kind = kind(instruction, &lines);
            match (file.stages.last_mut(), kind) {
                (Some(stage), kind) => stage.steps.push(Step {
                    kind,
                    lines: lines.between(window[0], window[1]),
                }),
                (None, Kind::Arg(arguments)) => file.globals.extend(arguments),
                (None, _) => {}
            }
        }
        Ok(file)
    }

    /// The stage of that name, by the last FROM that gives it, or by its number.
    pub(crate) fn stage(&self, name: &str) -> Option<usize> {
        let named = |stage: &Stage| {
            stage
                .name
                .as_deref()
                .is_some_and(|own| own.eq_ignore_ascii_case(name))
        };
        self.stages.iter().rposition(named).or_else(|| {
            name.parse()
                .ok()
                .filter(|number| *number < self.stages.len())
        })
    }

    /// The stages that building `index` builds, itself included.
    pub(crate) fn reached(&self, index: usize) -> Vec<usize> {
        let mut reached = vec![index];
        let mut next = 0;
        while let Some(stage) = reached.get(next).and_then(|index| self.stages.get(*index)) {
            let parents = std::iter::once(stage.image.as_str())
                .chain(stage.taken().filter_map(|taken| taken.from.as_deref()));
            for parent in parents.filter_map(|name| self.stage(name)) {
                if !reached.contains(&parent) {
                    reached.push(parent);
                }
            }
            next += 1;
        }
        reached
    }
}

impl Stage {
    /// Everything that its steps take from elsewhere.
    pub(crate) fn taken(&self) -> impl Iterator<Item = &Taken> {
        self.steps.iter().flat_map(|step| match &step.kind {
            Kind::Take(taken) => taken.as_slice(),
            _ => &[],
        })
    }
}

/// Line numbers of a text.
struct Lines<'a>(&'a str);

impl Lines<'_> {
    fn number(&self, at: usize) -> u64 {
        let before = self.0.get(..at).unwrap_or(self.0);
        before.bytes().filter(|byte| *byte == b'\n').count() as u64 + 1
    }

    /// The lines from one offset up to another that are not comments.
    fn between(&self, start: usize, end: usize) -> Vec<(u64, String)> {
        let text = self.0.get(start..end).unwrap_or_default();
        (self.number(start)..)
            .zip(text.lines())
            .filter(|(_, line)| !line.trim_start().starts_with('#') && !line.trim().is_empty())
            .map(|(number, line)| (number, line.to_owned()))
            .collect()
    }
}

fn start(instruction: &Instruction<'_>) -> usize {
    match instruction {
        Instruction::Add(i) => i.add.span.start,
        Instruction::Arg(i) => i.arg.span.start,
        Instruction::Cmd(i) => i.cmd.span.start,
        Instruction::Copy(i) => i.copy.span.start,
        Instruction::Entrypoint(i) => i.entrypoint.span.start,
        Instruction::Env(i) => i.env.span.start,
        Instruction::Expose(i) => i.expose.span.start,
        Instruction::From(i) => i.from.span.start,
        Instruction::Healthcheck(i) => i.healthcheck.span.start,
        Instruction::Label(i) => i.label.span.start,
        Instruction::Maintainer(i) => i.maintainer.span.start,
        Instruction::Onbuild(i) => i.onbuild.span.start,
        Instruction::Run(i) => i.run.span.start,
        Instruction::Shell(i) => i.shell.span.start,
        Instruction::Stopsignal(i) => i.stopsignal.span.start,
        Instruction::User(i) => i.user.span.start,
        Instruction::Volume(i) => i.volume.span.start,
        Instruction::Workdir(i) => i.workdir.span.start,
        // The enum is open; a new instruction begins nowhere that a rule looks at.
        _ => 0,
    }
}

fn kind(instruction: &Instruction<'_>, lines: &Lines<'_>) -> Kind {
    match instruction {
        Instruction::Arg(arg) => {
            let line = lines.number(arg.arg.span.start);
            Kind::Arg(
                words(&arg.arguments.value)
                    .map(|word| argument(word, line))
                    .collect(),
            )
        }
        // `ENV NAME value` is one name, `ENV A=1 B=2` several.
        Instruction::Env(env) => Kind::Env(match env.arguments.value.split_once([' ', '=']) {
            Some((name, _)) if !env.arguments.value[..=name.len()].ends_with('=') => {
                vec![name.to_owned()]
            }
            _ => words(&env.arguments.value)
                .filter_map(|word| Some(word.split_once('=')?.0.to_owned()))
                .collect(),
        }),
        Instruction::Copy(copy) => {
            let from = flag(&copy.options, "from").map(str::to_owned);
            let paths = copy.src.iter().filter_map(path).collect();
            Kind::Take(vec![Taken {
                from,
                paths,
                line: lines.number(copy.copy.span.start),
            }])
        }
        Instruction::Add(add) => {
            let paths = add
                .src
                .iter()
                .filter_map(path)
                .filter(|path| !path.contains("://"))
                .collect();
            Kind::Take(vec![Taken {
                from: None,
                paths,
                line: lines.number(add.add.span.start),
            }])
        }
        Instruction::Run(run) => Kind::Take(
            run.options
                .iter()
                .filter_map(|option| mount(option, lines))
                .collect(),
        ),
        _ => Kind::Other,
    }
}

/// A mount that shows files of a stage, an image or the context; a cache or a secret does not.
fn mount(option: &Flag<'_>, lines: &Lines<'_>) -> Option<Taken> {
    if option.name.value != "mount" {
        return None;
    }
    let value = option.value.as_ref()?;
    let field = |names: &[&str]| {
        value
            .value
            .split(',')
            .filter_map(|field| field.split_once('='))
            .find(|(name, _)| names.contains(name))
            .map(|(_, value)| value.to_owned())
    };
    let kind = field(&["type"]).unwrap_or_else(|| "bind".to_owned());
    let from = field(&["from"]);
    if kind != "bind" && from.is_none() {
        return None;
    }
    Some(Taken {
        from,
        paths: field(&["source", "src"]).into_iter().collect(),
        line: lines.number(value.span.start),
    })
}

fn flag<'a>(options: &'a [Flag<'_>], name: &str) -> Option<&'a str> {
    options
        .iter()
        .find(|option| option.name.value == name)?
        .value
        .as_ref()
        .map(|value| value.value.as_ref())
}

fn path(source: &Source<'_>) -> Option<String> {
    match source {
        Source::Path(path) => Some(path.value.to_string()),
        _ => None,
    }
}

fn argument(word: &str, line: u64) -> Argument {
    let (name, default) = match word.split_once('=') {
        Some((name, default)) => (name, Some(default.trim_matches(['"', '\'']).to_owned())),
        None => (word, None),
    };
    Argument {
        name: name.to_owned(),
        default,
        line,
    }
}

/// Words, where a quoted blank does not divide.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut quote = None;
    text.split(move |c: char| {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, c) if c.is_whitespace() => return true,
            _ => {}
        }
        false
    })
    .filter(|word| !word.is_empty() && *word != "\\")
}

/// Where `text` uses variables: the names in `$NAME` and `${NAME…}`. A backslash before the sign takes its meaning.
pub(crate) fn used(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('$').filter_map(|(at, _)| {
        if text[..at].ends_with('\\') {
            return None;
        }
        let rest = &text[at + 1..];
        let rest = rest.strip_prefix('{').unwrap_or(rest);
        let end = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        let name = &rest[..end];
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            .then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"ARG BASE=ubuntu:26.04
ARG OTHER
FROM ${BASE} AS Build
# a comment with $NOT
ARG A="x y" B
ENV C=1 D="2 3"
ENV E f g
RUN --mount=type=bind,from=wheels,source=/w,target=/w --mount=type=cache,target=/c \
    # never ${MIND}
    --mount=type=bind,source=docker/x.sh,target=/x \
    echo ${A:-1} \$ESCAPED "$B"
COPY <<EOF /o
one
EOF

COPY docker/a docker/b /d/
FROM scratch AS wheel
COPY --from=build /dist/*.whl /wheels/
"#;

    #[test]
    fn arguments_and_stages_are_found_with_their_lines() {
        let file = Dockerfile::parse(FILE).unwrap();
        let names: Vec<_> = file
            .globals
            .iter()
            .map(|a| (a.name.as_str(), a.default.as_deref(), a.line))
            .collect();
        assert_eq!(
            names,
            [("BASE", Some("ubuntu:26.04"), 1), ("OTHER", None, 2)]
        );
        assert_eq!(file.stages.len(), 2);
        assert_eq!(
            (file.stages[0].image.as_str(), file.stages[0].line),
            ("${BASE}", 3)
        );
        assert_eq!(file.stage("build"), Some(0));
        assert_eq!(file.stage("1"), Some(1));
        assert_eq!(file.stage("2"), None);
    }

    #[test]
    fn a_step_tells_what_it_takes_and_what_it_sets() {
        let file = Dockerfile::parse(FILE).unwrap();
        let steps = &file.stages[0].steps;
        assert!(
            matches!(&steps[0].kind, Kind::Arg(arguments) if arguments.len() == 2 && arguments[0].default.as_deref() == Some("x y"))
        );
        assert!(matches!(&steps[1].kind, Kind::Env(names) if names == &["C", "D"]));
        assert!(matches!(&steps[2].kind, Kind::Env(names) if names == &["E"]));
        let taken: Vec<_> = file.stages[0].taken().collect();
        assert_eq!(
            *taken[0],
            Taken {
                from: Some("wheels".to_owned()),
                paths: vec!["/w".to_owned()],
                line: 8
            }
        );
        assert_eq!(
            *taken[1],
            Taken {
                from: None,
                paths: vec!["docker/x.sh".to_owned()],
                line: 10
            }
        );
        assert_eq!(taken[2].paths, [] as [&str; 0]);
        assert_eq!(taken[3].paths, ["docker/a", "docker/b"]);
    }

    #[test]
    fn a_variable_counts_where_it_is_used_and_not_in_a_comment() {
        let file = Dockerfile::parse(FILE).unwrap();
        let run = &file.stages[0].steps[3];
        let names: Vec<_> = run
            .lines
            .iter()
            .flat_map(|(line, text)| used(text).map(|name| (*line, name)))
            .collect();
        assert_eq!(names, [(11, "A"), (11, "B")]);
    }

    #[test]
    fn building_a_stage_builds_what_it_copies_from() {
        let file = Dockerfile::parse(FILE).unwrap();
        assert_eq!(file.reached(1), [1, 0]);
        assert_eq!(file.reached(0), [0]);
    }

    #[test]
    fn nonsense_is_told_with_its_place() {
        assert_eq!(
            Dockerfile::parse("FROM a\nNONSENSE x\n").unwrap_err(),
            "unknown instruction 'NONSENSE' at line 2 column 1"
        );
    }
}
