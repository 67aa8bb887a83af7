//! Environment markers: `sys_platform == "linux" and extra == "device-gfx950"`.
//!
//! <https://packaging.python.org/en/latest/specifications/dependency-specifiers/#environment-markers>

use std::collections::BTreeMap;
use std::str::FromStr;

use pep440_rs::{Version, VersionSpecifier};

use crate::ProjectName;

mod parse;

pub use parse::MarkerError;

/// A marker, parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker(Tree);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Tree {
    All(Vec<Tree>),
    Any(Vec<Tree>),
    Compare {
        variable: Variable,
        operator: Comparison,
        literal: String,
        /// `"linux" == sys_platform`: the literal stands on the left, which matters for `in`.
        literal_first: bool,
    },
    /// Two literals; packaging refuses them, old METADATA has them.
    Constant(bool),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Less,
    LessEqual,
    NotEqual,
    Equal,
    GreaterEqual,
    Greater,
    Compatible,
    Identical,
    In,
    NotIn,
}

/// A variable of the environment that markers can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variable {
    /// `os_name`: `posix`.
    OsName,
    /// `sys_platform`: `linux`.
    SysPlatform,
    /// `platform_machine`: `x86_64`.
    PlatformMachine,
    /// `platform_python_implementation`: `CPython`.
    PlatformPythonImplementation,
    /// `platform_release`: of the kernel.
    PlatformRelease,
    /// `platform_system`: `Linux`.
    PlatformSystem,
    /// `platform_version`: of the kernel's build.
    PlatformVersion,
    /// `python_version`: `3.14`.
    PythonVersion,
    /// `python_full_version`: `3.14.0`.
    PythonFullVersion,
    /// `implementation_name`: `cpython`.
    ImplementationName,
    /// `implementation_version`: `3.14.0`.
    ImplementationVersion,
    /// `extra`: one of the extras that were asked for, or empty.
    Extra,
}

/// What is known about the place of installation. What is not set is unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<Variable, String>);

impl Environment {
    /// An environment of which nothing is known.
    #[must_use]
    pub fn unknown() -> Self {
        Self::default()
    }

    /// Linux, and nothing more.
    #[must_use]
    pub fn linux() -> Self {
        Self::unknown()
            .with(Variable::OsName, "posix")
            .with(Variable::SysPlatform, "linux")
            .with(Variable::PlatformSystem, "Linux")
    }

    /// `CPython` on Linux, no extra asked for: `python` is `3.14` or `3.14.2`, `machine` is `x86_64`.
    #[must_use]
    pub fn linux_cpython(python: &str, machine: &str) -> Self {
        let mut parts = python.split('.');
        let minor: Vec<&str> = parts.by_ref().take(2).collect();
        let patch = parts.next().unwrap_or("0");
        let minor = minor.join(".");
        let full = format!("{minor}.{patch}");
        Self::linux()
            .with(Variable::PlatformMachine, machine)
            .with(Variable::PlatformPythonImplementation, "CPython")
            .with(Variable::ImplementationName, "cpython")
            .with(Variable::ImplementationVersion, &full)
            .with(Variable::PythonVersion, &minor)
            .with(Variable::PythonFullVersion, &full)
            .with(Variable::Extra, "")
    }

    /// The same with one variable set.
    #[must_use]
    pub fn with(mut self, variable: Variable, value: &str) -> Self {
        self.0.insert(variable, value.to_owned());
        self
    }

    /// The same with this extra asked for; markers compare extras by their canonical name.
    #[must_use]
    pub fn with_extra(self, extra: &str) -> Self {
        let canonical = canonical_extra(extra);
        self.with(Variable::Extra, &canonical)
    }
}

impl Marker {
    /// Whether the marker holds; `None` when that hangs on a variable that is unknown, or on a
    /// comparison that has no meaning (`os_name ~= "posix"`).
    #[must_use]
    pub fn evaluate(&self, environment: &Environment) -> Option<bool> {
        self.0.evaluate(environment)
    }

    /// Whether the marker asks for an extra at all.
    #[must_use]
    pub fn mentions_extra(&self) -> bool {
        self.0.mentions_extra()
    }
}

impl FromStr for Marker {
    type Err = MarkerError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse::marker(text).map(Self)
    }
}

impl Tree {
    /// Kleene's logic: one false makes a conjunction false, whatever is unknown beside it.
    fn evaluate(&self, environment: &Environment) -> Option<bool> {
        match self {
            Self::All(parts) => fold(parts, environment, false),
            Self::Any(parts) => fold(parts, environment, true),
            Self::Constant(value) => Some(*value),
            Self::Compare {
                variable,
                operator,
                literal,
                literal_first,
            } => {
                let value = environment.0.get(variable)?;
                let (left, right) = if *literal_first {
                    (literal.as_str(), value.as_str())
                } else {
                    (value.as_str(), literal.as_str())
                };
                compare(*variable, left, *operator, right)
            }
        }
    }

