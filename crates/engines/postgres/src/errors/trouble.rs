//! What went wrong between dbdyno and a server, before it is put in words for a user.

use crate::DIALECT;
use dbdyno_engine::server::io_code;
use dbdyno_model::ErrorClass;
use std::io;
use std::ops::Deref;

/// An error before it is put in words for a user. It is a pointer: nearly every message could be one, and is none, and
/// results without an error go in registers then.
#[derive(Debug)]
pub(crate) struct Trouble(Box<TroubleParts>);

/// What an error consists of.
#[derive(Debug)]
pub(crate) struct TroubleParts {
    pub(super) class: ErrorClass,
    /// What the server said, where it was the server.
    pub(super) said: Option<Box<Said>>,
    /// What there is to say where it was not.
    pub(super) words: String,
    /// What lies below.
    pub(super) cause: Cause,
    /// Whether TLS was in use.
    encrypted: bool,
    /// Why an attempt with TLS had failed before.
    pub(super) with_tls: Option<Trouble>,
}

/// An error as the server tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) sqlstate: String,
    pub(crate) message: String,
    pub(crate) detail: Option<String>,
    pub(crate) hint: Option<String>,
    /// Where in a procedure it happened.
    pub(crate) place: Option<String>,
}

/// What an error comes from that no server has told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
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

impl Cause {
    /// The word for it in errors.toml.
    pub(super) fn code(self, words: &str) -> &'static str {
        match self {
            Self::NoPassword => "no_password",
            Self::ClearText => "clear_text",
            Self::Tls if words.ends_with("end of file") => "closed",
            Self::Tls => "tls",
            Self::NoSuchName => "no_such_name",
            Self::NoServer => "closed",
            Self::Silence => "silent",
            Self::Io(kind) => io_code(kind),
            Self::Other => "",
        }
    }
}

impl Trouble {
    /// Something that no server has told.
    pub(crate) fn new(class: ErrorClass, cause: Cause, words: impl Into<String>) -> Self {
        Self(Box::new(TroubleParts { class, said: None, words: words.into(), cause, encrypted: false, with_tls: None }))
    }

    /// What the server said.
    pub(crate) fn said(said: Said) -> Self {
        let class = DIALECT.errors.class(said.sqlstate.as_str(), "");
        let (said, words) = (Some(Box::new(said)), String::new());
        Self(Box::new(TroubleParts { class, said, words, cause: Cause::Other, encrypted: false, with_tls: None }))
    }

    /// An error of the operating system's on the way to the server.
    pub(crate) fn io(doing: &str, error: &io::Error) -> Self {
        let cause = match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Cause::Silence,
            kind => Cause::Io(kind),
        };
        Self::new(ErrorClass::ConnectionLost, cause, format!("{doing}: {error}"))
    }

    /// The connection ended.
    pub(crate) fn closed() -> Self {
        Self::new(ErrorClass::ConnectionLost, Cause::NoServer, "the server closed the connection")
    }

    /// Something that is no message of the protocol, or not at this place.
    pub(crate) fn protocol(what: &str) -> Self {
        let words = format!("the server's answer is not understood: {what}");
        Self::new(ErrorClass::ConnectionLost, Cause::NoServer, words)
    }

    /// The server wants a password.
    pub(crate) fn no_password() -> Self {
        Self::new(ErrorClass::Authentication, Cause::NoPassword, "the server wants a password, and none was given")
    }

    /// The server wants a password in clear text, and must not have it so.
    pub(crate) fn clear_text() -> Self {
        let words = "the server asks for the password in clear text, and nothing is encrypted";
        Self::new(ErrorClass::Authentication, Cause::ClearText, words)
    }

    /// The server wants a proof of who we are that dbdyno cannot give.
    pub(crate) fn unsupported(what: &str) -> Self {
        let words = format!(
            "the server asks for {what}; dbdyno has SCRAM-SHA-256, md5 and passwords; give the user the method \
             scram-sha-256 in pg_hba.conf"
        );
        Self::new(ErrorClass::Unsupported, Cause::Other, words)
    }

    /// The same, but with it the connection has ended.
    pub(crate) fn fatal(mut self) -> Self {
        self.0.class = ErrorClass::ConnectionLost;
        self
    }

    /// The same, on a connection that uses TLS or does not.
    pub(crate) fn encrypted(mut self, is_encrypted: bool) -> Self {
        self.0.encrypted = is_encrypted;
        self
    }

    /// The same, after an attempt with TLS that had failed for another reason.
    pub(crate) fn after(mut self, with_tls: Option<Self>) -> Self {
        self.0.with_tls = with_tls;
        self
    }

    /// What the server said, if it was the server.
    pub(crate) fn told(&self) -> Option<&Said> {
        self.said.as_deref()
    }

    #[cfg(test)]
    pub(crate) fn in_words(&self) -> &str {
        &self.words
    }

    /// What it comes from, if it was not.
    #[cfg(test)]
    pub(crate) fn cause(&self) -> Cause {
        self.cause
    }

    /// Whether the same might work without TLS: the handshake failed, or pg_hba.conf has a line for plain connections
    /// only.
    pub(crate) fn blames_tls(&self) -> bool {
        match &self.said {
            Some(said) => self.encrypted && said.sqlstate == "28000" && said.message.contains("pg_hba.conf"),
            None => self.cause == Cause::Tls,
        }
    }

    /// Whether the same might work without settings in the startup message, which servers take and poolers may not:
    /// "protocol violation" is what pgbouncer calls it, "feature not supported" others.
    pub(crate) fn blames_settings(&self) -> bool {
        let sqlstate = self.said.as_ref().map(|said| said.sqlstate.as_str());
        matches!(sqlstate, Some("08P01" | "0A000" | "22023" | "42704"))
    }
}

impl Deref for Trouble {
    type Target = TroubleParts;

    fn deref(&self) -> &TroubleParts {
        &self.0
    }
}
