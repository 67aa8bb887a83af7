//! The flags that every tool takes.

use clap::error::ErrorKind;

/// Flags that every tool takes; flatten it into the tool's own arguments.
#[derive(Debug, Clone, clap::Args)]
pub struct Shared {
    /// Print the facts for a person instead of the document
    #[arg(long)]
    pub explain: bool,
    /// Print errors only: no progress bar and no notes on stderr
    #[arg(long)]
    pub quiet: bool,
    /// Say more on stderr; twice says more still
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

/// The arguments of this run. `--help` and `--version` are answered and end it with 0; arguments that do
/// not fit end it with 2 and, like every other fault, with one line on stderr.
#[must_use]
#[expect(
    clippy::exit,
    reason = "as `clap::Parser::parse` does; nothing was begun yet"
)]
pub fn arguments<A: clap::Parser>(tool: &str) -> A {
    A::try_parse().unwrap_or_else(|error| {
        if !error.use_stderr() {
            error.exit();
        }
        let command = A::command();
        let commands: Vec<&str> = command
            .get_subcommands()
            .map(clap::Command::get_name)
            .collect();
        crate::note(tool, &told(tool, &error, &commands));
        std::process::exit(2)
    })
}

/// What does not fit, with clap's tip where it has one, and where to look.
fn told(tool: &str, error: &clap::Error, commands: &[&str]) -> String {
    // Clap renders the whole help for this one.
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand && !commands.is_empty() {
        let listed = match commands {
            [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
            commands => commands.concat(),
        };
        return format!("name a command: {listed}; --help tells more");
    }
    let rendered = error.render().to_string();
    let end = ["\n\nUsage: ", "\n\nFor more information"]
        .iter()
        .filter_map(|part| rendered.rfind(part))
        .min();
    let cause = rendered.get(..end.unwrap_or(rendered.len()));
    let cause = cause.unwrap_or(&rendered).trim_start_matches("error: ");
    let cause = cause.replace("\n\n", "; ");
    let words: Vec<&str> = cause.split_ascii_whitespace().collect();
    format!("{}; see `{tool} --help`", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Args {
        #[arg(long)]
        out: std::path::PathBuf,
        #[arg(long)]
        jobs: Option<u8>,
    }

    fn of(arguments: &[&str]) -> String {
        let arguments = std::iter::once("demo").chain(arguments.iter().copied());
        told("demo", &Args::try_parse_from(arguments).unwrap_err(), &[])
    }

    #[test]
    fn arguments_that_do_not_fit_are_told_in_one_line() {
        assert_eq!(
            of(&["--out", "x", "--jobs", "a\nb"]),
            "invalid value 'a b' for '--jobs <JOBS>': invalid digit found in string; see `demo --help`"
        );
        assert_eq!(
            of(&[]),
            "the following required arguments were not provided: --out <OUT>; see `demo --help`"
        );
        assert_eq!(
            of(&["--outt", "x"]),
            "unexpected argument '--outt' found; tip: a similar argument exists: '--out'; see `demo --help`"
        );
    }

    #[derive(Debug, Parser)]
    enum Commands {
        Plan,
        Missing,
        Pull,
    }

    #[test]
    fn a_command_that_is_not_named_is_asked_for_in_one_line() {
        let error = Commands::try_parse_from(["demo"]).unwrap_err();
        assert_eq!(
            told("demo", &error, &["plan", "missing", "pull"]),
            "name a command: plan, missing or pull; --help tells more"
        );
        assert_eq!(
            told("demo", &error, &["plan"]),
            "name a command: plan; --help tells more"
        );
    }
}
