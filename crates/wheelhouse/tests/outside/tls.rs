//! With TLS and without: whom is trusted, and where plain http is spoken.

use std::fs;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use crate::access::{last, some_tags, tags};
use crate::debian::DebianRegistry;
use crate::mock::{Answer, Mock};
use crate::run::{command, finish, start};

#[test]
fn plain_http_is_never_tried_unasked() {
    let mock = Mock::new(|_, _| some_tags());
    let said = tags("{}", &[&format!("{}/r", mock.host)]);
    assert_eq!(said.code, 2);
    assert_eq!(
        last(&said),
        "wheelhouse: r: it does not speak TLS; if it is meant to be plain http, say so: --plain-http HOST"
    );
    assert!(mock.requests().is_empty());
}

/// A certificate authority of our own, and a certificate of it for 127.0.0.1: (authority, certificate, key), in PEM.
fn certificates() -> (String, rcgen::Certificate, KeyPair) {
    let mut params = CertificateParams::new(vec![]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &authority).unwrap();
    (authority.pem(), certificate, key)
}

#[test]
fn an_authority_of_our_own_is_trusted_when_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (authority, certificate, key) = certificates();
    fs::write(at("ca.pem"), authority).unwrap();
    fs::write(at("cert.pem"), certificate.pem()).unwrap();
    fs::write(at("key.pem"), key.serialize_pem()).unwrap();
    let tls = format!(
        "  tls:\n    certificate: {}\n    key: {}\n",
        at("cert.pem"),
        at("key.pem")
    );
    let registry = DebianRegistry::with(&tls);
    let place = format!("{}/r", registry.host);

    let trusted = tags("{}", &["--ca-file", &at("ca.pem"), &place]);
    assert_eq!(
        (trusted.code, last(&trusted)),
        (1, "wheelhouse: r: not published")
    );
    let unknown = tags("{}", &[&place]);
    assert_eq!(unknown.code, 2);
    assert!(
        last(&unknown).starts_with("wheelhouse: r: its certificate is not trusted (")
            && last(&unknown).ends_with("); name its authority: --ca-file FILE"),
        "{}",
        last(&unknown)
    );
    let useless = tags("{}", &["--ca-file", &at("key.pem"), &place]);
    assert_eq!(
        last(&useless),
        format!(
            "wheelhouse: {}: no certificate in PEM form; name a file that has some",
            at("key.pem")
        )
    );
}

#[test]
fn a_redirect_from_https_to_http_is_not_followed() {
    let store = Mock::new(|_, _| some_tags());
    let (authority, certificate, key) = certificates();
    let tls = rustls::ServerConfig::builder_with_provider(Arc::new(
        rustls::crypto::ring::default_provider(),
    ))
    .with_safe_default_protocol_versions()
    .unwrap()
    .with_no_client_auth()
    .with_single_cert(vec![certificate.der().clone()], key.into())
    .unwrap();
    let target = format!("http://{}/tags", store.host);
    let mock = Mock::with_tls(Arc::new(tls), move |_, _| {
        Answer::new(302, "").header("Location", &target)
    });
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    fs::write(&file, authority).unwrap();
    let said = tags(
        "{}",
        &[
            "--ca-file",
            file.to_str().unwrap(),
            &format!("{}/r", mock.host),
        ],
    );
    let at = &store.host;
    assert_eq!(
        last(&said),
        format!(
            "wheelhouse: r: it redirects to plain http at {at}; if that is right, allow it: --plain-http {at}"
        )
    );
    assert!(store.requests().is_empty());
}

#[test]
fn without_tls_the_authorities_of_the_system_are_not_needed() {
    let home = tempfile::tempdir().unwrap();
    let mock = Mock::new(|_, _| some_tags());
    let place = format!("{}/r", mock.host);
    let mut plain = command(home.path(), &["tags", "--plain-http", &mock.host, &place]);
    // A system that trusts nobody.
    plain.env("SSL_CERT_FILE", "/dev/null");
    plain.env("SSL_CERT_DIR", home.path());
    let said = finish(start(plain, ""));
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
}
