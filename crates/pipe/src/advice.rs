//! What a person can do about an error of the operating system, which itself says only what happened.

use std::io::{self, ErrorKind};
use std::path::Path;

/// Too many open files, which has no kind of its own.
const EMFILE: i32 = 24;

/// Symbolic links that lead in a circle, whose kind is not stable yet.
const ELOOP: i32 = 40;

/// An error of the system in its own words, and what to do about it: `No space left on device (os error
/// 28); make room and run again`. An error that is not the system's says that itself.
#[must_use]
pub fn advised(error: &io::Error) -> String {
    let advice = match error.kind() {
        ErrorKind::NotFound => "check the path",
        ErrorKind::PermissionDenied => "let this user have access, or name another place",
        ErrorKind::AlreadyExists => "move away what is there, or name another place",
        ErrorKind::NotADirectory => "a file stands where a folder is needed: name another place",
        ErrorKind::IsADirectory => "name a file and not a folder",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "make room and run again",
        ErrorKind::ReadOnlyFilesystem => "name a place that can be written to",
        ErrorKind::FileTooLarge => "name a place that takes files of this size",
        ErrorKind::ConnectionRefused
        | ErrorKind::HostUnreachable
        | ErrorKind::NetworkUnreachable => "check the address, and that its server is up",
        ErrorKind::ConnectionReset | ErrorKind::TimedOut => "run again",
        ErrorKind::InvalidFilename => "name a shorter path",
        _ if error.raw_os_error() == Some(EMFILE) => "give less at once, or raise `ulimit -n`",
        _ if error.raw_os_error() == Some(ELOOP) => "look where the links lead",
        _ if error.raw_os_error().is_some() => "run again, or look into the system's log",
        _ => return error.to_string(),
    };
    format!("{error}; {advice}")
}

/// The same about a file: `path: cause; what to do`.
#[must_use]
pub fn failed(path: &Path, error: &io::Error) -> anyhow::Error {
    anyhow::anyhow!("{}: {}", path.display(), advised(error))
}

/// The whole chain of causes as one line, and what can be done about one of the system.
#[must_use]
pub fn told(error: &anyhow::Error) -> String {
    let text = line_with_advice(&format!("{error:#}"));
    let system = error.chain().find_map(|cause| cause.downcast_ref());
    let advice = system.and_then(|system: &io::Error| {
        let what = system.to_string();
        advised(system).strip_prefix(&what).map(str::to_owned)
    });
    match advice {
        Some(advice) if !text.ends_with(&advice) => text + &advice,
        _ => text,
    }
}

/// The same for a line that ends in such an error, which came into it as text.
pub(crate) fn line_with_advice(line: &str) -> String {
    let number = line
        .strip_suffix(')')
        .and_then(|line| line.rsplit_once(" (os error "))
        .and_then(|(_, number)| number.parse().ok());
    match number {
        None => line.to_owned(),
        Some(number) => {
            let error = io::Error::from_raw_os_error(number);
            let told = advised(&error);
            let advice = told.rsplit_once("; ").map_or("", |(_, advice)| advice);
            format!("{line}; {advice}")
        }
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn a_chain_is_told_with_what_to_do_once() {
        let full = || io::Error::from_raw_os_error(28);
        let expected = "a.so: No space left on device (os error 28); make room and run again";
        let plain = Err::<(), _>(full()).context("a.so").unwrap_err();
        assert_eq!(told(&plain), expected);
        assert_eq!(told(&failed(Path::new("a.so"), &full())), expected);
        assert_eq!(
            told(&anyhow::anyhow!("no zip; give one")),
            "no zip; give one"
        );
        let with_place = io::Error::new(full().kind(), format!("{} at path \"x\"", full()));
        assert_eq!(
            told(&with_place.into()),
            "No space left on device (os error 28) at path \"x\"; make room and run again"
        );
    }

    #[test]
    fn what_the_system_says_gets_what_to_do() {
        let error = std::fs::read("/nowhere").unwrap_err();
        assert_eq!(
            failed(Path::new("/nowhere"), &error).to_string(),
            "/nowhere: No such file or directory (os error 2); check the path"
        );
        assert_eq!(
            advised(&io::Error::from_raw_os_error(28)),
            "No space left on device (os error 28); make room and run again"
        );
        assert_eq!(
            line_with_advice("a.whl: file.unreadable: Is a directory (os error 21)"),
            "a.whl: file.unreadable: Is a directory (os error 21); name a file and not a folder"
        );
        for line in ["a (os error x)", "a", "(os error 2); check the path"] {
            assert_eq!(line_with_advice(line), line);
        }
        let ours = io::Error::other("more than 32 MiB; give less");
        assert_eq!(advised(&ours), "more than 32 MiB; give less");
    }
}
