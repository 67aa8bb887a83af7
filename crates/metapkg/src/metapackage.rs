//! The metapackage wheel: three small files that pin a set and carry no code.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use anyhow::Context;
use pipe::Architecture;
use sha2::{Digest, Sha256};
use wheel::{ProjectName, RocmVersion, Version};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::pins::Pins;

/// What its WHEEL file says, apart from the generator.
const TAG: &str = "py3-none-any";

/// A metapackage, ready to be written.
#[derive(Debug, Clone)]
pub(crate) struct Metapackage {
    /// What it is called: `rocm-torch`.
    pub(crate) name: ProjectName,
    /// ROCm, architecture and digest of the pins: `10.1.0+gfx950.424e84fe`.
    pub(crate) version: Version,
    /// What it needs of Python: the intersection over the set.
    pub(crate) requires_python: String,
    rocm: RocmVersion,
    arch: Architecture,
    pins: Pins,
}

impl Metapackage {
    /// Pins a set.
    ///
    /// # Errors
    /// When the parts do not make a version in normal form; what [`RocmVersion`], [`Architecture`] and the digest
    /// let in does.
    pub(crate) fn new(
        name: ProjectName,
        rocm: RocmVersion,
        arch: Architecture,
        pins: Pins,
        digest: &str,
        requires_python: String,
    ) -> anyhow::Result<Self> {
        let text = format!("{rocm}+{arch}.{digest}");
        let version: Version = text.parse().with_context(|| text.clone())?;
        // A published version that is not its own normal form is another version to half of its readers.
        anyhow::ensure!(
            version.to_string() == text,
            "`{text}` is `{version}` to pip and uv"
        );
        Ok(Self {
            name,
            version,
            requires_python,
            rocm,
            arch,
            pins,
        })
    }

    /// `rocm_torch-10.1.0+gfx950.424e84fe-py3-none-any.whl`.
    pub(crate) fn filename(&self) -> String {
        format!("{}-{TAG}.whl", self.stem())
    }

    /// Its tags, expanded.
    pub(crate) fn tags() -> Vec<String> {
        vec![TAG.to_owned()]
    }

    /// The wheel file: stored members at the first date that a zip can hold, so that the same pins
    /// are the same bytes everywhere. They stand in the order that readers expect, RECORD last.
    ///
    /// # Errors
    /// None in memory; the zip writer's are passed on.
    pub(crate) fn bytes(&self) -> zip::result::ZipResult<Vec<u8>> {
        let folder = format!("{}.dist-info", self.stem());
        let metadata = (format!("{folder}/METADATA"), self.metadata());
        let wheel = (format!("{folder}/WHEEL"), wheel_file());
        let record_path = format!("{folder}/RECORD");
        let record = record(&[&metadata, &wheel], &record_path);

        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(zip::DateTime::default())
            .unix_permissions(0o644);
        for (path, text) in [metadata, wheel, (record_path, record)] {
            zip.start_file(path, options)?;
            zip.write_all(text.as_bytes())?;
        }
        Ok(zip.finish()?.into_inner())
    }

    /// What a user types, with `INDEX` for the address of the index.
    pub(crate) fn install_hint(&self) -> String {
        format!(
            "pip install --extra-index-url INDEX \"{0}[{1}]\"\nuv pip install --index INDEX \"{0}[{1}]\"",
            self.name,
            self.arch.extra()
        )
    }

    fn stem(&self) -> String {
        format!("{}-{}", self.name.escaped(), self.version)
    }

    fn metadata(&self) -> String {
        let Self {
            name,
            version,
            rocm,
            arch,
            ..
        } = self;
        let extra = arch.extra();
        let mut text = format!(
            "Metadata-Version: 2.4\n\
             Name: {name}\n\
             Version: {version}\n\
             Summary: The wheels built together for ROCm {rocm} on {arch}, pinned; ask for {name}[{extra}]\n\
             License-Expression: MIT OR Apache-2.0\n\
             Classifier: Environment :: GPU\n\
             Classifier: Operating System :: POSIX :: Linux\n\
             Classifier: Programming Language :: Python :: 3\n\
             Requires-Python: {requires_python}\n\
             Provides-Extra: {extra}\n",
            requires_python = self.requires_python,
        );
        for (pinned, pin) in &self.pins.0 {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "Requires-Dist: {pinned}=={}; extra == \"{extra}\"",
                pin.version
            );
        }
        text.push_str("Description-Content-Type: text/markdown\n\n");
        text.push_str(&self.description());
        text
    }

    fn description(&self) -> String {
        let Self {
            name, rocm, arch, ..
        } = self;
        let extra = arch.extra();
        let mut text = format!(
            "# {name}\n\n\
             This package holds no code. It pins {count} distributions that were built together for ROCm\n\
             {rocm} and for the GPU architecture {arch}, each at its exact version. `INDEX` is the address of\n\
             the index that you found it in:\n\n\
             ```console\n\
             $ pip install --extra-index-url INDEX \"{name}[{extra}]\"\n\
             $ uv pip install --index INDEX \"{name}[{extra}]\"\n\
             ```\n\n\
             Everything else, such as numpy, comes from the index that pip or uv is configured for.\n\
             Without the extra, or with a misspelt one, nothing but this empty package is installed, and the\n\
             installer reports success. ROCm {rocm} itself has to be there already.\n\n\
             | distribution | version |\n\
             |---|---|\n",
            count = self.pins.0.len(),
        );
        for (pinned, pin) in &self.pins.0 {
            let _ = writeln!(text, "| {pinned} | {} |", pin.version);
        }
        text
    }
}

fn wheel_file() -> String {
    format!(
        "Wheel-Version: 1.0\n\
         Generator: metapkg {}\n\
         Root-Is-Purelib: true\n\
         Tag: {TAG}\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// RECORD: one line for each file and one, without hash, for itself. None of the names needs quotes.
fn record(files: &[&(String, String)], own_path: &str) -> String {
    let mut text = String::new();
    for (path, content) in files {
        let hash = data_encoding::BASE64URL_NOPAD.encode(&Sha256::digest(content.as_bytes()));
        let _ = writeln!(text, "{path},sha256={hash},{}", content.len());
    }
    let _ = writeln!(text, "{own_path},,");
    text
}
