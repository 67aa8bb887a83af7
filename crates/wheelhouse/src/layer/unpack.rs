//! Wheels out of a layer's bytes: decompressed, hashed and written in one pass, on a thread that may block.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use super::contents::{Contents, Removal, StagedWheel, WheelEntry};
use super::tar::{Entry, Kind, TarError, TarReader};
use crate::digest::Digest;
use crate::image::Layer;

/// Bytes handled at once.
const BUFFER: usize = 256 * 1024;

/// A layer that grows more than this is no layer of wheels, which are compressed already.
const EXPANSION: u64 = 100;

/// So much may a layer grow at any size, for empty ones are all headers; bytes.
const SPARE: u64 = 16 << 20;

/// The longest name that Linux file systems have; bytes.
const LONGEST_NAME: usize = 255;

/// More wheels and whiteouts than any image has; they are held in memory.
pub(crate) const MOST: usize = 10_000;

/// Wheels written by this process; makes their names without meaning different.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// Why a layer gave no wheels.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UnpackError {
    /// This machine's disk.
    #[error("{}: {}", path.display(), pipe::advised(cause))]
    Local {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The layer does not decompress, or is no archive.
    #[error("layer {layer} cannot be unpacked: {cause}; push the image again")]
    Broken {
        /// The layer.
        layer: Digest,
        /// Why.
        cause: TarError,
    },
    /// A path that leads out of the image, a link or a device among the wheels.
    #[error("layer {layer} is refused: `{path}` is {what}; build the image without it")]
    Refused {
        /// The layer.
        layer: Digest,
        /// The path in the layer.
        path: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The configuration promises another archive.
    #[error(
        "layer {layer} unpacks to {found}, and the image's configuration says {expected}; push the image again"
    )]
    DiffId {
        /// The layer.
        layer: Digest,
        /// Digest of the archive.
        found: Digest,
        /// Digest in the configuration.
        expected: Digest,
    },
}

/// Unpacks a layer. Its wheels are written into `folder` under names of no meaning, for the caller to rename.
///
/// All of `packed` is read, also after a failure that lies in the layer: only then it is known whether the
/// layer is broken or the download was.
///
/// # Errors
/// See [`UnpackError`]; what was written is removed.
pub(crate) fn unpack(
    mut packed: impl BufRead,
    layer: &Layer,
    folder: &Path,
) -> Result<Contents, UnpackError> {
    let mut staged = Staging {
        folder,
        layer: &layer.digest,
        written: vec![],
    };
    let result = walk(&mut packed, layer, &mut staged);
    if let Err(failure) = &result {
        for path in staged.written {
            // It is in nobody's way, and the next run removes it.
            let _ = std::fs::remove_file(path);
        }
        if !matches!(failure, UnpackError::Local { .. }) {
            let _ = io::copy(&mut packed, &mut io::sink());
        }
    }
    result
}

struct Staging<'a> {
    folder: &'a Path,
    layer: &'a Digest,
    written: Vec<PathBuf>,
}

fn walk(
    packed: &mut impl BufRead,
    layer: &Layer,
    staging: &mut Staging<'_>,
) -> Result<Contents, UnpackError> {
    let broken = |cause: TarError| UnpackError::Broken {
        layer: layer.digest.clone(),
        cause,
    };
    let came = Rc::new(Cell::new(0));
    let packed = Counted {
        input: packed,
        came: Rc::clone(&came),
    };
    let archive = Archive {
        input: layer.compression.unpack(packed),
        hasher: Sha256::new(),
        came,
        grown: 0,
    };
    let mut tar = TarReader::new(archive);
    let mut contents = Contents::default();
    let mut buffer = vec![0; BUFFER];
    while let Some(entry) = tar.next().map_err(broken)? {
        let refused = |what| UnpackError::Refused {
            layer: layer.digest.clone(),
            path: String::from_utf8_lossy(&entry.path).into_owned(),
            what,
        };
        match Role::of(&entry).map_err(refused)? {
            Role::Nothing => {}
            _ if contents.removals.len() + contents.wheels.len() >= MOST => {
                return Err(refused("one of more than 10,000 wheels"));
            }
            Role::Removal(removal) => contents.removals.push(removal),
            Role::Wheel(name) if contents.wheels.contains_key(&name) => {
                return Err(refused("there twice"));
            }
            Role::Wheel(name) => {
                let wheel = staging.write(&mut tar, &mut buffer, broken)?;
                contents.wheels.insert(name, wheel);
            }
        }
    }
    // The archive ends before its last bytes, and the digest is that of all of them.
    let mut archive = tar.into_inner();
    loop {
        match archive.read(&mut buffer) {
            Ok(0) => break,
            Ok(_) => {}
            Err(cause) => return Err(broken(cause.into())),
        }
    }
    let found = Digest::from_hasher(archive.hasher);
    if found != layer.diff_id {
        let (layer, expected) = (layer.digest.clone(), layer.diff_id.clone());
        return Err(UnpackError::DiffId {
            layer,
            found,
            expected,
        });
    }
    Ok(contents)
}

