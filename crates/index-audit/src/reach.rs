//! Reading what is published: over HTTP, or from disk, with retries and a deadline.

use std::io::{self, Read};
use std::sync::Arc;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use ureq::http::{Response, StatusCode};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body, ResponseExt};

use crate::address::Address;

/// A server that says nothing for this long is taken for hung.
const SILENCE: Duration = Duration::from_secs(20);
/// Pauses before the second, third and fourth attempt.
const PAUSES: &[Duration] = &[
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
];
/// The longest `Retry-After` that is heeded.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Why something published could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReachError {
    /// The server answered, and its answer is that this is not there for us: 403, 404, 410, …
    #[error("the server answers {0}")]
    Refused(StatusCode),
    /// The server is in trouble: 429, 500, 503, …
    #[error("the server answers {0}")]
    Trouble(StatusCode, Option<Duration>),
    /// The file is not on disk.
    #[error("there is no such file")]
    NoFile,
    /// The body ended early, the connection broke, the name does not resolve, the certificate is wrong.
    #[error("{0}")]
    Broken(String),
    /// More than a sound answer can hold.
    #[error("the answer is longer than {0} bytes")]
    Long(u64),
    /// The time that was given is over.
    #[error("--deadline is over")]
    Deadline,
}

impl ReachError {
    /// Whether the answer is a definite no, not a failure to ask.
    pub(crate) fn is_no(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::NoFile)
    }
}

/// A whole answer.
#[derive(Debug)]
pub(crate) struct Answer {
    /// What was sent.
    pub(crate) bytes: Vec<u8>,
    /// Where it finally came from, after redirects.
    pub(crate) address: Address,
}

/// What a server says of a file without sending all of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Glimpse {
    /// Bytes of the whole file, where it is told.
    pub(crate) size: Option<u64>,
    /// Its first four bytes, or fewer.
    pub(crate) start: Vec<u8>,
}

/// Reads published files until a deadline.
#[derive(Debug)]
pub(crate) struct Reach {
    agent: Agent,
    deadline: Instant,
}

