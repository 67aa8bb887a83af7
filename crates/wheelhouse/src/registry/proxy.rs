//! Proxies, as the environment names them.

use std::env;

use anyhow::Context;
use reqwest::{NoProxy, Proxy};

/// This machine itself, which no proxy reaches: docker, podman and skopeo, which read the same variables, never send
/// these to one either (Go's `http.ProxyFromEnvironment`).
const HERE: &str = "localhost,127.0.0.0/8,::1";

/// What makes a proxy of an address.
type Make = fn(String) -> reqwest::Result<Proxy>;

/// The variables of each proxy, the first that is set decides; and what is sent to it.
const VARIABLES: [([&str; 2], Make); 3] = [
    (["HTTP_PROXY", "http_proxy"], Proxy::http),
    (["HTTPS_PROXY", "https_proxy"], Proxy::https),
    (["ALL_PROXY", "all_proxy"], Proxy::all),
];

/// The proxies of `HTTP_PROXY`, `HTTPS_PROXY` and `ALL_PROXY`, the particular ones first. Hosts of `NO_PROXY` and this
/// machine are reached without.
///
/// # Errors
/// When one is no address; it is not repeated, for it may hold a password.
pub(super) fn from_environment() -> anyhow::Result<Vec<Proxy>> {
    let set = |names: [&'static str; 2]| {
        let mut found = names
            .into_iter()
            .filter_map(|name| Some((name, env::var(name).ok()?)));
        // An empty one stands for no proxy.
        found.next().filter(|(_, value)| !value.is_empty())
    };
    let without = set(["NO_PROXY", "no_proxy"]).map_or_else(String::new, |(_, value)| value);
    let without = NoProxy::from_string(&format!("{HERE},{without}"));
    let mut proxies = vec![];
    for (names, make) in VARIABLES {
        if let Some((name, address)) = set(names) {
            let proxy = make(address).ok();
            let proxy = proxy.with_context(|| {
                format!("{name} is not the address of a proxy; http://HOST:PORT is one")
            })?;
            proxies.push(proxy.no_proxy(without.clone()));
        }
    }
    Ok(proxies)
}
