//! Credentials and redirects: who is told what.

use std::fs;
use std::path::Path;

use oci_distribution::secrets::RegistryAuth;
use serde_json::json;

use crate::debian::DebianRegistry;
use crate::images::Image;
use crate::mock::{Answer, Mock, Request};
use crate::run::{Said, command, finish, start};

const PASSWORD: &str = "word-of-mine";
/// `me:word-of-mine`
const BASIC: &str = "bWU6d29yZC1vZi1taW5l";
const TOKEN: &str = "token-of-mine";

/// Lists tags with a docker configuration of that text, saying as much as it can.
pub(crate) fn tags(config: &str, arguments: &[&str]) -> Said {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join(".docker")).unwrap();
    fs::write(home.path().join(".docker/config.json"), config).unwrap();
    tags_at(home.path(), arguments)
}

fn tags_at(home: &Path, arguments: &[&str]) -> Said {
    let said = finish(start(
        command(home, &[&["tags", "-vv"][..], arguments].concat()),
        "",
    ));
    for secret in [PASSWORD, BASIC, TOKEN] {
        assert!(
            !said.stderr.contains(secret) && !said.stdout.contains(secret),
            "{}",
            said.stderr
        );
    }
    let stderr = said.stderr.replace(home.to_str().unwrap(), "HOME");
    Said { stderr, ..said }
}

fn config(host: &str) -> String {
    json!({"auths": {host: {"auth": BASIC}}}).to_string()
}

/// The last line on stderr; those before are requests.
pub(crate) fn last(said: &Said) -> &str {
    said.stderr.trim_end().lines().last().unwrap_or_default()
}

