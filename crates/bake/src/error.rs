//! What makes a bake file unreadable, and where.

use crate::decimal::DecimalError;
use crate::function::FunctionError;
use crate::location::{Location, Span};
use crate::value::KindError;

/// A bake file, or a part of it, that cannot be evaluated: `docker-bake.hcl:12:3: cause`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {cause}")]
pub struct BakeError {
    /// Where.
    pub at: Location,
    /// What.
    pub cause: Cause,
}

impl BakeError {
    /// An error at the start of `span`.
    #[must_use]
    pub fn new(span: &Span, cause: Cause) -> Self {
        Self {
            at: span.location(),
            cause,
        }
    }

    /// The same error, told of another place.
    #[must_use]
    pub(crate) fn moved(self, span: &Span) -> Self {
        Self::new(span, self.cause)
    }
}

impl Cause {
    /// Whether bake itself may well evaluate what is refused here. Then `try` and `can`, which ask
    /// whether bake would, cannot be answered.
    pub(crate) fn is_ours(&self) -> bool {
        match self {
            Self::Unsupported(_) | Self::Misread(_) | Self::UnknownFunction(_) => true,
            Self::Number(cause) => cause.is_ours(),
            Self::Call { cause, .. } => cause.is_ours(),
            _ => false,
        }
    }
}

/// Why a bake file cannot be evaluated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// Neither HCL nor JSON as bake reads it.
    #[error("{0}")]
    Syntax(String),
    /// A name that no variable, attribute or parameter has.
    #[error(
        "there is no variable `{0}`; only a `variable` block makes one, also for the environment"
    )]
    UnknownVariable(String),
    /// A function that neither the file defines nor this evaluator knows.
    #[error("the function `{0}` is not known here")]
    UnknownFunction(String),
    /// `a = b` and `b = a`, through variables or functions.
    #[error("`{0}` is defined by itself")]
    Cycle(String),
    /// A value of the wrong kind.
    #[error("{0}")]
    Kind(KindError),
    /// A number that would have to be rounded.
    #[error("{0}")]
    Number(DecimalError),
    /// A function that was called the wrong way.
    #[error("`{name}`: {cause}")]
    Call {
        /// The function.
        name: String,
        /// What it said.
        cause: FunctionError,
    },
    /// An environment variable, or `VAR=VALUE`, of the wrong kind: `DEBUG=` for a boolean.
    #[error("the value `{value}` of `{name}` from outside is not {expected}, as its default is")]
    Override {
        /// The variable.
        name: String,
        /// What came.
        value: String,
        /// What its default is, with an article.
        expected: &'static str,
    },
    /// An index or a key that is not there.
    #[error("there is no member `{0}`")]
    NoMember(String),
    /// A key made twice by one `for`.
    #[error("the key `{0}` is made twice; write `...` behind the value to gather them")]
    TwiceMade(String),
    /// An attribute or a block that is not bake's, or not where it may be.
    #[error("`{name}` is not expected in {inside}")]
    Unexpected {
        /// The attribute or block.
        name: String,
        /// Where it stands, with an article.
        inside: &'static str,
    },
    /// Something that bake has and this evaluator has not.
    #[error("{0} is not supported here")]
    Unsupported(&'static str),
    /// Text that our HCL parser reads otherwise than bake.
    #[error("{0}")]
    Misread(&'static str),
    /// A value from outside for a variable whose default is a list or an object.
    #[error("`{name}` cannot be set from outside: its default is {kind}")]
    NotSettable {
        /// The variable.
        name: String,
        /// What its default is, with an article.
        kind: &'static str,
    },
    /// An attribute that a block must have.
    #[error("`{name}` is missing in {inside}")]
    Missing {
        /// The attribute.
        name: &'static str,
        /// Where, with an article.
        inside: &'static str,
    },
    /// The same name given twice where it may be given once.
    #[error("`{0}` is already set; each may be set once")]
    SetTwice(String),
    /// Other than letters, digits, `_` and `-`.
    #[error("`{0}` is not a name; letters, digits, `_` and `-` make one")]
    BadName(String),
    /// `inherits` or a group naming a target that is not there.
    #[error("there is no target `{0}`")]
    UnknownTarget(String),
}