impl Reach {
    /// A reader that gives up at `deadline`. Proxies are taken from the environment, as pip and uv do,
    /// and certificates from the system (or `SSL_CERT_FILE`).
    pub(crate) fn new(deadline: Instant) -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::PlatformVerifier)
            .unversioned_rustls_crypto_provider(provider)
            .build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            .timeout_connect(Some(SILENCE))
            .timeout_per_read(Some(SILENCE))
            .user_agent(concat!("index-audit/", env!("CARGO_PKG_VERSION")))
            .accept_encoding("identity")
            .build();
        Self {
            agent: config.new_agent(),
            deadline,
        }
    }

    /// When everything has to be done.
    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// All of a small file.
    ///
    /// # Errors
    /// See [`ReachError`]; passing faults were tried four times.
    pub(crate) fn get(&self, address: &Address, limit: u64) -> Result<Answer, ReachError> {
        if let Some(path) = address.to_path() {
            let mut bytes = Vec::new();
            open(&path)?
                .take(limit + 1)
                .read_to_end(&mut bytes)
                .map_err(broken)?;
            return within(bytes, limit).map(|bytes| Answer {
                bytes,
                address: address.clone(),
            });
        }
        self.patiently(|| {
            let response = self.request(address, None)?;
            let last = Address::parse(&response.get_uri().to_string())
                .map_err(|error| ReachError::Broken(error.to_string()))?;
            let mut bytes = Vec::new();
            body(response)
                .take(limit + 1)
                .read_to_end(&mut bytes)
                .map_err(broken)?;
            within(bytes, limit).map(|bytes| Answer {
                bytes,
                address: last,
            })
        })
    }

    /// Size and first bytes of a file, by a ranged request; a server without ranges is cut off.
    ///
    /// # Errors
    /// See [`ReachError`].
    pub(crate) fn glimpse(&self, address: &Address) -> Result<Glimpse, ReachError> {
        if let Some(path) = address.to_path() {
            let file = open(&path)?;
            let size = file.metadata().map_err(broken)?.len();
            let mut start = Vec::new();
            file.take(4).read_to_end(&mut start).map_err(broken)?;
            return Ok(Glimpse {
                size: Some(size),
                start,
            });
        }
        self.patiently(|| {
            let response = self.request(address, Some("bytes=0-3"))?;
            let header = |name: &str| {
                response
                    .headers()
                    .get(name)
                    .and_then(|value| value.to_str().ok())
                    .map(str::to_owned)
            };
            let size = if response.status() == StatusCode::PARTIAL_CONTENT {
                header("content-range").and_then(|range| range.rsplit_once('/')?.1.parse().ok())
            } else {
                header("content-length").and_then(|length| length.parse().ok())
            };
            let mut start = Vec::new();
            body(response)
                .take(4)
                .read_to_end(&mut start)
                .map_err(broken)?;
            Ok(Glimpse { size, start })
        })
    }

    /// sha256 and size of a whole file, which is not kept; `progress` is told of every piece.
    ///
    /// # Errors
    /// See [`ReachError`].
    pub(crate) fn sha256(
        &self,
        address: &Address,
        progress: &dyn Fn(u64),
    ) -> Result<(String, u64), ReachError> {
        if let Some(path) = address.to_path() {
            return hash(open(&path)?, progress);
        }
        self.patiently(|| hash(body(self.request(address, None)?), progress))
    }

    fn request(
        &self,
        address: &Address,
        range: Option<&str>,
    ) -> Result<Response<Body>, ReachError> {
        let left = self
            .deadline
            .checked_duration_since(Instant::now())
            .filter(|left| !left.is_zero())
            .ok_or(ReachError::Deadline)?;
        let mut request = self
            .agent
            .get(address.to_string())
            .header("Accept", "text/html, */*;q=0.1")
            .header("Cache-Control", "no-cache");
        if let Some(range) = range {
            request = request.header("Range", range);
        }
        let response = request
            .config()
            .timeout_global(Some(left))
            .build()
            .call()
            .map_err(|error| ReachError::Broken(error.to_string()))?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let after = response
            .headers()
            .get("retry-after")
            .and_then(|value| value.to_str().ok()?.parse().ok())
            .map(Duration::from_secs);
        if status.is_server_error() || matches!(status.as_u16(), 408 | 425 | 429) {
            Err(ReachError::Trouble(status, after))
        } else {
            Err(ReachError::Refused(status))
        }
    }

    /// Tries until it works, or the answer is a definite no, or attempts or time are used up.
    fn patiently<T>(&self, attempt: impl Fn() -> Result<T, ReachError>) -> Result<T, ReachError> {
        let mut pauses = PAUSES.iter();
        loop {
            let error = match attempt() {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            let asked = match &error {
                ReachError::Trouble(_, asked) => asked.map(|asked| asked.min(LONGEST_PAUSE)),
                ReachError::Broken(_) => None,
                _ => return Err(error),
            };
            let Some(pause) = pauses.next() else {
                return Err(error);
            };
            let pause = asked.unwrap_or(*pause);
            // No time for another attempt: what went wrong says more than that the time is over.
            if Instant::now() + pause >= self.deadline {
                return Err(error);
            }
            std::thread::sleep(pause);
        }
    }
}

fn body(response: Response<Body>) -> impl Read {
    response.into_body().into_with_config().reader()
}

fn hash(mut from: impl Read, progress: &dyn Fn(u64)) -> Result<(String, u64), ReachError> {
    let mut hasher = Sha256::new();
    let mut size = 0;
    let mut buffer = vec![0; 256 * 1024];
    loop {
        let count = from.read(&mut buffer).map_err(broken)?;
        if count == 0 {
            break;
        }
        hasher.update(&buffer[..count]);
        size += count as u64;
        progress(count as u64);
    }
    Ok((data_encoding::HEXLOWER.encode(&hasher.finalize()), size))
}

fn open(path: &std::path::Path) -> Result<std::fs::File, ReachError> {
    let file = match std::fs::File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(ReachError::NoFile),
        opened => opened.map_err(broken)?,
    };
    if file.metadata().map_err(broken)?.is_dir() {
        return open(&path.join("index.html"));
    }
    Ok(file)
}

#[expect(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
fn broken(error: io::Error) -> ReachError {
    ReachError::Broken(error.to_string())
}

fn within(bytes: Vec<u8>, limit: u64) -> Result<Vec<u8>, ReachError> {
    if bytes.len() as u64 > limit {
        Err(ReachError::Long(limit))
    } else {
        Ok(bytes)
    }
}
