//! Proxies, as the environment names them.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use serde_json::json;

use crate::access::{last, some_tags};
use crate::mock::{Answer, Mock};
use crate::run::{Said, command, finish, start};

/// Lists tags of `r` at a host that is spoken to without TLS, with these variables and credentials for the host.
fn tags(host: &str, variables: &[(&str, &str)]) -> Said {
    let home = tempfile::tempdir().unwrap();
    let config = json!({"auths": {host: {"auth": "bWU6d29yZC1vZi1taW5l"}}});
    fs::create_dir(home.path().join(".docker")).unwrap();
    fs::write(home.path().join(".docker/config.json"), config.to_string()).unwrap();
    let place = format!("{host}/r");
    let arguments = [
        "tags",
        "-vv",
        "--plain-http",
        host,
        "--deadline",
        "20",
        &place,
    ];
    let mut command = command(home.path(), &arguments);
    command.envs(variables.iter().copied());
    finish(start(command, ""))
}

#[test]
fn a_registry_is_reached_through_the_proxy_that_the_environment_names() {
    for variable in ["HTTP_PROXY", "http_proxy", "ALL_PROXY"] {
        let proxy = Mock::new(|_, _| some_tags());
        let address = format!("http://someone:hidden@{}", proxy.host);
        let said = tags("registry.example:5000", &[(variable, &address)]);
        assert_eq!(said.code, 0, "{variable}: {}", said.stderr);
        assert!(!said.stderr.contains("hidden"), "{}", said.stderr);
        let requests = proxy.requests();
        assert_eq!(
            requests[0].target, "http://registry.example:5000/v2/r/tags/list?n=5000",
            "{variable}"
        );
        // someone:hidden
        assert_eq!(
            requests[0].header("proxy-authorization"),
            Some("Basic c29tZW9uZTpoaWRkZW4="),
            "{variable}"
        );
    }
}

#[test]
fn a_socks_proxy_is_told_the_name_of_the_registry() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("socks5h://{}", listener.local_addr().unwrap());
    let proxy = thread::spawn(move || {
        let mut asked = vec![];
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().unwrap();
            // RFC 1928: one method, none is needed; connect to a name; done.
            let mut head = [0; 3];
            stream.read_exact(&mut head).unwrap();
            stream.write_all(&[5, 0]).unwrap();
            let mut request = [0; 5];
            stream.read_exact(&mut request).unwrap();
            assert_eq!(request[..4], [5, 1, 0, 3]);
            let mut name = vec![0; usize::from(request[4]) + 2];
            stream.read_exact(&mut name).unwrap();
            name.truncate(usize::from(request[4]));
            asked.push(String::from_utf8(name).unwrap());
            stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).unwrap();
            let mut request = vec![];
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                request.extend(byte);
            }
            stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 15\r\nConnection: close\r\n\r\n{\"tags\": [\"1\"]}")
                .unwrap();
        }
        asked
    });
    let said = tags("registry.example:5000", &[("ALL_PROXY", &address)]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert_eq!(proxy.join().unwrap(), ["registry.example"; 2]);
}

#[test]
fn this_machine_and_what_no_proxy_names_are_reached_without() {
    let registry = Mock::new(|_, _| some_tags());
    let proxy = Mock::new(|_, _| Answer::new(502, ""));
    let address = format!("http://{}", proxy.host);
    let port = registry.host.rsplit_once(':').unwrap().1;
    let here = [registry.host.clone(), format!("localhost:{port}")];
    for host in here {
        for variable in ["HTTP_PROXY", "http_proxy", "ALL_PROXY"] {
            let said = tags(&host, &[(variable, &address)]);
            assert_eq!(said.code, 0, "{host} {variable}: {}", said.stderr);
        }
    }
    // A host that does not exist shows by its failure that it was asked itself.
    let named = [
        ("HTTP_PROXY", address.as_str()),
        ("NO_PROXY", "other.invalid, .registry.invalid"),
    ];
    let said = tags("zot.registry.invalid:5000", &named);
    assert!(
        last(&said).starts_with("wheelhouse: r: cannot connect: "),
        "{}",
        last(&said)
    );
    assert!(proxy.requests().is_empty());
}

#[test]
fn a_proxy_that_asks_for_a_password_is_told_from_the_registry() {
    let proxy = Mock::new(|_, _| Answer::new(407, "").header("Proxy-Authenticate", "Basic"));
    let address = format!("http://{}", proxy.host);
    let home = tempfile::tempdir().unwrap();
    for (variable, scheme) in [
        ("HTTPS_PROXY", "--quiet"),
        ("HTTP_PROXY", "--plain-http=registry.example"),
    ] {
        let mut command = command(home.path(), &["tags", "registry.example/r", scheme]);
        command.env(variable, &address);
        assert_eq!(
            finish(start(command, "")).refusal(),
            (
                2,
                "wheelhouse: r: access denied: the proxy asks for a user name and password; they belong into its address, http://USER:PASSWORD@HOST:PORT"
            ),
            "{variable}"
        );
    }
    assert_eq!(proxy.requests().len(), 2);
    assert_eq!(proxy.requests()[0].target, "registry.example:443");
}

#[test]
fn what_is_no_address_of_a_proxy_is_refused_unshown() {
    let said = tags("registry.example", &[("HTTPS_PROXY", "http://:secret@:x")]);
    assert_eq!(
        said.refusal(),
        (
            2,
            "wheelhouse: HTTPS_PROXY is not the address of a proxy; http://HOST:PORT is one"
        )
    );
}
