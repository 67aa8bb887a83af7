//! The flags that every tool takes.

/// Flags that every tool takes; flatten it into the tool's own arguments.
#[derive(Debug, Clone, clap::Args)]
pub struct Shared {
    /// Print the facts for a person instead of the document
    #[arg(long)]
    pub explain: bool,
    /// No progress bar and no notes on stderr; errors are still told
    #[arg(long)]
    pub quiet: bool,
    /// Say more on stderr; twice says more still
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,
}
