//! Reading documents: from stdin or a file, several one after another, merged.

use std::io::{self, IsTerminal};
use std::os::unix::fs::FileTypeExt;

use serde::de::DeserializeOwned;

use crate::bounded::{LONGEST_DOCUMENT, read_at_most};
use crate::{Stop, TagPlan, Wheel, WheelSet};

/// Why a document could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Nobody pipes anything in: reading would hang.
    #[error("stdin is a terminal; name the input, or pipe a document in")]
    Terminal,
    /// The stage before printed nothing.
    #[error("nothing came in, see the message above")]
    Empty,
    /// Not JSON, cut short, or a field of the wrong shape.
    #[error("not a whole document: {0}")]
    Json(serde_json::Error),
    /// A document of another kind or version: `tag-plan/1` where `wheel-set/1` is expected.
    #[error("this is a `{found}` document, expected `{expected}`")]
    Schema {
        /// What `schema` says.
        found: String,
        /// What it has to say.
        expected: &'static str,
    },
    /// One file name with two contents.
    #[error(
        "`{filename}` came twice with different bytes: sha256 {first} and {second}; keep one of them"
    )]
    Conflict {
        /// The file name.
        filename: String,
        /// One sha256.
        first: String,
        /// The other.
        second: String,
    },
    /// The same file with facts that contradict each other.
    #[error("`{0}` came twice with different facts; measure it once")]
    Facts(String),
    /// The stream itself failed, or does not end.
    #[error("stdin: {0}")]
    Io(#[from] io::Error),
}

/// A contradiction inside sound input is a no; anything else means that the work cannot be done.
impl From<ReadError> for Stop {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Conflict { .. } => Self::no(error.to_string()),
            _ => Self::cannot(error.to_string()),
        }
    }
}

/// Reads wheel sets, one document after another, and merges them.
///
/// # Errors
/// See [`ReadError`]; an empty input is one.
pub fn read_set(bytes: &[u8]) -> Result<WheelSet, ReadError> {
    let mut wheels = Vec::new();
    let mut more = crate::More::new();
    for set in documents(bytes, WheelSet::SCHEMA, |set: &WheelSet| &set.schema)? {
        more.extend(set.more);
        if wheels.is_empty() {
            wheels = set.wheels;
        } else {
            wheels.extend(set.wheels);
        }
    }
    let mut set = WheelSet::merge(wheels)?;
    set.more = more;
    Ok(set)
}

impl WheelSet {
    /// A set of these wheels; equal entries fold, and so do the same bytes from two places.
    ///
    /// # Errors
    /// [`ReadError::Conflict`] for one file name with two contents, [`ReadError::Facts`] for one file
    /// with contradicting facts.
    pub fn merge(wheels: impl IntoIterator<Item = Wheel>) -> Result<Self, ReadError> {
        let mut wheels: Vec<Wheel> = wheels.into_iter().collect();
        // A stable sort: of equal file names, the first that came stays the first.
        wheels.sort_by(|a, b| a.filename.cmp(&b.filename));
        let mut contradiction = None;
        wheels.dedup_by(|wheel, known| {
            let same_name = wheel.filename == known.filename;
            if same_name && contradiction.is_none() {
                contradiction = contradict(known, wheel);
            }
            same_name
        });
        contradiction.map_or_else(|| Ok(Self::new(wheels)), Err)
    }
}

/// What is wrong with two entries of one file name, if anything is.
fn contradict(known: &Wheel, wheel: &Wheel) -> Option<ReadError> {
    if known.sha256 != wheel.sha256 {
        return Some(ReadError::Conflict {
            filename: wheel.filename.clone(),
            first: known.sha256.clone(),
            second: wheel.sha256.clone(),
        });
    }
    // The same bytes from two places are one wheel; different facts are not.
    let moved = Wheel {
        path: known.path.clone(),
        ..wheel.clone()
    };
    (moved != *known).then(|| ReadError::Facts(wheel.filename.clone()))
}

/// Reads one tag plan.
///
/// # Errors
/// See [`ReadError`]; two plans one after another are refused, since they are planned together
/// (`tag-planner --arch a,b`).
pub fn read_plan(bytes: &[u8]) -> Result<TagPlan, ReadError> {
    let mut plans = documents(bytes, TagPlan::SCHEMA, |plan: &TagPlan| &plan.schema)?;
    match plans.pop() {
        Some(plan) if plans.is_empty() => Ok(plan),
        _ => Err(ReadError::Schema {
            found: "tag-plan/1, twice".to_owned(),
            expected: "tag-plan/1, once",
        }),
    }
}

/// Reads the wheel set from stdin.
///
/// # Errors
/// See [`ReadError`]; a terminal is refused, not waited for.
pub fn stdin_set() -> Result<WheelSet, ReadError> {
    read_set(&stdin_bytes()?)
}

/// Reads the tag plan from stdin.
///
/// # Errors
/// See [`ReadError`]; a terminal is refused, not waited for.
pub fn stdin_plan() -> Result<TagPlan, ReadError> {
    read_plan(&stdin_bytes()?)
}

/// Whether inputs are named on the command line: none, or a single `-`, means stdin.
pub fn named_or_stdin<T: AsRef<std::ffi::OsStr>>(inputs: &[T]) -> Option<&[T]> {
    match inputs {
        [] => None,
        [only] if only.as_ref() == "-" => None,
        named => Some(named),
    }
}

