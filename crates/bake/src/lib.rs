//! A bake file evaluated as buildx does, the Dockerfile graph, the tag plan and its rendering.
//!
//! [`Definitions::read`] reads `docker-bake.hcl` (or the JSON form) and [`Definitions::evaluate`]
//! gives a [`Bake`] under one environment: targets, groups and variables, each with its place in the
//! file. What bake has and this evaluator has not is refused with file, line and column, never guessed.

mod bake;
mod blocks;
mod decimal;
mod definitions;
mod dockerfile;
mod error;
mod evaluate;
mod field;
mod function;
mod hcl;
mod json;
mod location;
mod names;
mod operate;
mod outside;
mod plan;
mod render;
mod syntax;
mod target;
mod template;
mod text_file;
mod value;

pub use bake::{Bake, Group, UnknownName};
pub use decimal::{Decimal, DecimalError};
pub use definitions::{Definitions, ReadError};
pub use dockerfile::{
    Arg, Dockerfile, DockerfileError, Origin, Reach, Stage, TakenFrom, Use, expand,
};
pub use error::{BakeError, Cause};
pub use function::FunctionError;
pub use location::{Location, Source, Span};
pub use outside::Outside;
pub use plan::{PlanError, Request, plan};
pub use render::{MARKDOWN_BEGIN, MARKDOWN_END, between_markers, markdown, table};
pub use target::{Placed, Target};
pub use value::{KindError, Value};
