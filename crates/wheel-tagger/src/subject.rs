//! A wheel that came in: the facts about it, and what the plan needs of its file.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use wheel::{
    Archive, Fault, Inflater, Metadata, ProjectName, RecordCheck, Version, WheelError,
    WheelFilename, WheelInfo,
};

/// One wheel of the set, read and found sound.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    /// What the document says about it; for a file on the command line, what its name and METADATA say.
    pub(crate) facts: pipe::Wheel,
    /// Whether the document gave its sha256, which the bytes must then have.
    pub(crate) measured_sha256: bool,
    /// Where the file is.
    pub(crate) path: PathBuf,
    /// Its name, taken apart.
    pub(crate) filename: WheelFilename,
    /// The project.
    pub(crate) name: ProjectName,
    /// The version in normal form.
    pub(crate) version: Version,
    /// METADATA.
    pub(crate) metadata: Metadata,
    /// WHEEL.
    pub(crate) wheel_info: WheelInfo,
    /// The `.dist-info` directory.
    pub(crate) dist_info: String,
    /// Software bills of materials that name the wheel by its version.
    pub(crate) stale_sboms: Vec<String>,
    /// RECORD is signed.
    pub(crate) signatures: Vec<String>,
    /// WHEEL names other platforms than the file name.
    pub(crate) platforms_differ: bool,
    stamp: Stamp,
}

/// What changes when a file is replaced or written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

impl Stamp {
    /// The stamp of a file.
    pub(crate) fn of(path: &Path) -> std::io::Result<Self> {
        let found = std::fs::metadata(path)?;
        Ok(Self {
            device: found.dev(),
            inode: found.ino(),
            size: found.size(),
            changed: (found.mtime(), found.mtime_nsec()),
        })
    }

