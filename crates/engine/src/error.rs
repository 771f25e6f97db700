//! What an engine says when something goes wrong: a class that is the same for every engine, and its own words.

use dbdyno_model::ErrorClass;
use serde::{Deserialize, Serialize};

/// An engine's error. The message is the engine's own, with what was being done; never a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{class}: {message}")]
pub struct EngineError {
    /// The class, for outcomes and exit codes.
    pub class: ErrorClass,
    /// What was being done and what the engine said.
    pub message: String,
    /// Whether it was refused before anything was done, because another dbdyno is at work there.
    pub occupied: bool,
    /// Whether the database has answered that it did not do what it was asked. After a loss or a time limit of our own
    /// nobody knows.
    pub undone: bool,
}

impl EngineError {
    /// An error of a class.
    pub fn new(class: ErrorClass, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), occupied: false, undone: false }
    }

    /// An error of no class in particular.
    pub fn other(message: impl Into<String>) -> Self {
        Self::new(ErrorClass::Other, message)
    }

    /// The refusal of a place where another dbdyno is at work.
    #[must_use]
    pub fn occupied(doing: &str) -> Self {
        let message = format!("{doing}: another dbdyno is measuring, loading or dropping here; let it end first");
        Self { occupied: true, ..Self::other(message) }
    }

    /// The same error as the database's own answer: what it was asked is not done. The last word of a session that ends
    /// is no answer: it may come after a commit.
    #[must_use]
    pub fn answered(self) -> Self {
        Self { undone: !self.target_lost(), ..self }
    }

    /// The same error with what was being done put before it.
    #[must_use]
    pub fn while_doing(mut self, what: &str) -> Self {
        self.message = format!("{what}: {}", self.message);
        self
    }

    /// Whether nothing more can be asked of this target.
    #[must_use]
    pub fn target_lost(&self) -> bool {
        matches!(self.class, ErrorClass::ConnectionLost)
    }
}