pub(crate) fn some_tags() -> Answer {
    Answer::new(200, r#"{"tags": ["1"]}"#)
}

#[test]
fn a_real_registry_with_passwords_lets_in_who_has_one() {
    let folder = tempfile::tempdir().unwrap();
    let passwords = folder.path().join("htpasswd");
    fs::write(
        &passwords,
        "me:$2b$05$abcdefghijklmnopqrstuuKyVQdzQLCpSyyB3WBaFfIj3k4tpQU.a\n",
    )
    .unwrap();
    let section = format!(
        "auth:\n  htpasswd:\n    realm: test\n    path: {}\n",
        passwords.display()
    );
    let registry = DebianRegistry::with(&section);
    let auth = RegistryAuth::Basic("me".to_owned(), PASSWORD.to_owned());
    registry.push(
        "r",
        &["1".to_owned()],
        &Image::of_wheel("a-1-py3-none-any.whl", b""),
        &auth,
    );
    let host = registry.host.as_str();
    let arguments = ["--plain-http", host, "--registry", host, "r"];

    assert_eq!(
        tags(&config(host), &arguments).document()["tags"],
        json!([{"tag": "1"}])
    );
    let anonymous = tags("{}", &arguments);
    assert_eq!(anonymous.code, 2);
    assert_eq!(
        last(&anonymous),
        format!(
            "wheelhouse: r: access denied: {host} asks for a user name and password; try `docker login {host}`"
        )
    );
    // me:wrong
    let wrong = tags(
        &json!({"auths": {host: {"auth": "bWU6d3Jvbmc="}}}).to_string(),
        &arguments,
    );
    assert_eq!(wrong.code, 2);
    assert_eq!(
        last(&wrong),
        format!(
            "wheelhouse: r: access denied: {host} does not accept the user name and password; try `docker login {host}`"
        )
    );
}

/// A registry that wants a token, and its token service, which wants the password.
fn with_tokens(expected: Option<&'static str>) -> Mock {
    Mock::new(move |request, _| match request.path() {
        "/token"
            if request.header("authorization")
                == expected.map(|_| "Basic bWU6d29yZC1vZi1taW5l") =>
        {
            Answer::new(200, json!({"access_token": TOKEN}).to_string())
        }
        "/token" => Answer::new(401, ""),
        _ if request.header("authorization") == Some("Bearer token-of-mine") => some_tags(),
        _ => {
            let realm = format!("http://{}/token", request.header("host").unwrap());
            Answer::new(401, "").header(
                "WWW-Authenticate",
                format!("Bearer realm=\"{realm}\",service=\"s\""),
            )
        }
    })
}

#[test]
fn a_token_is_fetched_for_the_repository_and_used() {
    for expected in [None, Some(BASIC)] {
        let mock = with_tokens(expected);
        let config = expected.map_or("{}".to_owned(), |_| config(&mock.host));
        let said = tags(
            &config,
            &[
                "--plain-http",
                &mock.host,
                &format!("{}/rocm/pytorch", mock.host),
            ],
        );
        assert_eq!(
            said.document()["tags"],
            json!([{"tag": "1"}]),
            "{}",
            said.stderr
        );
        let targets: Vec<_> = mock
            .requests()
            .into_iter()
            .map(|request| request.target)
            .collect();
        assert_eq!(
            targets[1],
            "/token?service=s&scope=repository%3Arocm%2Fpytorch%3Apull"
        );
        assert_eq!(targets.len(), 4, "refused, token, two pages: {targets:?}");
    }
    let mock = with_tokens(Some(BASIC));
    let said = tags(
        "{}",
        &["--plain-http", &mock.host, &format!("{}/r", mock.host)],
    );
    let host = &mock.host;
    assert_eq!(said.code, 2);
    assert_eq!(
        last(&said),
        format!(
            "wheelhouse: r: access denied: {host} gives no token for these credentials; try `docker login {host}`"
        )
    );
}

#[test]
fn a_token_that_ran_out_is_renewed() {
    let mock =
        Mock::new(
            |request, before| match (request.path(), request.header("authorization")) {
                ("/token", _) => Answer::new(
                    200,
                    json!({"token": format!("{TOKEN}{before}")}).to_string(),
                ),
                (_, Some("Bearer token-of-mine1")) => some_tags(),
                // The first token serves the first page.
                (_, Some("Bearer token-of-mine0")) if request.query("last").is_none() => {
                    some_tags()
                }
                _ => {
                    let realm = format!("http://{}/token", request.header("host").unwrap());
                    Answer::new(401, "")
                        .header("WWW-Authenticate", format!("Bearer realm=\"{realm}\""))
                }
            },
        );
    let said = tags(
        "{}",
        &["--plain-http", &mock.host, &format!("{}/r", mock.host)],
    );
    assert_eq!(said.document()["tags"], json!([{"tag": "1"}]));
}

#[test]
fn a_token_service_without_tls_must_be_allowed() {
    let tokens = with_tokens(None);
    let realm = format!("http://{}/token", tokens.host);
    let mock = Mock::new(move |_, _| {
        Answer::new(401, "").header("WWW-Authenticate", format!("Bearer realm=\"{realm}\""))
    });
    let said = tags(
        &config(&mock.host),
        &["--plain-http", &mock.host, &format!("{}/r", mock.host)],
    );
    let at = &tokens.host;
    assert_eq!(
        last(&said),
        format!(
            "wheelhouse: r: it sends us for a token to plain http at {at}; if that is right, allow it: --plain-http {at}"
        )
    );
    assert!(tokens.requests().is_empty());
}

#[test]
fn credentials_do_not_follow_a_redirect_to_another_host() {
    let store = Mock::new(|_, _| some_tags());
    let target = format!("http://{}/tags?signature=secret", store.host);
    let mock = Mock::new(move |request, _| match request.header("authorization") {
        Some(_) => Answer::new(307, "").header("Location", &target),
        None => Answer::new(401, "").header("WWW-Authenticate", "Basic realm=\"r\""),
    });
    let place = format!("{}/r", mock.host);
    let said = tags(
        &config(&mock.host),
        &[
            "--plain-http",
            &mock.host,
            "--plain-http",
            &store.host,
            &place,
        ],
    );
    assert_eq!(said.document()["tags"], json!([{"tag": "1"}]));
    let requests: Vec<Request> = store.requests();
    assert!(
        requests
            .iter()
            .all(|request| request.header("authorization").is_none()),
        "{requests:?}"
    );
    assert!(!requests.is_empty());

    // Unless it is named, an http host is not gone to at all.
    let said = tags(&config(&mock.host), &["--plain-http", &mock.host, &place]);
    let at = &store.host;
    assert_eq!(said.code, 2);
    assert_eq!(
        last(&said),
        format!(
            "wheelhouse: r: it redirects to plain http at {at}; if that is right, allow it: --plain-http {at}"
        )
    );
    assert!(!said.stderr.contains("signature"), "{}", said.stderr);
}

#[test]
fn a_configuration_that_cannot_be_used_is_an_error_and_not_anonymous() {
    let mock = Mock::new(|_, _| some_tags());
    let host = mock.host.as_str();
    let cases = [
        ("{", "wheelhouse: HOME/.docker/config.json: not a docker or podman configuration; log in again or remove it".to_owned()),
        (
            &json!({"auths": {host: {"identitytoken": TOKEN}}}).to_string(),
            format!(
                "wheelhouse: HOME/.docker/config.json: {host} has an identity token, which is not supported; log in with a user name and a password or access token"
            ),
        ),
        (
            &json!({"credsStore": "no-such-helper"}).to_string(),
            format!(
                "wheelhouse: HOME/.docker/config.json: the credential helper for {host} failed; try `docker-credential-… get` by hand"
            ),
        ),
    ];
    for (config, expected) in cases {
        let said = tags(config, &["--plain-http", host, &format!("{host}/r")]);
        assert_eq!(said.refusal(), (2, expected.as_str()));
    }
    assert!(mock.requests().is_empty());
}

#[test]
fn a_credential_helper_and_podmans_file_are_asked() {
    let mock = Mock::new(|request, _| match request.header("authorization") {
        Some("Basic bWU6d29yZC1vZi1taW5l") => some_tags(),
        _ => Answer::new(401, "").header("WWW-Authenticate", "Basic realm=\"r\""),
    });
    let host = mock.host.as_str();
    let arguments = ["--plain-http", host, "--registry", host, "r"];

    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name);
    fs::create_dir_all(at(".docker")).unwrap();
    fs::write(
        at(".docker/config.json"),
        json!({"credHelpers": {host: "test"}}).to_string(),
    )
    .unwrap();
    let helpers = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/helper");
    let path = format!("{helpers}:{}", std::env::var("PATH").unwrap());
    let mut with_helper = command(home.path(), &[&["tags"][..], &arguments].concat());
    with_helper.env("PATH", path);
    assert_eq!(
        finish(start(with_helper, "")).document()["tags"],
        json!([{"tag": "1"}])
    );

    let home = tempfile::tempdir().unwrap();
    let podman = home.path().join(".config/containers");
    fs::create_dir_all(&podman).unwrap();
    fs::write(podman.join("auth.json"), config(host)).unwrap();
    assert_eq!(
        tags_at(home.path(), &arguments).document()["tags"],
        json!([{"tag": "1"}])
    );
}
