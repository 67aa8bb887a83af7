//! A tar archive as a stream of entries, in memory that no archive can grow.
//!
//! Layers come as ustar with pax records (Go, BuildKit, buildah), as GNU tar writes them, and as old as v7.
//! The rules are those of pax(1) in POSIX.1-2017 and of GNU tar's manual, "Basic Tar Format".

use std::io::{self, Read};

use super::tar_header::{Header, until_nul};

const BLOCK: u64 = 512;

/// The largest pax record or GNU long name that is taken; a path has at most 4096 bytes on Linux.
const EXTENSION_LIMIT: u64 = 1 << 20;

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A file with content.
    File,
    /// A folder.
    Folder,
    /// A symbolic or hard link.
    Link,
    /// A character or block device, or a named pipe.
    Device,
    /// A file of which only parts are stored, or a kind that nobody defined.
    Other,
}

/// The header of one entry; its content is read from the [`TarReader`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its path as it stands there, in bytes that may be no text.
    pub(crate) path: Vec<u8>,
    /// What it is.
    pub(crate) kind: Kind,
    /// Bytes of its content.
    pub(crate) size: u64,
}

/// Why an archive cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TarError {
    /// The stream below failed, or ended inside an entry.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Not a header, or one that contradicts itself.
    #[error("not a tar archive: {0}")]
    Malformed(&'static str),
}

/// Reads entries one after another.
#[derive(Debug)]
pub(crate) struct TarReader<R> {
    input: R,
    /// Content of the current entry that was not read yet.
    left: u64,
    /// Filler after the content.
    padding: u64,
    ended: bool,
}

/// What extension headers say about the entry that follows.
#[derive(Default)]
struct Extensions {
    path: Option<Vec<u8>>,
    size: Option<u64>,
    is_sparse: bool,
}

impl<R: Read> TarReader<R> {
    /// An archive that begins here.
    pub(crate) fn new(input: R) -> Self {
        Self {
            input,
            left: 0,
            padding: 0,
            ended: false,
        }
    }

    /// The next entry; what was not read of the one before is passed over.
    pub(crate) fn next(&mut self) -> Result<Option<Entry>, TarError> {
        let mut extensions = Extensions::default();
        loop {
            self.pass_over(self.left + self.padding)?;
            (self.left, self.padding) = (0, 0);
            let Some(header) = self.header()? else {
                return Ok(None);
            };
            let stored = header
                .size()
                .ok_or(TarError::Malformed("a size is no number"))?;
            let flag = header.flag();
            match flag {
                b'x' => pax(&self.extension(stored)?, &mut extensions)?,
                // Defaults for all entries, which no builder writes paths or sizes into; and targets of links.
                b'g' | b'K' => drop(self.extension(stored)?),
                b'L' => {
                    let name = self.extension(stored)?;
                    extensions.path = Some(until_nul(&name).to_vec());
                }
                _ => {
                    let entry = self.entry(&header, flag, stored, extensions)?;
                    if header.has_more_holes() {
                        self.pass_over_holes()?;
                    }
                    return Ok(Some(entry));
                }
            }
        }
    }

    /// Reads content of the current entry; 0 at its end.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, TarError> {
        let most = usize::try_from(self.left).map_or(buffer.len(), |left| left.min(buffer.len()));
        if most == 0 {
            return Ok(0);
        }
        let n = self.input.read(&mut buffer[..most])?;
        if n == 0 {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        self.left -= n as u64;
        Ok(n)
    }

    /// The stream below, after the end of the archive.
    pub(crate) fn into_inner(self) -> R {
        self.input
    }

    fn entry(
        &mut self,
        header: &Header,
        flag: u8,
        stored: u64,
        extensions: Extensions,
    ) -> Result<Entry, TarError> {
        let path = extensions.path.unwrap_or_else(|| header.path());
        let kind = match flag {
            _ if extensions.is_sparse => Kind::Other,
            // v7 knew no folders but by their name.
            b'0' | 0 if path.ends_with(b"/") => Kind::Folder,
            b'0' | b'7' | 0 => Kind::File,
            b'5' => Kind::Folder,
            b'1' | b'2' => Kind::Link,
            b'3' | b'4' | b'6' => Kind::Device,
            _ => Kind::Other,
        };
        let has_content = !matches!(kind, Kind::Folder | Kind::Link | Kind::Device);
        let size = if has_content {
            extensions.size.unwrap_or(stored)
        } else {
            0
        };
        let padding = filler(size);
        if size.checked_add(padding).is_none() {
            return Err(TarError::Malformed("a size is no number"));
        }
        (self.left, self.padding) = (size, padding);
        Ok(Entry { path, kind, size })
    }

