//! Why a server was not made, started or stopped.

use crate::EngineError;
use dbdyno_model::ErrorClass;
use std::io;
use std::path::Path;

/// What went wrong, by what was done before.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerError {
    /// It cannot be done as asked; nothing was changed. Says what to do.
    #[error("{0}")]
    Refused(String),
    /// It was begun and did not come to its end. Says what is left.
    #[error("{0}")]
    Failed(EngineError),
}

impl ServerError {
    /// An error that says what was done when the system refused it.
    pub(crate) fn io(doing: &str, path: &Path, error: &io::Error) -> Self {
        let class = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ErrorClass::OutOfSpace,
            io::ErrorKind::PermissionDenied => ErrorClass::Permission,
            _ => ErrorClass::Other,
        };
        Self::failed(class, format!("cannot {doing} {}: {error}", path.display()))
    }

    pub(crate) fn failed(class: ErrorClass, message: impl Into<String>) -> Self {
        Self::Failed(EngineError::new(class, message))
    }
}
