//! A Dockerfile as the rules look at it: the graph that `bake` reads, and beside it the text of each step.

use parse_dockerfile::{Flag, Instruction, Source};

/// A Dockerfile.
#[derive(Debug)]
pub(crate) struct Dockerfile {
    /// Its arguments and stages.
    pub(crate) graph: bake::Dockerfile,
    /// The steps of each stage, FROM left out.
    pub(crate) steps: Vec<Vec<Step>>,
}

/// One instruction of a stage.
#[derive(Debug, Default)]
pub(crate) struct Step {
    pub(crate) is_arg: bool,
    /// Its lines with their numbers, comments left out.
    pub(crate) lines: Vec<(u64, String)>,
    /// The names that an ENV sets.
    pub(crate) sets: Vec<String>,
    /// What it takes from the build context: COPY, ADD and bind mounts.
    pub(crate) from_context: Vec<(u64, String)>,
}

impl Dockerfile {
    /// Reads a Dockerfile; `name` is what messages call it.
    ///
    /// # Errors
    /// [`bake::DockerfileError::Syntax`], with line and column.
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, bake::DockerfileError> {
        let graph = bake::Dockerfile::parse(name, text)?;
        let mut steps: Vec<Vec<Step>> = Vec::new();
        if let Ok(parsed) = parse_dockerfile::parse(text) {
            let lines = Lines(text);
            let mut starts: Vec<usize> = parsed.instructions.iter().map(start).collect();
            starts.push(text.len());
            for (instruction, window) in parsed.instructions.iter().zip(starts.windows(2)) {
                if matches!(instruction, Instruction::From(_)) {
                    steps.push(Vec::new());
                } else if let Some(stage) = steps.last_mut() {
                    stage.push(Step {
                        is_arg: matches!(instruction, Instruction::Arg(_)),
                        lines: lines.between(window[0], window[1]),
                        sets: sets(instruction),
                        from_context: from_context(instruction, &lines),
                    });
                }
            }
        }
        Ok(Self { graph, steps })
    }

    /// Every ARG of the file, those before the first FROM first.
    pub(crate) fn args(&self) -> impl Iterator<Item = &bake::Arg> {
        let in_stages = self.graph.stages.iter().flat_map(|stage| &stage.args);
        self.graph.global_args.iter().chain(in_stages)
    }

    /// The ARG of that name before the first FROM.
    pub(crate) fn global(&self, name: &str) -> Option<&bake::Arg> {
        self.graph.global_args.iter().find(|arg| arg.name == name)
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

/// `ENV NAME value` sets one name, `ENV A=1 B=2` several.
fn sets(instruction: &Instruction<'_>) -> Vec<String> {
    let Instruction::Env(env) = instruction else {
        return Vec::new();
    };
    let text = env.arguments.value.as_ref();
    let is_name = |word: &&str| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match text.split_once(char::is_whitespace) {
        Some((name, _)) if is_name(&name) => vec![name.to_owned()],
        // A quoted value with `B=` inside names one variable too many, which hides no use of another.
        _ => text
            .split_whitespace()
            .filter_map(|word| Some(word.split_once('=')?.0))
            .filter(is_name)
            .map(str::to_owned)
            .collect(),
    }
}

fn from_context(instruction: &Instruction<'_>, lines: &Lines<'_>) -> Vec<(u64, String)> {
    match instruction {
        Instruction::Copy(copy) if copy.options.iter().all(|o| o.name.value != "from") => copy
            .src
            .iter()
            .filter_map(|source| path(source, lines))
            .collect(),
        Instruction::Add(add) => add
            .src
            .iter()
            .filter_map(|source| path(source, lines))
            .collect(),
        Instruction::Run(run) => run
            .options
            .iter()
            .filter_map(|o| mounted(o, lines))
            .collect(),
        _ => Vec::new(),
    }
}

/// A path of the context; not an address, and not a here-document.
fn path(source: &Source<'_>, lines: &Lines<'_>) -> Option<(u64, String)> {
    match source {
        Source::Path(path) if !path.value.contains("://") => {
            Some((lines.number(path.span.start), path.value.to_string()))
        }
        _ => None,
    }
}

/// The source of a bind mount that names no stage.
fn mounted(option: &Flag<'_>, lines: &Lines<'_>) -> Option<(u64, String)> {
    let value = option
        .value
        .as_ref()
        .filter(|_| option.name.value == "mount")?;
    let field = |names: &[&str]| {
        let mut fields = value
            .value
            .split(',')
            .filter_map(|field| field.split_once('='));
        fields
            .find(|(name, _)| names.contains(name))
            .map(|(_, value)| value)
    };
    let is_bind = field(&["type"]).is_none_or(|kind| kind == "bind");
    let source = field(&["source", "src"]).filter(|_| is_bind && field(&["from"]).is_none())?;
    Some((lines.number(value.span.start), source.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"ARG BASE=ubuntu:26.04
FROM ${BASE} AS build
# a comment with 1.2.3
ENV C=1 D="2 3"
ENV E f g
RUN --mount=type=bind,from=wheels,source=/w,target=/w --mount=type=cache,target=/c \
    # never 1.2.3
    --mount=type=bind,source=docker/x.sh,target=/x \
    echo
COPY <<EOF /o
one
EOF

ADD https://example.org/a docker/c /d/
COPY docker/a docker/b /d/
FROM scratch AS wheel
ARG LATE
COPY --from=build /dist/*.whl /wheels/
"#;

    fn parsed() -> Dockerfile {
        Dockerfile::parse("Dockerfile", FILE).unwrap()
    }

    #[test]
    fn a_step_tells_what_it_sets() {
        let file = parsed();
        let sets: Vec<_> = file.steps[0].iter().flat_map(|step| &step.sets).collect();
        assert_eq!(sets, ["C", "D", "E"]);
    }

    #[test]
    fn only_what_comes_from_the_context_counts_as_that() {
        let file = parsed();
        let taken: Vec<_> = file
            .steps
            .iter()
            .flatten()
            .flat_map(|step| &step.from_context)
            .collect();
        let taken: Vec<_> = taken
            .iter()
            .map(|(line, path)| (*line, path.as_str()))
            .collect();
        assert_eq!(
            taken,
            [
                (8, "docker/x.sh"),
                (14, "docker/c"),
                (15, "docker/a"),
                (15, "docker/b")
            ]
        );
    }

    #[test]
    fn comments_are_no_lines_of_a_step() {
        let file = parsed();
        assert!(
            file.steps
                .iter()
                .flatten()
                .flat_map(|step| &step.lines)
                .all(|(_, line)| !line.contains("1.2.3"))
        );
        assert_eq!(
            file.steps[0][2]
                .lines
                .iter()
                .map(|(number, _)| *number)
                .collect::<Vec<_>>(),
            [6, 8, 9]
        );
    }

    #[test]
    fn arguments_of_all_stages_are_found() {
        let file = parsed();
        assert_eq!(
            file.args().map(|arg| arg.name.as_str()).collect::<Vec<_>>(),
            ["BASE", "LATE"]
        );
        assert!(file.global("BASE").is_some() && file.global("LATE").is_none());
        assert!(file.steps[1][0].is_arg);
    }
}
