//! METADATA: read, and edited one value at a time with every other byte kept.
//!
//! <https://packaging.python.org/en/latest/specifications/core-metadata/>

use std::ops::Range;
use std::str::FromStr;

use pep440_rs::Version;

use crate::header_block::HeaderBlock;
use crate::{Edit, ProjectName, ProjectNameError, Requirement, RequirementError};

/// The core metadata of a distribution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    block: HeaderBlock,
    name: ProjectName,
    version: Version,
    version_span: Range<usize>,
}

/// One `Requires-Dist` header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequiresDist {
    /// The value as it stands, a folded one with its line ends.
    pub text: String,
    /// Where `text` starts in METADATA; the spans of the requirement count from there.
    pub start: usize,
    /// What it says.
    pub requirement: Result<Requirement, RequirementError>,
}

/// Why a text is no METADATA.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MetadataError {
    /// No `Name` or no `Version`.
    #[error("METADATA has no `{0}` header")]
    Missing(&'static str),
    /// Two of what can only be one.
    #[error("METADATA has more than one `{0}` header")]
    Repeated(&'static str),
    /// A name that no project can have.
    #[error("METADATA: {0}")]
    Name(#[from] ProjectNameError),
    /// A version that PEP 440 does not know.
    #[error("METADATA: `{0}` is not a version (PEP 440)")]
    Version(String),
}

impl Metadata {
    /// Reads the bytes of a METADATA file.
    ///
    /// # Errors
    /// See [`MetadataError`].
    pub fn parse(bytes: Vec<u8>) -> Result<Self, MetadataError> {
        let block = HeaderBlock::parse(bytes);
        let (name, _) = only(&block, "Name")?;
        let (version, version_span) = only(&block, "Version")?;
        Ok(Self {
            name: ProjectName::new(&name)?,
            version: Version::from_str(&version).map_err(|_| MetadataError::Version(version))?,
            version_span,
            block,
        })
    }

    /// The project, in canonical form.
    #[must_use]
    pub fn name(&self) -> &ProjectName {
        &self.name
    }

    /// The version.
    #[must_use]
    pub fn version(&self) -> &Version {
        &self.version
    }

    /// The bytes as they were read.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.block.bytes()
    }

    /// Whether all of it is UTF-8; pip does not install a wheel where it is not.
    #[must_use]
    pub fn is_utf8(&self) -> bool {
        std::str::from_utf8(self.bytes()).is_ok()
    }

    /// The first header of this name, on one line; letters in any case.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<String> {
        self.all(name).into_iter().next()
    }

    /// All headers of this name, each on one line, in order.
    #[must_use]
    pub fn all(&self, name: &str) -> Vec<String> {
        self.block
            .named(name)
            .map(|header| self.block.value(header))
            .collect()
    }

    /// Every header in order: its name in lower case and its value on one line.
    pub fn headers(&self) -> impl Iterator<Item = (&str, String)> {
        self.block.all()
    }

    /// `Requires-Python`, when it is there and not empty.
    #[must_use]
    pub fn requires_python(&self) -> Option<String> {
        self.get("Requires-Python").filter(|text| !text.is_empty())
    }

    /// Every `Requires-Dist`, in order.
    #[must_use]
    pub fn requires_dist(&self) -> Vec<RequiresDist> {
        self.block
            .named("Requires-Dist")
            .map(|header| {
                let raw = self.block.raw_value(header);
                RequiresDist {
                    text: raw.map_or_else(|| self.block.value(header), str::to_owned),
                    start: header.value_span().start,
                    requirement: raw
                        .ok_or(RequirementError::NotUtf8)
                        .and_then(Requirement::from_str),
                }
            })
            .collect()
    }

    /// The edit that sets another version.
    #[must_use]
    pub fn version_edit(&self, version: &Version) -> Edit {
        Edit {
            span: self.version_span.clone(),
            text: version.to_string(),
        }
    }

    /// The bytes after these edits, which must not overlap; all other bytes are kept.
    #[must_use]
    pub fn edited(&self, edits: Vec<Edit>) -> Vec<u8> {
        self.block.edited(edits)
    }
}

fn only(block: &HeaderBlock, name: &'static str) -> Result<(String, Range<usize>), MetadataError> {
    let mut found = block.named(name);
    let header = found.next().ok_or(MetadataError::Missing(name))?;
    if found.next().is_some() {
        return Err(MetadataError::Repeated(name));
    }
    Ok((block.value(header), header.value_span()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TORCH: &[u8] = b"Metadata-Version: 2.4\r\nName: Torch\r\nversion:\t2.15.0a0+git31a77fc \r\n\
        Requires-Python: >=3.10\r\nRequires-Dist: numpy\r\nRequires-Dist: triton\r\n  ==3.9.0+gitaad2a60d\r\n\
        Provides-Extra: opt\r\n\r\nVersion: 9.9\r\ncaf\xe9";

    #[test]
    fn headers_are_read_whatever_their_case() {
        let metadata = Metadata::parse(TORCH.to_vec()).unwrap();
        assert_eq!(metadata.name().as_str(), "torch");
        assert_eq!(metadata.version().to_string(), "2.15.0a0+git31a77fc");
        assert_eq!(metadata.requires_python().as_deref(), Some(">=3.10"));
        assert_eq!(metadata.all("provides-extra"), ["opt"]);
        assert_eq!(metadata.get("License"), None);
        assert!(!metadata.is_utf8());
    }

    #[test]
    fn a_version_and_a_pin_are_edited_and_nothing_else() {
        let metadata = Metadata::parse(TORCH.to_vec()).unwrap();
        let requires = metadata.requires_dist();
        let pin = requires[1].requirement.as_ref().unwrap();
        let span = pin.specifiers[0].version_span.clone();
        let edits = vec![
            Edit {
                span: requires[1].start + span.start..requires[1].start + span.end,
                text: "3.9.0+gitaad2a60d.rocm10.1.0".to_owned(),
            },
            metadata.version_edit(&Version::from_str("2.15.0a0+git31a77fc.rocm10.1.0").unwrap()),
        ];
        let text = String::from_utf8_lossy(TORCH);
        let expected = text
            .replace("aad2a60d", "aad2a60d.rocm10.1.0")
            .replace("31a77fc", "31a77fc.rocm10.1.0");
        assert_eq!(String::from_utf8_lossy(&metadata.edited(edits)), expected);
    }

    #[test]
    fn a_name_and_a_version_there_must_be_once() {
        for (text, cause) in [
            (
                "Name: a\n\nVersion: 1\n",
                "METADATA has no `Version` header",
            ),
            ("Version: 1\n", "METADATA has no `Name` header"),
            (
                "Name: a\nVersion: 1\nVersion: 1\n",
                "METADATA has more than one `Version` header",
            ),
            (
                "Name: a\nVersion: one\n",
                "METADATA: `one` is not a version (PEP 440)",
            ),
        ] {
            let error = Metadata::parse(text.as_bytes().to_vec()).unwrap_err();
            assert_eq!(error.to_string(), cause);
        }
    }
}
