//! TLS as libpq means it: `require` encrypts and asks no questions, `verify-ca` wants a certificate that a trusted
//! authority has signed, `verify-full` wants it to be for this host, too. Where authorities are named, `require`
//! verifies what `verify-ca` does.
//!
//! Two things that libpq does and rustls does not are added here, because PostgreSQL's own manual produces such
//! certificates: a server's self-signed certificate may itself stand in `sslrootcert`, and where no chain is verified
//! a certificate may be of any X.509 version. Not added: a name that stands only in CN, and certificates of version 1
//! where a chain is verified. It is always verified that the server has the certificate's key.

use super::url::{ServerOptions, SslMode};
use crate::EngineError;
use dbdyno_model::ErrorClass;
pub use rustls::ClientConfig;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{WebPkiSupportedAlgorithms, ring};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use std::path::Path;
use std::sync::Arc;
use x509_cert::Certificate;
use x509_cert::der::{Decode as _, Encode as _};

/// Whom a target trusts.
#[derive(Debug)]
pub struct Authorities {
    /// Their certificates that can be used.
    pub certificates: Vec<CertificateDer<'static>>,
    /// The same certificates as trust anchors.
    pub roots: RootCertStore,
}

impl Authorities {
    /// Whom a target trusts; none where it verifies nothing.
    ///
    /// # Errors
    /// Their certificates cannot be read, or none of them can be used.
    pub fn of(options: &ServerOptions) -> Result<Option<Self>, EngineError> {
        options.verifies().then(|| Self::read(options.root_certificates.as_deref())).transpose()
    }

