//! A Dockerfile as far as a plan needs it: its stages, what each is made from, and the build arguments
//! that it declares and uses.

mod expand;
mod reach;

use std::io;
use std::path::{Path, PathBuf};

use parse_dockerfile::{Command, Flag, Instruction, JsonOrStringArray, Source};

use crate::text_file;

pub use expand::expand;
pub use reach::{Origin, Reach};

/// A Dockerfile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dockerfile {
    /// The file's name as it was given.
    pub name: String,
    /// The `ARG`s before the first `FROM`: they reach `FROM` lines, and a stage that declares them
    /// again.
    pub global_args: Vec<Arg>,
    /// At least one, in the order of the file.
    pub stages: Vec<Stage>,
}

/// An `ARG`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arg {
    /// Its name.
    pub name: String,
    /// Its default, as written, without quotes.
    pub default: Option<String>,
    /// From 1.
    pub line: usize,
}

/// A build stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// `FROM image AS name`; `None` without a name.
    pub name: Option<String>,
    /// The line of its `FROM`, from 1.
    pub line: usize,
    /// What it is made from, as written: `${BASE_IMAGE}`.
    pub from: String,
    /// The `ARG`s that it declares.
    pub args: Vec<Arg>,
    /// `COPY --from` and `RUN --mount from`.
    pub sources: Vec<TakenFrom>,
    /// Variables that its instructions use, `FROM` included.
    pub uses: Vec<Use>,
}

/// Another stage or image that an instruction takes files from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenFrom {
    /// The instruction: `COPY`, `ADD` or `RUN`.
    pub keyword: &'static str,
    /// The stage, context or image, as written.
    pub name: String,
    /// From 1.
    pub line: usize,
}

/// A variable in an instruction: `$NAME` or `${NAME…}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    /// The variable.
    pub name: String,
    /// The instruction; in `RUN` it may be a variable of the shell.
    pub keyword: &'static str,
    /// From 1.
    pub line: usize,
}

/// A Dockerfile that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum DockerfileError {
    /// Not there, not readable, not UTF-8.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// Not a Dockerfile.
    #[error("{file}:{line}:{column}: {cause}")]
    Syntax {
        /// The file.
        file: String,
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What the parser said, on one line.
        cause: String,
    },
}

impl Dockerfile {
    /// Reads a file.
    ///
    /// # Errors
    /// [`DockerfileError`].
    pub fn read(path: &Path) -> Result<Self, DockerfileError> {
        let text = text_file::read(path).map_err(|cause| DockerfileError::Io {
            path: path.to_owned(),
            cause,
        })?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// Reads a text; `name` is what messages call it.
    ///
    /// # Errors
    /// [`DockerfileError::Syntax`].
    pub fn parse(name: &str, text: &str) -> Result<Self, DockerfileError> {
        let parsed = parse_dockerfile::parse(text).map_err(|error| DockerfileError::Syntax {
            file: name.to_owned(),
            line: error.line(),
            column: error.column(),
            cause: one_line(&error.to_string()),
        })?;
        let reader = Reader { text };
        let mut file = Self {
            name: name.to_owned(),
            global_args: Vec::new(),
            stages: Vec::new(),
        };
        for instruction in &parsed.instructions {
            if let Instruction::From(from) = instruction {
                let mut stage = Stage {
                    name: from.as_.as_ref().map(|(_, name)| name.value.to_string()),
                    line: reader.line(from.from.span.start),
                    from: from.image.value.to_string(),
                    args: Vec::new(),
                    sources: Vec::new(),
                    uses: Vec::new(),
                };
                reader.flag_uses(&from.options, "FROM", &mut stage.uses);
                reader.uses(&from.image.span, "FROM", &mut stage.uses);
                file.stages.push(stage);
                continue;
            }
            match file.stages.last_mut() {
                Some(stage) => reader.add(instruction, stage),
                None => {
                    if let Instruction::Arg(arg) = instruction {
                        file.global_args.extend(reader.args(&arg.arguments.span));
                    }
                }
            }
        }
        Ok(file)
    }

    /// The position of a stage by name or by number; stage names know no case.
    #[must_use]
    pub fn stage(&self, name: &str) -> Option<usize> {
        let by_name = |stage: &Stage| {
            let known = stage.name.as_deref();
            known.is_some_and(|known| known.eq_ignore_ascii_case(name))
        };
        self.stages.iter().rposition(by_name).or_else(|| {
            let number: usize = name.parse().ok()?;
            (number < self.stages.len()).then_some(number)
        })
    }
}

/// The parser's message says the place once more at its end, and shows the line below.
fn one_line(message: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    let cause = first.rfind(" at line ").map_or(first, |at| &first[..at]);
    cause.trim().to_owned()
}

struct Reader<'a> {
    text: &'a str,
}

