//! The server's side of TLS, and the names in its certificate.

use super::options::{ServeError, TlsFiles};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, crypto::ring};
use std::path::Path;
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;
use x509_cert::Certificate;
use x509_cert::der::Decode;
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;

/// What is needed to answer, and the names by which the server may be called.
pub(super) fn acceptor(files: &TlsFiles) -> Result<(TlsAcceptor, Vec<String>), ServeError> {
    let refused = |file: &Path, why: String| ServeError::Tls { file: file.display().to_string(), why };
    let read = CertificateDer::pem_file_iter(&files.certificate).and_then(Iterator::collect);
    let chain: Vec<CertificateDer<'static>> = read.map_err(|e| refused(&files.certificate, e.to_string()))?;
    let Some(first) = chain.first() else {
        return Err(refused(&files.certificate, "there is no certificate in it".to_owned()));
    };
    let names = names(first);
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|e| refused(&files.key, e.to_string()))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key));
    let mut config = config.map_err(|e| refused(&files.certificate, e.to_string()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok((TlsAcceptor::from(Arc::new(config)), names))
}

/// The DNS names of a certificate; none where it cannot be read.
fn names(certificate: &CertificateDer<'_>) -> Vec<String> {
    let Ok(certificate) = Certificate::from_der(certificate) else { return Vec::new() };
    let Ok(Some((_, names))) = certificate.tbs_certificate.get::<SubjectAltName>() else { return Vec::new() };
    let dns = |name: &GeneralName| match name {
        GeneralName::DnsName(name) => Some(name.to_string()),
        _ => None,
    };
    names.0.iter().filter_map(dns).collect()
}
