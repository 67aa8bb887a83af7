//! Why a registry did not give what it was asked for.

use std::error::Error;
use std::time::Duration;

use oci_distribution::errors::OciEnvelope;
use reqwest::StatusCode;

use crate::digest::{Digest, DigestError};

/// Why a request to a registry, or to a layout in its place, failed.
///
/// The caller adds what was asked for. No message holds a query, a header or a body of a token service:
/// those carry secrets.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RegistryError {
    /// 404: no such repository, tag or blob.
    #[error("not published")]
    NotFound,
    /// 401 or 403, or credentials that the token service does not know.
    #[error("access denied: {0}")]
    Denied(String),
    /// An answer that is neither; 408, 429 and 5xx are transient.
    #[error("the registry answered {status}{}{}", detail(message), advice(*status))]
    Status {
        /// The HTTP status.
        status: StatusCode,
        /// What the registry said about it; may be empty.
        message: String,
        /// How long it asked to be left alone.
        retry_after: Option<Duration>,
    },
    /// No connection: an unknown name, a closed port.
    #[error("{0}")]
    Unreachable(String),
    /// A connection that broke, or one that stayed silent.
    #[error("{0}")]
    Transport(String),
    /// A certificate that no known authority signed, or an answer that is not TLS.
    #[error("{0}")]
    Tls(String),
    /// A redirect to where we do not go, or a next page elsewhere.
    #[error("{0}")]
    Elsewhere(String),
    /// The bytes are not what their digest promises.
    #[error("{what} has digest {found}, expected {expected}")]
    Corrupt {
        /// What was read.
        what: &'static str,
        /// Digest of what came.
        found: Digest,
        /// Digest that was asked for or promised.
        expected: Digest,
    },
    /// A small document that is not small, or a blob longer than its descriptor says.
    #[error("{what} is longer than {limit} bytes; ask who runs the registry")]
    TooLong {
        /// What was read.
        what: &'static str,
        /// The limit in bytes.
        limit: u64,
    },
    /// An HTML page, broken JSON, another document.
    #[error("{what} cannot be read: {cause}")]
    Malformed {
        /// What was read.
        what: &'static str,
        /// Why it is not that.
        cause: String,
    },
    /// See [`DigestError`].
    #[error(transparent)]
    Digest(#[from] DigestError),
    /// Waiting as long as asked would miss the deadline, or our patience where there is none.
    #[error("{cause}; it asks to wait {wait} s, which is more than {}; run it again then", left(*has_deadline))]
    Deadline {
        /// The failure before the wait.
        cause: Box<RegistryError>,
        /// Seconds.
        wait: u64,
        /// Whether it is the deadline that leaves less.
        has_deadline: bool,
    },
    /// The failure of the last of several tries.
    #[error("{cause}, {tries} times; try again later")]
    Again {
        /// The last failure.
        cause: Box<RegistryError>,
        /// How often it was tried.
        tries: u32,
    },
    /// A file of a layout.
    #[error("{0}")]
    Layout(String),
}

fn left(has_deadline: bool) -> &'static str {
    if has_deadline {
        "the deadline leaves"
    } else {
        "the 600 s that are waited at most"
    }
}

fn detail(message: &str) -> String {
    if message.is_empty() {
        String::new()
    } else {
        format!(": {message}")
    }
}

/// What to do about an answer; where it is tried again, that is told after the last try.
fn advice(status: StatusCode) -> &'static str {
    if is_transient(status) {
        ""
    } else {
        "; -v shows what was asked"
    }
}

fn is_transient(status: StatusCode) -> bool {
    status.is_server_error()
        || status == StatusCode::TOO_MANY_REQUESTS
        || status == StatusCode::REQUEST_TIMEOUT
}

impl RegistryError {
    /// Whether the same request may succeed a little later.
    pub(crate) fn is_transient(&self) -> bool {
        match self {
            Self::Status { status, .. } => is_transient(*status),
            // A flipped bit on the way is mended by asking again.
            Self::Unreachable(_) | Self::Transport(_) | Self::Corrupt { .. } => true,
            _ => false,
        }
    }

    /// Whether nobody could be asked, so that the next request would fail as this one did.
    pub(crate) fn is_unreachable(&self) -> bool {
        match self {
            Self::Unreachable(_) | Self::Tls(_) => true,
            Self::Again { cause, .. } => cause.is_unreachable(),
            _ => false,
        }
    }

    /// Whether a request for all of a blob may succeed where one for a part of it did not.
    pub(crate) fn is_about_range(&self) -> bool {
        match self {
            Self::Status { status, .. } => *status == StatusCode::RANGE_NOT_SATISFIABLE,
            Self::Malformed { .. } => true,
            _ => false,
        }
    }

