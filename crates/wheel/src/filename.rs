//! The file name of a wheel: `torch-2.15.0a0+git31a77fc-cp314-cp314-linux_x86_64.whl`.

use std::fmt;
use std::str::FromStr;

use pep440_rs::Version;

use crate::ProjectName;

/// A wheel's file name, taken apart; printing it puts it together again.
///
/// <https://packaging.python.org/en/latest/specifications/binary-distribution-format/#file-name-convention>
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WheelFilename {
    distribution: String,
    name: ProjectName,
    /// The version; printed in normal form, however it was spelled.
    pub version: Version,
    /// The build tag, which starts with a digit: `7local`.
    pub build: Option<String>,
    /// Python tags in the order of the file name: `py2`, `py3`.
    pub python: Vec<String>,
    /// ABI tags in the order of the file name.
    pub abi: Vec<String>,
    /// Platform tags in the order of the file name.
    pub platform: Vec<String>,
}

/// Why a text is no wheel file name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WheelFilenameError {
    /// `torch.zip`, `torch.WHL`.
    #[error("`{0}` does not end in `.whl`")]
    Extension(String),
    /// Not five or six parts: `torch-2.15.0.whl`.
    #[error("`{0}` is not a wheel file name: name-version[-build]-python-abi-platform.whl")]
    Parts(String),
    /// A distribution that no project can have: `a__b`, `tørch`.
    #[error("`{0}` is not the name of a distribution")]
    Distribution(String),
    /// A version that PEP 440 does not know: `1.0_rocm10`.
    #[error("`{0}` is not a version (PEP 440)")]
    Version(String),
    /// A build tag without a digit in front: `x1`.
    #[error("`{0}` is not a build tag: it starts with a digit")]
    Build(String),
    /// An empty tag or a strange character: `cp314-cp314-linux..x86`.
    #[error("`{0}` is not a tag: letters, digits and `_`")]
    Tag(String),
}

impl WheelFilename {
    /// A new file name; the distribution is spelled in the canonical way.
    #[must_use]
    pub fn new(
        name: ProjectName,
        version: Version,
        python: &str,
        abi: &str,
        platform: &str,
    ) -> Self {
        let parts = |text: &str| text.split('.').map(str::to_owned).collect();
        Self {
            distribution: name.escaped(),
            name,
            version,
            build: None,
            python: parts(python),
            abi: parts(abi),
            platform: parts(platform),
        }
    }

    /// The project's name in canonical form.
    #[must_use]
    pub fn name(&self) -> &ProjectName {
        &self.name
    }

    /// The distribution as this file name spells it: `PyYAML`, `nixl_rocm`.
    #[must_use]
    pub fn distribution(&self) -> &str {
        &self.distribution
    }

    /// The tags, expanded: one `python-abi-platform` each, platforms turning fastest.
    #[must_use]
    pub fn tags(&self) -> Vec<String> {
        let mut tags = Vec::new();
        for python in &self.python {
            for abi in &self.abi {
                for platform in &self.platform {
                    tags.push(format!("{python}-{abi}-{platform}"));
                }
            }
        }
        tags
    }
}

impl FromStr for WheelFilename {
    type Err = WheelFilenameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let stem = text
            .strip_suffix(".whl")
            .ok_or_else(|| WheelFilenameError::Extension(text.to_owned()))?;
        let parts: Vec<&str> = stem.split('-').collect();
        let (distribution, version, build, [python, abi, platform]) = match parts[..] {
            [distribution, version, python, abi, platform] => {
                (distribution, version, None, [python, abi, platform])
            }
            [distribution, version, build, python, abi, platform] => {
                (distribution, version, Some(build), [python, abi, platform])
            }
            _ => return Err(WheelFilenameError::Parts(text.to_owned())),
        };
        let bad_name = || WheelFilenameError::Distribution(distribution.to_owned());
        if distribution.contains("__") {
            return Err(bad_name());
        }
        let name = ProjectName::new(distribution).map_err(|_| bad_name())?;
        if let Some(build) = build {
            let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
            if !build.starts_with(|c: char| c.is_ascii_digit()) || !build.bytes().all(known) {
                return Err(WheelFilenameError::Build(build.to_owned()));
            }
        }
        Ok(Self {
            distribution: distribution.to_owned(),
            name,
            version: parse_version(version)?,
            build: build.map(str::to_owned),
            python: split_tags(python)?,
            abi: split_tags(abi)?,
            platform: split_tags(platform)?,
        })
    }
}

