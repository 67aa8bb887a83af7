//! A registry across the network: one request with its authorisation, and small documents with retries.

use std::collections::HashMap;

use chrono::Utc;
use oci_distribution::secrets::RegistryAuth;
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderValue, RANGE};
use reqwest::{Client, Response, StatusCode, Url};
use tokio::sync::Mutex;

use super::challenge::{Challenge, Token};
use super::client::{PlainHosts, authority, shown, unfollowed};
use super::error::RegistryError;
use super::retry::{Retry, retry_after};
use crate::log::Log;

/// A token is a line; bytes.
const TOKEN_LIMIT: u64 = 1 << 20;

/// One registry, with what it takes to be let in.
#[derive(Debug)]
pub(crate) struct Remote {
    client: Client,
    plain: PlainHosts,
    base: Url,
    host: String,
    credentials: RegistryAuth,
    /// What the registry asked for, once it did, and the answer to it per repository.
    access: Mutex<Access>,
    retry: Retry,
    log: Log,
}

#[derive(Debug, Default)]
struct Access {
    challenge: Option<Challenge>,
    granted: HashMap<String, HeaderValue>,
}

/// An answer that is small enough to be kept.
#[derive(Debug)]
pub(crate) struct Reply {
    /// Headers of the answer.
    pub(crate) headers: HeaderMap,
    /// Where it came from, after redirects.
    pub(crate) url: Url,
    /// The whole body.
    pub(crate) body: Vec<u8>,
}

/// What is asked of the registry.
#[derive(Debug, Clone)]
pub(crate) struct Ask<'a> {
    /// The repository that access is needed to.
    pub(crate) repository: &'a str,
    /// The address.
    pub(crate) url: Url,
    /// Media types, for a manifest; none for anything else.
    pub(crate) accept: &'static [&'static str],
    /// Where to begin in a blob; 0 asks for all of it.
    pub(crate) offset: u64,
}

impl Remote {
    /// A registry at `host`, spoken to with these credentials where it asks for them.
    pub(crate) fn new(
        client: Client,
        plain: PlainHosts,
        host: &str,
        credentials: RegistryAuth,
        retry: Retry,
        log: Log,
    ) -> Result<Self, RegistryError> {
        // Docker's own name for itself is not where its registry is.
        let at = if host == "docker.io" {
            "registry-1.docker.io"
        } else {
            host
        };
        let base = Url::parse(&format!("{}://{at}/v2/", plain.scheme(at)));
        let base = base.map_err(|cause| RegistryError::Elsewhere(cause.to_string()))?;
        let (host, access) = (host.to_owned(), Mutex::default());
        Ok(Self {
            client,
            plain,
            base,
            host,
            credentials,
            access,
            retry,
            log,
        })
    }

    /// How failures are tried again.
    pub(crate) fn retry(&self) -> Retry {
        self.retry
    }

