//! Questions in control of the work, which are looked after where no answer comes.

use super::{Options, OracleConnection};
use dbdyno_engine::EngineError;
use dbdyno_engine::server::{Told, Wait, look_after};
use std::sync::Arc;

impl OracleConnection {
    /// Whether a server still answers anybody. What a session does not everybody may see.
    pub(in super::super) fn look_after(options: &Options, wait: &Wait) -> Told {
        // Nobody looks after whoever looks after others.
        let (options, node) = (Options { vigil: Arc::default(), ..options.clone() }, wait.node);
        look_after(options.connect_timeout.saturating_mul(2), move || {
            Self::open(&options, node, "dbdyno check").map(|_| Told::Working)
        })
    }

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
