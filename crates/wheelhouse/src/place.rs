//! Where images are: a registry, or an OCI layout on disk that takes its place.

use std::path::PathBuf;
use std::str::FromStr;

use crate::reference::{ReferenceError, check_repository};

/// A registry with the path that its repositories share, or a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// `host:8080/rocm-pytorch`
    Registry {
        /// Host with port.
        host: String,
        /// What comes between the host and a repository of the plan; may be empty.
        path: String,
    },
    /// `oci:DIR`, an OCI image layout.
    Layout(PathBuf),
}

/// A registry's host, with its port if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Host(String);

impl Host {
    /// `host:8080`
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Host {
    type Err = PlaceError;

    fn from_str(text: &str) -> Result<Self, PlaceError> {
        match text.parse()? {
            Place::Registry { host, path } if path.is_empty() => Ok(Self(host)),
            _ => Err(PlaceError::NotAHost(text.to_owned())),
        }
    }
}

/// Why a text names no place.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PlaceError {
    /// `https://host`
    #[error("`{0}`: write a registry without `https://`; plain http is `--plain-http HOST`")]
    Scheme(String),
    /// `oci:`
    #[error("`oci:` needs a folder: oci:DIR")]
    NoFolder,
    /// `Host/Upper`, `user@host`
    #[error("`{0}` is not a registry: HOST[:PORT][/PATH] or oci:DIR")]
    Malformed(String),
    /// `host/path`, where only a host has its place.
    #[error("`{0}` is more than a host: HOST[:PORT]")]
    NotAHost(String),
    /// `rocm-pytorch/pytorch`, where a host is needed.
    #[error("`{0}` names no registry: write HOST/{0}, or give --registry HOST")]
    NoHost(String),
    /// See [`ReferenceError`].
    #[error(transparent)]
    Repository(#[from] ReferenceError),
}

impl FromStr for Place {
    type Err = PlaceError;

    fn from_str(text: &str) -> Result<Self, PlaceError> {
        if text.starts_with("http://") || text.starts_with("https://") {
            return Err(PlaceError::Scheme(text.to_owned()));
        }
        if let Some(folder) = text.strip_prefix("oci:") {
            return match folder {
                "" => Err(PlaceError::NoFolder),
                folder => Ok(Self::Layout(folder.into())),
            };
        }
        let (host, path) = text
            .trim_end_matches('/')
            .split_once('/')
            .unwrap_or((text, ""));
        let (host, path) = (host.trim_end_matches('/'), path);
        // A host without a dot or port is a host here, since nothing else can stand in its place.
        let port = host
            .rsplit_once(':')
            .map_or(Ok(0), |(_, port)| port.parse::<u16>());
        let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
        let whole = if path.is_empty() { "x" } else { path };
        if name.is_empty()
            || !name.chars().all(is_name)
            || port.is_err()
            || check_repository(whole).is_err()
        {
            return Err(PlaceError::Malformed(text.to_owned()));
        }
        Ok(Self::Registry {
            host: host.to_owned(),
            path: path.to_owned(),
        })
    }
}

impl Place {
    /// The place and the repository that a user means by `repository`, given beside `--registry` or alone.
    ///
    /// Below `--registry HOST/PATH` the path may be written again or left out.
    ///
    /// # Errors
    /// [`PlaceError::NoHost`] when neither names a host, [`PlaceError::Repository`] when the name is none.
    pub(crate) fn of_repository(
        registry: Option<&Self>,
        repository: &str,
    ) -> Result<(Self, String), PlaceError> {
        let Some(place) = registry else {
            let (host, rest) = repository.split_once('/').unwrap_or(("", repository));
            if !(host.contains(['.', ':']) || host == "localhost") {
                return Err(PlaceError::NoHost(repository.to_owned()));
            }
            return Self::of_repository(Some(&host.parse()?), rest);
        };
        check_repository(repository)?;
        let name = match place {
            Self::Registry { path, .. } if !path.is_empty() && !is_below(repository, path) => {
                format!("{path}/{repository}")
            }
            _ => repository.to_owned(),
        };
        Ok((place.clone(), name))
    }
}

fn is_below(repository: &str, path: &str) -> bool {
    repository
        .strip_prefix(path)
        .is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registry(host: &str, path: &str) -> Place {
        Place::Registry {
            host: host.to_owned(),
            path: path.to_owned(),
        }
    }

    #[test]
    fn a_registry_is_a_host_with_a_path() {
        let cases = [
            ("localhost:5000", "localhost:5000", ""),
            ("zot/", "zot", ""),
            (
                "host.example:8080/rocm-pytorch",
                "host.example:8080",
                "rocm-pytorch",
            ),
            ("host.example/a/b/", "host.example", "a/b"),
        ];
        for (text, host, path) in cases {
            assert_eq!(text.parse(), Ok(registry(host, path)), "{text}");
        }
        assert_eq!(
            "oci:build/images".parse(),
            Ok(Place::Layout("build/images".into()))
        );
    }

    #[test]
    fn what_is_no_registry_is_refused() {
        let malformed = [
            "",
            "user:secret@host",
            "host/Upper",
            "host:port",
            "host/a:tag",
            "a b",
        ];
        for text in malformed {
            let error = text.parse::<Place>().unwrap_err();
            assert_eq!(error, PlaceError::Malformed(text.to_owned()));
        }
        assert_eq!("oci:".parse::<Place>(), Err(PlaceError::NoFolder));
        let more = "host/path".parse::<Host>().unwrap_err();
        assert_eq!(
            more.to_string(),
            "`host/path` is more than a host: HOST[:PORT]"
        );
        assert_eq!(
            "http://host".parse::<Place>().unwrap_err().to_string(),
            "`http://host`: write a registry without `https://`; plain http is `--plain-http HOST`"
        );
    }

    #[test]
    fn a_repository_may_name_its_registry_or_repeat_the_path() {
        let with_path = registry("h:1", "rocm-pytorch");
        let cases = [
            (
                None,
                "h:1/rocm-pytorch/pytorch",
                registry("h:1", ""),
                "rocm-pytorch/pytorch",
            ),
            (
                Some(&with_path),
                "rocm-pytorch/pytorch",
                with_path.clone(),
                "rocm-pytorch/pytorch",
            ),
            (
                Some(&with_path),
                "pytorch",
                with_path.clone(),
                "rocm-pytorch/pytorch",
            ),
        ];
        for (place, text, expected, name) in cases {
            let found = Place::of_repository(place, text).unwrap();
            assert_eq!(found, (expected, name.to_owned()), "{text}");
        }
        let nowhere = Place::of_repository(None, "rocm-pytorch/pytorch").unwrap_err();
        assert_eq!(
            nowhere.to_string(),
            "`rocm-pytorch/pytorch` names no registry: write HOST/rocm-pytorch/pytorch, or give --registry HOST"
        );
        let upper = Place::of_repository(Some(&with_path), "Pytorch").unwrap_err();
        assert_eq!(
            upper,
            PlaceError::Repository(ReferenceError::Repository("Pytorch".to_owned()))
        );
    }
}
