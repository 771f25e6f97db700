//! Why a crash test could not go on.

use dbdyno_engine::EngineError;
use dbdyno_model::ErrorClass;

/// Why a crash test could not go on. That something was lost is none.
#[derive(Debug, thiserror::Error)]
pub enum CrashError {
    /// What is cut could not be handled: nothing is known of what it lost.
    #[error("{0}")]
    Subject(String),
    /// The database itself does not come back.
    #[error("it does not come back: {0}")]
    Gone(String),
    /// The engine's error while nothing was cut.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The ledger cannot be kept.
    #[error("the ledger: {0}")]
    Ledger(std::io::Error),
    /// Sessions ended, or stood still, before they were cut.
    #[error("the sessions did not work: {0}")]
    Idle(String),
    /// The user stopped it.
    #[error("stopped")]
    Stopped,
}

impl CrashError {
    /// Whether the database is gone, as a whole or in part.
    pub(super) fn is_gone(&self) -> bool {
        match self {
            Self::Gone(_) => true,
            Self::Engine(error) => is_lost(error),
            _ => false,
        }
    }
}

/// Whether an error says that something is not there any more, or damaged.
pub(super) fn is_lost(error: &EngineError) -> bool {
    matches!(error.class, ErrorClass::UnknownObject | ErrorClass::Corruption)
}
