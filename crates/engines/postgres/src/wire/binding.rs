//! Channel binding: the proof of a password names the certificate of who is at the other end of the TLS connection.
//! Somebody in between who has another one can pass nothing on, even where the client does not verify certificates.

use crate::errors::{Cause, Trouble};
use crate::options::BindingMode;
use dbdyno_model::ErrorClass;
use postgres_protocol::authentication::sasl::{self, SCRAM_SHA_256, SCRAM_SHA_256_PLUS};
use rustls::ClientConnection;
use sha2::{Digest as _, Sha256, Sha384, Sha512};
use x509_cert::Certificate;
use x509_cert::der::Decode as _;
use x509_cert::der::oid::db::rfc5912;

/// What a session can be bound to, and whether it must be.
pub(super) struct ChannelBinding {
    mode: BindingMode,
    /// `tls-server-end-point` (RFC 5929): a hash of the server's certificate.
    end_point: Option<Vec<u8>>,
}

impl ChannelBinding {
    /// Of a connection, with TLS or without.
    pub(super) fn new(mode: BindingMode, tls: Option<&ClientConnection>) -> Self {
        let certificate = tls.and_then(|tls| tls.peer_certificates()?.first());
        let end_point =
            certificate.filter(|_| mode != BindingMode::Disable).and_then(|certificate| end_point(certificate));
        Self { mode, end_point }
    }

    /// The mechanism to use of those that the server offers (each ends with a zero), and what it binds to.
    pub(super) fn choose(&self, offered: &[u8]) -> Result<(&'static str, sasl::ChannelBinding), Trouble> {
        let offers = |name: &str| offered.split(|byte| *byte == 0).any(|offer| offer == name.as_bytes());
        match &self.end_point {
            Some(end_point) if offers(SCRAM_SHA_256_PLUS) => {
                Ok((SCRAM_SHA_256_PLUS, sasl::ChannelBinding::tls_server_end_point(end_point.clone())))
            }
            _ if self.mode == BindingMode::Require => Err(self.unbound()),
            _ if !offers(SCRAM_SHA_256) => Err(Trouble::unsupported("a SASL mechanism other than SCRAM-SHA-256")),
            // Said to the server, too: one that does offer it then knows that somebody has kept that back.
            Some(_) => Ok((SCRAM_SHA_256, sasl::ChannelBinding::unrequested())),
            None => Ok((SCRAM_SHA_256, sasl::ChannelBinding::unsupported())),
        }
    }

    /// Refuses a session that nothing binds, or to send a password that nothing does.
    pub(super) fn allow_unbound(&self) -> Result<(), Trouble> {
        if self.mode == BindingMode::Require { Err(self.unbound()) } else { Ok(()) }
    }

    fn unbound(&self) -> Trouble {
        let why = match self.end_point {
            None => "and that takes TLS, with a certificate signed with SHA-256, SHA-384 or SHA-512 (by RSA or ECDSA)",
            Some(_) => {
                "and the server does not offer it for this user: that takes the method scram-sha-256 in pg_hba.conf"
            }
        };
        let words =
            format!("channel_binding=require asks for a password that is bound to the server's certificate, {why}");
        Trouble::new(ErrorClass::Authentication, Cause::Other, words)
    }
}

/// The hash of a certificate: by the algorithm with which it was signed, or SHA-256 in the place of weaker ones. None
/// where that is not known, or there is no such thing (Ed25519).
fn end_point(certificate: &[u8]) -> Option<Vec<u8>> {
    let signed = Certificate::from_der(certificate).ok()?.signature_algorithm.oid;
    match signed {
        rfc5912::SHA_1_WITH_RSA_ENCRYPTION | rfc5912::SHA_256_WITH_RSA_ENCRYPTION | rfc5912::ECDSA_WITH_SHA_256 => {
            Some(Sha256::digest(certificate).to_vec())
        }
        rfc5912::SHA_384_WITH_RSA_ENCRYPTION | rfc5912::ECDSA_WITH_SHA_384 => {
            Some(Sha384::digest(certificate).to_vec())
        }
        rfc5912::SHA_512_WITH_RSA_ENCRYPTION | rfc5912::ECDSA_WITH_SHA_512 => {
            Some(Sha512::digest(certificate).to_vec())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chosen(mode: BindingMode, end_point: Option<&[u8]>, offered: &[u8]) -> Result<&'static str, String> {
        let binding = ChannelBinding { mode, end_point: end_point.map(<[u8]>::to_vec) };
        binding.choose(offered).map(|(mechanism, _)| mechanism).map_err(|trouble| trouble.in_words().to_owned())
    }

    #[test]
    fn a_proof_is_bound_where_it_can_be() {
        let (both, plain) = (b"SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0".as_slice(), b"SCRAM-SHA-256\0\0".as_slice());
        let (here, none) = (Some(b"hash".as_slice()), None);
        assert_eq!(chosen(BindingMode::Prefer, here, both).unwrap(), SCRAM_SHA_256_PLUS);
        assert_eq!(chosen(BindingMode::Require, here, both).unwrap(), SCRAM_SHA_256_PLUS);
        for (end_point, offered) in [(none, both), (here, plain), (none, plain)] {
            assert_eq!(chosen(BindingMode::Prefer, end_point, offered).unwrap(), SCRAM_SHA_256);
            let refused = chosen(BindingMode::Require, end_point, offered).unwrap_err();
            assert!(refused.contains(if end_point.is_none() { "takes TLS" } else { "does not offer it" }), "{refused}");
        }
        assert!(
            chosen(BindingMode::Prefer, here, b"OAUTHBEARER\0\0").unwrap_err().contains("other than SCRAM-SHA-256")
        );
        assert!(ChannelBinding::new(BindingMode::Prefer, None).allow_unbound().is_ok());
        assert!(ChannelBinding::new(BindingMode::Require, None).allow_unbound().is_err());
    }

    proptest! {
        #[test]
        fn what_is_no_certificate_has_no_hash(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert_eq!(end_point(&bytes), None);
        }
    }
}
