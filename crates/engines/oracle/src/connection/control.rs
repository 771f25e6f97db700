//! Questions in control of the work, which are looked after where no answer comes.

use super::OracleConnection;
use dbdyno_engine::EngineError;
use std::sync::Arc;

impl OracleConnection {
    /// What [`OracleConnection::call`] does, in control of the work and without numbers to bind.
    ///
    /// # Errors
    /// As for [`OracleConnection::call`].
    pub(in super::super) fn ask(&mut self, doing: &str, block: &str, outs: usize) -> Result<Vec<i128>, EngineError> {
        let post = Arc::clone(&self.post);
        let _asking = post.asks(doing);
        self.call(doing, block, &[], outs)
    }
}
