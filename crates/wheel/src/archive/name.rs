//! The rules for names of members, and for all names together.

use super::central::Member;
use super::fault::{Fault, WheelError};

/// A name that every reader takes for the same path inside the environment.
pub(super) fn check_name(bytes: &[u8], marked_utf8: bool) -> Result<String, WheelError> {
    let lossy = String::from_utf8_lossy(bytes);
    let refuse = |fault, cause: &str| Err(WheelError::member(fault, &printable(&lossy), cause));
    let Ok(name) = std::str::from_utf8(bytes) else {
        return refuse(Fault::NameEncoding, "is a name that is not UTF-8");
    };
    if !marked_utf8 && !name.is_ascii() {
        return refuse(
            Fault::NameEncoding,
            "is a name with other than ASCII letters that is not marked as UTF-8",
        );
    }
    if name.chars().any(char::is_control) {
        return refuse(
            Fault::ControlCharacter,
            "is a name with a control character",
        );
    }
    if name.contains('\\') {
        return refuse(Fault::PathBackslash, "is a name with a backslash");
    }
    let drive = name.as_bytes().get(1) == Some(&b':');
    if name.starts_with('/') || drive {
        return refuse(Fault::PathAbsolute, "is an absolute path");
    }
    let path = name.strip_suffix('/').unwrap_or(name);
    if path.split('/').any(|segment| segment == "..") {
        return refuse(Fault::PathEscape, "leads out of the environment");
    }
    if path.split('/').any(|segment| matches!(segment, "" | ".")) {
        return refuse(Fault::PathNotNormal, "is a path with an empty or `.` part");
    }
    Ok(name.to_owned())
}

/// Every name once, and no file where others need a directory.
pub(super) fn check_together(members: &[Member]) -> Result<(), WheelError> {
    let mut names: Vec<&str> = members.iter().map(Member::name).collect();
    names.sort_unstable();
    for pair in names.windows(2) {
        if pair[0] == pair[1] {
            return Err(WheelError::member(
                Fault::DuplicateMember,
                pair[0],
                "is there twice; pip takes the last, uv the first",
            ));
        }
    }
    let mut last_parent = "";
    for name in &names {
        // Sorted names share their parents, so each is looked up once.
        let path = name.strip_suffix('/').unwrap_or(name);
        let parent = if name.ends_with('/') {
            path
        } else {
            path.rsplit_once('/').map_or("", |(parent, _)| parent)
        };
        if parent == last_parent {
            continue;
        }
        last_parent = parent;
        let mut ancestor = parent;
        while !ancestor.is_empty() {
            if names.binary_search(&ancestor).is_ok() {
                return Err(WheelError::member(
                    Fault::FileAndDirectory,
                    ancestor,
                    format!("is a file, and `{name}` is below it"),
                ));
            }
            ancestor = ancestor.rsplit_once('/').map_or("", |(parent, _)| parent);
        }
    }
    Ok(())
}

fn printable(name: &str) -> String {
    name.chars()
        .map(|c| {
            if c.is_control() {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_readers_take_for_different_paths_are_refused() {
        for (name, kind) in [
            (&b"../a"[..], "member.path-escape"),
            (b"a/../b", "member.path-escape"),
            (b"a/..", "member.path-escape"),
            (b"/a", "member.path-absolute"),
            (b"C:/a", "member.path-absolute"),
            (b"a\\b", "member.path-backslash"),
            (b"a//b", "member.path-not-normal"),
            (b"./a", "member.path-not-normal"),
            (b"", "member.path-not-normal"),
            (b"a\x00b", "member.control-character"),
            (b"a\nb", "member.control-character"),
            (b"a\x7f", "member.control-character"),
            (b"a\xff", "member.name-encoding"),
        ] {
            assert_eq!(check_name(name, true).unwrap_err().kind(), kind);
        }
        assert_eq!(
            check_name("ü".as_bytes(), false).unwrap_err().kind(),
            "member.name-encoding"
        );
    }

    #[test]
    fn ordinary_names_are_kept() {
        for name in [
            "a/b.py",
            "a/..b",
            "a b/",
            "ü/odd, \"name\".txt",
            "a..b/...c",
        ] {
            assert_eq!(check_name(name.as_bytes(), true).unwrap(), name);
        }
    }
}