    /// GNU's old sparse format lists holes that did not fit the header in blocks before the content, which its size
    /// does not count; the last byte that means something says whether another follows (GNU tar's manual, "Extensions").
    fn pass_over_holes(&mut self) -> Result<(), TarError> {
        let mut block = [0; 512];
        loop {
            if !self.block(&mut block)? {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
            if block[504] == 0 {
                return Ok(());
            }
        }
    }

    /// The next header; none at the end, which is two blocks of zeros or the end of the stream.
    fn header(&mut self) -> Result<Option<Header>, TarError> {
        let mut block = [0; 512];
        for _ in 0..2 {
            if self.ended || !self.block(&mut block)? {
                self.ended = true;
                return Ok(None);
            }
            if block.iter().any(|byte| *byte != 0) {
                let wrong = TarError::Malformed("the checksum of a header is wrong");
                return Header::new(&block).map(Some).ok_or(wrong);
            }
        }
        self.ended = true;
        Ok(None)
    }

    /// Fills a block; false when the stream ended before it.
    fn block(&mut self, block: &mut [u8; 512]) -> Result<bool, TarError> {
        let mut filled = 0;
        while filled < block.len() {
            match self.input.read(&mut block[filled..])? {
                0 if filled == 0 => return Ok(false),
                0 => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
                n => filled += n,
            }
        }
        Ok(true)
    }

    fn extension(&mut self, size: u64) -> Result<Vec<u8>, TarError> {
        if size > EXTENSION_LIMIT {
            return Err(TarError::Malformed("a name is longer than 1 MiB"));
        }
        let mut bytes = Vec::new();
        (&mut self.input).take(size).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != size {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        self.pass_over(filler(size))?;
        Ok(bytes)
    }

    fn pass_over(&mut self, bytes: u64) -> Result<(), TarError> {
        let passed = io::copy(&mut (&mut self.input).take(bytes), &mut io::sink())?;
        if passed == bytes {
            return Ok(());
        }
        Err(io::Error::from(io::ErrorKind::UnexpectedEof).into())
    }
}

/// Bytes that fill the last block.
fn filler(size: u64) -> u64 {
    (BLOCK - size % BLOCK) % BLOCK
}

/// Records of the form `LENGTH KEY=VALUE\n`, the length being that of the whole record.
fn pax(mut records: &[u8], extensions: &mut Extensions) -> Result<(), TarError> {
    let malformed = || TarError::Malformed("a pax record cannot be read");
    while !records.is_empty() {
        let blank = records
            .iter()
            .position(|byte| *byte == b' ')
            .ok_or_else(malformed)?;
        let length: Option<usize> = str::from_utf8(&records[..blank])
            .ok()
            .and_then(|text| text.parse().ok());
        let length = length
            .filter(|n| (blank + 2..=records.len()).contains(n))
            .ok_or_else(malformed)?;
        let record = records[blank + 1..length]
            .strip_suffix(b"\n")
            .ok_or_else(malformed)?;
        let equals = record
            .iter()
            .position(|byte| *byte == b'=')
            .ok_or_else(malformed)?;
        let (key, value) = (&record[..equals], &record[equals + 1..]);
        match key {
            b"path" => extensions.path = Some(value.to_vec()),
            b"size" => {
                let size = str::from_utf8(value)
                    .ok()
                    .and_then(|text| text.parse().ok());
                extensions.size = Some(size.ok_or_else(malformed)?);
            }
            key if key.starts_with(b"GNU.sparse.") => extensions.is_sparse = true,
            _ => {}
        }
        records = &records[length..];
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Archives of one long name, as Python's tarfile and GNU tar write them.
    fn archive(format: &str) -> Vec<u8> {
        let script = "import io, sys, tarfile\n\
            with tarfile.open(fileobj=sys.stdout.buffer, mode='w|', format=getattr(tarfile, sys.argv[1])) as tar:\n\
            \x20for name, data in [('a/' + 'd' * 80 + '/' + 'n' * 60, b'x' * 700), ('b', b''), ('c', b'end')]:\n\
            \x20 member = tarfile.TarInfo(name); member.size = len(data); tar.addfile(member, io.BytesIO(data))\n\
            \x20for name, kind in [('link', tarfile.SYMTYPE), ('dev', tarfile.CHRTYPE), ('dir', tarfile.DIRTYPE)]:\n\
            \x20 member = tarfile.TarInfo(name); member.type = kind; member.linkname = 'c'; tar.addfile(member)\n";
        let python = std::process::Command::new("python3")
            .args(["-c", script, format])
            .output()
            .unwrap();
        assert!(
            python.status.success(),
            "{}",
            String::from_utf8_lossy(&python.stderr)
        );
        python.stdout
    }

    fn listing(archive: &[u8]) -> Result<Vec<(String, Kind, usize)>, TarError> {
        let mut tar = TarReader::new(archive);
        let mut found = vec![];
        while let Some(entry) = tar.next()? {
            let (mut buffer, mut length) = ([0; 300], 0);
            loop {
                match tar.read(&mut buffer)? {
                    0 => break,
                    n => length += n,
                }
            }
            let path = String::from_utf8_lossy(&entry.path).into_owned();
            found.push((path, entry.kind, length));
        }
        Ok(found)
    }

    #[test]
    fn every_format_gives_the_same_entries() {
        let long = format!("a/{}/{}", "d".repeat(80), "n".repeat(60));
        let expected = [
            (long.as_str(), Kind::File, 700),
            ("b", Kind::File, 0),
            ("c", Kind::File, 3),
            ("link", Kind::Link, 0),
            ("dev", Kind::Device, 0),
            ("dir", Kind::Folder, 0),
        ];
        for format in ["USTAR_FORMAT", "GNU_FORMAT", "PAX_FORMAT"] {
            let found = listing(&archive(format)).unwrap();
            let found: Vec<_> = found
                .iter()
                .map(|(path, kind, n)| (path.trim_end_matches('/'), *kind, *n))
                .collect();
            assert_eq!(found, expected, "{format}");
        }
    }

    #[test]
    fn an_archive_cut_inside_an_entry_is_an_error() {
        let whole = archive("PAX_FORMAT");
        let ends = 1024 + 3 * 512;
        for end in (1..ends).filter(|end| end % 512 != 0) {
            assert!(listing(&whole[..end]).is_err(), "{end}");
        }
    }

    #[test]
    fn no_damage_to_an_archive_is_a_panic() {
        for format in ["GNU_FORMAT", "PAX_FORMAT"] {
            let whole = archive(format);
            for at in 0..2048 {
                let mut damaged = whole.clone();
                damaged[at] ^= 0x80 >> (at % 8);
                // With a checksum that fits, so that the damage is looked at.
                for header in damaged[..2048].chunks_mut(512) {
                    header[148..156].copy_from_slice(b"        ");
                    let sum: u64 = header.iter().map(|byte| u64::from(*byte)).sum();
                    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
                }
                drop(listing(&damaged));
            }
        }
    }

    #[test]
    fn what_is_no_archive_is_refused() {
        let mut archive = archive("USTAR_FORMAT");
        archive[3] ^= 1;
        let error = listing(&archive).unwrap_err().to_string();
        assert_eq!(
            error,
            "not a tar archive: the checksum of a header is wrong"
        );
    }

    /// A header by hand, with what `change` makes of it.
    fn header(name: &[u8], flag: u8, change: impl Fn(&mut [u8; 512])) -> [u8; 512] {
        let mut header = [0; 512];
        header[..name.len()].copy_from_slice(name);
        header[156] = flag;
        change(&mut header);
        let sum: u64 = header.iter().map(|byte| u64::from(*byte)).sum::<u64>() + 8 * 32;
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        header
    }

    #[test]
    fn a_size_that_no_file_has_is_not_taken_for_a_small_one() {
        let record = b"29 size=18446744073709551615\n";
        let extension = header(b"x", b'x', |header| {
            header[124..136].copy_from_slice(b"00000000035\0");
        });
        let mut archive = [&extension[..], record].concat();
        archive.resize(1024, 0);
        archive.extend(header(b"a", b'0', |_| {}));
        let error = listing(&archive).unwrap_err().to_string();
        assert_eq!(error, "not a tar archive: a size is no number");
    }

    #[test]
    fn holes_that_did_not_fit_a_header_are_passed_over() {
        let sparse = header(b"sparse", b'S', |header| header[482] = 1);
        let mut more = [b'7'; 512];
        let last = [&[b'7'; 504][..], &[0; 8]].concat();
        more[504] = 1;
        let next = header(b"next", b'0', |_| {});
        let archive = [&sparse[..], &more, &last, &next].concat();
        let expected = [("sparse", Kind::Other, 0), ("next", Kind::File, 0)];
        let expected = expected.map(|(name, kind, size)| (name.to_owned(), kind, size));
        assert_eq!(listing(&archive).unwrap(), expected);
        assert!(listing(&archive[..1024]).is_err());
    }

    #[test]
    fn a_name_cannot_fill_the_memory() {
        let header = header(b"long", b'L', |header| {
            header[124..136].copy_from_slice(b"77777777777\0");
        });
        let error = listing(&header).unwrap_err().to_string();
        assert_eq!(error, "not a tar archive: a name is longer than 1 MiB");
    }
}