/// Inside a file name no blank may stand around a version, which `pep440_rs` would skip.
fn parse_version(text: &str) -> Result<Version, WheelFilenameError> {
    if text.contains(char::is_whitespace) {
        return Err(WheelFilenameError::Version(text.to_owned()));
    }
    Version::from_str(text).map_err(|_| WheelFilenameError::Version(text.to_owned()))
}

fn split_tags(compressed: &str) -> Result<Vec<String>, WheelFilenameError> {
    compressed
        .split('.')
        .map(|tag| {
            let known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            if tag.is_empty() || !tag.bytes().all(known) {
                return Err(WheelFilenameError::Tag(compressed.to_owned()));
            }
            Ok(tag.to_owned())
        })
        .collect()
}

impl fmt::Display for WheelFilename {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-", self.distribution, self.version)?;
        if let Some(build) = &self.build {
            write!(f, "{build}-")?;
        }
        write!(
            f,
            "{}-{}-{}.whl",
            self.python.join("."),
            self.abi.join("."),
            self.platform.join(".")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_is_printed_as_it_was_read() {
        for text in [
            "torch-2.15.0a0+git31a77fc-cp314-cp314-linux_x86_64.whl",
            "PyYAML-6.0.2-cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
            "demo_build-0.1.29.dev0+g0f1e2d3.d20261109-7local-py2.py3-none-any.whl",
            "ruamel.yaml-0.19.1-py3-none-any.whl",
        ] {
            assert_eq!(WheelFilename::from_str(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_version_is_printed_in_normal_form() {
        let name = WheelFilename::from_str("demo-1.0+07.00.GIT-py3-none-any.whl").unwrap();
        assert_eq!(name.to_string(), "demo-1.0+7.0.git-py3-none-any.whl");
    }

    #[test]
    fn tags_are_expanded() {
        let name = WheelFilename::from_str("a-1-py2.py3-none-linux_x86_64.any.whl").unwrap();
        assert_eq!(
            name.tags(),
            [
                "py2-none-linux_x86_64",
                "py2-none-any",
                "py3-none-linux_x86_64",
                "py3-none-any"
            ]
        );
    }

    #[test]
    fn what_is_no_wheel_file_name_is_refused() {
        for (text, cause) in [
            ("a-1.zip", "`a-1.zip` does not end in `.whl`"),
            (
                "a-1-py3-none-any.WHL",
                "`a-1-py3-none-any.WHL` does not end in `.whl`",
            ),
            (
                "a-1-any.whl",
                "`a-1-any.whl` is not a wheel file name: name-version[-build]-python-abi-platform.whl",
            ),
            (
                "a__b-1-py3-none-any.whl",
                "`a__b` is not the name of a distribution",
            ),
            (
                "a-1.0_rocm10-py3-none-any.whl",
                "`1.0_rocm10` is not a version (PEP 440)",
            ),
            (
                "a-1-x1-py3-none-any.whl",
                "`x1` is not a build tag: it starts with a digit",
            ),
            (
                "a-1-py3..-none-any.whl",
                "`py3..` is not a tag: letters, digits and `_`",
            ),
            ("a- 1-py3-none-any.whl", "` 1` is not a version (PEP 440)"),
        ] {
            assert_eq!(
                WheelFilename::from_str(text).unwrap_err().to_string(),
                cause
            );
        }
    }
}