    /// How long the registry asked to be left alone.
    pub(crate) fn asked_wait(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// The failure that an HTTP client reports, without the address, whose query may hold a signature.
    pub(crate) fn from_client(error: reqwest::Error) -> Self {
        let error = error.without_url();
        let mut causes = vec![];
        let mut next: Option<&(dyn Error + 'static)> = Some(&error);
        while let Some(cause) = next {
            let inner = innermost(cause);
            if let Some(elsewhere) = inner.downcast_ref::<Unfollowed>() {
                return Self::Elsewhere(elsewhere.0.clone());
            }
            if let Some(tls) = inner.downcast_ref() {
                return Self::from_tls(tls);
            }
            causes.push(cause.to_string());
            next = cause.source();
        }
        if error.is_timeout() {
            let cause = "no answer in time".to_owned();
            return if error.is_connect() {
                Self::Unreachable(cause)
            } else {
                Self::Transport(cause)
            };
        }
        let cause = causes.pop().unwrap_or_default();
        // The client knows it by nothing but this text.
        if cause.ends_with("proxy authorization required") {
            return Self::proxy_asks();
        }
        if error.is_connect() {
            Self::Unreachable(format!("cannot connect: {cause}"))
        } else {
            Self::Transport(format!("the connection broke: {cause}"))
        }
    }

    fn proxy_asks() -> Self {
        Self::Denied(
            "the proxy asks for a user name and password; they belong into its address, http://USER:PASSWORD@HOST:PORT"
                .to_owned(),
        )
    }

    fn from_tls(error: &rustls::Error) -> Self {
        Self::Tls(match error {
            rustls::Error::InvalidCertificate(cause) => {
                format!(
                    "its certificate is not trusted ({cause}); name its authority: --ca-file FILE"
                )
            }
            rustls::Error::InvalidMessage(_) => {
                "it does not speak TLS; if it is meant to be plain http, say so: --plain-http HOST"
                    .to_owned()
            }
            other => format!("TLS failed: {other}"),
        })
    }

    /// The failure that an answer other than 2xx tells.
    pub(crate) fn from_answer(
        status: StatusCode,
        body: &[u8],
        retry_after: Option<Duration>,
    ) -> Self {
        if status == StatusCode::NOT_FOUND {
            return Self::NotFound;
        }
        if status == StatusCode::PROXY_AUTHENTICATION_REQUIRED {
            return Self::proxy_asks();
        }
        let envelope: Option<OciEnvelope> = serde_json::from_slice(body).ok();
        let said = envelope.and_then(|envelope| envelope.errors.into_iter().next());
        let message: String = said.map(|said| said.message).unwrap_or_default();
        let message: String = message.chars().take(200).collect();
        if status == StatusCode::UNAUTHORIZED || status == StatusCode::FORBIDDEN {
            let cause = if message.is_empty() {
                status.to_string()
            } else {
                message
            };
            return Self::Denied(format!(
                "{cause}; log in with `docker login`, or ask for access"
            ));
        }
        Self::Status {
            status,
            message,
            retry_after,
        }
    }
}

/// An error that others were wrapped around: `source` passes over what an I/O error holds.
fn innermost<'e>(mut error: &'e (dyn Error + 'static)) -> &'e (dyn Error + 'static) {
    while let Some(inner) = error
        .downcast_ref::<std::io::Error>()
        .and_then(std::io::Error::get_ref)
    {
        error = inner;
    }
    error
}

/// A redirect that is not followed, and why.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unfollowed(pub(crate) String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_becomes_a_cause() {
        let envelope = br#"{"errors": [{"code": "DENIED", "message": "not yours"}]}"#;
        let cases: [(u16, &[u8], &str); 6] = [
            (404, b"page not found", "not published"),
            (
                401,
                b"",
                "access denied: 401 Unauthorized; log in with `docker login`, or ask for access",
            ),
            (
                403,
                envelope,
                "access denied: not yours; log in with `docker login`, or ask for access",
            ),
            (
                429,
                envelope,
                "the registry answered 429 Too Many Requests: not yours",
            ),
            (
                500,
                b"<html>",
                "the registry answered 500 Internal Server Error",
            ),
            (
                400,
                b"",
                "the registry answered 400 Bad Request; -v shows what was asked",
            ),
        ];
        for (status, body, expected) in cases {
            let status = StatusCode::from_u16(status).unwrap();
            let error = RegistryError::from_answer(status, body, None);
            assert_eq!(error.to_string(), expected);
            assert_eq!(error.is_transient(), [429, 500].contains(&status.as_u16()));
        }
    }
}
