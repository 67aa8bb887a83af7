//! RECORD: every file of a wheel with its hash and size.
//!
//! <https://packaging.python.org/en/latest/specifications/recording-installed-packages/#the-record-file>

use std::io::{self, Read, Write};

use data_encoding::BASE64URL_NOPAD;
use sha2::{Digest, Sha256, Sha384, Sha512};

/// A RECORD file, in its own order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    rows: Vec<RecordRow>,
    crlf: bool,
}

/// One row: a file of the wheel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordRow {
    /// The member's name.
    pub path: String,
    /// Its hash; none for RECORD itself.
    pub hash: Option<RecordHash>,
    /// Its size in bytes; none for RECORD itself.
    pub size: Option<u64>,
}

/// A hash as RECORD writes it: `sha256=` and the digest in unpadded base64.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordHash {
    /// `sha256=…`
    Sha256([u8; 32]),
    /// `sha384=…`
    Sha384(Box<[u8; 48]>),
    /// `sha512=…`
    Sha512(Box<[u8; 64]>),
    /// Anything else, such as `md5=…`, which the specification forbids, or a digest that is none.
    Other(String),
}

/// Hashes a member as its row asks for.
#[derive(Debug, Clone)]
pub struct RecordHasher(State);

#[derive(Debug, Clone)]
enum State {
    Sha256(Sha256),
    Sha384(Box<Sha384>),
    Sha512(Box<Sha512>),
}

/// Why a text is no RECORD.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// Not comma-separated, not UTF-8, or a row that has not three fields.
    #[error("line {line} of RECORD is not `path,hash,size`")]
    Row {
        /// Counted from 1.
        line: u64,
    },
    /// A size that is no number.
    #[error("line {line} of RECORD: `{size}` is not a size")]
    Size {
        /// Counted from 1.
        line: u64,
        /// The third field.
        size: String,
    },
}

impl Record {
    /// Reads a RECORD file, row by row: the text is never in memory as a whole.
    ///
    /// # Errors
    /// See [`RecordError`]; an error of the reader itself counts as a row that cannot be read.
    pub fn read(reader: impl Read) -> Result<Self, RecordError> {
        let mut rows = Vec::new();
        let mut crlf = false;
        let sniffer = Sniffer {
            reader,
            crlf: &mut crlf,
            after_cr: false,
        };
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(sniffer);
        let mut fields = csv::StringRecord::new();
        loop {
            let line = reader.position().line();
            match reader.read_record(&mut fields) {
                Ok(false) => break,
                Ok(true) => rows.push(RecordRow::read(&fields, line)?),
                Err(_) => return Err(RecordError::Row { line }),
            }
        }
        drop(reader);
        Ok(Self { rows, crlf })
    }

    /// The rows, in the order of the file.
    #[must_use]
    pub fn rows(&self) -> &[RecordRow] {
        &self.rows
    }

    /// The row of a member.
    #[must_use]
    pub fn row(&self, path: &str) -> Option<&RecordRow> {
        self.rows.iter().find(|row| row.path == path)
    }

    /// The same RECORD with every row passed through `row`, which may drop it; line ends stay.
    #[must_use]
    pub fn map_rows(self, row: impl FnMut(RecordRow) -> Option<RecordRow>) -> Self {
        Self {
            rows: self.rows.into_iter().filter_map(row).collect(),
            crlf: self.crlf,
        }
    }

    /// A RECORD with other rows and the line ends of this one.
    #[must_use]
    pub fn with_rows(&self, rows: Vec<RecordRow>) -> Self {
        Self {
            rows,
            crlf: self.crlf,
        }
    }

    /// Adds a row at the end.
    pub fn push(&mut self, row: RecordRow) {
        self.rows.push(row);
    }

    /// A RECORD with these rows, one per line.
    #[must_use]
    pub fn new(rows: Vec<RecordRow>) -> Self {
        Self { rows, crlf: false }
    }

    /// Writes the text of the file; names with a comma, a quote or a line end are quoted.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let line_end = if self.crlf { "\r\n" } else { "\n" };
        for row in &self.rows {
            if row.path.contains([',', '"', '\r', '\n']) {
                write!(out, "\"{}\",", row.path.replace('"', "\"\""))?;
            } else {
                write!(out, "{},", row.path)?;
            }
            if let Some(hash) = &row.hash {
                write!(out, "{hash}")?;
            }
            match row.size {
                Some(size) => write!(out, ",{size}{line_end}")?,
                None => write!(out, ",{line_end}")?,
            }
        }
        Ok(())
    }

    /// The text of the file in memory.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = Vec::new();
        // Memory takes every byte, and all of them came from text.
        let _ = self.write_to(&mut text);
        String::from_utf8(text).unwrap_or_default()
    }
}

/// Notices lines that end in `\r\n` as they pass.
struct Sniffer<'a, R> {
    reader: R,
    crlf: &'a mut bool,
    after_cr: bool,
}

impl<R: Read> Read for Sniffer<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        for byte in &buffer[..length] {
            *self.crlf |= self.after_cr && *byte == b'\n';
            self.after_cr = *byte == b'\r';
        }
        Ok(length)
    }
}

impl RecordRow {
    /// The row of a file with these bytes.
    #[must_use]
    pub fn of(path: &str, bytes: &[u8]) -> Self {
        Self {
            path: path.to_owned(),
            hash: Some(RecordHash::Sha256(Sha256::digest(bytes).into())),
            size: Some(bytes.len() as u64),
        }
    }

