//! What counts of pip's configuration: the public index, and what reaches the network.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::Command;

/// Settings that reach the network and select nothing.
const NETWORK: &[&str] = &[
    "cert",
    "client-cert",
    "default-timeout",
    "keyring-provider",
    "proxy",
    "resume-retries",
    "retries",
    "timeout",
    "trusted-host",
];

/// pip's configuration without anything that selects packages.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PipSettings {
    /// The configured `index-url`.
    pub(super) public: Option<String>,
    /// What reaches the network, by option.
    network: BTreeMap<String, String>,
    /// Every variable that pip would read.
    variables: Vec<OsString>,
}

impl PipSettings {
    /// Reads what `pip config list` prints: `section.option='value'`, with `:env:` for variables.
    ///
    /// For `pip install` the section `install` counts more than `global`, and variables more than both.
    pub(super) fn of(listed: &str, variables: impl Iterator<Item = (OsString, OsString)>) -> Self {
        let mut options: BTreeMap<&str, (u8, String)> = BTreeMap::new();
        for line in listed.lines() {
            let Some((key, value)) = line.split_once('=') else {
                continue;
            };
            let Some((section, option)) = key.rsplit_once('.') else {
                continue;
            };
            let rank = match section {
                "global" => 0,
                "install" => 1,
                ":env:" => 2,
                _ => continue,
            };
            let value = unquoted(value);
            let held = options.entry(option).or_insert((rank, String::new()));
            if held.0 <= rank {
                *held = (rank, value);
            }
        }
        let mut take = |option: &str| options.remove(option).map(|(_, value)| value);
        Self {
            public: take("index-url"),
            network: NETWORK
                .iter()
                .filter_map(|option| Some(((*option).to_owned(), take(option)?)))
                .collect(),
            variables: variables
                .map(|(name, _)| name)
                .filter(|name| name.to_string_lossy().starts_with("PIP_"))
                .collect(),
        }
    }

    /// Gives a command these settings and none of the others.
    pub(super) fn apply_to(&self, command: &mut Command) {
        for name in &self.variables {
            command.env_remove(name);
        }
        // This very path makes pip read no configuration file at all.
        command.env("PIP_CONFIG_FILE", "/dev/null");
        for (option, value) in &self.network {
            let name = option.to_ascii_uppercase().replace('-', "_");
            command.env(format!("PIP_{name}"), value);
        }
    }
}

/// A Python string as `repr` writes it; lists in files are on several lines, which an environment variable
/// parts by blanks.
fn unquoted(value: &str) -> String {
    let inner = ['\'', '"']
        .iter()
        .find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(value);
    let mut text = String::new();
    let mut characters = inner.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some('n' | 't' | 'r') => text.push(' '),
                Some(escaped) => text.push(escaped),
                None => {}
            },
            c => text.push(c),
        }
    }
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: &str = "\
:env:.cert='/etc/ca.crt'
:env:.find-links='/opt/wheels'
:env:.config-file='/x'
global.extra-index-url='https://evil/simple'
global.index-url='https://h/simple'
global.timeout='60'
global.trusted-host='\\na\\nb'
install.index-url=\"https://h/it's\"
download.proxy='http://p'
";

    #[test]
    fn what_selects_is_dropped_and_what_reaches_the_network_stays() {
        let variables = ["PIP_FIND_LINKS", "PIP_CERT", "HOME"]
            .map(|name| (OsString::from(name), OsString::new()));
        let settings = PipSettings::of(LISTED, variables.into_iter());
        assert_eq!(settings.public.as_deref(), Some("https://h/it's"));
        let network: Vec<(&str, &str)> = settings
            .network
            .iter()
            .map(|(option, value)| (option.as_str(), value.as_str()))
            .collect();
        assert_eq!(
            network,
            [
                ("cert", "/etc/ca.crt"),
                ("timeout", "60"),
                ("trusted-host", "a b")
            ]
        );
        assert_eq!(settings.variables, ["PIP_FIND_LINKS", "PIP_CERT"]);
    }
}
