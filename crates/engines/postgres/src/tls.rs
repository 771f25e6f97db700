//! TLS as libpq means it: `require` encrypts and asks no questions, `verify-ca` wants a certificate that a trusted
//! authority has signed, `verify-full` wants it to be for this host, too.
//!
//! Two things that libpq does and rustls does not are made up for here, because PostgreSQL's own manual produces such
//! certificates: a server's self-signed certificate may itself stand in `sslrootcert`, and where no chain is verified
//! the form of the certificate does not matter either. That its owner is at the other end is verified always.

use super::options::{Options, SslMode};
use dbdyno_engine::EngineError;
use dbdyno_model::ErrorClass;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use std::path::Path;
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;
use x509_cert::Certificate;
use x509_cert::der::{Decode as _, Encode as _};

/// What makes TLS connections as the target wants them, for the crate's client.
///
/// # Errors
/// The trusted authorities cannot be read.
pub(super) fn connector(options: &Options) -> Result<MakeRustlsConnect, EngineError> {
    Ok(MakeRustlsConnect::new(config(options)?))
}

/// How TLS connections are made as the target wants them.
///
/// # Errors
/// The trusted authorities cannot be read.
pub(super) fn config(options: &Options) -> Result<ClientConfig, EngineError> {
    let provider = Arc::new(ring::default_provider());
    let verifier: Arc<dyn ServerCertVerifier> = match (options.ssl_mode, &options.root_certificates) {
        (SslMode::Disable | SslMode::Prefer, _) | (SslMode::Require, None) => {
            Arc::new(Anybody { algorithms: provider.signature_verification_algorithms })
        }
        // With authorities named, libpq verifies for `require` what it verifies for `verify-ca`.
        (SslMode::Require | SslMode::VerifyCa, roots) => {
            Arc::new(Trusted::new(roots.as_deref(), false, Arc::clone(&provider))?)
        }
        (SslMode::VerifyFull, roots) => Arc::new(Trusted::new(roots.as_deref(), true, Arc::clone(&provider))?),
    };
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(|e| EngineError::new(ErrorClass::Other, format!("preparing TLS: {e}")))?;
    Ok(config.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}

/// Takes any certificate, for `prefer` and `require`, but only from its owner: anybody can show a server's certificate,
/// which is public, and the proof of a password names the certificate that was shown (wire/binding.rs).
#[derive(Debug)]
struct Anybody {
    algorithms: WebPkiSupportedAlgorithms,
}

impl Anybody {
    /// Verifies a signature by the key in a certificate of any version; rustls reads those of version 3 only.
    fn verify(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let (kind, key) = public_key(certificate).ok_or(CertificateError::BadEncoding)?;
        let of_scheme = self.algorithms.mapping.iter().filter(|(scheme, _)| *scheme == signed.scheme);
        let verified = of_scheme
            .flat_map(|(_, algorithms)| *algorithms)
            .filter(|algorithm| kind.ends_with(&algorithm.public_key_alg_id()))
            .any(|algorithm| algorithm.verify_signature(&key, message, signed.signature()).is_ok());
        if verified { Ok(HandshakeSignatureValid::assertion()) } else { Err(CertificateError::BadSignature.into()) }
    }
}

/// The kind of a certificate's key, as DER whose end names it, and the key.
fn public_key(certificate: &CertificateDer<'_>) -> Option<(Vec<u8>, Vec<u8>)> {
    let key = Certificate::from_der(certificate).ok()?.tbs_certificate.subject_public_key_info;
    Some((key.algorithm.to_der().ok()?, key.subject_public_key.raw_bytes().to_vec()))
}

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verify(message, cert, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verify(message, cert, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

/// Verifies the chain, and the name where that is wanted.
#[derive(Debug)]
struct Trusted {
    chain: Arc<WebPkiServerVerifier>,
    /// Certificates of `sslrootcert`, which a server may present as its own.
    named: Vec<CertificateDer<'static>>,
    verify_name: bool,
}

impl Trusted {
    fn new(file: Option<&Path>, verify_name: bool, provider: Arc<CryptoProvider>) -> Result<Self, EngineError> {
        let (mut roots, mut named) = (RootCertStore::empty(), Vec::new());
        let place = match file {
            Some(path) => {
                named = certificates(path)?;
                roots.add_parsable_certificates(named.iter().cloned());
                path.display().to_string()
            }
            None => {
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
                "the system's list of authorities".to_owned()
            }
        };
        let chain = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build();
        let unusable = |error| {
            let message =
                format!("{place} has no usable certificate ({error}); name the right file as sslrootcert=FILE");
            EngineError::new(ErrorClass::ConnectionLost, message)
        };
        Ok(Self { chain: chain.map_err(unusable)?, named, verify_name })
    }
}

impl ServerCertVerifier for Trusted {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        // The very certificate that the user trusts needs nobody's signature.
        if self.named.iter().any(|named| named.as_ref() == end_entity.as_ref()) {
            if self.verify_name {
                rustls::client::verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
            }
            return Ok(ServerCertVerified::assertion());
        }
        let verified = self.chain.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match verified {
            // The name is compared last: the chain is good.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.verify_name => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.chain.verify_tls12_signature(message, cert, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.chain.verify_tls13_signature(message, cert, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.chain.supported_verify_schemes()
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, EngineError> {
    let text = dbdyno_files::read(path, dbdyno_files::TEXT_BYTES).map_err(rustls::pki_types::pem::Error::Io);
    let read = text.and_then(|text| CertificateDer::pem_slice_iter(&text).collect::<Result<Vec<_>, _>>());
    read.map_err(|error| {
        let message = format!("cannot read the trusted certificates in {} (sslrootcert): {error}", path.display());
        EngineError::new(ErrorClass::ConnectionLost, message)
    })
}
