//! Wheels in the output folder: whole or not there, all of a set or none, and never the input.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use pipe::{Partial, failed};
use wheel::sha256_file;

/// What is said of a wheel whose bytes are not those that were measured.
pub(crate) const CHANGED: &str = "has changed since it was measured; measure it again";

/// A wheel that is ready to get its name.
#[derive(Debug)]
pub(crate) struct Output {
    place: PathBuf,
    ready: Ready,
}

#[derive(Debug)]
enum Ready {
    /// The right bytes have the name already.
    There,
    /// Written beside its place.
    Written(Partial),
    /// The same file as the input, which can have a second name in the same file system: a set of wheels has many GB.
    Link(PathBuf),
}

/// Where a wheel goes.
///
/// # Errors
/// When that is the wheel itself, or the document gives it another name than it has: `../x.whl` would lead out of the folder.
pub(crate) fn place(out: &Path, wheel: &Path, filename: &str) -> anyhow::Result<PathBuf> {
    ensure!(
        wheel.file_name() == Some(OsStr::new(filename)),
        "is called `{filename}` in the document; measure it again"
    );
    if let (Ok(a), Ok(b)) = (out.canonicalize(), wheel.canonicalize())
        && b.parent() == Some(&a)
    {
        bail!("is in the folder that it would be written to; give --out another folder");
    }
    Ok(out.join(filename))
}

/// The output folder, with the folders above it that had to be made for it.
#[derive(Debug)]
pub(crate) struct Folder {
    /// Innermost first.
    made: Vec<PathBuf>,
}

impl Folder {
    /// Makes the folder where it is not there.
    ///
    /// # Errors
    /// When the file system refuses; the message names the folder.
    pub(crate) fn make(path: &Path) -> anyhow::Result<Self> {
        let gone = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let made = path.ancestors().take_while(gone).map(Path::to_owned);
        let folder = Self {
            made: made.collect(),
        };
        match std::fs::create_dir_all(path) {
            Ok(()) => Ok(folder),
            Err(error) => {
                folder.take_back();
                Err(failed(path, &error))
            }
        }
    }

    /// Takes back what was made for nothing; a folder with something in it stays.
    pub(crate) fn take_back(self) {
        for folder in self.made {
            let _ = std::fs::remove_dir(folder);
        }
    }
}

impl Output {
    /// A wheel that was written anew.
    ///
    /// # Errors
    /// When the name is taken by other bytes.
    pub(crate) fn written(file: Partial, sha256: &str, place: PathBuf) -> anyhow::Result<Self> {
        let ready = if is_there(&place, sha256)? {
            Ready::There
        } else {
            Ready::Written(file)
        };
        Ok(Self { place, ready })
    }

    /// A wheel that is passed on byte for byte.
    ///
    /// # Errors
    /// When its bytes are not those that were measured, the name is taken by other bytes, or the folder cannot be written
    /// to.
    pub(crate) fn same(wheel: &Path, sha256: &str, place: PathBuf) -> anyhow::Result<Self> {
        let (found, _) = sha256_file(wheel)?;
        ensure!(found == sha256, CHANGED);
        // A second name of a symbolic link would break when the wheel is moved.
        let real = wheel.canonicalize()?;
        let folder = place.parent().unwrap_or(Path::new("."));
        let ready = if is_there(&place, sha256)? {
            Ready::There
        } else if real.metadata()?.dev() == folder.metadata()?.dev() {
            Ready::Link(real)
        } else {
            Ready::Written(copy(&real, &place)?)
        };
        Ok(Self { place, ready })
    }

    /// Gives the wheel its name; returns it when it is new.
    fn commit(self) -> anyhow::Result<Option<PathBuf>> {
        match self.ready {
            Ready::There => return Ok(None),
            Ready::Written(file) => file
                .commit()
                .with_context(|| self.place.display().to_string())?,
            Ready::Link(real) => {
                if std::fs::hard_link(&real, &self.place).is_err() {
                    copy(&real, &self.place)?
                        .commit()
                        .with_context(|| self.place.display().to_string())?;
                }
            }
        }
        Ok(Some(self.place))
    }
}

/// Gives all wheels of a set their names, or none: a copy that stands in for a second name can still find the disk full.
///
/// # Errors
/// When the file system refuses; the message names the place.
pub(crate) fn commit(outputs: Vec<Output>) -> anyhow::Result<()> {
    let mut named = Vec::new();
    for output in outputs {
        match output.commit() {
            Ok(new) => named.extend(new),
            Err(error) => {
                for place in named {
                    let _ = std::fs::remove_file(place);
                }
                return Err(error);
            }
        }
    }
    Ok(())
}

fn copy(wheel: &Path, place: &Path) -> anyhow::Result<Partial> {
    let mut file = Partial::create(place).with_context(|| place.display().to_string())?;
    std::io::copy(&mut File::open(wheel)?, &mut file)
        .with_context(|| place.display().to_string())?;
    Ok(file)
}

/// Whether the file is there with these bytes.
fn is_there(place: &Path, sha256: &str) -> anyhow::Result<bool> {
    if !place.exists() {
        return Ok(false);
    }
    let (found, _) = sha256_file(place).with_context(|| place.display().to_string())?;
    ensure!(
        found == sha256,
        "{} is there already with other bytes; remove it or give --out another folder",
        place.display()
    );
    Ok(true)
}
