//! Wheels for tests: sound unless a test asks for something else.

use std::fmt::Write as _;
use std::io::{Cursor, Write};
use std::path::Path;

use data_encoding::BASE64URL_NOPAD;
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;

/// A wheel in the making.
#[derive(Debug, Clone)]
pub(crate) struct Wheel {
    pub(crate) name: String,
    pub(crate) python: String,
    pub(crate) platform: String,
    /// What WHEEL says; the file name's, unless told otherwise.
    pub(crate) written_platform: Option<String>,
    pub(crate) members: Vec<(String, Vec<u8>)>,
    /// Members that RECORD does not list.
    pub(crate) unlisted: Vec<String>,
    /// Replaces the text of RECORD.
    pub(crate) record: Option<String>,
    pub(crate) has_record: bool,
}

impl Wheel {
    /// `demo` 1.0 for `CPython` 3.14 and a platform.
    pub(crate) fn new(platform: &str) -> Self {
        Self {
            name: "demo".to_owned(),
            python: "cp314-cp314".to_owned(),
            platform: platform.to_owned(),
            written_platform: None,
            members: Vec::new(),
            unlisted: Vec::new(),
            record: None,
            has_record: true,
        }
    }

    pub(crate) fn with(mut self, path: &str, content: impl Into<Vec<u8>>) -> Self {
        self.members.push((path.to_owned(), content.into()));
        self
    }

    /// A member that RECORD does not list.
    pub(crate) fn with_unlisted(self, path: &str, content: impl Into<Vec<u8>>) -> Self {
        let mut wheel = self.with(path, content);
        wheel.unlisted.push(path.to_owned());
        wheel
    }

    pub(crate) fn with_record(mut self, text: &str) -> Self {
        self.record = Some(text.to_owned());
        self
    }

    pub(crate) fn without_record(mut self) -> Self {
        self.has_record = false;
        self
    }

    pub(crate) fn filename(&self) -> String {
        format!("{}-1.0-{}-{}.whl", self.name, self.python, self.platform)
    }

    /// The text that RECORD would have.
    pub(crate) fn true_record(&self) -> String {
        let mut text = String::new();
        for (path, content) in self.all_members() {
            if !self.unlisted.contains(&path) {
                let hash = BASE64URL_NOPAD.encode(&Sha256::digest(&content));
                writeln!(text, "{path},sha256={hash},{}", content.len()).unwrap();
            }
        }
        writeln!(text, "{}-1.0.dist-info/RECORD,,", self.name).unwrap();
        text
    }

    fn all_members(&self) -> Vec<(String, Vec<u8>)> {
        let folder = format!("{}-1.0.dist-info", self.name);
        let platform = self.written_platform.as_ref().unwrap_or(&self.platform);
        let mut tags = String::new();
        for platform in platform.split('.') {
            writeln!(tags, "Tag: {}-{platform}", self.python).unwrap();
        }
        let metadata = format!("Metadata-Version: 2.1\nName: {}\nVersion: 1.0\n", self.name);
        let info = format!("Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\n{tags}");
        let mut members = self.members.clone();
        members.push((format!("{folder}/METADATA"), metadata.into_bytes()));
        members.push((format!("{folder}/WHEEL"), info.into_bytes()));
        members
    }

    /// The file's bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut members = self.all_members();
        if self.has_record {
            let text = self.record.clone().unwrap_or_else(|| self.true_record());
            members.push((
                format!("{}-1.0.dist-info/RECORD", self.name),
                text.into_bytes(),
            ));
        }
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (path, content) in members {
            zip.start_file(path, SimpleFileOptions::default()).unwrap();
            zip.write_all(&content).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    /// Writes it into a folder; returns the file's name.
    pub(crate) fn write(&self, folder: &Path) -> String {
        let name = self.filename();
        std::fs::write(folder.join(&name), self.bytes()).unwrap();
        name
    }
}
