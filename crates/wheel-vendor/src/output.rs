//! Wheels in the output folder: whole or not there, and never the input.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use pipe::Partial;
use wheel::sha256_file;

/// Where a wheel goes.
///
/// # Errors
/// When that is the wheel itself.
pub(crate) fn place(out: &Path, wheel: &Path, filename: &str) -> anyhow::Result<PathBuf> {
    let place = out.join(filename);
    if let (Ok(a), Ok(b)) = (out.canonicalize(), wheel.canonicalize())
        && b.parent() == Some(&a)
    {
        bail!("is in the folder that it would be written to; give --out another folder");
    }
    Ok(place)
}

/// Gives a finished file its name. One that is there with the same bytes is kept.
///
/// # Errors
/// When the name is taken by other bytes, or the disk is full.
pub(crate) fn finish(file: Partial, sha256: &str, place: &Path) -> anyhow::Result<()> {
    if is_there(place, sha256)? {
        return Ok(());
    }
    Ok(file.commit()?)
}

/// Passes a wheel on byte for byte: by a second name of the same file where the folder allows it.
///
/// # Errors
/// When the name is taken by other bytes, or the folder cannot be written to.
pub(crate) fn pass_on(wheel: &Path, sha256: &str, place: &Path) -> anyhow::Result<()> {
    if is_there(place, sha256)? {
        return Ok(());
    }
    // A link to a symbolic link would follow it when the wheel is moved.
    let real = wheel.canonicalize()?;
    if std::fs::hard_link(&real, place).is_ok() {
        return Ok(());
    }
    let mut file = Partial::create(place)?;
    std::io::copy(&mut File::open(&real)?, &mut file)?;
    Ok(file.commit()?)
}

/// Whether the file is there with these bytes.
fn is_there(place: &Path, sha256: &str) -> anyhow::Result<bool> {
    if !place.exists() {
        return Ok(false);
    }
    let (found, _) = sha256_file(place).context("cannot be read")?;
    if found != sha256 {
        bail!("is there already with other bytes; remove it or give --out another folder");
    }
    Ok(true)
}
