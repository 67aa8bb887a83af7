//! Addresses of pages and files, and links from one to another.

use std::fmt;

/// An absolute address: `http`, `https` or `file`, without fragment.
///
/// Two addresses are equal when they name the same file to a server: scheme and host in lower case, the
/// default port left out, and each path segment percent-decoded (`%2B` and `+` are one file in a path).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Address {
    scheme: String,
    authority: String,
    /// Decoded segments; the last one is empty for a folder.
    segments: Vec<String>,
    query: Option<String>,
}

/// Why text is no address that can be read from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AddressError {
    /// `data/wheels`, `ftp://x`: nothing that pip and uv take as an index of ours.
    #[error("`{0}` is not an http, https or file address")]
    Scheme(String),
    /// `http:///simple`.
    #[error("`{0}` names no host")]
    Host(String),
}

impl Address {
    /// Reads an absolute address; a fragment is dropped.
    pub(crate) fn parse(text: &str) -> Result<Self, AddressError> {
        let text = without_fragment(text);
        let (scheme, rest) = text
            .split_once("://")
            .ok_or_else(|| AddressError::Scheme(text.to_owned()))?;
        let scheme = scheme.to_ascii_lowercase();
        if !matches!(scheme.as_str(), "http" | "https" | "file") {
            return Err(AddressError::Scheme(text.to_owned()));
        }
        let (rest, query) = split_query(rest);
        let (authority, path) = match rest.find('/') {
            Some(at) => (&rest[..at], &rest[at + 1..]),
            None => (rest, ""),
        };
        // A name and password reach the server some other way; they are not part of what a file is.
        let host = authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host);
        let mut authority = host.to_ascii_lowercase();
        if authority.is_empty() && scheme != "file" {
            return Err(AddressError::Host(text.to_owned()));
        }
        let default_port = if scheme == "http" { ":80" } else { ":443" };
        if let Some(host) = authority.strip_suffix(default_port) {
            authority.truncate(host.len());
        }
        if scheme == "file" && authority == "localhost" {
            authority.clear();
        }
        Ok(Self {
            scheme,
            authority,
            segments: normal_segments(path.split('/')),
            query,
        })
    }

    /// The `file` address of an absolute path.
    pub(crate) fn of_path(path: &str, is_folder: bool) -> Self {
        let mut segments: Vec<String> = path
            .split('/')
            .filter(|segment| !segment.is_empty())
            .map(ToOwned::to_owned)
            .collect();
        if is_folder {
            segments.push(String::new());
        }
        Self {
            scheme: "file".to_owned(),
            authority: String::new(),
            segments,
            query: None,
        }
    }

    /// Where a link on the page at this address leads (RFC 3986 section 5.2); the fragment is dropped.
    pub(crate) fn join(&self, link: &str) -> Result<Self, AddressError> {
        let link = without_fragment(link);
        let scheme_end = link.find(':').filter(|&at| {
            link[..at]
                .bytes()
                .all(|c| c.is_ascii_alphanumeric() || b"+-.".contains(&c))
        });
        if scheme_end.is_some_and(|at| at > 0) {
            return Self::parse(link);
        }
        if let Some(rest) = link.strip_prefix("//") {
            return Self::parse(&format!("{}://{rest}", self.scheme));
        }
        let (path, query) = split_query(link);
        let segments = if path.is_empty() {
            self.segments.clone()
        } else if let Some(rooted) = path.strip_prefix('/') {
            normal_segments(rooted.split('/'))
        } else {
            let folder = self.segments.split_last().map_or(&[][..], |(_, rest)| rest);
            let mut segments: Vec<String> = folder.to_vec();
            push_normal(&mut segments, path.split('/'));
            segments
        };
        Ok(Self {
            scheme: self.scheme.clone(),
            authority: self.authority.clone(),
            segments,
            query,
        })
    }

    /// The folder itself: the address with a final slash.
    pub(crate) fn into_folder(mut self) -> Self {
        if self.segments.last().is_none_or(|last| !last.is_empty()) {
            self.segments.push(String::new());
        }
        self.query = None;
        self
    }

    /// A file in this folder.
    pub(crate) fn below(&self, name: &str) -> Self {
        let mut other = self.clone().into_folder();
        if let Some(last) = other.segments.last_mut() {
            name.clone_into(last);
        }
        other
    }

    /// The address with `suffix` behind its last segment: a wheel's `.metadata`.
    pub(crate) fn with_suffix(&self, suffix: &str) -> Self {
        let mut other = self.clone();
        if let Some(last) = other.segments.last_mut() {
            last.push_str(suffix);
        }
        other
    }

    /// The last segment, decoded: the file's name.
    pub(crate) fn filename(&self) -> &str {
        self.segments.last().map_or("", String::as_str)
    }

    /// The decoded segments below the host.
    pub(crate) fn segments(&self) -> &[String] {
        &self.segments
    }

    /// The path of a `file` address on this machine.
    pub(crate) fn to_path(&self) -> Option<std::path::PathBuf> {
        (self.scheme == "file").then(|| format!("/{}", self.segments.join("/")).into())
    }

    /// Scheme and host: `https://example.org`.
    pub(crate) fn origin(&self) -> String {
        format!("{}://{}", self.scheme, self.authority)
    }
}

