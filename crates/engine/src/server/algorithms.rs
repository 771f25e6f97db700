//! The algorithms for signatures of this process. Client crates take them where they make TLS connections, and stop
//! short where nobody has chosen although the build has two kinds; so they are chosen once, here.
//!
//! These let trust begin nowhere but at the authorities that a target names, while a connection to it is opened: a key
//! counts if it is one of theirs, or stands in what such a key has signed.

use rustls::crypto::{WebPkiSupportedAlgorithms, ring};
use rustls::pki_types::{AlgorithmIdentifier, InvalidSignature, SignatureVerificationAlgorithm};
use std::cell::RefCell;
use std::sync::{Arc, LazyLock};

/// Makes them the process's; false where another part of it has chosen first.
pub fn install() -> bool {
    *INSTALLED
}

/// Opens something on this thread while only these keys (each at the end of its text) are trusted. Answers what came of
/// it, and whether any signature was looked at.
pub fn trusting_only<T>(keys: &Arc<[Vec<u8>]>, open: impl FnOnce() -> T) -> (T, bool) {
    GUARD.set(Some(Guard { keys: Arc::clone(keys), signed: Vec::new() }));
    let opened = open();
    let asked = GUARD.take().is_some_and(|guard| !guard.signed.is_empty());
    (opened, asked)
}

thread_local! {
    /// The guard of the connection that this thread is opening.
    static GUARD: RefCell<Option<Guard>> = const { RefCell::new(None) };
}

/// What has been seen while a connection was opened.
struct Guard {
    keys: Arc<[Vec<u8>]>,
    /// What trusted keys have signed: certificates from the authority down, then the handshake.
    signed: Vec<Vec<u8>>,
}

impl Guard {
    fn trusts(&self, key: &[u8]) -> bool {
        let vouched = |signed: &Vec<u8>| signed.windows(key.len()).any(|part| part == key);
        !key.is_empty() && (self.keys.iter().any(|trusted| trusted.ends_with(key)) || self.signed.iter().any(vouched))
    }
}

static INSTALLED: LazyLock<bool> = LazyLock::new(|| {
    let mut provider = ring::default_provider();
    provider.signature_verification_algorithms = guarded(&provider.signature_verification_algorithms);
    provider.install_default().is_ok()
});

/// The same algorithms behind the guard. They are made once and live as long as the process, as the crate wants them
/// to.
fn guarded(usual: &WebPkiSupportedAlgorithms) -> WebPkiSupportedAlgorithms {
    let all = |algorithms: &[&'static dyn SignatureVerificationAlgorithm]| -> &'static [&'static dyn SignatureVerificationAlgorithm] {
        let guarded = |algorithm: &&'static dyn SignatureVerificationAlgorithm| {
            &*Box::leak(Box::new(Guarded(*algorithm))) as &'static dyn SignatureVerificationAlgorithm
        };
        algorithms.iter().map(guarded).collect::<Vec<_>>().leak()
    };
    let mapping: Vec<_> = usual.mapping.iter().map(|(scheme, algorithms)| (*scheme, all(algorithms))).collect();
    WebPkiSupportedAlgorithms { all: all(usual.all), mapping: mapping.leak() }
}

/// An algorithm that, while a connection is opened whose authorities are named, uses only keys that these vouch for.
#[derive(Debug)]
struct Guarded(&'static dyn SignatureVerificationAlgorithm);

impl SignatureVerificationAlgorithm for Guarded {
    fn verify_signature(&self, public_key: &[u8], message: &[u8], signature: &[u8]) -> Result<(), InvalidSignature> {
        if GUARD.with_borrow(|guard| guard.as_ref().is_some_and(|guard| !guard.trusts(public_key))) {
            return Err(InvalidSignature);
        }
        self.0.verify_signature(public_key, message, signature)?;
        GUARD.with_borrow_mut(|guard| {
            if let Some(guard) = guard {
                guard.signed.push(message.to_vec());
            }
        });
        Ok(())
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        self.0.public_key_alg_id()
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        self.0.signature_alg_id()
    }

    fn fips(&self) -> bool {
        self.0.fips()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With Oracle the build has two providers. The other one is built unoptimised (Cargo.toml), so nothing may use it.
    #[test]
    fn the_algorithms_are_those_of_ring() {
        install();
        let chosen = rustls::crypto::CryptoProvider::get_default().unwrap();
        assert_eq!(format!("{:?} {:?}", chosen.key_provider, chosen.secure_random), "Ring Ring");
    }

    #[test]
    fn trust_begins_at_the_authorities() {
        let mut guard = Guard { keys: [b"algorithm, then root key".to_vec()].into(), signed: Vec::new() };
        assert!(guard.trusts(b"root key") && !guard.trusts(b"server key") && !guard.trusts(b""));
        guard.signed.push(b"the certificate with the server key in it".to_vec());
        assert!(guard.trusts(b"server key") && !guard.trusts(b"another key"));
    }

    #[test]
    fn the_guard_goes_with_the_connection() {
        let (answer, asked) = trusting_only(&[b"key".to_vec()].into(), || GUARD.with_borrow(Option::is_some));
        assert!(answer && !asked && GUARD.with_borrow(Option::is_none));
    }
}
