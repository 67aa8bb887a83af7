//! Credentials, from where `docker login` and `podman login` leave them.

use std::env;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use docker_credential::{CredentialRetrievalError, DockerCredential, get_credential_from_reader};
use oci_distribution::secrets::RegistryAuth;

/// The longest configuration that is read, which then takes many times as much memory; bytes. Those with certificates
/// in them have some ten thousand.
const LONGEST: u64 = 1 << 20;

/// Why the credentials of a registry are not known.
///
/// What a credential helper says is not repeated: it may be the secret.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CredentialsError {
    /// A file that is there and cannot be read.
    #[error("{}: {}", path.display(), pipe::advised(cause))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// Not JSON, or not of that shape.
    #[error("{}: not a docker or podman configuration; log in again or remove it", .0.display())]
    Malformed(PathBuf),
    /// An entry that cannot be decoded, or that contradicts itself.
    #[error("{}: the credentials of {host} cannot be decoded; log in again", path.display())]
    Entry {
        /// The file.
        path: PathBuf,
        /// The registry.
        host: String,
    },
    /// `identitytoken`, or a helper that answers with one.
    #[error("{}: {host} has an identity token, which is not supported; log in with a user name and a password or access token", path.display())]
    IdentityToken {
        /// The file.
        path: PathBuf,
        /// The registry.
        host: String,
    },
    /// A helper that is missing, fails or answers something else.
    #[error("{}: the credential helper for {host} failed; try `docker-credential-… get` by hand", path.display())]
    Helper {
        /// The file.
        path: PathBuf,
        /// The registry.
        host: String,
    },
}

/// Finds the credentials of a registry; without any, access is anonymous.
///
/// `REGISTRY_AUTH_FILE` is read alone when it is set. Otherwise the first of these that has an entry, or a
/// helper that knows one, decides: podman's `containers/auth.json` below `XDG_RUNTIME_DIR` and below the
/// configuration folder, and docker's `config.json` (containers-auth.json(5)). An entry for a path of the
/// registry goes before the one for its host.
///
/// # Errors
/// See [`CredentialsError`]; a file that is not there is no error.
pub(crate) fn find(host: &str, path: &str) -> Result<RegistryAuth, CredentialsError> {
    for file in files() {
        if let Some(found) = in_file(&file, host, path)? {
            return Ok(found);
        }
    }
    Ok(RegistryAuth::Anonymous)
}

fn files() -> Vec<PathBuf> {
    let folder = |name: &str| {
        env::var_os(name)
            .filter(|text| !text.is_empty())
            .map(PathBuf::from)
    };
    if let Some(only) = folder("REGISTRY_AUTH_FILE") {
        return vec![only];
    }
    let home = |below: &str| folder("HOME").map(|home| home.join(below));
    let podman = [
        folder("XDG_RUNTIME_DIR"),
        folder("XDG_CONFIG_HOME").or_else(|| home(".config")),
    ];
    let docker = folder("DOCKER_CONFIG").or_else(|| home(".docker"));
    let podman = podman
        .into_iter()
        .flatten()
        .map(|folder| folder.join("containers/auth.json"));
    podman
        .chain(docker.map(|folder| folder.join("config.json")))
        .collect()
}

