//! Where a wheel is downloaded from.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use pipe::Architecture;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Where the wheels of an index are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Location {
    /// In the site, beside the index, linked relatively: any static server and the disk will do.
    InSite,
    /// All below one address.
    Base(String),
    /// Each at an address of its own, by file name.
    Map(BTreeMap<String, String>),
}

/// Why a wheel has no address that pip and uv could use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AddressError {
    /// `ftp://…`, `//host/…`, or text with a blank in it.
    #[error("`{0}` is not an address of the form https://host/path")]
    NotHttp(String),
    /// `https://user:secret@host/x`: everybody would read it on the page.
    #[error("it names a user or a password before `@`, and the page is public; leave them out")]
    Secret,
    /// `https://host/x?token=1`: the clients append `.metadata` to what comes before the fragment.
    #[error("`{0}` has a query or a fragment, and the metadata beside it could not be asked for")]
    Query(String),
    /// A map without the wheel.
    #[error("the URL map has no address for it; add one")]
    Unmapped,
    /// A release host that renamed the asset: pip reads a wheel's identity from the address alone.
    #[error(
        "its address ends in `{found}`; pip and uv would skip it, so upload it under its own name"
    )]
    Renamed {
        /// The last path segment, decoded.
        found: String,
    },
}

/// A URL map that cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MapError {
    /// The file is missing or unreadable.
    #[error("{}", pipe::advised(.0))]
    Io(#[from] std::io::Error),
    /// Not a JSON object of strings.
    #[error("not a JSON object of file name to address: {0}")]
    Json(#[from] serde_json::Error),
}

impl Location {
    /// Reads a JSON object, file name to address.
    pub(crate) fn from_map(path: &Path) -> Result<Self, MapError> {
        let Addresses(map) = serde_json::from_slice(&pipe::read_small(path)?)?;
        Ok(Self::Map(map))
    }

    /// Whether the wheels themselves belong into the site.
    pub(crate) fn is_in_site(&self) -> bool {
        *self == Self::InSite
    }

    /// The address of a wheel, without fragment, as a project page two folders below
    /// `data/wheels/` writes it.
    pub(crate) fn of(&self, arch: &Architecture, filename: &str) -> Result<String, AddressError> {
        match self {
            Self::InSite => Ok(format!("../../../../assets/{arch}/{}", encode(filename))),
            Self::Base(base) => Ok(format!(
                "{}/{}",
                base.trim_end_matches('/'),
                encode(filename)
            )),
            Self::Map(map) => {
                let address = map.get(filename).ok_or(AddressError::Unmapped)?;
                check_address(address)?;
                let last = address.rsplit('/').next().unwrap_or_default();
                let found = decode(last);
                if found != filename.as_bytes() {
                    let found = String::from_utf8_lossy(&found).into_owned();
                    return Err(AddressError::Renamed { found });
                }
                // The way to the file is taken as it is, its name is written in the one form that
                // every host takes: a bare `+` means a blank to some object stores.
                let way = &address[..address.len() - last.len()];
                Ok(format!("{way}{}", encode(filename)))
            }
        }
    }
}

/// A JSON object of addresses, in which no file name comes twice with two of them.
struct Addresses(BTreeMap<String, String>);

impl<'de> Deserialize<'de> for Addresses {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Addresses;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut rows: A) -> Result<Addresses, A::Error> {
                let mut map = BTreeMap::new();
                while let Some((filename, address)) = rows.next_entry::<String, String>()? {
                    if map.get(&filename).is_some_and(|known| *known != address) {
                        return Err(A::Error::custom(format!("`{filename}` has two addresses")));
                    }
                    map.insert(filename, address);
                }
                Ok(Addresses(map))
            }
        }
        from.deserialize_map(Object)
    }
}

/// Takes an address as an argument: http or https, nothing after the path.
pub(crate) fn parse_address(text: &str) -> Result<String, AddressError> {
    check_address(text)?;
    Ok(text.to_owned())
}

pub(crate) fn check_address(text: &str) -> Result<(), AddressError> {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    let graphic = text
        .bytes()
        .all(|b| b.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&b));
    if !graphic || rest.is_none_or(|rest| rest.is_empty() || rest.starts_with('/')) {
        return Err(AddressError::NotHttp(text.to_owned()));
    }
    let authority = rest.unwrap_or_default().split('/').next();
    let authority = authority.unwrap_or_default();
    if authority.contains('@') {
        return Err(AddressError::Secret);
    }
    if !is_host(authority.split(['?', '#']).next().unwrap_or_default()) {
        return Err(AddressError::NotHttp(text.to_owned()));
    }
    if text.contains(['?', '#']) {
        return Err(AddressError::Query(text.to_owned()));
    }
    Ok(())
}

