//! Messages that only hosts with the fleet's key can make: each begins with a MAC (HMAC-SHA256, RFC 2104) over its
//! subject and the rest. The key of a run is made from the fleet's key and the run's session, so that no message of one
//! run is one of another.

use dbdyno_engine::secret::Secret;
use hmac::{Hmac, Mac};
use sha2::Sha256;

const MAC_BYTES: usize = 32;
/// The shortest key: 16 bytes in hexadecimal digits.
const LEAST_KEY_CHARS: usize = 32;

/// The key that all hosts of a fleet share. It never crosses the network.
#[derive(Debug, Clone)]
pub struct FleetKey(Secret);

/// Why a key cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum KeyError {
    /// It is easy to guess.
    #[error("the fleet's key has {0} characters: at least {LEAST_KEY_CHARS} are needed; `dbdyno fleet key` makes one")]
    Short(usize),
    /// The system gives no random bytes.
    #[error("the system gives no random bytes: {0}")]
    Random(String),
}

impl FleetKey {
    /// The key with this text.
    ///
    /// # Errors
    /// It is too short.
    pub fn new(text: &str) -> Result<Self, KeyError> {
        let text = text.trim();
        let chars = text.chars().count();
        if chars < LEAST_KEY_CHARS { Err(KeyError::Short(chars)) } else { Ok(Self(Secret::new(text))) }
    }

    /// The text of a new key.
    ///
    /// # Errors
    /// No random bytes.
    pub fn make() -> Result<Secret, KeyError> {
        Ok(Secret::new(random_hex(32)?))
    }

    /// The key of a run.
    pub(crate) fn of_session(&self, session: &str) -> SessionKey {
        let mut mac = mac(self.0.reveal().as_bytes());
        mac.update(b"dbdyno fleet 1\0");
        mac.update(session.as_bytes());
        SessionKey(mac.finalize().into_bytes().into())
    }
}

/// So many random bytes in hexadecimal digits.
///
/// # Errors
/// The system gives none.
pub(crate) fn random_hex(bytes: usize) -> Result<String, KeyError> {
    let mut random = vec![0; bytes];
    getrandom::fill(&mut random).map_err(|error| KeyError::Random(error.to_string()))?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
fn mac(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("any length")
}

/// The key of a run.
#[derive(Clone)]
pub(crate) struct SessionKey([u8; MAC_BYTES]);

impl SessionKey {
    /// The key by which targets are encrypted in this session.
    pub(crate) fn of_targets(&self) -> [u8; MAC_BYTES] {
        let mut mac = mac(&self.0);
        mac.update(b"dbdyno fleet target 1\0");
        mac.finalize().into_bytes().into()
    }

    fn mac(&self, subject: &str, body: &[u8]) -> Hmac<Sha256> {
        let mut mac = mac(&self.0);
        // The length tells where the subject ends.
        mac.update(&(subject.len() as u64).to_be_bytes());
        mac.update(subject.as_bytes());
        mac.update(body);
        mac
    }

    /// A number that nobody else makes, for a text.
    pub(crate) fn number(&self, text: &str) -> String {
        let mac = self.mac("", text.as_bytes()).finalize().into_bytes();
        mac.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }

    /// A message for a subject.
    pub(crate) fn seal(&self, subject: &str, body: &[u8]) -> Vec<u8> {
        let mut sealed = self.mac(subject, body).finalize().into_bytes().to_vec();
        sealed.extend_from_slice(body);
        sealed
    }

    /// The body of a message, if it was made with this key for this subject.
    pub(crate) fn open<'m>(&self, subject: &str, sealed: &'m [u8]) -> Option<&'m [u8]> {
        let (mac, body) = sealed.split_at_checked(MAC_BYTES)?;
        self.mac(subject, body).verify_slice(mac).ok().map(|()| body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_key_is_long_and_not_shown() {
        assert_eq!(FleetKey::new("short").unwrap_err(), KeyError::Short(5));
        let key = FleetKey::make().unwrap();
        assert_eq!(key.reveal().len(), 64);
        assert_eq!(format!("{:?}", FleetKey::new(key.reveal()).unwrap()), "FleetKey(Secret(..))");
    }

    proptest! {
        #[test]
        fn what_is_altered_or_of_another_run_does_not_open(
            body in proptest::collection::vec(any::<u8>(), 0..200),
            place in any::<prop::sample::Index>(),
            bit in 0u8..8,
        ) {
            let fleet = FleetKey::new(&"k".repeat(32)).unwrap();
            let key = fleet.of_session("one");
            let sealed = key.seal("a.b", &body);
            prop_assert_eq!(key.open("a.b", &sealed), Some(&body[..]));
            prop_assert_eq!(key.open("a.c", &sealed), None);
            prop_assert_eq!(fleet.of_session("two").open("a.b", &sealed), None);
            let mut altered = sealed.clone();
            let place = place.index(altered.len());
            altered[place] ^= 1 << bit;
            prop_assert_eq!(key.open("a.b", &altered), None);
            prop_assert_eq!(key.open("a.b", &sealed[..sealed.len().min(31)]), None);
        }
    }
}