fn in_file(file: &Path, host: &str, path: &str) -> Result<Option<RegistryAuth>, CredentialsError> {
    let read = File::open(file).and_then(|open| pipe::read_at_most(open, LONGEST));
    let text = match read {
        Ok(text) => text,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(cause) => {
            return Err(CredentialsError::Io {
                path: file.to_owned(),
                cause,
            });
        }
    };
    let malformed = || CredentialsError::Malformed(file.to_owned());
    let config: serde_json::Value = serde_json::from_slice(&text).map_err(|_| malformed())?;
    if !config.is_object() {
        return Err(malformed());
    }
    let servers = match server_key(&config, host, path) {
        // What `docker login` calls its own registry.
        key if key == "docker.io" => vec![key, "https://index.docker.io/v1/".to_owned()],
        key => vec![key],
    };
    for server in servers {
        let found = of_server(&text, &server, file, host)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

fn of_server(
    config: &[u8],
    server: &str,
    file: &Path,
    host: &str,
) -> Result<Option<RegistryAuth>, CredentialsError> {
    let at = |f: fn(PathBuf, String) -> CredentialsError| Err(f(file.to_owned(), host.to_owned()));
    match get_credential_from_reader(config, server) {
        Ok(DockerCredential::UsernamePassword(user, password)) => {
            Ok(Some(RegistryAuth::Basic(user, password)))
        }
        Ok(DockerCredential::IdentityToken(_)) => {
            at(|path, host| CredentialsError::IdentityToken { path, host })
        }
        Err(CredentialRetrievalError::NoCredentialConfigured) => Ok(None),
        // What every helper says of a server that it does not know (docker-credential-helpers).
        Err(CredentialRetrievalError::HelperFailure { stdout, .. })
            if stdout.contains("credentials not found") =>
        {
            Ok(None)
        }
        Err(
            CredentialRetrievalError::HelperFailure { .. }
            | CredentialRetrievalError::HelperCommunicationError
            | CredentialRetrievalError::MalformedHelperResponse,
        ) => at(|path, host| CredentialsError::Helper { path, host }),
        Err(
            CredentialRetrievalError::CredentialDecodingError
            | CredentialRetrievalError::CredentialMismatchError,
        ) => at(|path, host| CredentialsError::Entry { path, host }),
        Err(
            CredentialRetrievalError::ConfigNotFound | CredentialRetrievalError::ConfigReadError,
        ) => Err(CredentialsError::Malformed(file.to_owned())),
    }
}

/// The key to ask for: the longest `host/path` that has an entry of its own, or the host.
fn server_key(config: &serde_json::Value, host: &str, path: &str) -> String {
    let mut key = format!("{host}/{path}");
    while let Some((shorter, _)) = key.rsplit_once('/') {
        if config["auths"].get(&key).is_some() {
            return key;
        }
        key = shorter.to_owned();
    }
    host.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn found(config: &str, host: &str, path: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.json");
        fs::write(&file, config).unwrap();
        match in_file(&file, host, path) {
            Ok(None) => "nothing".to_owned(),
            Ok(Some(RegistryAuth::Basic(user, password))) => format!("{user}/{password}"),
            Ok(Some(other)) => format!("{other:?}"),
            Err(error) => {
                let text = error.to_string();
                text.replace(&file.display().to_string(), "FILE")
            }
        }
    }

    #[test]
    fn an_entry_of_the_host_or_of_a_path_below_it_is_found() {
        // me:word, you:word
        let config = r#"{"auths": {"h:1": {"auth": "bWU6d29yZA=="}, "h:1/rocm-pytorch": {"auth": "eW91OndvcmQ="}}}"#;
        assert_eq!(found(config, "h:1", ""), "me/word");
        assert_eq!(found(config, "h:1", "other"), "me/word");
        assert_eq!(found(config, "h:1", "rocm-pytorch/pytorch"), "you/word");
        assert_eq!(found(config, "h:2", ""), "nothing");
        assert_eq!(found("{}", "h:1", ""), "nothing");
    }

    #[test]
    fn docker_hub_is_found_by_the_name_that_docker_login_gives_it() {
        let entry = r#"{"auths": {"https://index.docker.io/v1/": {"auth": "bWU6d29yZA=="}}}"#;
        assert_eq!(found(entry, "docker.io", "library"), "me/word");
        let helper = r#"{"credHelpers": {"https://index.docker.io/v1/": "no-such-helper"}}"#;
        assert_eq!(
            found(helper, "docker.io", ""),
            "FILE: the credential helper for docker.io failed; try `docker-credential-… get` by hand"
        );
        assert_eq!(found(helper, "other.example", ""), "nothing");
    }

    #[test]
    fn what_cannot_be_used_is_an_error_and_not_anonymous() {
        let cases = [
            (
                "{",
                "FILE: not a docker or podman configuration; log in again or remove it",
            ),
            (
                "[]",
                "FILE: not a docker or podman configuration; log in again or remove it",
            ),
            (
                r#"{"auths": {"h:1": {"auth": "!"}}}"#,
                "FILE: the credentials of h:1 cannot be decoded; log in again",
            ),
            (
                r#"{"auths": {"h:1": {"identitytoken": "secret"}}}"#,
                "FILE: h:1 has an identity token, which is not supported; log in with a user name and a password or access token",
            ),
            (
                r#"{"credHelpers": {"h:1": "no-such-helper"}}"#,
                "FILE: the credential helper for h:1 failed; try `docker-credential-… get` by hand",
            ),
        ];
        for (config, expected) in cases {
            assert_eq!(found(config, "h:1", ""), expected);
        }
    }
}