    /// Whether both are one file, whatever became of its content.
    pub(crate) fn is_same_file(self, other: Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

impl Subject {
    /// Reads a wheel that a document describes.
    pub(crate) fn measured(facts: pipe::Wheel, inflater: &mut Inflater) -> Result<Self, String> {
        let path = PathBuf::from(&facts.path);
        let named = path
            .file_name()
            .is_some_and(|name| name == facts.filename.as_str());
        if !named {
            return Err(format!(
                "the document calls it `{}`; measure it again",
                facts.filename
            ));
        }
        let verified = facts.record == Some(pipe::Record::Verified);
        let subject =
            Self::read(&path, Some(facts), verified, inflater).map_err(|error| told(&error))?;
        match subject.contradiction() {
            Some(field) => Err(format!(
                "its file name does not say what the document says as `{field}`; measure it again"
            )),
            None => Ok(subject),
        }
    }

    /// Reads a wheel that was named on the command line.
    pub(crate) fn file(path: &Path, inflater: &mut Inflater) -> Result<Self, String> {
        Self::read(path, None, false, inflater).map_err(|error| told(&error))
    }

    /// Checks everything that a rewrite would otherwise hide: structure, names, tags and RECORD. The
    /// contents are only read where nobody vouches for them.
    fn read(
        path: &Path,
        facts: Option<pipe::Wheel>,
        verified: bool,
        inflater: &mut Inflater,
    ) -> Result<Self, WheelError> {
        let archive = Archive::open(path)?;
        let stamp = Stamp::of(path)?;
        let wheel_info = archive.wheel_info()?;
        let platforms_differ = match archive.agreeing_wheel_info() {
            Ok(_) => false,
            Err(error) if error.fault() == Fault::TagsMismatch => {
                if !only_platforms_differ(&wheel_info, archive.filename()) {
                    return Err(error);
                }
                true
            }
            Err(error) => return Err(error),
        };
        check_record(&archive, verified, inflater)?;
        let record = archive.record_path();
        let signatures = [".jws", ".p7s"]
            .iter()
            .map(|suffix| format!("{record}{suffix}"))
            .filter(|name| archive.index(name).is_some())
            .collect();
        let measured_sha256 = facts.is_some();
        Ok(Self {
            stale_sboms: stale_sboms(&archive, inflater)?,
            facts: facts.unwrap_or_else(|| facts_of(&archive)),
            measured_sha256,
            path: path.to_owned(),
            filename: archive.filename().clone(),
            name: archive.filename().name().clone(),
            version: archive.filename().version.clone(),
            metadata: archive.metadata().clone(),
            wheel_info,
            dist_info: archive.dist_info().to_owned(),
            signatures,
            platforms_differ,
            stamp,
        })
    }

    /// The field of the document that is not what the file is called. The facts are passed on, so what is
    /// wrong there would be told to every stage after this one.
    fn contradiction(&self) -> Option<&'static str> {
        let sorted = |mut tags: Vec<String>| {
            tags.sort();
            tags
        };
        if self.facts.name != self.name.to_string() {
            Some("name")
        } else if self.facts.version != self.version.to_string() {
            Some("version")
        } else if sorted(self.facts.tags.clone()) != sorted(self.filename.tags()) {
            Some("tags")
        } else {
            None
        }
    }

    /// The file's stamp when it was read.
    pub(crate) fn stamp(&self) -> Stamp {
        self.stamp
    }
}

/// The fault, and what to do about it where the fault itself does not say.
fn told(error: &WheelError) -> String {
    if error.kind().starts_with("record.") {
        format!("{error}; the wheel was changed after it was packed, build it again")
    } else {
        error.to_string()
    }
}

fn check_record(
    archive: &Archive,
    verified: bool,
    inflater: &mut Inflater,
) -> Result<(), WheelError> {
    if !verified {
        return archive.verify_record(inflater);
    }
    // The names cost nothing, so they are compared whoever vouched for them.
    let record = archive.required_record()?;
    match RecordCheck::new(archive, &record)
        .into_faults()
        .into_iter()
        .next()
    {
        Some(fault) => Err(fault),
        None => Ok(()),
    }
}

/// Whether the tags agree in all but their last part. Published ROCm wheels were renamed from
/// `linux_x86_64` by hand; the measured tag mends that. Other differences change what the wheel is.
fn only_platforms_differ(info: &WheelInfo, filename: &WheelFilename) -> bool {
    let heads = |tags: Vec<String>| {
        let mut heads: Vec<String> = tags
            .iter()
            .map(|tag| tag.rsplit_once('-').map_or("", |(head, _)| head).to_owned())
            .collect();
        heads.sort();
        heads.dedup();
        heads
    };
    let found = info.tags();
    !found.is_empty() && heads(found) == heads(filename.tags())
}

/// Members below `sboms/` that call this wheel `pkg:pypi/<name>@…`: true before, stale after.
fn stale_sboms(archive: &Archive, inflater: &mut Inflater) -> Result<Vec<String>, WheelError> {
    let folder = format!("{}/sboms/", archive.dist_info());
    let needle = format!("pkg:pypi/{}@", archive.filename().name());
    let needle = needle.as_bytes();
    let mut stale = Vec::new();
    for (index, member) in archive.members().iter().enumerate() {
        if !member.name().starts_with(&folder) || member.is_dir() {
            continue;
        }
        let mut reader = archive.stream_with(index, inflater);
        let mut carried: Vec<u8> = Vec::new();
        let mut found = false;
        loop {
            let chunk = reader.next_chunk()?;
            if chunk.is_empty() {
                break;
            }
            carried.extend_from_slice(chunk);
            found |= carried.windows(needle.len()).any(|window| window == needle);
            let keep = carried.len().saturating_sub(needle.len() - 1);
            carried.drain(..keep);
        }
        if found {
            stale.push(member.name().to_owned());
        }
    }
    Ok(stale)
}

fn facts_of(archive: &Archive) -> pipe::Wheel {
    let filename = archive.filename();
    let path = archive.path();
    pipe::Wheel {
        path: path.display().to_string(),
        filename: path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        name: filename.name().to_string(),
        version: filename.version.to_string(),
        tags: filename.tags(),
        size: archive.file_size(),
        sha256: String::new(),
        requires_python: archive.metadata().requires_python(),
        record: Some(pipe::Record::Verified),
        platform: None,
        device: None,
        origin: None,
        source: None,
        more: pipe::More::new(),
    }
}
