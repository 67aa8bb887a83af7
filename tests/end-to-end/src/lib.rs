//! What the end-to-end tests stand on: the built tools, the repository, the console blocks of a page.

mod console;
mod workspace;

pub use console::{Command, commands, foreign_blocks};
pub use workspace::Workspace;