/// Reads a document from a file or a pipe that is named.
///
/// # Errors
/// When it cannot be read, is a folder or a device, or has more than 512 MiB.
pub fn read_document(path: &std::path::Path) -> io::Result<Vec<u8>> {
    let file = std::fs::File::open(path)?;
    if file.metadata()?.file_type().is_char_device() {
        return Err(io::Error::other("this is a device; name a file"));
    }
    read_at_most(file, LONGEST_DOCUMENT)
}

/// What came in on stdin, for who needs the text beside the document.
///
/// # Errors
/// [`ReadError::Terminal`] and [`ReadError::Io`]; an empty input is none yet.
pub fn stdin_bytes() -> Result<Vec<u8>, ReadError> {
    let stdin = io::stdin().lock();
    if stdin.is_terminal() {
        return Err(ReadError::Terminal);
    }
    Ok(read_at_most(stdin, LONGEST_DOCUMENT)?)
}

/// What every document has; the rest of it is skipped.
#[derive(serde::Deserialize)]
struct Head {
    schema: Option<String>,
}

/// Reads each document straight into its type: a set of many thousand wheels would take several times
/// its size as a tree of values.
fn documents<T: DeserializeOwned>(
    bytes: &[u8],
    expected: &'static str,
    schema: impl Fn(&T) -> &str,
) -> Result<Vec<T>, ReadError> {
    let mut documents = Vec::new();
    let mut rest = bytes.trim_ascii();
    if rest.is_empty() {
        return Err(ReadError::Empty);
    }
    while !rest.is_empty() {
        let mut stream = serde_json::Deserializer::from_slice(rest).into_iter::<T>();
        let document = match stream.next() {
            Some(Ok(document)) => document,
            Some(Err(error)) => return Err(misfit(rest, expected, error)),
            None => break,
        };
        if schema(&document) != expected {
            return Err(ReadError::Schema {
                found: schema(&document).to_owned(),
                expected,
            });
        }
        let end = stream.byte_offset();
        documents.push(document);
        rest = rest[end..].trim_ascii_start();
    }
    Ok(documents)
}

/// Why a document does not fit: it is of another kind, or else what the parser said.
fn misfit(bytes: &[u8], expected: &'static str, error: serde_json::Error) -> ReadError {
    let mut heads = serde_json::Deserializer::from_slice(bytes).into_iter::<Head>();
    match heads.next() {
        Some(Ok(Head { schema })) if schema.as_deref() != Some(expected) => ReadError::Schema {
            found: schema.unwrap_or_else(|| "unnamed".to_owned()),
            expected,
        },
        _ => ReadError::Json(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ATOM: &str = r#"{"schema": "wheel-set/1", "wheels": [{"path": "a/atom-0.1.9-py3-none-any.whl",
        "filename": "atom-0.1.9-py3-none-any.whl", "name": "atom", "version": "0.1.9",
        "tags": ["py3-none-any"], "size": 7, "sha256": "00", "later": {"kept": 1}}]}"#;

    #[test]
    fn a_set_cut_short_is_refused() {
        for end in 1..ATOM.len() {
            let cut = read_set(&ATOM.as_bytes()[..end]);
            assert!(
                matches!(cut, Err(ReadError::Json(_))),
                "accepted {end} bytes"
            );
        }
    }

    #[test]
    fn nothing_is_an_error() {
        assert!(matches!(read_set(b" \n"), Err(ReadError::Empty)));
    }

    #[test]
    fn unknown_fields_are_passed_on() {
        let set = read_set(ATOM.as_bytes()).unwrap();
        let text = serde_json::to_string(&set).unwrap();
        assert!(text.contains(r#""later":{"kept":1}"#), "{text}");
    }

    #[test]
    fn equal_entries_of_two_documents_fold() {
        let twice = format!("{ATOM}\n{ATOM}");
        assert_eq!(read_set(twice.as_bytes()).unwrap().wheels.len(), 1);
        let elsewhere = format!("{ATOM}{}", ATOM.replace("a/atom", "b/atom"));
        assert_eq!(read_set(elsewhere.as_bytes()).unwrap().wheels.len(), 1);
    }

    #[test]
    fn one_file_name_with_two_contents_is_a_no() {
        let other = format!("{ATOM}{}", ATOM.replace("\"00\"", "\"11\""));
        let error = read_set(other.as_bytes()).unwrap_err();
        assert!(matches!(Stop::from(error), Stop::No(_)));
    }

    #[test]
    fn contradicting_facts_about_one_file_are_refused() {
        let other = format!("{ATOM}{}", ATOM.replace("\"size\": 7", "\"size\": 8"));
        assert!(matches!(
            read_set(other.as_bytes()),
            Err(ReadError::Facts(_))
        ));
    }

    #[test]
    fn a_device_is_no_document() {
        let error = read_document(std::path::Path::new("/dev/zero")).unwrap_err();
        assert_eq!(error.to_string(), "this is a device; name a file");
    }

    #[test]
    fn a_document_of_the_right_kind_is_told_its_own_fault() {
        let error = read_set(br#"{"schema": "wheel-set/1", "wheels": 1}"#).unwrap_err();
        assert!(matches!(error, ReadError::Json(_)), "{error}");
    }

    #[test]
    fn another_document_is_named() {
        let error = read_set(br#"{"schema": "tag-plan/1"}"#).unwrap_err();
        assert_eq!(
            error.to_string(),
            "this is a `tag-plan/1` document, expected `wheel-set/1`"
        );
    }
}
