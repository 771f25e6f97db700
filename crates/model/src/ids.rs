//! Identifiers: codes of tests and ids of runs. Their form is checked once, when they are made.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a text is not a valid identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is not a valid {what}: {rule}")]
pub struct IdError {
    /// The text as it was given.
    pub text: String,
    /// What it was meant to be.
    pub what: &'static str,
    /// The form that such a text has.
    pub rule: &'static str,
}

/// The code of a test: `T611`, `DBL-11`: upper-case letters, then digits, with one optional dash between.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct TestCode(String);

impl TestCode {
    /// Checks the form of a code. Whether such a test exists, the catalogue knows.
    ///
    /// # Errors
    /// The text is not letters followed by digits.
    pub fn new(text: &str) -> Result<Self, IdError> {
        let letters = text.chars().take_while(char::is_ascii_uppercase).count();
        let rest = &text[letters..];
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        if (1..=4).contains(&letters) && !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(IdError { text: text.to_owned(), what: "test code", rule: "letters and digits, as in T611 or DBL-11" })
        }
    }

    /// The code as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The class that the code belongs to: `T600` for T611, `DBL` for DBL-11.
    #[must_use]
    pub fn class(&self) -> String {
        Self::class_of(&self.0)
    }

    pub(crate) fn class_of(code: &str) -> String {
        match code.split_once('-') {
            Some((letters, _)) => letters.to_owned(),
            None => format!("{}00", &code[..code.len().min(2)]),
        }
    }
}

impl fmt::Display for TestCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl TryFrom<String> for TestCode {
    type Error = IdError;
    fn try_from(text: String) -> Result<Self, IdError> {
        Self::new(&text)
    }
}

/// The id of a run: eight characters of `0-9a-z`, random, so that a short prefix names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct RunId(String);

impl RunId {
    /// Checks the form of an id.
    ///
    /// # Errors
    /// The text is not 1 to 64 characters of `0-9a-z_`.
    pub fn new(text: &str) -> Result<Self, IdError> {
        let sound = (1..=64).contains(&text.len())
            && text.chars().all(|c| c.is_ascii_digit() || c.is_ascii_lowercase() || c == '_');
        if sound {
            Ok(Self(text.to_owned()))
        } else {
            Err(IdError { text: text.to_owned(), what: "run id", rule: "digits and small letters" })
        }
    }

    /// Makes an id of 40 random bits.
    #[must_use]
    pub fn from_random(bits: u64) -> Self {
        const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
        Self((0..8).map(|i| char::from(DIGITS[(bits >> (5 * i)) as usize & 31])).collect())
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl TryFrom<String> for RunId {
    type Error = IdError;
    fn try_from(text: String) -> Result<Self, IdError> {
        Self::new(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_a_form_and_a_class() {
        for (text, class) in [("T611", "T600"), ("DBL-11", "DBL"), ("T111", "T100")] {
            assert_eq!(TestCode::new(text).unwrap().class(), class);
        }
        for text in ["", "611", "t611", "T", "T6x", "DBL-", "T 611", "TÄ1", "OE", "ORION"] {
            assert!(TestCode::new(text).is_err(), "{text}");
        }
    }

    #[test]
    fn random_ids_are_valid_ids() {
        for bits in [0, u64::MAX, 0x0123_4567_89ab_cdef] {
            let id = RunId::from_random(bits);
            assert_eq!(RunId::new(id.as_str()).unwrap(), id);
        }
    }
}