    fn mentions_extra(&self) -> bool {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().any(Self::mentions_extra),
            Self::Compare { variable, .. } => *variable == Variable::Extra,
            Self::Constant(_) => false,
        }
    }
}

/// `decisive` is the value that settles the matter as soon as one part has it.
fn fold(parts: &[Tree], environment: &Environment, decisive: bool) -> Option<bool> {
    let mut unknown = false;
    for part in parts {
        match part.evaluate(environment) {
            Some(value) if value == decisive => return Some(decisive),
            Some(_) => {}
            None => unknown = true,
        }
    }
    if unknown { None } else { Some(!decisive) }
}

fn compare(variable: Variable, left: &str, operator: Comparison, right: &str) -> Option<bool> {
    // As packaging does: only these four are versions, and only where both sides can be read so.
    let versions = matches!(
        variable,
        Variable::PythonVersion
            | Variable::PythonFullVersion
            | Variable::ImplementationVersion
            | Variable::PlatformRelease
    );
    if versions && let Some(sign) = operator.sign() {
        let specifier = VersionSpecifier::from_str(&format!("{sign}{right}"));
        if let Ok(specifier) = specifier {
            return Some(Version::from_str(left).is_ok_and(|left| specifier.contains(&left)));
        }
    }
    match operator {
        Comparison::Equal | Comparison::LessEqual | Comparison::GreaterEqual => Some(left == right),
        Comparison::NotEqual => Some(left != right),
        Comparison::Less | Comparison::Greater => Some(false),
        Comparison::In => Some(right.contains(left)),
        Comparison::NotIn => Some(!right.contains(left)),
        Comparison::Compatible | Comparison::Identical => None,
    }
}

impl Comparison {
    fn sign(self) -> Option<&'static str> {
        Some(match self {
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::NotEqual => "!=",
            Self::Equal => "==",
            Self::GreaterEqual => ">=",
            Self::Greater => ">",
            Self::Compatible => "~=",
            Self::Identical => "===",
            Self::In | Self::NotIn => return None,
        })
    }
}

/// Extras are compared by their canonical name (PEP 685); what is none is compared as it stands.
fn canonical_extra(extra: &str) -> String {
    ProjectName::new(extra).map_or_else(|_| extra.to_owned(), |name| name.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str, environment: &Environment) -> Option<bool> {
        Marker::from_str(text).unwrap().evaluate(environment)
    }

    #[test]
    fn markers_are_evaluated_as_installers_do() {
        let here = Environment::linux_cpython("3.14", "x86_64").with_extra("Device_GFX950");
        for (text, expected) in [
            ("python_version >= '3.10'", true),
            (
                "python_version >= \"3.9\" and python_version < '3.10'",
                false,
            ),
            ("'3.14' == python_version", true),
            ("python_full_version ~= '3.14.0'", true),
            ("sys_platform == 'win32' or os_name == 'posix'", true),
            (
                "sys_platform == 'win32' and (os_name == 'posix' or os_name == 'nt')",
                false,
            ),
            ("extra == 'device-gfx950'", true),
            ("extra == 'DEVICE.gfx950'", true),
            ("extra != 'all'", true),
            ("'linux' in sys_platform", true),
            ("sys_platform not in 'linux darwin'", false),
            ("platform_python_implementation == 'CPython'", true),
            ("platform.python_implementation == 'PyPy'", false),
            ("platform_machine < 'z'", false),
        ] {
            assert_eq!(holds(text, &here), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_unknown_stays_unknown_unless_the_rest_decides() {
        let linux = Environment::linux();
        for (text, expected) in [
            ("extra == 'x'", None),
            ("extra == 'x' and sys_platform == 'win32'", Some(false)),
            ("extra == 'x' or sys_platform == 'linux'", Some(true)),
            ("extra == 'x' or sys_platform == 'win32'", None),
            ("os_name ~= 'posix'", None),
        ] {
            assert_eq!(holds(text, &linux), expected, "{text}");
        }
    }

    #[test]
    fn a_prerelease_of_python_is_compared_as_a_version() {
        let release = Environment::unknown().with(Variable::PythonFullVersion, "3.15.0a1");
        assert_eq!(holds("python_full_version < '3.15'", &release), Some(false));
        assert_eq!(holds("python_full_version >= '3.14'", &release), Some(true));
    }
}
