//! What a connection shares with whoever cancels it from another thread.

use crate::EngineError;
use dbdyno_model::ErrorClass;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a connection was cancelled, and whether it has stopped.
#[derive(Debug, Default)]
pub struct Cancellation {
    requested: AtomicBool,
    ended: AtomicBool,
}

impl Cancellation {
    /// Asks the connection to stop: whatever begins later is refused. Answers whether nobody had asked before.
    pub fn request(&self) -> bool {
        !self.requested.swap(true, Ordering::Relaxed)
    }

    /// Whether somebody has asked.
    pub fn is_requested(&self) -> bool {
        self.requested.load(Ordering::Relaxed)
    }

    /// The connection has stopped: the server need not be asked any more.
    pub fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Whether it has stopped.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Refuses to begin something once somebody has cancelled: a request that comes between two statements finds
    /// nothing to cancel.
    ///
    /// # Errors
    /// `Cancelled`.
    pub fn refuse(&self, doing: &str) -> Result<(), EngineError> {
        if !self.is_requested() {
            return Ok(());
        }
        self.end();
        Err(EngineError::new(ErrorClass::Cancelled, format!("{doing}: stopped before it began")))
    }

    /// Judges an error of a statement. What the server interrupted stays `Cancelled` where somebody here has asked for
    /// it. Else it is a `Timeout`: a limit of the server's has run out, or another session has ended the statement, as
    /// `others` says.
    #[must_use]
    pub fn judge(&self, mut error: EngineError, others: &str) -> EngineError {
        if error.class == ErrorClass::Cancelled {
            if self.is_requested() {
                self.end();
            } else {
                error.class = ErrorClass::Timeout;
                error.message += &format!("; dbdyno did not ask for this: {others}");
            }
        }
        error
    }

    /// Judges the loss of a connection that dbdyno itself ends where the server does not stop in time: it is
    /// `Cancelled` where somebody here has asked for it.
    #[must_use]
    pub fn judge_loss(&self, mut error: EngineError) -> EngineError {
        if self.is_requested() {
            self.end();
            error.class = ErrorClass::Cancelled;
        }
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_interrupted_is_cancelled_only_where_somebody_asked() {
        let cancellation = Cancellation::default();
        let interrupted = || EngineError::new(ErrorClass::Cancelled, "interrupted");
        let judged = cancellation.judge(interrupted(), "a limit is set");
        assert_eq!(judged.class, ErrorClass::Timeout);
        assert_eq!(judged.message, "interrupted; dbdyno did not ask for this: a limit is set");
        assert!(cancellation.refuse("working").is_ok() && !cancellation.has_ended());
        assert!(cancellation.request() && !cancellation.request());
        assert_eq!(cancellation.judge(interrupted(), "a limit is set"), interrupted());
        assert!(cancellation.has_ended());
        assert_eq!(cancellation.refuse("working").unwrap_err().class, ErrorClass::Cancelled);
        let lost = EngineError::new(ErrorClass::ConnectionLost, "the end");
        assert_eq!(cancellation.judge_loss(lost.clone()).class, ErrorClass::Cancelled);
        assert_eq!(Cancellation::default().judge_loss(lost.clone()), lost);
        let other = EngineError::new(ErrorClass::Conflict, "a deadlock");
        assert_eq!(cancellation.judge(other.clone(), ""), other);
    }
}
