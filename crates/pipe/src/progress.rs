//! A progress bar: on a terminal only.

use std::io::{self, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Progress of long work in bytes or steps, drawn on stderr when that is a terminal and nobody said `--quiet`.
///
/// Where nothing is drawn there is no bar: threads that work on many small files would wait for each other at it.
#[derive(Debug, Clone)]
pub struct Progress(Option<ProgressBar>);

impl Progress {
    /// A bar of `total` bytes; none in a pipe, in CI and under `quiet`.
    #[must_use]
    pub fn bytes(total: u64, quiet: bool) -> Self {
        let style = "{msg:40!} [{bar:24}] {bytes:>10} / {total_bytes:>10} {eta:>4}";
        Self(drawn(total, quiet, style))
    }

    /// A bar of `total` steps, for work whose bytes are unknown; none in the same cases.
    #[must_use]
    pub fn steps(total: u64, quiet: bool) -> Self {
        let style = "{msg:60!} [{bar:24}] {pos:>5} / {len:>5}";
        Self(drawn(total, quiet, style))
    }

    /// Says what is being worked on.
    pub fn on(&self, what: &str) {
        if let Some(bar) = &self.0 {
            bar.set_message(what.to_owned());
        }
    }

    /// So many more bytes, or steps, are done.
    pub fn add(&self, count: u64) {
        if let Some(bar) = &self.0 {
            bar.inc(count);
        }
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
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
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

fn drawn(total: u64, quiet: bool, style: &str) -> Option<ProgressBar> {
    if quiet || !io::stderr().is_terminal() {
        return None;
    }
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(style) {
        bar.set_style(style.progress_chars("=> "));
    }
    Some(bar)
}
