//! A progress bar: on a terminal only.

use std::io::{self, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Progress of long work in bytes or steps, drawn on stderr when that is a terminal and nobody said `--quiet`.
#[derive(Debug, Clone)]
pub struct Progress(ProgressBar);

impl Progress {
    /// A bar of `total` bytes; invisible in a pipe, in CI and under `quiet`.
    #[must_use]
    pub fn bytes(total: u64, quiet: bool) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), target(quiet));
        let style = "{msg:40!} [{bar:24}] {bytes:>10} / {total_bytes:>10} {eta:>4}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style.progress_chars("=> "));
        }
        Self(bar)
    }

    /// A bar of `total` steps, for work whose bytes are unknown; hidden in the same cases.
    #[must_use]
    pub fn steps(total: u64, quiet: bool) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), target(quiet));
        let style = "{msg:60!} [{bar:24}] {pos:>5} / {len:>5}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style.progress_chars("=> "));
        }
        Self(bar)
    }

    /// Says what is being worked on.
    pub fn on(&self, what: &str) {
        self.0.set_message(what.to_owned());
    }

    /// So many more bytes, or steps, are done.
    pub fn add(&self, count: u64) {
        self.0.inc(count);
    }

    /// A writer that moves the bar by what is written.
    pub fn through<W: Write>(&self, out: W) -> Through<'_, W> {
        Through {
            out,
            progress: self,
        }
    }

    /// Takes the bar away.
    pub fn done(&self) {
        self.0.finish_and_clear();
    }
}

/// Writes on, and moves a bar by what is written.
#[derive(Debug)]
pub struct Through<'a, W> {
    /// What is written to.
    pub out: W,
    progress: &'a Progress,
}

impl<W: Write> Write for Through<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.out.write(bytes)?;
        self.progress.add(length as u64);
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn target(quiet: bool) -> ProgressDrawTarget {
    if quiet || !std::io::stderr().is_terminal() {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr()
    }
}
