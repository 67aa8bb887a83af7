//! Whose certificates are trusted: the system's authorities, and those of a file that the user named.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use anyhow::{Context, anyhow, bail};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use rustls_platform_verifier::Verifier;

/// TLS with those who are trusted. `ca_file` holds PEM certificates that are trusted beside the system's.
///
/// # Errors
/// When the file cannot be read, or holds no certificate or one that is none.
pub(super) fn tls(ca_file: Option<&Path>) -> anyhow::Result<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let named = ca_file.map(|path| named(path).with_context(|| path.display().to_string()));
    let authorities = Authorities {
        named: named.transpose()?.unwrap_or_default(),
        provider: Arc::clone(&provider),
        verifier: OnceLock::new(),
    };
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .context("TLS")?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(authorities))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

fn named(path: &Path) -> anyhow::Result<Vec<CertificateDer<'static>>> {
    let text = pipe::read_small(path).map_err(|cause| anyhow!(pipe::advised(&cause)))?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let found = found.ok().filter(|found| !found.is_empty());
    let Some(found) = found else {
        bail!("no certificate in PEM form; name a file that has some");
    };
    let mut store = RootCertStore::empty();
    for certificate in &found {
        if store.add(certificate.clone()).is_err() {
            bail!("one of its certificates cannot be read");
        }
    }
    Ok(found)
}

/// The authorities, read when the first certificate is to be judged.
///
/// Reading the system's takes longer than a registry takes to list ten thousand tags, and a registry that is spoken to
/// without TLS needs none of them. A redirect or a token service may still ask for them later.
#[derive(Debug)]
struct Authorities {
    named: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
    verifier: OnceLock<Result<Verifier, Error>>,
}

impl ServerCertVerifier for Authorities {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verifier = self.verifier.get_or_init(|| {
            Verifier::new_with_extra_roots(self.named.clone(), Arc::clone(&self.provider))
        });
        let verifier = verifier.as_ref().map_err(Clone::clone)?;
        verifier.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let algorithms = &self.provider.signature_verification_algorithms;
        algorithms.supported_schemes()
    }
}
