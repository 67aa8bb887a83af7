//! The bytes of a blob as they come.

use std::fs::File;
use std::io::Read;

use bytes::Bytes;
use reqwest::header::CONTENT_RANGE;
use reqwest::{Response, StatusCode};

use super::error::RegistryError;

/// Bytes read from a file at once.
const FILE_CHUNK: usize = 256 * 1024;

/// A blob that is being read.
#[derive(Debug)]
pub(crate) enum Chunks {
    /// From the network; `skip` bytes come first that are already known.
    Response {
        /// The answer.
        response: Box<Response>,
        /// Bytes to leave out, for a registry that ignores ranges.
        skip: u64,
    },
    /// From a layout.
    File(File),
}

impl Chunks {
    /// A file, from where it stands.
    pub(crate) fn of_file(file: File) -> Self {
        Self::File(file)
    }

    /// An answer to a request for a blob of which `offset` bytes are known. It begins there when it is that range, and
    /// otherwise at the start.
    ///
    /// # Errors
    /// [`RegistryError::Malformed`] when the answer is another range.
    pub(crate) fn of_response(response: Response, offset: u64) -> Result<Self, RegistryError> {
        let skip = match response.status() {
            StatusCode::PARTIAL_CONTENT => {
                let range = response.headers().get(CONTENT_RANGE);
                let range = range
                    .and_then(|value| value.to_str().ok())
                    .unwrap_or_default();
                let start = range
                    .strip_prefix("bytes ")
                    .and_then(|text| text.split_once('-'));
                if start.and_then(|(start, _)| start.parse().ok()) != Some(offset) {
                    let cause = format!("asked from byte {offset} on, the registry sent `{range}`");
                    return Err(RegistryError::Malformed {
                        what: "the blob",
                        cause,
                    });
                }
                0
            }
            _ => offset,
        };
        let response = Box::new(response);
        Ok(Self::Response { response, skip })
    }

    /// The next bytes, never empty; none at the end.
    ///
    /// # Errors
    /// [`RegistryError::Transport`] when the connection breaks, [`RegistryError::Layout`] for a file.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, RegistryError> {
        match self {
            Self::Response { response, skip } => loop {
                let chunk = response.chunk().await.map_err(RegistryError::from_client)?;
                let Some(mut chunk) = chunk else {
                    return Ok(None);
                };
                let known =
                    usize::try_from(*skip).map_or(chunk.len(), |skip| skip.min(chunk.len()));
                *skip -= known as u64;
                let rest = chunk.split_off(known);
                if !rest.is_empty() {
                    return Ok(Some(rest));
                }
            },
            Self::File(file) => {
                let mut chunk = vec![0; FILE_CHUNK];
                let read = file.read(&mut chunk);
                let n = read.map_err(|cause| RegistryError::Layout(cause.to_string()))?;
                chunk.truncate(n);
                Ok((n > 0).then(|| chunk.into()))
            }
        }
    }
}