    /// The row of RECORD itself, which cannot hold its own hash.
    #[must_use]
    pub fn bare(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            hash: None,
            size: None,
        }
    }

    fn read(fields: &csv::StringRecord, line: u64) -> Result<Self, RecordError> {
        let (Some(path), Some(hash), Some(size), 3) =
            (fields.get(0), fields.get(1), fields.get(2), fields.len())
        else {
            return Err(RecordError::Row { line });
        };
        let size = match size {
            "" => None,
            digits => match digits.parse() {
                Ok(size) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Some(size),
                _ => {
                    return Err(RecordError::Size {
                        line,
                        size: digits.to_owned(),
                    });
                }
            },
        };
        Ok(Self {
            path: path.to_owned(),
            hash: (!hash.is_empty()).then(|| RecordHash::read(hash)),
            size,
        })
    }
}

impl RecordHash {
    fn read(text: &str) -> Self {
        let known = || -> Option<Self> {
            let (algorithm, digest) = text.split_once('=')?;
            // A padded digest is not what the specification says, and everybody reads it.
            let digest = digest.trim_end_matches('=').as_bytes();
            let digest = BASE64URL_NOPAD.decode(digest).ok()?;
            match algorithm {
                "sha256" => Some(Self::Sha256(digest.try_into().ok()?)),
                "sha384" => Some(Self::Sha384(Box::new(digest.try_into().ok()?))),
                "sha512" => Some(Self::Sha512(Box::new(digest.try_into().ok()?))),
                _ => None,
            }
        };
        known().unwrap_or_else(|| Self::Other(text.to_owned()))
    }

    /// A hasher of the same algorithm; none for an algorithm that is not allowed.
    #[must_use]
    pub fn hasher(&self) -> Option<RecordHasher> {
        Some(RecordHasher(match self {
            Self::Sha256(_) => State::Sha256(Sha256::new()),
            Self::Sha384(_) => State::Sha384(Box::new(Sha384::new())),
            Self::Sha512(_) => State::Sha512(Box::new(Sha512::new())),
            Self::Other(_) => return None,
        }))
    }
}

impl RecordHasher {
    /// More bytes of the member.
    pub fn update(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            State::Sha256(state) => state.update(bytes),
            State::Sha384(state) => state.update(bytes),
            State::Sha512(state) => state.update(bytes),
        }
    }

    /// The hash of all of them, to compare with the row's.
    #[must_use]
    pub fn finish(self) -> RecordHash {
        match self.0 {
            State::Sha256(state) => RecordHash::Sha256(state.finalize().into()),
            State::Sha384(state) => RecordHash::Sha384(Box::new(state.finalize().into())),
            State::Sha512(state) => RecordHash::Sha512(Box::new(state.finalize().into())),
        }
    }
}

impl std::fmt::Display for RecordHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (algorithm, digest): (&str, &[u8]) = match self {
            Self::Sha256(digest) => ("sha256", digest),
            Self::Sha384(digest) => ("sha384", digest.as_slice()),
            Self::Sha512(digest) => ("sha512", digest.as_slice()),
            Self::Other(text) => return f.write_str(text),
        };
        write!(f, "{algorithm}={}", BASE64URL_NOPAD.encode(digest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU";

    #[test]
    fn a_record_is_written_as_it_was_read() {
        for line_end in ["\n", "\r\n"] {
            let text = [
                format!("a/__init__.py,{EMPTY},0"),
                format!("\"odd, \"\"name\"\".txt\",{EMPTY},0"),
                format!("a/ü.py,{EMPTY},"),
                "a-1.dist-info/RECORD,,".to_owned(),
                String::new(),
            ]
            .join(line_end);
            let record = Record::read(text.as_bytes()).unwrap();
            assert_eq!(record.rows().len(), 4);
            assert_eq!(record.rows()[1].path, "odd, \"name\".txt");
            assert_eq!(record.to_text(), text);
        }
    }

    #[test]
    fn a_hash_is_made_as_the_row_asks_for() {
        for algorithm in ["sha256", "sha384", "sha512"] {
            let mut hasher = match algorithm {
                "sha256" => RecordRow::of("a", b"").hash.unwrap().hasher().unwrap(),
                "sha384" => RecordHasher(State::Sha384(Box::default())),
                _ => RecordHasher(State::Sha512(Box::default())),
            };
            hasher.update(b"");
            let hash = hasher.finish();
            let text = hash.to_string();
            assert!(text.starts_with(algorithm));
            assert_eq!(RecordHash::read(&text), hash);
            assert_eq!(hash.hasher().unwrap().finish(), hash);
        }
    }

    #[test]
    fn a_weak_or_broken_hash_is_kept_apart() {
        for text in [
            "md5=1B2M2Y8AsgTpgAmY7PhCfg",
            "sha256=zz",
            "sha256",
            "sha1=x",
        ] {
            assert_eq!(RecordHash::read(text), RecordHash::Other(text.to_owned()));
        }
    }

    #[test]
    fn what_is_no_row_is_told_with_its_line() {
        for (text, cause) in [
            (
                &b"a,,\nb,\n"[..],
                "line 2 of RECORD is not `path,hash,size`",
            ),
            (b"a,,\nb,,-1\n", "line 2 of RECORD: `-1` is not a size"),
            (b"a,,+1\n", "line 1 of RECORD: `+1` is not a size"),
            (b"\xff,,\n", "line 1 of RECORD is not `path,hash,size`"),
        ] {
            assert_eq!(Record::read(text).unwrap_err().to_string(), cause);
        }
    }
}
