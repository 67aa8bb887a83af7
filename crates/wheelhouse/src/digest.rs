//! Content digests: what a manifest, a blob and an uncompressed layer are named by.

use std::fmt;
use std::io::{self, Read};
use std::str::FromStr;

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

/// The sha256 digest of some content, written `sha256:` and 64 lower-case hex digits.
///
/// The image specification also knows sha512; no registry or builder that we met writes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Digest(String);

/// Why a text is no digest.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DigestError {
    /// `sha512:…`, `tarsum:…`
    #[error("digest `{0}` is not a sha256, the only kind that is supported; push the image again")]
    Algorithm(String),
    /// `sha256:abc`, upper case, anything that could be a path.
    #[error("`{0}` is not a digest; push the image again")]
    Malformed(String),
}

impl Digest {
    /// The digest of these bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self::from_hasher(Sha256::new_with_prefix(bytes))
    }

    /// The digest of everything that a hasher was fed.
    pub(crate) fn from_hasher(hasher: Sha256) -> Self {
        Self(format!("sha256:{}", HEXLOWER.encode(&hasher.finalize())))
    }

    /// The digest of everything that is left in a reader.
    pub(crate) fn of_reader(mut reader: impl Read) -> io::Result<Self> {
        let mut hasher = Sha256::new();
        let mut buffer = vec![0; 256 * 1024];
        loop {
            match reader.read(&mut buffer)? {
                0 => return Ok(Self::from_hasher(hasher)),
                n => hasher.update(&buffer[..n]),
            }
        }
    }

    /// The 64 hex digits.
    pub(crate) fn hex(&self) -> &str {
        self.0.trim_start_matches("sha256:")
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let malformed = || DigestError::Malformed(text.to_owned());
        let (algorithm, hex) = text.split_once(':').ok_or_else(malformed)?;
        if algorithm != "sha256" {
            return Err(DigestError::Algorithm(text.to_owned()));
        }
        let is_hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        if hex.len() != 64 || !hex.bytes().all(is_hex) {
            return Err(malformed());
        }
        Ok(Self(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_read_and_printed_unchanged() {
        let text = Digest::of(b"").to_string();
        assert_eq!(
            text,
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        assert_eq!(text.parse::<Digest>().unwrap().to_string(), text);
        assert_eq!(Digest::of_reader(&b""[..]).unwrap().to_string(), text);
    }

    #[test]
    fn what_could_be_a_path_is_no_digest() {
        for text in [
            "",
            "sha256",
            "sha256:",
            "sha256:../../etc/passwd",
            "sha256:ABCD",
        ] {
            let error = text.parse::<Digest>().unwrap_err();
            assert_eq!(error, DigestError::Malformed(text.to_owned()));
        }
        assert_eq!(
            "sha512:00".parse::<Digest>().unwrap_err().to_string(),
            "digest `sha512:00` is not a sha256, the only kind that is supported; push the image again"
        );
    }
}
