//! The commands that a page of documentation shows.

/// One command of a ```` ```console ```` block: a line that starts with `$ `, with its continuations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Line of the page, from 1.
    pub line: usize,
    /// What the shell is given.
    pub text: String,
    /// The exit code that the page promises by a trailing `# exit N`; 0 without one.
    pub exit: i32,
}

/// The commands of a page, in order. Only `console` blocks are run; what they show as output is not compared, because
/// pages shorten it.
#[must_use]
pub fn commands(page: &str) -> Vec<Command> {
    let mut found = Vec::new();
    let mut inside = false;
    let mut lines = page.lines().enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let (true, Some(text)) = (inside, line.strip_prefix("$ ")) {
            let mut text = text.to_owned();
            // A shell prompts with `> ` for the rest of a command; after a backslash pages leave the prompt out.
            while let Some((_, next)) = lines.peek() {
                let more = next.strip_prefix("> ");
                let Some(more) = more.or_else(|| text.ends_with('\\').then_some(*next)) else {
                    break;
                };
                text.push('\n');
                text.push_str(more);
                lines.next();
            }
            let exit = text
                .rsplit_once("# exit ")
                .and_then(|(_, code)| code.trim().parse().ok())
                .unwrap_or(0);
            found.push(Command {
                line: number + 1,
                text,
                exit,
            });
        }
    }
    found
}

/// Lines of other blocks that call one of `tools` or a shell prompt: commands that no test would run.
#[must_use]
pub fn foreign_blocks(page: &str, tools: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut block = None;
    for (number, line) in page.lines().enumerate() {
        if let Some(kind) = line.strip_prefix("```") {
            block = match block {
                None => Some(kind),
                Some(_) => None,
            };
        } else if let Some("" | "sh" | "bash" | "shell") = block {
            let first = line.trim_start_matches("$ ").split_whitespace().next();
            if first.is_some_and(|word| tools.contains(&word)) {
                found.push(format!("line {}: {line}", number + 1));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_taken_with_their_continuations_and_exit_codes() {
        let page = "# A\n```console\n$ one \\\n    two\nout\n$ three 'a\n> b' # exit 1\n```\n```sh\n$ four\n```\n";
        let found = commands(page);
        assert_eq!(found.len(), 2);
        assert_eq!(
            (found[0].line, found[0].text.as_str()),
            (3, "one \\\n    two")
        );
        assert_eq!(
            (found[1].text.as_str(), found[1].exit),
            ("three 'a\nb' # exit 1", 1)
        );
    }

    #[test]
    fn a_tool_called_in_a_block_that_is_not_run_is_found() {
        let page = "```sh\nglibc-probe x\nmake y\n```\n```console\n$ glibc-probe y\n```\n";
        assert_eq!(
            foreign_blocks(page, &["glibc-probe"]),
            ["line 2: glibc-probe x"]
        );
    }
}
