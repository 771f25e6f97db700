//! TLS in the words of the other engines: `require` encrypts and asks no questions, `verify-ca` wants a certificate
//! that a trusted authority has signed, `verify-full` wants it to be for this host, too.
//!
//! The client crate makes the connection, and always trusts the authorities that browsers trust besides those it is
//! given. Whoever names an authority means that one alone: any holder of a web server's certificate could otherwise
//! stand between where names are not compared. The crate offers no way to say so, but takes the process's own
//! algorithms for signatures: see server/algorithms.rs.
//!
//! Where nothing is verified the crate does not look at the handshake's signature either, so that a certificate is
//! taken from somebody who has not its key (docs/upstream/mysql-verifier.md). No password names the certificate here,
//! so whoever is in between could as well show one of his own: `check` says that the server is not proved.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dbdyno_engine::EngineError;
use dbdyno_engine::server::algorithms;
use dbdyno_engine::server::tls::Authorities;
use dbdyno_engine::server::url::{ServerOptions, SslMode};
use dbdyno_model::ErrorClass;
use mysql::SslOpts;
use rustix::fs::MemfdFlags;
use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::Arc;

/// How the connections of a target are made.
#[derive(Debug, Clone)]
pub(super) struct Tls {
    mode: SslMode,
    /// Whom to trust; nobody is asked where nothing is verified.
    anchors: Option<Arc<Anchors>>,
}

impl Tls {
    /// As a target wants it.
    ///
    /// # Errors
    /// The trusted authorities cannot be read.
    pub(super) fn of(options: &ServerOptions) -> Result<Self, EngineError> {
        // Before the crate makes its first connection: it installs the usual algorithms where there are none.
        let guarded = algorithms::install();
        let authorities = Authorities::of(options)?;
        if authorities.is_some() && !guarded {
            let message = "preparing TLS: another part of this process has set the algorithms first; certificates cannot \
                           be verified";
            return Err(EngineError::new(ErrorClass::Other, message));
        }
        let anchors = authorities.map(|authorities| Anchors::of(&authorities)).transpose()?;
        Ok(Self { mode: options.ssl_mode, anchors: anchors.map(Arc::new) })
    }

    /// What the crate is told.
    pub(super) fn opts(&self) -> SslOpts {
        match &self.anchors {
            None => SslOpts::default().with_danger_accept_invalid_certs(true),
            Some(anchors) => SslOpts::default()
                .with_root_cert_path(Some(anchors.path()))
                .with_danger_skip_domain_validation(self.mode < SslMode::VerifyFull),
        }
    }

    /// Opens a connection on this thread that is trusted only if trust begins at our authorities.
    ///
    /// # Errors
    /// What `open` answers; a TLS error where it has trusted somebody without asking here.
    pub(super) fn guard<T>(&self, open: impl FnOnce() -> mysql::Result<T>) -> mysql::Result<T> {
        let Some(anchors) = &self.anchors else { return open() };
        let (opened, asked) = algorithms::trusting_only(&anchors.keys, open);
        match opened {
            Ok(_) if !asked => Err(rustls::Error::General("the certificate was not verified".to_owned()).into()),
            opened => opened,
        }
    }
}

/// Trusted authorities.
#[derive(Debug)]
struct Anchors {
    /// Their certificates for the crate, which wants a file: in memory, and gone with this value.
    file: File,
    /// Their keys, each at the end of what it stands in.
    keys: Arc<[Vec<u8>]>,
}

impl Anchors {
    fn of(authorities: &Authorities) -> Result<Self, EngineError> {
        let text: String = authorities.certificates.iter().map(|certificate| pem(certificate)).collect();
        let keys = authorities.roots.roots.iter().map(|root| root.subject_public_key_info.as_ref().to_vec()).collect();
        let file = in_memory(&text).map_err(|error| {
            let message = format!("keeping the trusted certificates for the connection: {error}");
            EngineError::new(ErrorClass::Other, message)
        })?;
        Ok(Self { file, keys })
    }

    fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.file.as_raw_fd()))
    }
}

fn in_memory(text: &str) -> std::io::Result<File> {
    let mut file = File::from(rustix::fs::memfd_create("dbdyno-authorities", MemfdFlags::CLOEXEC)?);
    file.write_all(text.as_bytes())?;
    Ok(file)
}

/// A certificate as text.
fn pem(der: &[u8]) -> String {
    format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", STANDARD.encode(der))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::scratch::{Server, ServerOptions};
    use dbdyno_engine::Target;
    use mysql::{Conn, OptsBuilder};
    use proptest::prelude::*;
    use rustls::pki_types::CertificateDer;
    use rustls::pki_types::pem::PemObject;

    fn options(target: &str) -> Options {
        Options::parse(&Target::parse(target).unwrap()).unwrap()
    }

    #[test]
    fn authorities_that_cannot_be_read_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let empty = folder.path().join("empty.pem");
        std::fs::write(&empty, "no certificate\n").unwrap();
        for (file, said) in [("/nowhere.pem", "cannot read"), (empty.to_str().unwrap(), "has no usable certificate")] {
            let error =
                Tls::of(&options(&format!("mariadb://u@h/d?sslmode=verify-ca&sslrootcert={file}"))).unwrap_err();
            assert!(error.message.contains(said) && error.message.contains(file), "{error}");
        }
        assert!(Tls::of(&options("mariadb://u@h/d?sslmode=require")).unwrap().anchors.is_none());
    }

    #[test]
    fn a_connection_that_nobody_verified_is_refused() {
        let anchors = Anchors { file: in_memory("").unwrap(), keys: [b"key".to_vec()].into() };
        let tls = Tls { mode: SslMode::VerifyFull, anchors: Some(Arc::new(anchors)) };
        assert!(tls.guard(|| Ok(())).unwrap_err().to_string().contains("not verified"));
    }

    #[test]
    fn whom_the_crate_trusts_besides_is_not_trusted() {
        let tls_server = || ServerOptions::default().tls("DNS:localhost").start();
        let (server, other) = (tls_server(), tls_server());
        server.client("", "CREATE USER scott@'127.0.0.1'");
        let anchors = |server: &Server| Anchors::of(&Authorities::read(Some(&server.authority())).unwrap()).unwrap();
        let opens = |anchors: Anchors| {
            let tls = Tls { mode: SslMode::VerifyCa, anchors: Some(Arc::new(anchors)) };
            let opts = OptsBuilder::new().ip_or_hostname(Some("127.0.0.1")).tcp_port(server.port).prefer_socket(false);
            tls.guard(|| Conn::new(opts.user(Some("scott")).ssl_opts(tls.opts()))).map(drop)
        };
        opens(anchors(&server)).unwrap();
        // The crate has the authority that has signed, and the target has named another.
        let keys = anchors(&other).keys;
        let error = opens(Anchors { keys, ..anchors(&server) }).unwrap_err();
        assert!(error.to_string().contains("invalid peer certificate"), "{error}");
        opens(anchors(&other)).unwrap_err();
    }

    proptest! {
        /// What is written can be read again.
        #[test]
        fn certificates_come_through_as_text(der in proptest::collection::vec(any::<u8>(), 1..200)) {
            let read = CertificateDer::from_pem_slice(pem(&der).as_bytes()).unwrap();
            prop_assert_eq!(read.as_ref(), der.as_slice());
        }
    }
}
