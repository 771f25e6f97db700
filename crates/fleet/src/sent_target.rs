//! A target that the coordinator gives its agents. It crosses NATS encrypted (AES-256-GCM, NIST SP 800-38D), beside
//! whatever the connection does: a NATS server sees all that passes through it.

use crate::seal::{KeyError, SessionKey};
use aes_gcm::aead::{Aead as _, KeyInit as _, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dbdyno_engine::secret::Secret;
use serde::{Deserialize, Serialize};

const NONCE_BYTES: usize = 12;

/// A target, as agents get it from their coordinator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentTarget {
    /// The target without its password.
    pub url: String,
    /// Its password, where it has one.
    pub password: Option<Secret>,
}

/// The same as it crosses NATS.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealedTarget {
    nonce: String,
    sealed: String,
}

impl SentTarget {
    pub(crate) fn sealed(&self, key: &SessionKey) -> Result<SealedTarget, KeyError> {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(|error| KeyError::Random(error.to_string()))?;
        let password = self.password.as_ref().map(Secret::reveal);
        let text = serde_json::to_vec(&(&self.url, password)).unwrap_or_default();
        let sealed = Aes256Gcm::new(&key.of_targets().into()).encrypt(&Nonce::from(nonce), text.as_slice());
        let sealed = sealed.map_err(|_| KeyError::Random("a target cannot be encrypted".to_owned()))?;
        Ok(SealedTarget { nonce: STANDARD.encode(nonce), sealed: STANDARD.encode(sealed) })
    }
}

impl SealedTarget {
    /// None where it was not made with this key.
    pub(crate) fn open(&self, key: &SessionKey) -> Option<SentTarget> {
        let nonce: [u8; NONCE_BYTES] = STANDARD.decode(&self.nonce).ok()?.try_into().ok()?;
        let sealed = STANDARD.decode(&self.sealed).ok()?;
        let payload = Payload::from(sealed.as_slice());
        let text = Aes256Gcm::new(&key.of_targets().into()).decrypt(&Nonce::from(nonce), payload).ok()?;
        let (url, password): (String, Option<String>) = serde_json::from_slice(&text).ok()?;
        Some(SentTarget { url, password: password.map(Secret::new) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seal::FleetKey;

    #[test]
    fn a_target_opens_with_its_key_alone_and_its_text_is_not_there() {
        let fleet = FleetKey::new(&"k".repeat(40)).unwrap();
        let target = SentTarget { url: "postgres://scott@db1/x".to_owned(), password: Some(Secret::new("ti\"ger")) };
        let sealed = target.sealed(&fleet.of_session("s")).unwrap();
        let crossing = serde_json::to_string(&sealed).unwrap();
        let crossed: SealedTarget = serde_json::from_str(&crossing).unwrap();
        assert_eq!(crossed.open(&fleet.of_session("s")), Some(target.clone()));
        assert_eq!(crossed.open(&fleet.of_session("t")), None);
        assert!(!crossing.contains("scott") && !crossing.contains("ger") && !format!("{target:?}").contains("ger"));
        assert_ne!(target.sealed(&fleet.of_session("s")).unwrap(), sealed, "no two are alike");
    }
}
