//! What went wrong, whoever noticed: the crate's client, or dbdyno's own at the other end of a test's statements.

use super::class_of;
use dbdyno_model::ErrorClass;
use std::error::Error as _;
use std::io;

/// An error before it is put in words for a user.
#[derive(Debug)]
pub(in super::super) struct Trouble {
    pub(super) class: ErrorClass,
    /// What the server said, where it was the server.
    pub(super) said: Option<Box<Said>>,
    /// What there is to say where it was not.
    pub(super) words: String,
    /// What lies below.
    pub(super) cause: Cause,
}

/// An error as the server tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in super::super) struct Said {
    pub(in super::super) sqlstate: String,
    pub(in super::super) message: String,
    pub(in super::super) detail: Option<String>,
    pub(in super::super) hint: Option<String>,
    /// Where in a procedure it happened.
    pub(in super::super) place: Option<String>,
}

/// What is said of an answer that is no message of the protocol.
pub(in super::super) const NOT_UNDERSTOOD: &str = "the server's answer is not understood";

/// The server wants the password so that others could read it.
#[derive(Debug, thiserror::Error)]
#[error("the server asks for the password in clear text, and nothing is encrypted")]
pub(in super::super) struct ClearText;

/// What an error comes from that no server has told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Cause {
    /// The server wants a password, and there is none.
    NoPassword,
    /// The server wants the password in clear text, and must not have it so.
    ClearText,
    /// TLS did not come about.
    Tls,
    /// No host has this name.
    NoSuchName,
    /// Whoever answers does not speak the protocol, or went at once.
    NoServer,
    /// Nothing came in time.
    Silence,
    /// The operating system.
    Io(io::ErrorKind),
    /// Something else.
    Other,
}

impl Trouble {
    /// Something that no server has told.
    pub(in super::super) fn new(class: ErrorClass, cause: Cause, words: impl Into<String>) -> Self {
        Self { class, said: None, words: words.into(), cause }
    }

    /// What the server said.
    pub(in super::super) fn said(said: Said) -> Self {
        let class = class_of(&said.sqlstate);
        Self { class, said: Some(Box::new(said)), words: String::new(), cause: Cause::Other }
    }

    /// An error of the operating system's on the way to the server.
    pub(in super::super) fn io(doing: &str, error: &io::Error) -> Self {
        let cause = match error.kind() {
            io::ErrorKind::WouldBlock => Cause::Silence,
            kind => Cause::Io(kind),
        };
        Self::new(ErrorClass::ConnectionLost, cause, format!("{doing}: {error}"))
    }

    /// The connection ended.
    pub(in super::super) fn closed() -> Self {
        Self::new(ErrorClass::ConnectionLost, Cause::NoServer, "the server closed the connection")
    }

    /// Something that is no message of the protocol, or not at this place.
    pub(in super::super) fn protocol(what: &str) -> Self {
        let words = format!("{NOT_UNDERSTOOD}: {what}");
        Self::new(ErrorClass::ConnectionLost, Cause::NoServer, words)
    }

    /// The server wants a password.
    pub(in super::super) fn no_password() -> Self {
        Self::new(ErrorClass::Authentication, Cause::NoPassword, "the server wants a password, and none was given")
    }

    /// The server wants a password in clear text, and must not have it so.
    pub(in super::super) fn clear_text() -> Self {
        Self::new(ErrorClass::Authentication, Cause::ClearText, ClearText.to_string())
    }

    /// The same, but with it the connection has ended.
    pub(in super::super) fn fatal(mut self) -> Self {
        self.class = ErrorClass::ConnectionLost;
        self
    }

    /// What the server said, if it was the server.
    pub(in super::super) fn told(&self) -> Option<&Said> {
        self.said.as_deref()
    }

    #[cfg(test)]
    pub(in super::super) fn in_words(&self) -> &str {
        &self.words
    }

    /// What it comes from, if it was not.
    pub(in super::super) fn cause(&self) -> Cause {
        self.cause
    }

    /// Whether the same might work without TLS: the handshake failed, or pg_hba.conf has a line for plain connections
    /// only.
    pub(in super::super) fn blames_tls(&self) -> bool {
        match &self.said {
            Some(said) => said.sqlstate == "28000" && said.message.contains("pg_hba.conf"),
            None => self.cause == Cause::Tls,
        }
    }

    /// Whether the same might work without settings in the startup message, which servers take and poolers may not:
    /// "protocol violation" is what pgbouncer calls it, "feature not supported" others.
    pub(in super::super) fn blames_settings(&self) -> bool {
        let sqlstate = self.said.as_ref().map(|said| said.sqlstate.as_str());
        matches!(sqlstate, Some("08P01" | "0A000" | "22023" | "42704"))
    }
}

impl From<&postgres::error::DbError> for Said {
    fn from(db: &postgres::error::DbError) -> Self {
        Self {
            sqlstate: db.code().code().to_owned(),
            message: db.message().to_owned(),
            detail: db.detail().map(str::to_owned),
            hint: db.hint().map(str::to_owned),
            place: db.where_().map(str::to_owned),
        }
    }
}

impl From<&postgres::Error> for Trouble {
    fn from(error: &postgres::Error) -> Self {
        if let Some(db) = error.as_db_error() {
            return Self::said(db.into());
        }
        let below = error.source().map(ToString::to_string).unwrap_or_default();
        if below == "password missing" {
            return Self::no_password();
        }
        let io = error.source().and_then(|source| source.downcast_ref::<io::Error>());
        if io.and_then(io::Error::get_ref).is_some_and(|inner| inner.is::<ClearText>()) {
            return Self::clear_text();
        }
        // The crate keeps its kinds to itself; their words are its own and not translated.
        let crates_words = error.to_string();
        let class = match crates_words.as_str() {
            "error communicating with the server"
            | "connection closed"
            | "error connecting to server"
            | "error performing TLS handshake" => ErrorClass::ConnectionLost,
            "authentication error" if below.contains("unsupported") => ErrorClass::Unsupported,
            "authentication error" => ErrorClass::Authentication,
            "timeout waiting for server" => ErrorClass::Timeout,
            _ => ErrorClass::Other,
        };
        let cause = match io.map(io::Error::kind) {
            _ if crates_words == "error performing TLS handshake" => Cause::Tls,
            Some(_) if below.contains("lookup") => Cause::NoSuchName,
            // The codec's words for an answer that is no message of the protocol, and the connector's.
            Some(_) if below == "bytes remaining on stream" || below == NOT_UNDERSTOOD => Cause::NoServer,
            Some(kind) => Cause::Io(kind),
            None => Cause::Other,
        };
        let words = if below.is_empty() { crates_words } else { format!("{crates_words}: {below}") };
        Self::new(class, cause, words)
    }
}