/// As a request would send it: what is not safe in a path is percent-encoded, `+` too.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.authority)?;
        for segment in &self.segments {
            f.write_str("/")?;
            for byte in segment.bytes() {
                if byte.is_ascii_alphanumeric() || b"-._~!$&'()*,;=:@".contains(&byte) {
                    write!(f, "{}", char::from(byte))?;
                } else {
                    write!(f, "%{byte:02X}")?;
                }
            }
        }
        if self.segments.is_empty() {
            f.write_str("/")?;
        }
        match &self.query {
            Some(query) => write!(f, "?{query}"),
            None => Ok(()),
        }
    }
}

fn without_fragment(text: &str) -> &str {
    text.split_once('#').map_or(text, |(before, _)| before)
}

fn split_query(text: &str) -> (&str, Option<String>) {
    match text.split_once('?') {
        Some((path, query)) => (path, Some(query.to_owned())),
        None => (text, None),
    }
}

fn normal_segments<'a>(raw: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut segments = Vec::new();
    push_normal(&mut segments, raw);
    segments
}

/// Appends segments to a folder; `.` and `..` are resolved, never above the root.
fn push_normal<'a>(segments: &mut Vec<String>, raw: impl Iterator<Item = &'a str>) {
    let mut is_folder = false;
    for segment in raw {
        is_folder = false;
        match segment {
            "." => is_folder = true,
            ".." => {
                segments.pop();
                is_folder = true;
            }
            other => segments.push(decoded(other)),
        }
    }
    if is_folder {
        segments.push(String::new());
    }
}

/// Percent-decoding; what is not a whole escape, or not UTF-8 once decoded, stays as it is.
fn decoded(segment: &str) -> String {
    let bytes = segment.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escape = (byte == b'%')
            .then(|| segment.get(at + 1..at + 3))
            .flatten()
            .filter(|hex| hex.bytes().all(|c| c.is_ascii_hexdigit()))
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        if let Some(value) = escape {
            out.push(value);
            at += 3;
        } else {
            out.push(byte);
            at += 1;
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| segment.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(base: &str, link: &str) -> String {
        Address::parse(base)
            .unwrap()
            .join(link)
            .unwrap()
            .to_string()
    }

    #[test]
    fn links_are_resolved_as_the_standard_shows() {
        // RFC 3986 section 5.4, those that a page of files can hold.
        let base = "http://a/b/c/d;p?q";
        for (link, target) in [
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g/"),
            ("g?y", "http://a/b/c/g?y"),
            ("g#s", "http://a/b/c/g"),
            ("", "http://a/b/c/d;p"),
            (".", "http://a/b/c/"),
            ("..", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../../g", "http://a/g"),
            ("../../../g", "http://a/g"),
            ("https://x/y", "https://x/y"),
        ] {
            assert_eq!(joined(base, link), target, "{link}");
        }
    }

    #[test]
    fn a_plus_is_one_file_however_it_is_written() {
        let raw = Address::parse("https://H/x/a-1+rocm.whl#sha256=0").unwrap();
        assert_eq!(
            raw,
            Address::parse("https://h:443/x/a-1%2Brocm.whl").unwrap()
        );
        assert_eq!(
            raw,
            Address::parse("https://h/y/../x/a-1%2brocm.whl").unwrap()
        );
        assert_eq!(raw.filename(), "a-1+rocm.whl");
        assert_eq!(raw.to_string(), "https://h/x/a-1%2Brocm.whl");
        assert_eq!(
            raw.with_suffix(".metadata").filename(),
            "a-1+rocm.whl.metadata"
        );
    }

    #[test]
    fn another_host_scheme_or_query_is_another_file() {
        let ours = Address::parse("https://h/x.whl").unwrap();
        assert_eq!(ours, Address::parse("https://me:secret@h/x.whl").unwrap());
        for other in [
            "https://h.evil/x.whl",
            "https://h@evil/x.whl",
            "http://h/x.whl",
            "https://h:8443/x.whl",
            "https://h/x.whl?v=2",
        ] {
            assert_ne!(ours, Address::parse(other).unwrap(), "{other}");
        }
    }

    #[test]
    fn a_path_is_a_file_address() {
        let address = Address::of_path("/srv/my site/", true);
        assert_eq!(address.to_string(), "file:///srv/my%20site/");
        assert_eq!(
            address.to_path().unwrap(),
            std::path::Path::new("/srv/my site/")
        );
        assert_eq!(address, Address::parse("file:///srv/my%20site/").unwrap());
    }

    #[test]
    fn what_no_client_reads_is_refused() {
        assert_eq!(
            Address::parse("data/wheels").unwrap_err().to_string(),
            "`data/wheels` is not an http, https or file address"
        );
        assert_eq!(
            Address::parse("http:///x").unwrap_err().to_string(),
            "`http:///x` names no host"
        );
    }
}
