//! Running a client until it ends or the time is over.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How often a running client is looked at.
const POLL: Duration = Duration::from_millis(20);
/// How much of a client's words is read: 8 MiB.
const LONGEST_OUTPUT: u64 = 8 << 20;

/// Why a client did not come to an end of its own.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    /// No such program.
    #[error("{0} is not on PATH; install it, or ask the other client alone by --with")]
    Missing(&'static str),
    /// It ran longer than there was time.
    #[error("{0}: --deadline is over")]
    Deadline(&'static str),
    /// It does not get along with its own configuration.
    #[error("{0}: {1}")]
    Said(&'static str, String),
    /// It could not be started or read from.
    #[error("{0}: {1}")]
    Io(&'static str, io::Error),
}

/// How a client ended.
#[derive(Debug)]
pub(super) struct Ended {
    /// Whether it says that all went well.
    pub(super) success: bool,
    /// What it printed, bytes that are not UTF-8 replaced.
    pub(super) stdout: String,
    /// What it said beside that.
    pub(super) stderr: String,
}

/// Where a program is, as the shell would find it.
///
/// # Errors
/// [`RunError::Missing`].
pub(crate) fn on_path(program: &'static str, path: Option<&OsStr>) -> Result<PathBuf, RunError> {
    use std::os::unix::fs::PermissionsExt;
    let is_program = |file: &Path| {
        file.metadata()
            .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    path.into_iter()
        .flat_map(std::env::split_paths)
        .map(|folder| folder.join(program))
        .find(|file| is_program(file))
        .ok_or(RunError::Missing(program))
}

/// Runs a command in `folder`; its words go through files there, so that no pipe can fill up.
///
/// # Errors
/// See [`RunError`]; a client that runs at `deadline` is killed.
pub(super) fn run(
    name: &'static str,
    command: &mut Command,
    folder: &Path,
    deadline: Instant,
) -> Result<Ended, RunError> {
    let io = |error| RunError::Io(name, error);
    let (out, err) = (folder.join("stdout"), folder.join("stderr"));
    let mut child = command
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(File::create(&out).map_err(io)?)
        .stderr(File::create(&err).map_err(io)?)
        .spawn()
        .map_err(io)?;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(io)? {
            break status;
        }
        if Instant::now() >= deadline {
            // It may have ended meanwhile; either way it has to be waited for.
            let _ = child.kill();
            child.wait().map_err(io)?;
            return Err(RunError::Deadline(name));
        }
        std::thread::sleep(POLL);
    };
    Ok(Ended {
        success: status.success(),
        stdout: text(&out).map_err(io)?,
        stderr: text(&err).map_err(io)?,
    })
}

/// The start of a file as text.
pub(super) fn text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?
        .take(LONGEST_OUTPUT)
        .read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
