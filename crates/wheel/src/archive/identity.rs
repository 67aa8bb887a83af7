//! That file name, `.dist-info` directory and METADATA name one project in one version.

use std::collections::BTreeSet;
use std::path::Path;
use std::str::FromStr;

use pep440_rs::Version;

use super::fault::{Fault, WheelError};
use super::zip::Zip;
use crate::{Metadata, ProjectName, WheelFilename};

/// METADATA with its description; the largest public ones have 300 KB.
const MAX_METADATA: u64 = 8 << 20;

/// The last segment of the path.
pub(super) fn filename(path: &Path) -> Result<WheelFilename, WheelError> {
    let text = path.file_name().unwrap_or_default().to_string_lossy();
    WheelFilename::from_str(&text)
        .map_err(|error| WheelError::new(Fault::FileName, error.to_string()))
}

/// The one `.dist-info` directory. Its name is kept as it is spelled.
pub(super) fn dist_info(zip: &Zip, filename: &WheelFilename) -> Result<String, WheelError> {
    let found: BTreeSet<&str> = zip
        .members
        .iter()
        .filter_map(|member| member.name().split_once('/'))
        .map(|(top, _)| top)
        .filter(|top| top.ends_with(".dist-info"))
        .collect();
    let mut found = found.into_iter();
    let directory = match (found.next(), found.next()) {
        (Some(only), None) => only,
        (None, _) => {
            let cause = "there is no `.dist-info` directory in it";
            return Err(WheelError::new(Fault::NoDistInfo, cause));
        }
        (Some(first), Some(second)) => {
            return Err(WheelError::new(
                Fault::ManyDistInfo,
                format!("`{first}` and `{second}` are both in it"),
            ));
        }
    };
    let stem = directory.strip_suffix(".dist-info").unwrap_or(directory);
    let (name, version) = stem.rsplit_once('-').unwrap_or((stem, ""));
    if ProjectName::new(name).as_ref() != Ok(filename.name()) {
        return Err(WheelError::new(
            Fault::NameMismatch,
            format!(
                "`{directory}` is not the directory of `{}`, which the file name says",
                filename.name()
            ),
        ));
    }
    if Version::from_str(version).as_ref() != Ok(&filename.version) {
        return Err(WheelError::new(
            Fault::VersionMismatch,
            format!(
                "`{directory}` is not of version `{}`, which the file name says",
                filename.version
            ),
        ));
    }
    Ok(directory.to_owned())
}

/// METADATA, compared with the file name.
pub(super) fn metadata(
    zip: &Zip,
    dist_info: &str,
    filename: &WheelFilename,
) -> Result<Metadata, WheelError> {
    let path = format!("{dist_info}/METADATA");
    let Some(index) = zip.index(&path) else {
        return Err(WheelError::new(
            Fault::NoMetadata,
            format!("there is no `{path}` in it"),
        ));
    };
    let metadata = Metadata::parse(zip.read(index, MAX_METADATA)?)
        .map_err(|error| WheelError::new(Fault::Metadata, error.to_string()))?;
    if metadata.name() != filename.name() {
        return Err(WheelError::new(
            Fault::NameMismatch,
            format!(
                "METADATA says `{}`, the file name `{}`",
                metadata.name(),
                filename.name()
            ),
        ));
    }
    if metadata.version() != &filename.version {
        return Err(WheelError::new(
            Fault::VersionMismatch,
            format!(
                "METADATA says version `{}`, the file name `{}`",
                metadata.version(),
                filename.version
            ),
        ));
    }
    Ok(metadata)
}
