//! The secret by which a viewer is known. It has no text but where it is asked for by name.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Shorter ones can be guessed.
const SHORTEST: usize = 16;
/// Longer ones do not fit in a request.
const LONGEST: usize = 512;

/// A secret that viewers must know. It cannot be printed by accident.
#[derive(Clone)]
pub struct Token(String);

/// Why a text is no token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It can be guessed.
    #[error("a token needs at least 16 characters, or it can be guessed")]
    Short,
    /// It does not fit in a request.
    #[error("a token has at most 512 characters")]
    Long,
    /// It has characters that a header cannot carry.
    #[error("a token has visible ASCII characters alone, and no space")]
    Characters,
    /// The system gives no random bits.
    #[error("the system gives no random bits for a token: {0}")]
    Random(getrandom::Error),
}

impl Token {
    /// A token of the user's.
    ///
    /// # Errors
    /// It is too short or too long, or has characters that a header cannot carry.
    pub fn new(text: impl Into<String>) -> Result<Self, TokenError> {
        let text = text.into();
        match text.len() {
            _ if !text.bytes().all(|byte| byte.is_ascii_graphic()) => Err(TokenError::Characters),
            ..SHORTEST => Err(TokenError::Short),
            SHORTEST..=LONGEST => Ok(Self(text)),
            _ => Err(TokenError::Long),
        }
    }

    /// A new one, of 128 random bits.
    ///
    /// # Errors
    /// The system gives no random bits.
    pub fn made() -> Result<Self, TokenError> {
        random().map(Self).map_err(TokenError::Random)
    }

    /// The secret itself, for the address that is printed once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether a text is this token. The time that it takes tells nothing of the token, not even its length.
    pub(super) fn is(&self, text: &[u8]) -> bool {
        Sha256::digest(self.0.as_bytes()).ct_eq(&Sha256::digest(text)).into()
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(hidden)")
    }
}

/// 128 random bits in hexadecimal digits.
pub(super) fn random() -> Result<String, getrandom::Error> {
    let mut bits = [0_u8; 16];
    getrandom::fill(&mut bits)?;
    Ok(bits.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_long_enough_and_hidden() {
        let token = Token::new("0123456789abcdef").unwrap();
        assert_eq!(format!("{token:?}"), "Token(hidden)");
        assert!(token.is(b"0123456789abcdef") && !token.is(b"0123456789abcdeF") && !token.is(b""));
        assert_eq!(Token::new("0123456789abcde").unwrap_err(), TokenError::Short);
        assert_eq!(Token::new("x".repeat(513)).unwrap_err(), TokenError::Long);
        assert_eq!(Token::new("0123456789 abcdef").unwrap_err(), TokenError::Characters);
        let (one, other) = (Token::made().unwrap(), Token::made().unwrap());
        assert!(one.reveal() != other.reveal() && one.reveal().len() == 32);
    }
}
