//! Rows in bulk, to the server and back.

use super::error_context::ErrorContext;
use crate::wire::Wire;
use dbdyno_engine::EngineError;
use dbdyno_engine::server::Asking;

/// Rows on their way to the server. It takes them when this has been finished, and forgets them if it is dropped
/// before.
pub(crate) struct CopyIn<'c> {
    wire: &'c mut Wire,
    context: &'c ErrorContext,
    asking: Asking<'c>,
    transactions: &'c mut u64,
    doing: &'c str,
    /// Whether the server waits for more.
    open: bool,
}

impl<'c> CopyIn<'c> {
    /// Begins a `COPY ... FROM STDIN`. `transactions` is where it is counted.
    ///
    /// # Errors
    /// The server's.
    pub(super) fn begin(
        wire: &'c mut Wire,
        context: &'c ErrorContext,
        asking: Asking<'c>,
        transactions: &'c mut u64,
        (doing, sql): (&'c str, &str),
    ) -> Result<Self, EngineError> {
        wire.begin_copy_in(sql).map_err(|trouble| context.error(doing, &trouble))?;
        Ok(Self { wire, context, asking, transactions, doing, open: true })
    }

    /// Sends rows, in any pieces: 64 KiB at once cost few calls of the kernel and stay in the processor's caches.
    ///
    /// # Errors
    /// The server's, as soon as it refuses what was sent before.
    pub(crate) fn send(&mut self, rows: &[u8]) -> Result<(), EngineError> {
        let sent = self.wire.send_rows(rows);
        self.asking.heard();
        self.open = sent.is_ok();
        sent.map_err(|trouble| self.context.error(self.doing, &trouble))
    }

    /// Ends the COPY. Answers how many rows the server has taken.
    ///
    /// # Errors
    /// The server's.
    pub(crate) fn finish(mut self) -> Result<u64, EngineError> {
        self.open = false;
        let taken = self.wire.end_copy_in().map_err(|trouble| self.context.error(self.doing, &trouble))?;
        *self.transactions += 1;
        Ok(taken)
    }
}

impl Drop for CopyIn<'_> {
    fn drop(&mut self) {
        if self.open {
            self.wire.abandon_copy_in();
        }
    }
}
