//! How errors of a connection are judged.

use crate::errors::{Trouble, engine_error};
use crate::options::Host;
use dbdyno_engine::EngineError;
use dbdyno_engine::server::Cancellation;
use std::sync::Arc;

/// What ends a statement that dbdyno has not cancelled.
const OTHERS: &str = "a statement_timeout is set, or another session did";

/// What errors of a connection are judged by.
pub(super) struct ErrorContext {
    pub(super) host: Host,
    pub(super) cancellation: Arc<Cancellation>,
}

impl ErrorContext {
    /// Puts an error of a statement in words. What the server cancelled is `Cancelled` if somebody here asked for it;
    /// so is a connection that was ended because the server did not hear that.
    pub(super) fn error(&self, doing: &str, trouble: &Trouble) -> EngineError {
        let mut error = self.cancellation.judge(engine_error(doing, trouble), OTHERS);
        if error.target_lost() {
            error = error.while_doing(&self.host.to_string());
            if trouble.told().is_none() {
                error = self.cancellation.judge_loss(error);
            }
        }
        error
    }
}