impl Staging<'_> {
    fn write<R: Read>(
        &mut self,
        tar: &mut TarReader<R>,
        buffer: &mut [u8],
        broken: impl Fn(TarError) -> UnpackError,
    ) -> Result<StagedWheel, UnpackError> {
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let path = self
            .folder
            .join(format!("{}.{number}.new", self.layer.hex()));
        let local = |cause| UnpackError::Local {
            path: path.clone(),
            cause,
        };
        let mut file = File::create(&path).map_err(local)?;
        self.written.push(path.clone());
        let (mut hasher, mut size) = (Sha256::new(), 0);
        loop {
            let n = tar.read(buffer).map_err(&broken)?;
            if n == 0 {
                break;
            }
            hasher.update(&buffer[..n]);
            file.write_all(&buffer[..n]).map_err(local)?;
            size += n as u64;
        }
        let sha256 = HEXLOWER.encode(&hasher.finalize());
        Ok(StagedWheel {
            entry: WheelEntry { size, sha256 },
            staged: Some(path),
        })
    }
}

/// The archive's bytes, hashed as they are read.
struct Archive<R> {
    input: R,
    hasher: Sha256,
    /// Packed bytes that came; what the manifest says about it may be a lie.
    came: Rc<Cell<u64>>,
    grown: u64,
}

impl<R: Read> Read for Archive<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.input.read(buffer)?;
        self.hasher.update(&buffer[..n]);
        self.grown += n as u64;
        if self.grown > self.came.get().saturating_mul(EXPANSION) + SPARE {
            return Err(io::Error::other(format!(
                "it grows to more than {EXPANSION} times its size"
            )));
        }
        Ok(n)
    }
}

/// Packed bytes, counted as they are taken.
struct Counted<R> {
    input: R,
    came: Rc<Cell<u64>>,
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.came.set(self.came.get() + amount as u64);
        self.input.consume(amount);
    }
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.input.read(buffer)?;
        self.came.set(self.came.get() + n as u64);
        Ok(n)
    }
}

/// What an entry of a layer means to us.
#[derive(Debug, PartialEq, Eq)]
enum Role {
    Nothing,
    Removal(Removal),
    Wheel(String),
}

