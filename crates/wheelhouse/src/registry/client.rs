//! The HTTP client: trust, time limits, and the redirects that are followed.

use std::path::Path;
use std::time::Duration;

use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, Url};

use super::error::Unfollowed;
use super::{proxy, trust};
use crate::place::Host;

/// A connection on which nothing arrives for so long is given up; seconds.
const SILENCE: u64 = 60;

/// Hosts that are spoken to without TLS, because the user said so.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlainHosts(Vec<Host>);

impl PlainHosts {
    /// The hosts that `--plain-http` names.
    pub(crate) fn new(hosts: &[Host]) -> Self {
        Self(hosts.to_vec())
    }

    /// `http` for a host, with port, that was named; `https` for all others.
    pub(crate) fn scheme(&self, host: &str) -> &'static str {
        // Port 80 is what http means without one.
        let bare = |host: &str| host.trim_end_matches(":80").to_ascii_lowercase();
        let is_plain = self
            .0
            .iter()
            .any(|plain| bare(plain.as_str()) == bare(host));
        if is_plain { "http" } else { "https" }
    }

    /// Whether an address may be asked: with TLS always, without where its host was named.
    pub(crate) fn allow(&self, url: &Url) -> bool {
        url.scheme() == "https"
            || (url.scheme() == "http" && self.scheme(&authority(url)) == "http")
    }
}

/// `host:port` of an address; the port only where it is not the scheme's own.
pub(crate) fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port()
        .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// An address as it may be shown: a query may hold a signature, and user information is a secret.
pub(crate) fn shown(url: &Url) -> String {
    format!("{}://{}{}", url.scheme(), authority(url), url.path())
}

/// Builds the client. `ca_file` holds PEM certificates that are trusted beside the system's.
///
/// # Errors
/// When the file cannot be read or holds no certificate, or when a proxy's address is none.
pub(crate) fn build(plain: PlainHosts, ca_file: Option<&Path>) -> anyhow::Result<Client> {
    let mut builder = Client::builder()
        .user_agent(concat!("rocm-bake-wheelhouse/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(Duration::from_secs(10))
        .read_timeout(Duration::from_secs(SILENCE))
        .redirect(Policy::custom(move |attempt| follow(&plain, attempt)))
        .tls_backend_preconfigured(trust::tls(ca_file)?)
        // The client's own reading of the environment sends loopback addresses to a proxy, too.
        .no_proxy();
    for proxy in proxy::from_environment()? {
        builder = builder.proxy(proxy);
    }
    builder
        .build()
        .map_err(|error| anyhow::anyhow!("no client: {:#}", anyhow::Error::new(error)))
}

/// The client itself leaves the credentials behind when host or port change. It would also follow from
/// https to http, which we do not.
fn follow(plain: &PlainHosts, attempt: Attempt) -> reqwest::redirect::Action {
    if attempt.previous().len() > 10 {
        return attempt.error(Unfollowed(
            "it redirects more than 10 times; ask who runs it".to_owned(),
        ));
    }
    if plain.allow(attempt.url()) {
        return attempt.follow();
    }
    let cause = unfollowed("it redirects", attempt.url());
    attempt.error(Unfollowed(cause))
}

/// Why an address that is not [allowed](PlainHosts::allow) is not asked, and what to do about it.
pub(crate) fn unfollowed(what: &str, to: &Url) -> String {
    let (host, scheme) = (authority(to), to.scheme());
    if scheme == "http" {
        format!("{what} to plain http at {host}; if that is right, allow it: --plain-http {host}")
    } else {
        format!("{what} to an address of `{scheme}:`, which is not spoken; ask who runs it")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_is_spoken_only_with_hosts_that_were_named() {
        let plain = PlainHosts::new(&[
            "localhost:5000".parse().unwrap(),
            "bare:80".parse().unwrap(),
        ]);
        let cases = [
            ("http://localhost:5000/v2/", true),
            ("http://bare/v2/", true),
            ("http://bare:80/v2/", true),
            ("http://localhost:5001/v2/", false),
            ("http://localhost/v2/", false),
            ("https://anywhere/", true),
            ("ftp://localhost:5000/", false),
        ];
        for (url, allowed) in cases {
            assert_eq!(plain.allow(&url.parse().unwrap()), allowed, "{url}");
        }
    }

    #[test]
    fn an_address_that_is_not_asked_is_told_with_what_to_do() {
        let cases = [
            (
                "http://me:word@h:1/x?secret",
                "it redirects to plain http at h:1; if that is right, allow it: --plain-http h:1",
            ),
            (
                "file:///etc/passwd",
                "it redirects to an address of `file:`, which is not spoken; ask who runs it",
            ),
        ];
        for (url, expected) in cases {
            assert_eq!(unfollowed("it redirects", &url.parse().unwrap()), expected);
        }
    }

    #[test]
    fn an_address_is_shown_without_its_secrets() {
        let url = "https://me:word@store:9000/blob?X-Amz-Signature=secret#part"
            .parse()
            .unwrap();
        assert_eq!(shown(&url), "https://store:9000/blob");
    }
}
