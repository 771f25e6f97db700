//! How to serve, and what is refused.

use super::token::Token;
use std::net::SocketAddr;
use std::path::PathBuf;

/// How to serve.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// Where. Port 0 takes a free one.
    pub address: SocketAddr,
    /// What viewers must know. Needed for any other address than loopback.
    pub token: Option<Token>,
    /// The certificate, for TLS.
    pub tls: Option<TlsFiles>,
    /// Whether an address other than loopback may do without TLS.
    pub plain_text: PlainText,
}

/// A certificate and its key, in PEM files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, with those that lead to its authority.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// Whether what viewers see may cross a network unencrypted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PlainText {
    /// It may not.
    #[default]
    Refused,
    /// It may: `--insecure`.
    Allowed,
}

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Everybody could look.
    #[error(
        "{0} can be reached from other machines, so viewers need a token: give or make one, or serve on 127.0.0.1 \
         and reach it through `ssh -L`"
    )]
    NoToken(SocketAddr),
    /// The token could be read on its way.
    #[error(
        "{0} can be reached from other machines, and without TLS the token can be read on its way: give a certificate \
         and its key, or serve on 127.0.0.1 and reach it through `ssh -L`, or say --insecure"
    )]
    NoTls(SocketAddr),
    /// The address cannot be used.
    #[error("cannot serve on {address}: {source}")]
    Address {
        /// Which.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// The certificate or key cannot be used.
    #[error("cannot use {file} for TLS: {why}")]
    Tls {
        /// Which file.
        file: String,
        /// Why.
        why: String,
    },
    /// The system gives no thread, random bits or the like.
    #[error("cannot serve: {0}")]
    System(String),
}

impl ServeOptions {
    /// Refuses what would show the platform to strangers.
    pub(super) fn check(&self) -> Result<(), ServeError> {
        if self.address.ip().is_loopback() {
            return Ok(());
        }
        if self.token.is_none() {
            return Err(ServeError::NoToken(self.address));
        }
        if self.tls.is_none() && self.plain_text == PlainText::Refused {
            return Err(ServeError::NoTls(self.address));
        }
        Ok(())
    }
}