impl Role {
    /// Reads an entry; an error says what is wrong with it.
    fn of(entry: &Entry) -> Result<Self, &'static str> {
        if entry.path.starts_with(b"/") {
            return Err("an absolute path");
        }
        let parts: Vec<&[u8]> = entry
            .path
            .split(|byte| *byte == b'/')
            .filter(|part| !part.is_empty() && *part != b".")
            .collect();
        if parts.contains(&&b".."[..]) {
            return Err("a path that leads elsewhere");
        }
        let whole = match parts[..] {
            [b".wh..wh..opq" | b".wh.wheels"] => return Ok(Self::Removal(Removal::All)),
            [b"wheels"] => {
                return match entry.kind {
                    Kind::Folder => Ok(Self::Nothing),
                    Kind::Link => Err("a link, which is not followed"),
                    _ => Err("no folder"),
                };
            }
            [b"wheels", name] => name,
            _ => return Ok(Self::Nothing),
        };
        match entry.kind {
            Kind::Link => return Err("a link, which is not followed"),
            Kind::Device => return Err("a device"),
            _ => {}
        }
        // A name that is no text is no wheel's, and no wheel's whiteout.
        let Ok(name) = str::from_utf8(whole) else {
            return Ok(Self::Nothing);
        };
        let is_meant = name.starts_with(".wh.") || name.as_bytes().ends_with(b".whl");
        if is_meant && name.len() > LONGEST_NAME {
            return Err("a name of more than 255 bytes");
        }
        if let Some(removed) = name.strip_prefix(".wh.") {
            return Ok(match removed {
                ".wh..opq" => Self::Removal(Removal::All),
                // Bookkeeping of a storage driver.
                _ if removed.starts_with(".wh.") => Self::Nothing,
                _ => Self::Removal(Removal::One(removed.to_owned())),
            });
        }
        match entry.kind {
            _ if !name.as_bytes().ends_with(b".whl") => Ok(Self::Nothing),
            Kind::File => Ok(Self::Wheel(name.to_owned())),
            Kind::Folder => Err("a folder with the name of a wheel"),
            _ => Err("no ordinary file"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_no_file_has_is_not_kept() {
        for (name, expected) in [
            (
                format!("{}.whl", "a".repeat(252)),
                Err("a name of more than 255 bytes"),
            ),
            (
                format!(".wh.{}", "a".repeat(252)),
                Err("a name of more than 255 bytes"),
            ),
            ("a".repeat(256), Ok(Role::Nothing)),
        ] {
            let entry = Entry {
                path: format!("wheels/{name}").into(),
                kind: Kind::File,
                size: 0,
            };
            assert_eq!(Role::of(&entry), expected, "{name}");
        }
    }

    #[test]
    fn what_a_manifest_says_about_the_size_is_no_leave_to_grow() {
        use std::io::Write;
        let mut packed = flate2::write::GzEncoder::new(vec![], flate2::Compression::best());
        let mut header = [0; 512];
        header[..12].copy_from_slice(b"wheels/a.whl");
        header[124..136].copy_from_slice(b"00400000000\0");
        let sum: u64 = header.iter().map(|byte| u64::from(*byte)).sum::<u64>() + 8 * 32;
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        packed.write_all(&header).unwrap();
        packed.write_all(&vec![0; 64 << 20]).unwrap();
        let digest = Digest::of(b"");
        let layer = Layer {
            digest: digest.clone(),
            size: u64::MAX,
            compression: crate::layer::Compression::Gzip,
            diff_id: digest.clone(),
        };
        let folder = tempfile::tempdir().unwrap();
        let error = unpack(&packed.finish().unwrap()[..], &layer, folder.path()).unwrap_err();
        let expected = format!(
            "layer {digest} cannot be unpacked: it grows to more than 100 times its size; push the image again"
        );
        assert_eq!(error.to_string(), expected);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn an_entry_is_a_wheel_a_whiteout_or_nothing_to_us() {
        let wheel = |name: &str| Ok(Role::Wheel(name.to_owned()));
        let one = |name: &str| Ok(Role::Removal(Removal::One(name.to_owned())));
        let all = || Ok(Role::Removal(Removal::All));
        let cases = [
            ("wheels/a.whl", Kind::File, wheel("a.whl")),
            ("./wheels//a.whl", Kind::File, wheel("a.whl")),
            ("wheels/deep/a.whl", Kind::File, Ok(Role::Nothing)),
            ("dist/a.whl", Kind::File, Ok(Role::Nothing)),
            ("wheels/", Kind::Folder, Ok(Role::Nothing)),
            ("wheels/SHA256SUMS", Kind::File, Ok(Role::Nothing)),
            ("stargz.index.json", Kind::File, Ok(Role::Nothing)),
            ("bin/sh", Kind::Link, Ok(Role::Nothing)),
            ("wheels/.wh.a.whl", Kind::File, one("a.whl")),
            ("wheels/.wh..wh..opq", Kind::File, all()),
            ("wheels/.wh..wh.plnk", Kind::Folder, Ok(Role::Nothing)),
            (".wh.wheels", Kind::File, all()),
            (".wh..wh..opq", Kind::File, all()),
            (
                "wheels/../../a.whl",
                Kind::File,
                Err("a path that leads elsewhere"),
            ),
            (
                "etc/../wheels/a.whl",
                Kind::File,
                Err("a path that leads elsewhere"),
            ),
            ("/wheels/a.whl", Kind::File, Err("an absolute path")),
            (
                "wheels/a.whl",
                Kind::Link,
                Err("a link, which is not followed"),
            ),
            (
                "wheels/sums",
                Kind::Link,
                Err("a link, which is not followed"),
            ),
            ("wheels", Kind::Link, Err("a link, which is not followed")),
            ("wheels", Kind::File, Err("no folder")),
            ("wheels/a.whl", Kind::Device, Err("a device")),
            ("wheels/a.whl", Kind::Other, Err("no ordinary file")),
            (
                "wheels/a.whl",
                Kind::Folder,
                Err("a folder with the name of a wheel"),
            ),
        ];
        for (path, kind, expected) in cases {
            let entry = Entry {
                path: path.into(),
                kind,
                size: 0,
            };
            assert_eq!(Role::of(&entry), expected, "{path} {kind:?}");
        }
    }
}
