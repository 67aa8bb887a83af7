//! A wheel of the set, as it applies for a place in the index.

use std::path::Path;

use pipe::Wheel;
use wheel::{Version, WheelFilename};

use crate::digest::Digest;

/// A wheel of the document whose statements about its name hold together.
///
/// The set stays where it was read: of many thousand wheels, each would otherwise be moved, and there
/// twice, whenever more is known about it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entrant<'a> {
    pub(crate) wheel: &'a Wheel,
    pub(crate) sha256: Digest,
}

/// A statement in the document that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EntrantError {
    /// `"filename": "../../etc/x.whl"`, or one that is not the end of `path`.
    #[error("the document calls it `{0}`, which is not its file name; measure it again")]
    Path(String),
    /// Not a wheel's file name.
    #[error(transparent)]
    Filename(#[from] wheel::WheelFilenameError),
    /// `1.0+Rocm10`, `1.0+g.01234567`: clients would compare, show and store another text.
    #[error("its version is not in normal form; name it `{0}`")]
    NotNormal(String),
    /// `name`, `version` or `tags` of the document against the file name.
    #[error(
        "the document gives it the {field} `{found}`, its file name says `{expected}`; measure it again"
    )]
    Contradiction {
        /// The field.
        field: &'static str,
        /// In the document.
        found: String,
        /// In the file name.
        expected: String,
    },
    /// A version that PEP 440 does not know.
    #[error("`{0}` is not a version (PEP 440)")]
    Version(String),
    /// A sha256 that is none.
    #[error("`{0}` is not a sha256; measure it again")]
    Sha256(String),
    /// An upload time that clients could not read.
    #[error("`{0}` is not an upload time of the form 2026-11-30T12:00:00Z")]
    UploadTime(String),
}

impl<'a> Entrant<'a> {
    /// Takes a wheel in.
    pub(crate) fn new(wheel: &'a Wheel) -> Result<Self, EntrantError> {
        let sha256 = check(wheel)?;
        Ok(Self { wheel, sha256 })
    }

    /// The canonical project name.
    pub(crate) fn project(&self) -> &'a str {
        &self.wheel.name
    }

    /// The distribution as the file name spells it.
    pub(crate) fn distribution(&self) -> &'a str {
        let filename = &self.wheel.filename;
        filename.split_once('-').map_or(filename, |(name, _)| name)
    }

    /// The version. It was parsed when the wheel was taken in, but a set may have many thousand
    /// wheels, and a parsed version takes more memory than all else that is known of one.
    pub(crate) fn version(&self) -> Result<Version, EntrantError> {
        let version = &self.wheel.version;
        version
            .parse()
            .map_err(|_| EntrantError::Version(version.clone()))
    }

    /// When it was uploaded, where an earlier stage put that into the document.
    pub(crate) fn upload_time(&self) -> Option<&'a str> {
        self.wheel.more.get("upload_time")?.as_str()
    }
}

fn check(wheel: &Wheel) -> Result<Digest, EntrantError> {
    let last = Path::new(&wheel.path).file_name();
    if last != Some(wheel.filename.as_ref()) {
        return Err(EntrantError::Path(wheel.filename.clone()));
    }
    let name: WheelFilename = wheel.filename.parse()?;
    let version = name.version.to_string();
    // Of a file name's parts, the version alone may be printed otherwise than it was read.
    if wheel.filename.split('-').nth(1) != Some(&version) {
        return Err(EntrantError::NotNormal(name.to_string()));
    }
    agree("name", &wheel.name, name.name().as_str())?;
    agree("version", &wheel.version, &version)?;
    let tags = name.tags();
    if wheel.tags != tags {
        agree("tags", &wheel.tags.join(" "), &tags.join(" "))?;
    }
    if let Some(time) = wheel.more.get("upload_time") {
        let text = time.as_str().unwrap_or_default();
        if !is_upload_time(text) {
            return Err(EntrantError::UploadTime(time.to_string()));
        }
    }
    Digest::from_hex(&wheel.sha256).ok_or_else(|| EntrantError::Sha256(wheel.sha256.clone()))
}

