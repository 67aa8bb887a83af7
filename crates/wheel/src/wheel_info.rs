//! The WHEEL file of a `.dist-info` directory.
//!
//! <https://packaging.python.org/en/latest/specifications/binary-distribution-format/#file-contents>

use crate::header_block::HeaderBlock;
use crate::{Edit, WheelFilename};

/// What a wheel says about itself as a file: its format, its tags, its build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WheelInfo {
    block: HeaderBlock,
}

/// Why WHEEL cannot be taken for the file name's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WheelInfoError {
    /// `Wheel-Version: 2.0`, or none.
    #[error("WHEEL says `Wheel-Version: {0}`, only 1.x is known")]
    FormatVersion(String),
    /// The `Tag` lines are not the file name's tags.
    #[error("WHEEL has the tags `{found}`, the file name says `{expected}`")]
    Tags {
        /// Sorted, parted by blanks.
        found: String,
        /// Sorted, parted by blanks.
        expected: String,
    },
    /// The `Build` line is not the file name's build tag.
    #[error("WHEEL has the build `{found}`, the file name says `{expected}`")]
    Build {
        /// Empty when there is none.
        found: String,
        /// Empty when there is none.
        expected: String,
    },
}

impl WheelInfo {
    /// Takes the bytes of a WHEEL file apart.
    #[must_use]
    pub fn parse(bytes: Vec<u8>) -> Self {
        Self {
            block: HeaderBlock::parse(bytes),
        }
    }

    /// The bytes as they were read.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.block.bytes()
    }

    /// The `Tag` lines, in order.
    #[must_use]
    pub fn tags(&self) -> Vec<String> {
        self.block
            .named("Tag")
            .map(|header| self.block.value(header))
            .collect()
    }

    /// The build tag, when there is one.
    #[must_use]
    pub fn build(&self) -> Option<String> {
        self.get("Build").filter(|build| !build.is_empty())
    }

    /// Whether the wheel's root goes to `purelib`.
    #[must_use]
    pub fn root_is_purelib(&self) -> bool {
        self.get("Root-Is-Purelib")
            .is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }

    /// The first header of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<String> {
        let header = self.block.named(name).next()?;
        Some(self.block.value(header))
    }

    /// Whether WHEEL and the file name say the same about format, tags and build.
    ///
    /// # Errors
    /// See [`WheelInfoError`]; the order of the tags does not matter.
    pub fn agrees_with(&self, filename: &WheelFilename) -> Result<(), WheelInfoError> {
        let format = self.get("Wheel-Version").unwrap_or_default();
        if format != "1" && !format.starts_with("1.") {
            return Err(WheelInfoError::FormatVersion(format));
        }
        let (found, expected) = (sorted(self.tags()), sorted(filename.tags()));
        if found != expected {
            return Err(WheelInfoError::Tags {
                found: found.join(" "),
                expected: expected.join(" "),
            });
        }
        if self.build() != filename.build {
            return Err(WheelInfoError::Build {
                found: self.build().unwrap_or_default(),
                expected: filename.build.clone().unwrap_or_default(),
            });
        }
        Ok(())
    }

    /// The bytes with these tags in place of the first `Tag` line and without the others; every other
    /// byte is kept.
    #[must_use]
    pub fn with_tags(&self, tags: &[String]) -> Vec<u8> {
        let mut edits = Vec::new();
        let mut lines = self.block.named("Tag");
        if let Some(first) = lines.next() {
            let old = &self.block.bytes()[first.line()];
            let line_end = if old.ends_with(b"\r\n") { "\r\n" } else { "\n" };
            let mut text = String::new();
            for tag in tags {
                text.push_str("Tag: ");
                text.push_str(tag);
                text.push_str(line_end);
            }
            edits.push(Edit {
                span: first.line(),
                text,
            });
        }
        edits.extend(lines.map(|header| Edit {
            span: header.line(),
            text: String::new(),
        }));
        self.block.edited(edits)
    }
}

fn sorted(mut tags: Vec<String>) -> Vec<String> {
    tags.sort();
    tags.dedup();
    tags
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::str::FromStr;

    const WHEEL: &[u8] = b"Wheel-Version: 1.0\r\nGenerator: x\r\nTag: py2-none-linux_x86_64\r\n\
        Root-Is-Purelib: false\r\nTag: py3-none-linux_x86_64\r\nBuild: 7local\r\n";

    #[test]
    fn tags_are_replaced_where_the_first_one_stood() {
        let info = WheelInfo::parse(WHEEL.to_vec());
        let tags = ["a-b-c".to_owned(), "d-e-f".to_owned()];
        assert_eq!(
            String::from_utf8(info.with_tags(&tags)).unwrap(),
            "Wheel-Version: 1.0\r\nGenerator: x\r\nTag: a-b-c\r\nTag: d-e-f\r\n\
             Root-Is-Purelib: false\r\nBuild: 7local\r\n"
        );
    }

    #[test]
    fn a_file_name_that_says_otherwise_is_told() {
        let info = WheelInfo::parse(WHEEL.to_vec());
        let agrees = |name: &str| {
            info.agrees_with(&WheelFilename::from_str(name).unwrap())
                .map_err(|error| error.to_string())
        };
        assert_eq!(agrees("a-1-7local-py3.py2-none-linux_x86_64.whl"), Ok(()));
        assert_eq!(
            agrees("a-1-7local-py3-none-linux_x86_64.whl").unwrap_err(),
            "WHEEL has the tags `py2-none-linux_x86_64 py3-none-linux_x86_64`, the file name says \
             `py3-none-linux_x86_64`"
        );
        assert_eq!(
            agrees("a-1-py2.py3-none-linux_x86_64.whl").unwrap_err(),
            "WHEEL has the build `7local`, the file name says ``"
        );
    }

    #[test]
    fn another_format_is_told() {
        let info = WheelInfo::parse(b"Wheel-Version: 2.0\n".to_vec());
        let name = WheelFilename::from_str("a-1-py3-none-any.whl").unwrap();
        assert_eq!(
            info.agrees_with(&name).unwrap_err().to_string(),
            "WHEEL says `Wheel-Version: 2.0`, only 1.x is known"
        );
    }
}
