//! Viewers who have shown the token. Each has a cookie with a random value of its own, so that the token is in no
//! cookie and a copied cookie is worth nothing once dbdyno has ended.

use super::token::random;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use subtle::{Choice, ConstantTimeEq};

/// Viewers that are known at a time; the oldest is forgotten.
const MOST: usize = 64;

pub(super) struct Sessions {
    /// The cookie's name. Cookies do not know ports, so the port is part of it.
    name: String,
    secure: bool,
    known: Mutex<VecDeque<String>>,
}

impl Sessions {
    pub(super) fn new(port: u16, secure: bool) -> Self {
        // The browser itself holds a cookie with this prefix to one host, its root path and TLS.
        let prefix = if secure { "__Host-" } else { "" };
        Self { name: format!("{prefix}dbdyno-{port}"), secure, known: Mutex::default() }
    }

    /// A new viewer; the header that sets the cookie.
    pub(super) fn begin(&self) -> Result<String, getrandom::Error> {
        let value = random()?;
        let secure = if self.secure { "; Secure" } else { "" };
        let header = format!("{}={value}; Path=/; HttpOnly; SameSite=Strict{secure}", self.name);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() == MOST {
            known.pop_front();
        }
        known.push_back(value);
        Ok(header)
    }

    /// Whether one of a request's cookies is that of a viewer. All are compared, whatever is found.
    pub(super) fn knows(&self, cookies: &str) -> bool {
        let mine = cookies.split(';').filter_map(|cookie| cookie.trim().split_once('='));
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = Choice::from(0);
        for (_, value) in mine.filter(|(name, _)| *name == self.name) {
            for session in &*known {
                found |= session.as_bytes().ct_eq(value.as_bytes());
            }
        }
        found.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_known_until_it_is_forgotten() {
        let sessions = Sessions::new(80, true);
        let header = sessions.begin().unwrap();
        assert!(
            header.starts_with("__Host-dbdyno-80=") && header.ends_with("; Path=/; HttpOnly; SameSite=Strict; Secure")
        );
        let cookie = header.split(';').next().unwrap().to_owned();
        assert!(sessions.knows(&format!("a=b; {cookie}")));
        assert!(!sessions.knows("") && !sessions.knows("__Host-dbdyno-80=") && !sessions.knows("__Host-dbdyno-80=0"));
        assert!(!Sessions::new(80, true).knows(&cookie) && !Sessions::new(80, false).knows(&cookie));
        (0..MOST).for_each(|_| drop(sessions.begin().unwrap()));
        assert!(!sessions.knows(&cookie));
    }
}
