//! What counts of uv's configuration: the default index, and what reaches the network.
//!
//! uv has no command that tells its configuration, so that the files are read here, in its order:
//! variables, then the project's file, the user's and the system's.
//! <https://docs.astral.sh/uv/concepts/configuration-files/>

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

/// Variables that reach the network or name a place to work in, and select nothing.
const KEPT: &[&str] = &[
    "UV_CONCURRENT_DOWNLOADS",
    "UV_CREDENTIALS_DIR",
    "UV_HTTP_CONNECT_TIMEOUT",
    "UV_HTTP_RETRIES",
    "UV_HTTP_TIMEOUT",
    "UV_INSECURE_HOST",
    "UV_KEYRING_PROVIDER",
    "UV_NATIVE_TLS",
    "UV_PYTHON_INSTALL_DIR",
    "UV_REQUEST_TIMEOUT",
    "UV_SYSTEM_CERTS",
];

/// uv's configuration without anything that selects packages.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct UvSettings {
    /// The configured default index.
    pub(super) public: Option<String>,
    /// What files say about the network, as the variable that says the same.
    network: BTreeMap<&'static str, String>,
    /// Every variable that uv would read and that may select.
    dropped: Vec<OsString>,
}

impl UvSettings {
    /// The settings that uv would find, run from here.
    ///
    /// # Errors
    /// When a file that uv would read cannot be read or is not TOML.
    pub(super) fn here() -> anyhow::Result<Self> {
        let variables: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
        let variable = |name: &str| {
            variables
                .get(std::ffi::OsStr::new(name))
                .filter(|value| !value.is_empty())
                .map(|value| value.to_string_lossy().into_owned())
        };
        let mut settings = Self {
            public: variable("UV_DEFAULT_INDEX").or_else(|| variable("UV_INDEX_URL")),
            ..Self::default()
        };
        if variable("UV_NO_CONFIG").is_none() {
            let files = match variable("UV_CONFIG_FILE") {
                Some(file) => vec![PathBuf::from(file)],
                None => files(&std::env::current_dir()?, &variable),
            };
            for file in files {
                settings.add_file(&file)?;
            }
        }
        settings.dropped = variables
            .into_keys()
            .filter(|name| {
                let name = name.to_string_lossy();
                name.starts_with("UV_") && !KEPT.contains(&name.as_ref())
            })
            .collect();
        Ok(settings)
    }

    /// Gives a command these settings and none of the others. No Python is downloaded for it.
    pub(super) fn apply_to(&self, command: &mut Command) {
        for name in &self.dropped {
            command.env_remove(name);
        }
        for (name, value) in &self.network {
            if std::env::var_os(name).is_none() {
                command.env(name, value);
            }
        }
        command.env("UV_PYTHON_DOWNLOADS", "never");
    }

    fn add_file(&mut self, file: &Path) -> anyhow::Result<()> {
        let shown = || file.display().to_string();
        let text = pipe::read_small_text(file).with_context(shown)?;
        let mut table: toml::Table = text
            .parse()
            .map_err(|error: toml::de::Error| {
                anyhow::anyhow!("{}", error.message().replace('\n', " "))
            })
            .with_context(shown)?;
        if file.ends_with("pyproject.toml") {
            let uv = table
                .remove("tool")
                .and_then(|tool| tool.get("uv")?.as_table().cloned());
            table = uv.unwrap_or_default();
        }
        self.add(&table);
        Ok(())
    }

