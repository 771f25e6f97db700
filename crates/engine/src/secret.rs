//! A password: something that can be used but not shown. It has no `Display` and no `Serialize`, its `Debug` is blind,
//! and whoever wants its text must write `reveal`, which is easy to look for.

use std::fmt;

/// A password.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a password in.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Its text, for the server that it is meant for and for nobody else.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_shown() {
        let secret = Secret::new("tiger");
        assert_eq!(format!("{secret:?} {secret:#?}"), "Secret(..) Secret(..)");
        assert_eq!(secret.reveal(), "tiger");
    }
}