    /// Those of a file, or of the system's list.
    ///
    /// # Errors
    /// As for [`Authorities::of`].
    pub fn read(file: Option<&Path>) -> Result<Self, EngineError> {
        let (mut certificates, mut trouble, place) = match file {
            Some(path) => (certificates(path)?, None, path.display().to_string()),
            None => {
                let listed = rustls_native_certs::load_native_certs();
                let trouble = listed.errors.first().map(ToString::to_string);
                (listed.certs, trouble, "the system's list of authorities".to_owned())
            }
        };
        let mut roots = RootCertStore::empty();
        certificates.retain(|certificate| {
            let added = roots.add(certificate.clone());
            if let Err(error) = &added {
                trouble.get_or_insert_with(|| error.to_string());
            }
            added.is_ok()
        });
        if roots.is_empty() {
            let why = trouble.map_or_else(String::new, |trouble| format!(" ({trouble})"));
            let message =
                format!("{place} has no usable certificate{why}; name the right file (databases: sslrootcert=FILE)");
            return Err(EngineError::new(ErrorClass::ConnectionLost, message));
        }
        Ok(Self { certificates, roots })
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, EngineError> {
    let text = dbdyno_files::read(path, dbdyno_files::TEXT_BYTES).map_err(pem::Error::Io);
    let read = text.and_then(|text| CertificateDer::pem_slice_iter(&text).collect::<Result<Vec<_>, _>>());
    read.map_err(|error| {
        let message = format!("cannot read the trusted certificates in {}: {error}", path.display());
        EngineError::new(ErrorClass::ConnectionLost, message)
    })
}

/// How TLS connections are made as a target wants them.
///
/// # Errors
/// The trusted authorities cannot be read.
pub fn client_config(options: &ServerOptions) -> Result<ClientConfig, EngineError> {
    let is_of_file = options.root_certificates.is_some();
    config(Authorities::of(options)?, is_of_file, options.ssl_mode == SslMode::VerifyFull)
}

/// How TLS connections are made to a server other than a database: its certificate and its name are verified. The
/// authorities are those of a file, or the system's. Where the system has none, every certificate is refused; a
/// connection without TLS still works.
///
/// # Errors
/// The file cannot be read, or has no certificate that can be used.
pub fn verifying_config(authorities: Option<&Path>) -> Result<ClientConfig, EngineError> {
    match Authorities::read(authorities) {
        Ok(read) => config(Some(read), authorities.is_some(), true),
        Err(error) if authorities.is_some() => Err(error),
        Err(_) => {
            let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
            let config = config.with_safe_default_protocol_versions().map_err(|error| failed(&error))?;
            Ok(config.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
        }
    }
}

fn failed(error: &dyn std::fmt::Display) -> EngineError {
    EngineError::new(ErrorClass::Other, format!("preparing TLS: {error}"))
}

fn config(authorities: Option<Authorities>, is_of_file: bool, verify_name: bool) -> Result<ClientConfig, EngineError> {
    let provider = Arc::new(ring::default_provider());
    let verifier: Arc<dyn ServerCertVerifier> = match authorities {
        None => Arc::new(AnyCertificate { algorithms: provider.signature_verification_algorithms }),
        Some(authorities) => {
            let roots = Arc::new(authorities.roots);
            let chain = WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider)).build();
            let chain = chain.map_err(|error| failed(&error))?;
            // The system's list has authorities only, and none of them is a server's own certificate.
            let own = if is_of_file { authorities.certificates } else { Vec::new() };
            Arc::new(TrustedCertificate { chain, own, verify_name })
        }
    };
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(|error| failed(&error))?;
    Ok(config.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}

/// Takes any certificate, for `prefer` and `require`, but only from its owner: anybody can show a server's certificate,
/// which is public. Where the engine can do that, the proof of a password is bound to the certificate that was shown.
#[derive(Debug)]
struct AnyCertificate {
    algorithms: WebPkiSupportedAlgorithms,
}

impl AnyCertificate {
    /// Verifies a signature by the key in a certificate of any version; rustls reads those of version 3 only.
    fn verify(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let (algorithm_der, key) = public_key(certificate).ok_or(CertificateError::BadEncoding)?;
        let of_scheme = self.algorithms.mapping.iter().filter(|(scheme, _)| *scheme == signed.scheme);
        let verified = of_scheme
            .flat_map(|(_, algorithms)| *algorithms)
            .filter(|algorithm| algorithm_der.ends_with(&algorithm.public_key_alg_id()))
            .any(|algorithm| algorithm.verify_signature(&key, message, signed.signature()).is_ok());
        if verified { Ok(HandshakeSignatureValid::assertion()) } else { Err(CertificateError::BadSignature.into()) }
    }
}

/// The algorithm of a certificate's key as DER with its header, and the key.
fn public_key(certificate: &CertificateDer<'_>) -> Option<(Vec<u8>, Vec<u8>)> {
    let key = Certificate::from_der(certificate).ok()?.tbs_certificate.subject_public_key_info;
    Some((key.algorithm.to_der().ok()?, key.subject_public_key.raw_bytes().to_vec()))
}

impl ServerCertVerifier for AnyCertificate {
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

/// Verifies that a certificate is valid now.
fn verify_validity(certificate: &CertificateDer<'_>, now: UnixTime) -> Result<(), CertificateError> {
    let certificate = Certificate::from_der(certificate).map_err(|_| CertificateError::BadEncoding)?;
    let validity = certificate.tbs_certificate.validity;
    let [not_before, not_after] =
        [validity.not_before, validity.not_after].map(|time| UnixTime::since_unix_epoch(time.to_unix_duration()));
    match now {
        time if time < not_before => Err(CertificateError::NotValidYetContext { time, not_before }),
        time if time > not_after => Err(CertificateError::ExpiredContext { time, not_after }),
        _ => Ok(()),
    }
}

/// Verifies the chain, and the name where that is wanted.
#[derive(Debug)]
struct TrustedCertificate {
    chain: Arc<WebPkiServerVerifier>,
    /// Certificates of `sslrootcert`, which a server may present as its own.
    own: Vec<CertificateDer<'static>>,
    verify_name: bool,
}

impl ServerCertVerifier for TrustedCertificate {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        // The very certificate that the user trusts needs nobody's signature. Its time can have passed all the same.
        if self.own.iter().any(|own| own.as_ref() == end_entity.as_ref()) {
            verify_validity(end_entity, now)?;
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