    /// Takes from a file what nothing before it said.
    fn add(&mut self, table: &toml::Table) {
        let text = |key: &str| {
            table
                .get(key)
                .and_then(|value| value.as_str())
                .map(str::to_owned)
        };
        let default = table.get("index").and_then(|index| {
            index.as_array()?.iter().find_map(|one| {
                let is_default = one.get("default")?.as_bool()?;
                is_default.then(|| one.get("url")?.as_str().map(str::to_owned))?
            })
        });
        let of_pip = || Some(table.get("pip")?.get("index-url")?.as_str()?.to_owned());
        if self.public.is_none() {
            self.public = default.or_else(|| text("index-url")).or_else(of_pip);
        }
        for (key, name) in [
            ("keyring-provider", "UV_KEYRING_PROVIDER"),
            ("http-proxy", "HTTP_PROXY"),
            ("https-proxy", "HTTPS_PROXY"),
        ] {
            if let Some(value) = text(key) {
                self.network.entry(name).or_insert(value);
            }
        }
        for (key, name) in [
            ("native-tls", "UV_NATIVE_TLS"),
            ("system-certs", "UV_SYSTEM_CERTS"),
        ] {
            if let Some(value) = table.get(key).and_then(toml::Value::as_bool) {
                self.network.entry(name).or_insert(value.to_string());
            }
        }
        for (key, name, between) in [
            ("allow-insecure-host", "UV_INSECURE_HOST", " "),
            ("no-proxy", "NO_PROXY", ","),
        ] {
            if let Some(hosts) = table.get(key).and_then(|hosts| hosts.as_array()) {
                let hosts: Vec<&str> = hosts.iter().filter_map(|host| host.as_str()).collect();
                self.network.entry(name).or_insert(hosts.join(between));
            }
        }
    }
}

/// The files that uv would read, those that count more first.
fn files(folder: &Path, variable: &impl Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let of_project = folder.ancestors().find_map(|folder| {
        let own = folder.join("uv.toml");
        let shared = folder.join("pyproject.toml");
        let has_table = || {
            let text = pipe::read_small_text(&shared).ok()?;
            text.parse::<toml::Table>()
                .ok()?
                .get("tool")?
                .get("uv")
                .map(|_| ())
        };
        if own.is_file() {
            Some(own)
        } else {
            has_table().map(|()| shared.clone())
        }
    });
    files.extend(of_project);
    let home = variable("XDG_CONFIG_HOME")
        .or_else(|| variable("HOME").map(|home| format!("{home}/.config")));
    let of_system = variable("XDG_CONFIG_DIRS").unwrap_or_else(|| "/etc/xdg".to_owned());
    files.extend(home.map(|home| Path::new(&home).join("uv/uv.toml")));
    files.extend(
        of_system
            .split(':')
            .map(|folder| Path::new(folder).join("uv/uv.toml")),
    );
    files.push(PathBuf::from("/etc/uv/uv.toml"));
    files.retain(|file| file.is_file());
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_file_that_names_a_default_index_decides() {
        let mut settings = UvSettings::default();
        for file in [
            "native-tls = true\nallow-insecure-host = ['a', 'b:1']\nextra-index-url = ['https://evil']",
            "[[index]]\nurl = 'https://x'\n[[index]]\nurl = 'https://h'\ndefault = true",
            "native-tls = false\nindex-url = 'https://other'\n[pip]\nindex-url = 'https://third'",
        ] {
            settings.add(&file.parse().unwrap());
        }
        assert_eq!(settings.public.as_deref(), Some("https://h"));
        assert_eq!(
            settings.network,
            BTreeMap::from([
                ("UV_INSECURE_HOST", "a b:1".to_owned()),
                ("UV_NATIVE_TLS", "true".to_owned())
            ])
        );
    }

    #[test]
    fn the_nearest_project_file_comes_before_the_users() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("a/b");
        let home = root.path().join("home/uv");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::create_dir_all(&home).unwrap();
        std::fs::write(folder.join("pyproject.toml"), "[tool.other]\n").unwrap();
        std::fs::write(root.path().join("a/pyproject.toml"), "[tool.uv]\n").unwrap();
        std::fs::write(home.join("uv.toml"), "").unwrap();
        let variable = |name: &str| match name {
            "XDG_CONFIG_HOME" => Some(root.path().join("home").display().to_string()),
            "XDG_CONFIG_DIRS" => Some("/nowhere".to_owned()),
            _ => None,
        };
        let found = files(&folder, &variable);
        assert_eq!(
            found[..2],
            [root.path().join("a/pyproject.toml"), home.join("uv.toml")]
        );
    }
}