fn agree(field: &'static str, found: &str, expected: &str) -> Result<(), EntrantError> {
    if found == expected {
        return Ok(());
    }
    Err(EntrantError::Contradiction {
        field,
        found: found.to_owned(),
        expected: expected.to_owned(),
    })
}

/// `2026-11-30T12:00:00Z` with up to six digits of a second's fraction (PEP 700).
fn is_upload_time(text: &str) -> bool {
    let Some(text) = text.strip_suffix('Z') else {
        return false;
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let shape: String = whole
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    // Clients refuse the whole page over a day or an hour that no calendar has.
    let number = |at: std::ops::Range<usize>| {
        let digits = whole.get(at).unwrap_or_default();
        digits.parse::<u16>().unwrap_or(u16::MAX)
    };
    shape == "0000-00-00T00:00:00"
        && number(0..4) > 0
        && (1..=days(number(0..4), number(5..7))).contains(&number(8..10))
        && number(11..13) < 24
        && number(14..16) < 60
        && number(17..19) < 60
        && (1..=6).contains(&fraction.len())
        && fraction.bytes().all(|b| b.is_ascii_digit())
}

/// How many days a month has; none when there is no such month.
fn days(year: u16, month: u16) -> u16 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 => 28 + u16::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom() -> Wheel {
        let text = r#"{"path": "w/atom-0.1.9-py3-none-any.whl", "filename": "atom-0.1.9-py3-none-any.whl",
            "name": "atom", "version": "0.1.9", "tags": ["py3-none-any"], "size": 7, "sha256": ""}"#;
        let mut wheel: Wheel = serde_json::from_str(text).unwrap();
        wheel.sha256 = "0".repeat(64);
        wheel
    }

    fn cause(change: impl FnOnce(&mut Wheel)) -> String {
        let mut wheel = atom();
        change(&mut wheel);
        Entrant::new(&wheel).unwrap_err().to_string()
    }

    #[test]
    fn a_sound_entry_is_taken() {
        let wheel = atom();
        let entrant = Entrant::new(&wheel).unwrap();
        assert_eq!(entrant.project(), "atom");
    }

    #[test]
    fn a_name_that_leaves_the_folder_is_refused() {
        assert_eq!(
            cause(|wheel| "../atom-0.1.9-py3-none-any.whl".clone_into(&mut wheel.filename)),
            "the document calls it `../atom-0.1.9-py3-none-any.whl`, which is not its file name; \
             measure it again"
        );
    }

    #[test]
    fn statements_that_contradict_the_file_name_are_refused() {
        assert_eq!(
            cause(|wheel| "0.2".clone_into(&mut wheel.version)),
            "the document gives it the version `0.2`, its file name says `0.1.9`; measure it again"
        );
        assert_eq!(
            cause(|wheel| "x".clone_into(&mut wheel.sha256)),
            "`x` is not a sha256; measure it again"
        );
    }

    #[test]
    fn a_version_that_is_not_in_normal_form_is_refused() {
        let cause = cause(|wheel| {
            "a/atom-1.0+Rocm10-py3-none-any.whl".clone_into(&mut wheel.path);
            "atom-1.0+Rocm10-py3-none-any.whl".clone_into(&mut wheel.filename);
        });
        assert_eq!(
            cause,
            "its version is not in normal form; name it `atom-1.0+rocm10-py3-none-any.whl`"
        );
    }

    #[test]
    fn an_upload_time_has_one_form() {
        for text in [
            "2026-11-30T12:00:00Z",
            "2026-11-30T12:00:00.123456Z",
            "2024-02-29T23:59:59Z",
        ] {
            assert!(is_upload_time(text), "{text}");
        }
        for text in [
            "2026-11-30",
            "2026-11-30T12:00:00",
            "2026-11-30T12:00:00.Z",
            "yesterday",
            "2026-13-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "2026-11-31T00:00:00Z",
            "2026-11-00T00:00:00Z",
            "2026-11-30T24:00:00Z",
            "2026-11-30T12:60:00Z",
            "0000-01-01T00:00:00Z",
        ] {
            assert!(!is_upload_time(text), "{text}");
        }
    }
}