impl Reader<'_> {
    fn line(&self, at: usize) -> usize {
        self.text
            .get(..at)
            .unwrap_or(self.text)
            .matches('\n')
            .count()
            + 1
    }

    fn add(&self, instruction: &Instruction<'_>, stage: &mut Stage) {
        let uses = &mut stage.uses;
        match instruction {
            Instruction::Arg(arg) => {
                self.uses(&arg.arguments.span, "ARG", uses);
                stage.args.extend(self.args(&arg.arguments.span));
            }
            Instruction::Copy(copy) => {
                self.copy("COPY", &copy.options, &copy.src, &copy.dest.span, stage);
            }
            Instruction::Add(add) => {
                self.copy("ADD", &add.options, &add.src, &add.dest.span, stage);
            }
            Instruction::Run(run) => {
                self.flag_uses(&run.options, "RUN", uses);
                self.command(&run.arguments, "RUN", uses);
                for document in &run.here_docs {
                    self.uses(&document.span, "RUN", uses);
                }
                for flag in run.options.iter().filter(|flag| flag.name.value == "mount") {
                    let Some(value) = &flag.value else { continue };
                    let from = value
                        .value
                        .split(',')
                        .find_map(|part| part.strip_prefix("from="));
                    if let Some(from) = from {
                        stage.sources.push(TakenFrom {
                            keyword: "RUN",
                            name: from.to_owned(),
                            line: self.line(value.span.start),
                        });
                    }
                }
            }
            Instruction::Env(env) => self.uses(&env.arguments.span, "ENV", uses),
            Instruction::Label(label) => self.uses(&label.arguments.span, "LABEL", uses),
            Instruction::Workdir(dir) => self.uses(&dir.arguments.span, "WORKDIR", uses),
            Instruction::User(account) => self.uses(&account.arguments.span, "USER", uses),
            Instruction::Stopsignal(stop) => self.uses(&stop.arguments.span, "STOPSIGNAL", uses),
            Instruction::Expose(expose) => {
                for port in &expose.arguments {
                    self.uses(&port.span, "EXPOSE", uses);
                }
            }
            Instruction::Volume(volume) => match &volume.arguments {
                JsonOrStringArray::Json(list) => self.uses(&list.span, "VOLUME", uses),
                JsonOrStringArray::String(list) => {
                    for path in list {
                        self.uses(&path.span, "VOLUME", uses);
                    }
                }
            },
            Instruction::Cmd(cmd) => self.command(&cmd.arguments, "CMD", uses),
            Instruction::Entrypoint(entry) => self.command(&entry.arguments, "ENTRYPOINT", uses),
            _ => {}
        }
    }

    fn copy(
        &self,
        keyword: &'static str,
        options: &[Flag<'_>],
        sources: &[Source<'_>],
        destination: &std::ops::Range<usize>,
        stage: &mut Stage,
    ) {
        self.flag_uses(options, keyword, &mut stage.uses);
        for source in sources {
            match source {
                Source::Path(path) => self.uses(&path.span, keyword, &mut stage.uses),
                Source::HereDoc(document) if document.expand => {
                    self.uses(&document.span, keyword, &mut stage.uses);
                }
                _ => {}
            }
        }
        self.uses(destination, keyword, &mut stage.uses);
        for flag in options.iter().filter(|flag| flag.name.value == "from") {
            if let Some(value) = &flag.value {
                stage.sources.push(TakenFrom {
                    keyword,
                    name: value.value.to_string(),
                    line: self.line(value.span.start),
                });
            }
        }
    }

    fn command(&self, command: &Command<'_>, keyword: &'static str, uses: &mut Vec<Use>) {
        // An exec form is no shell and expands nothing.
        if let Command::Shell(text) = command {
            self.uses(&text.span, keyword, uses);
        }
    }

    fn flag_uses(&self, flags: &[Flag<'_>], keyword: &'static str, uses: &mut Vec<Use>) {
        for value in flags.iter().filter_map(|flag| flag.value.as_ref()) {
            self.uses(&value.span, keyword, uses);
        }
    }

    /// The variables in a piece of the file. Comment lines inside an instruction are passed over.
    fn uses(&self, span: &std::ops::Range<usize>, keyword: &'static str, uses: &mut Vec<Use>) {
        let mut at = span.start;
        for line in self
            .text
            .get(span.clone())
            .unwrap_or_default()
            .split_inclusive('\n')
        {
            if !line.trim_start().starts_with('#') || at == span.start {
                for name in expand::names(line) {
                    let (name, line) = (name.to_owned(), self.line(at));
                    uses.push(Use {
                        name,
                        keyword,
                        line,
                    });
                }
            }
            at += line.len();
        }
    }

    /// The declarations of one `ARG` line: `A B=1 C="two words"`.
    fn args(&self, span: &std::ops::Range<usize>) -> Vec<Arg> {
        let mut args = Vec::new();
        let text = self.text.get(span.clone()).unwrap_or_default();
        let mut at = 0;
        while let Some(word) = expand::word(&text[at..]) {
            let (start, end) = (at + word.start, at + word.end);
            let written = &text[start..end];
            let (name, default) = match written.split_once('=') {
                Some((name, default)) => (name, Some(expand::unquoted(default))),
                None => (written, None),
            };
            args.push(Arg {
                name: name.to_owned(),
                default,
                line: self.line(span.start + start),
            });
            at = end;
        }
        args
    }
}