    /// The address of something in a repository: `manifests/TAG`, `blobs/DIGEST`, `tags/list`.
    pub(crate) fn url(&self, repository: &str, what: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("/v2/{repository}/{what}"));
        url
    }

    /// Whether an address is this registry's own, so that credentials may go there.
    pub(crate) fn is_here(&self, url: &Url) -> bool {
        url.scheme() == self.base.scheme() && authority(url) == authority(&self.base)
    }

    /// Gets a small document whole; transient failures, and bytes that `check` refuses as corrupt, are tried again.
    pub(crate) async fn document<T>(
        &self,
        ask: Ask<'_>,
        what: &'static str,
        limit: u64,
        check: impl Fn(Reply) -> Result<T, RegistryError>,
    ) -> Result<T, RegistryError> {
        let mut attempts = self.retry.attempts();
        loop {
            let reply = match self.get(ask.clone()).await {
                Ok(response) => whole(response, what, limit).await,
                Err(failure) => Err(failure),
            };
            match reply.and_then(&check) {
                Ok(value) => return Ok(value),
                Err(failure) => attempts.after(failure).await?,
            }
        }
    }

    /// Sends one request, authorised as the registry asks for, and returns a successful answer.
    pub(crate) async fn get(&self, ask: Ask<'_>) -> Result<Response, RegistryError> {
        let mut granted = self.granted(ask.repository).await?;
        let mut renewed = false;
        loop {
            let mut request = self.client.get(ask.url.clone());
            if !ask.accept.is_empty() {
                request = request.header(ACCEPT, ask.accept.join(", "));
            }
            if ask.offset > 0 {
                request = request.header(RANGE, format!("bytes={}-", ask.offset));
            }
            if let Some(header) = granted.clone().filter(|_| self.is_here(&ask.url)) {
                request = request.header(AUTHORIZATION, header);
            }
            let response = request.send().await.map_err(RegistryError::from_client)?;
            let status = response.status();
            self.log.request(&shown(&ask.url), ask.offset, status);
            if status.is_success() {
                return Ok(response);
            }
            if status != StatusCode::UNAUTHORIZED || !self.is_here(response.url()) {
                return Err(refusal(response).await);
            }
            let Some(challenge) = Challenge::of(response.headers()) else {
                return Err(refusal(response).await);
            };
            if renewed {
                return Err(self.denied(match self.credentials {
                    RegistryAuth::Anonymous => "lets nobody in without a login",
                    _ => "does not accept the user name and password",
                }));
            }
            // A token may also have run out in the middle of a long pull.
            granted = Some(self.enter(ask.repository, challenge, granted).await?);
            renewed = true;
        }
    }

    /// What lets us into a repository, as far as the registry has asked for something.
    async fn granted(&self, repository: &str) -> Result<Option<HeaderValue>, RegistryError> {
        let access = self.access.lock().await;
        if let Some(header) = access.granted.get(repository) {
            return Ok(Some(header.clone()));
        }
        let Some(challenge) = access.challenge.clone() else {
            return Ok(None);
        };
        drop(access);
        self.enter(repository, challenge, None).await.map(Some)
    }

    /// Meets a challenge; `refused` is the header that was not good enough.
    async fn enter(
        &self,
        repository: &str,
        challenge: Challenge,
        refused: Option<HeaderValue>,
    ) -> Result<HeaderValue, RegistryError> {
        let mut access = self.access.lock().await;
        if let Some(header) = access.granted.get(repository)
            && Some(header) != refused.as_ref()
        {
            // Another request was faster.
            return Ok(header.clone());
        }
        let header = match &challenge {
            Challenge::Basic if refused.is_some() => {
                return Err(self.denied("does not accept the user name and password"));
            }
            Challenge::Basic => match &self.credentials {
                RegistryAuth::Basic(user, password) => basic(user, password),
                _ => return Err(self.denied("asks for a user name and password")),
            },
            Challenge::Bearer { realm, service } => {
                let token = self.token(realm, service.as_deref(), repository).await?;
                secret(&format!("Bearer {token}"))
            }
        };
        let header = header.ok_or_else(|| self.denied("has credentials that cannot be sent"))?;
        access.granted.insert(repository.to_owned(), header.clone());
        access.challenge = Some(challenge);
        Ok(header)
    }

    async fn token(
        &self,
        realm: &Url,
        service: Option<&str>,
        repository: &str,
    ) -> Result<String, RegistryError> {
        if !self.plain.allow(realm) {
            let cause = unfollowed("it sends us for a token", realm);
            return Err(RegistryError::Elsewhere(cause));
        }
        let url = Challenge::token_url(realm, service, repository);
        let mut attempts = self.retry.attempts();
        loop {
            match self.ask_for_token(url.clone()).await {
                Ok(token) => return Ok(token),
                Err(failure) => attempts.after(failure).await?,
            }
        }
    }

    async fn ask_for_token(&self, url: Url) -> Result<String, RegistryError> {
        let mut request = self.client.get(url.clone());
        if let RegistryAuth::Basic(user, password) = &self.credentials {
            request = request.basic_auth(user, Some(password));
        }
        let response = request.send().await;
        let response = response.map_err(|failed| match RegistryError::from_client(failed) {
            RegistryError::Unreachable(cause) => {
                let at = authority(&url);
                RegistryError::Unreachable(format!("its token service {at}: {cause}"))
            }
            RegistryError::Transport(cause) => {
                let at = authority(&url);
                RegistryError::Transport(format!("its token service {at}: {cause}"))
            }
            other => other,
        })?;
        let status = response.status();
        self.log.request(&shown(&url), 0, status);
        match status {
            StatusCode::OK => {}
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                return Err(self.denied("gives no token for these credentials"));
            }
            status => {
                let (message, retry_after) =
                    (String::new(), retry_after(response.headers(), Utc::now()));
                return Err(RegistryError::Status {
                    status,
                    message,
                    retry_after,
                });
            }
        }
        let what = "the answer of the token service";
        let reply = whole(response, what, TOKEN_LIMIT).await?;
        let token: Option<Token> = serde_json::from_slice(&reply.body).ok();
        token
            .and_then(Token::secret)
            .ok_or_else(|| RegistryError::Malformed {
                what,
                cause: "it holds no token".to_owned(),
            })
    }

    fn denied(&self, cause: &str) -> RegistryError {
        let host = &self.host;
        RegistryError::Denied(format!("{host} {cause}; try `docker login {host}`"))
    }
}

fn basic(user: &str, password: &str) -> Option<HeaderValue> {
    let pair = data_encoding::BASE64.encode(format!("{user}:{password}").as_bytes());
    secret(&format!("Basic {pair}"))
}

/// A header value that is never shown.
fn secret(text: &str) -> Option<HeaderValue> {
    let mut header = HeaderValue::from_str(text).ok()?;
    header.set_sensitive(true);
    Some(header)
}

/// The cause that an unsuccessful answer tells.
async fn refusal(response: Response) -> RegistryError {
    let status = response.status();
    let wait = retry_after(response.headers(), Utc::now());
    let body = whole(response, "the answer", 64 * 1024).await;
    let body = body.map(|reply| reply.body).unwrap_or_default();
    RegistryError::from_answer(status, &body, wait)
}

async fn whole(
    mut response: Response,
    what: &'static str,
    limit: u64,
) -> Result<Reply, RegistryError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(RegistryError::from_client)? {
        body.extend_from_slice(&chunk);
        if body.len() as u64 > limit {
            return Err(RegistryError::TooLong { what, limit });
        }
    }
    let (headers, url) = (response.headers().clone(), response.url().clone());
    Ok(Reply { headers, url, body })
}