/// Whether this is a host, by name or by address, with or without a port.
fn is_host(authority: &str) -> bool {
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let inner = host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    let named = inner.map_or_else(
        || !host.is_empty() && host.chars().all(is_name),
        |address| address.parse::<std::net::Ipv6Addr>().is_ok(),
    );
    named && port.is_none_or(|port| port.parse::<u16>().is_ok())
}

/// Percent-encodes all but the unreserved characters of RFC 3986, section 2.3.
fn encode(segment: &str) -> String {
    let mut text = String::with_capacity(segment.len() + 8);
    let mut rest = segment;
    let reserved = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '.' | '_' | '~');
    while let Some(at) = rest.find(reserved) {
        text.push_str(&rest[..at]);
        let width = rest[at..].chars().next().map_or(1, char::len_utf8);
        for byte in rest[at..at + width].bytes() {
            let _ = write!(text, "%{byte:02X}");
        }
        rest = &rest[at + width..];
    }
    text.push_str(rest);
    text
}

fn decode(segment: &str) -> Vec<u8> {
    let bytes = segment.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escaped = (byte == b'%')
            .then(|| segment.get(at + 1..at + 3))
            .flatten()
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        decoded.push(escaped.unwrap_or(byte));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    const ATOM: &str = "atom-0.1.9+rocm10.1.0-py3-none-any.whl";

    fn gfx950() -> Architecture {
        "gfx950".parse().unwrap()
    }

    #[test]
    fn an_address_has_a_host_and_tells_no_secret() {
        for good in [
            "https://h/x",
            "http://127.0.0.1:8000/x",
            "http://[::1]:80/x",
        ] {
            assert_eq!(check_address(good), Ok(()), "{good}");
        }
        for bad in ["http://[::1/x", "https://h:99999/x", "https://:80/x"] {
            let told = AddressError::NotHttp(bad.to_owned());
            assert_eq!(check_address(bad), Err(told));
        }
        let secret = check_address("https://user:secret@h/x");
        assert_eq!(secret, Err(AddressError::Secret));
    }

    fn mapped(address: &str) -> Result<String, AddressError> {
        Location::Map([(ATOM.to_owned(), address.to_owned())].into()).of(&gfx950(), ATOM)
    }

    #[test]
    fn a_plus_is_always_escaped() {
        assert_eq!(
            Location::InSite.of(&gfx950(), ATOM).unwrap(),
            "../../../../assets/gfx950/atom-0.1.9%2Brocm10.1.0-py3-none-any.whl"
        );
        let escaped = "https://host/v1/atom-0.1.9%2Brocm10.1.0-py3-none-any.whl";
        assert_eq!(
            Location::Base("https://host/v1/".to_owned())
                .of(&gfx950(), ATOM)
                .unwrap(),
            escaped
        );
        assert_eq!(mapped(&format!("https://host/v1/{ATOM}")).unwrap(), escaped);
        assert_eq!(mapped(escaped).unwrap(), escaped);
    }

    #[test]
    fn a_renamed_asset_is_refused() {
        let error = mapped("https://host/v1/atom-0.1.9.rocm10.1.0-py3-none-any.whl").unwrap_err();
        assert_eq!(
            error.to_string(),
            "its address ends in `atom-0.1.9.rocm10.1.0-py3-none-any.whl`; pip and uv would skip it, \
             so upload it under its own name"
        );
    }

    #[test]
    fn a_wheel_that_the_map_does_not_know_is_refused() {
        let map = Location::Map(BTreeMap::new());
        assert_eq!(map.of(&gfx950(), ATOM), Err(AddressError::Unmapped));
    }

    #[test]
    fn only_plain_web_addresses_are_taken() {
        for text in [
            "https://host",
            "http://127.0.0.1:8000/a%20b/",
            "https://h/~me/x",
        ] {
            assert_eq!(parse_address(text).as_deref(), Ok(text));
        }
        for text in [
            "",
            "ftp://host/",
            "https://",
            "https:///x",
            "//host/x",
            "https://h/a b",
            "https://h/\"><i>",
        ] {
            assert_eq!(
                parse_address(text),
                Err(AddressError::NotHttp(text.to_owned()))
            );
        }
        for text in ["https://h/?a", "https://h/#a"] {
            assert_eq!(
                parse_address(text),
                Err(AddressError::Query(text.to_owned()))
            );
        }
    }

    #[test]
    fn decoding_leaves_what_is_no_escape() {
        assert_eq!(decode("a%2Bb%2"), b"a+b%2");
        assert_eq!(decode("%zz%é"), "%zz%é".as_bytes());
    }
}
