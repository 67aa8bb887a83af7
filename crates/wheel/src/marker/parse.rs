//! The grammar of markers.

use super::{Comparison, Tree, Variable, canonical_extra};

/// How deep parentheses may nest; a marker comes from a file that somebody else wrote.
const MAX_DEPTH: usize = 64;

/// Why a text is no marker.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MarkerError {
    /// Something other than the grammar allows: `python_version 3`, `os == 'x'`.
    #[error("`{rest}` in a marker: expected {expected}")]
    Expected {
        /// What would have been right.
        expected: &'static str,
        /// What stands there.
        rest: String,
    },
    /// Parentheses in parentheses, 64 deep.
    #[error("a marker with parentheses nested deeper than {MAX_DEPTH}")]
    Deep,
}

pub(super) fn marker(text: &str) -> Result<Tree, MarkerError> {
    let mut parser = Parser { rest: text };
    let tree = parser.any(0)?;
    parser.blanks();
    if parser.rest.is_empty() {
        Ok(tree)
    } else {
        Err(parser.expected("`and`, `or` or the end"))
    }
}

struct Parser<'a> {
    rest: &'a str,
}

enum Operand {
    Variable(Variable),
    Literal(String),
}

impl Parser<'_> {
    fn any(&mut self, depth: usize) -> Result<Tree, MarkerError> {
        let mut parts = vec![self.all(depth)?];
        while self.word("or") {
            parts.push(self.all(depth)?);
        }
        Ok(one_or(parts, Tree::Any))
    }

    fn all(&mut self, depth: usize) -> Result<Tree, MarkerError> {
        let mut parts = vec![self.atom(depth)?];
        while self.word("and") {
            parts.push(self.atom(depth)?);
        }
        Ok(one_or(parts, Tree::All))
    }

    fn atom(&mut self, depth: usize) -> Result<Tree, MarkerError> {
        if depth > MAX_DEPTH {
            return Err(MarkerError::Deep);
        }
        self.blanks();
        if let Some(rest) = self.rest.strip_prefix('(') {
            self.rest = rest;
            let tree = self.any(depth + 1)?;
            self.blanks();
            self.rest = match self.rest.strip_prefix(')') {
                Some(rest) => rest,
                None => return Err(self.expected("`)`")),
            };
            return Ok(tree);
        }
        let left = self.operand()?;
        let operator = self.operator()?;
        let right = self.operand()?;
        self.compare(left, operator, right)
    }

    fn compare(
        &self,
        left: Operand,
        operator: Comparison,
        right: Operand,
    ) -> Result<Tree, MarkerError> {
        let (variable, literal, literal_first) = match (left, right) {
            (Operand::Variable(variable), Operand::Literal(literal)) => (variable, literal, false),
            (Operand::Literal(literal), Operand::Variable(variable)) => (variable, literal, true),
            (Operand::Literal(left), Operand::Literal(right)) => {
                return Ok(Tree::Constant(constant(&left, operator, &right)));
            }
            (Operand::Variable(_), Operand::Variable(_)) => {
                return Err(self.expected("a quoted value on one side"));
            }
        };
        let literal = if variable == Variable::Extra {
            canonical_extra(&literal)
        } else {
            literal
        };
        Ok(Tree::Compare {
            variable,
            operator,
            literal,
            literal_first,
        })
    }

    fn operand(&mut self) -> Result<Operand, MarkerError> {
        self.blanks();
        for quote in ['"', '\''] {
            if let Some(rest) = self.rest.strip_prefix(quote) {
                let Some((literal, rest)) = rest.split_once(quote) else {
                    return Err(self.expected("a closing quote"));
                };
                self.rest = rest;
                return Ok(Operand::Literal(literal.to_owned()));
            }
        }
        let length = self
            .rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.')))
            .unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(length);
        match variable(name) {
            Some(variable) => {
                self.rest = rest;
                Ok(Operand::Variable(variable))
            }
            None => Err(self.expected("a variable such as `python_version`, or a quoted value")),
        }
    }

    fn operator(&mut self) -> Result<Comparison, MarkerError> {
        self.blanks();
        // Longest first: `<=` starts with `<`.
        for (sign, operator) in [
            ("===", Comparison::Identical),
            ("==", Comparison::Equal),
            ("~=", Comparison::Compatible),
            ("!=", Comparison::NotEqual),
            ("<=", Comparison::LessEqual),
            (">=", Comparison::GreaterEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ] {
            if let Some(rest) = self.rest.strip_prefix(sign) {
                self.rest = rest;
                return Ok(operator);
            }
        }
        if self.word("in") {
            return Ok(Comparison::In);
        }
        let before = self.rest;
        if self.word("not") && self.word("in") {
            return Ok(Comparison::NotIn);
        }
        self.rest = before;
        Err(self.expected("an operator"))
    }

    /// Takes a word, when it stands here and ends here.
    fn word(&mut self, word: &str) -> bool {
        self.blanks();
        let Some(rest) = self.rest.strip_prefix(word) else {
            return false;
        };
        if rest.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.')) {
            return false;
        }
        self.rest = rest;
        true
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
    }

    fn expected(&self, expected: &'static str) -> MarkerError {
        MarkerError::Expected {
            expected,
            rest: self.rest.chars().take(40).collect(),
        }
    }
}

fn one_or(mut parts: Vec<Tree>, many: impl FnOnce(Vec<Tree>) -> Tree) -> Tree {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            many(parts)
        }
        None => many(parts),
    }
}

fn constant(left: &str, operator: Comparison, right: &str) -> bool {
    match operator {
        Comparison::NotEqual => left != right,
        Comparison::In => right.contains(left),
        Comparison::NotIn => !right.contains(left),
        _ => left == right,
    }
}

/// The names of today, and those of PEP 345 with a dot.
fn variable(name: &str) -> Option<Variable> {
    Some(match name {
        "os_name" | "os.name" => Variable::OsName,
        "sys_platform" | "sys.platform" => Variable::SysPlatform,
        "platform_machine" | "platform.machine" => Variable::PlatformMachine,
        "platform_python_implementation"
        | "platform.python_implementation"
        | "python_implementation" => Variable::PlatformPythonImplementation,
        "platform_release" => Variable::PlatformRelease,
        "platform_system" => Variable::PlatformSystem,
        "platform_version" | "platform.version" => Variable::PlatformVersion,
        "python_version" => Variable::PythonVersion,
        "python_full_version" => Variable::PythonFullVersion,
        "implementation_name" => Variable::ImplementationName,
        "implementation_version" => Variable::ImplementationVersion,
        "extra" => Variable::Extra,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_marker_is_refused_with_its_place() {
        for (text, cause) in [
            (
                "",
                "`` in a marker: expected a variable such as `python_version`, or a quoted value",
            ),
            (
                "os == 'x'",
                "`os == 'x'` in a marker: expected a variable such as `python_version`, or a quoted value",
            ),
            ("os_name 'x'", "`'x'` in a marker: expected an operator"),
            (
                "os_name == 'x",
                "`'x` in a marker: expected a closing quote",
            ),
            ("(os_name == 'x'", "`` in a marker: expected `)`"),
            (
                "os_name == 'x' 'y'",
                "`'y'` in a marker: expected `and`, `or` or the end",
            ),
            (
                "os_name == sys_platform",
                "`` in a marker: expected a quoted value on one side",
            ),
        ] {
            assert_eq!(marker(text).unwrap_err().to_string(), cause, "{text}");
        }
    }

    #[test]
    fn parentheses_without_end_do_not_exhaust_the_stack() {
        assert_eq!(marker(&"(".repeat(100_000)), Err(MarkerError::Deep));
    }
}
