//! Rows in bulk, to the server and back.

use super::{ErrorContext, PostgresConnection};
use crate::wire::Wire;
use dbdyno_engine::EngineError;
use dbdyno_engine::server::Asking;

/// Rows on their way to the server. It takes them when this has been finished, and forgets them if it is dropped before.
pub(in super::super) struct CopyIn<'c> {
    wire: &'c mut Wire,
    context: &'c ErrorContext,
    asking: Asking<'c>,
    transactions: &'c mut u64,
    doing: &'c str,
    /// Whether the server waits for more.
    open: bool,
}

impl CopyIn<'_> {
    /// Sends rows, in any pieces: 64 KiB at once cost few calls of the kernel and stay in the processor's caches.
    ///
    /// # Errors
    /// The server's, as soon as it refuses what was sent before.
    pub(in super::super) fn send(&mut self, rows: &[u8]) -> Result<(), EngineError> {
        let sent = self.wire.send_rows(rows);
        self.asking.heard();
        self.open = sent.is_ok();
        sent.map_err(|trouble| self.context.error(self.doing, &trouble))
    }

    /// Ends the COPY. Answers how many rows the server has taken.
    ///
    /// # Errors
    /// The server's.
    pub(in super::super) fn finish(mut self) -> Result<u64, EngineError> {
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

impl PostgresConnection {
    /// Begins a `COPY ... FROM STDIN`.
    ///
    /// # Errors
    /// The server's; `Cancelled` without asking the server once somebody has cancelled.
    pub(in super::super) fn copy_in<'c>(&'c mut self, doing: &'c str, sql: &str) -> Result<CopyIn<'c>, EngineError> {
        self.refuse(doing)?;
        let Self { wire, context, transactions, post, .. } = self;
        let asking = post.asks(doing);
        wire.begin_copy_in(sql).map_err(|trouble| context.error(doing, &trouble))?;
        Ok(CopyIn { wire, context, asking, transactions, doing, open: true })
    }

    /// Runs a `COPY ... TO STDOUT`. Rows go to `take` in pieces, as they come; an error of its own ends the connection.
    ///
    /// # Errors
    /// As for [`PostgresConnection::copy_in`], and what `take` answers.
    pub(in super::super) fn copy_out(
        &mut self,
        doing: &str,
        sql: &str,
        mut take: impl FnMut(&[u8]) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        self.refuse(doing)?;
        let (asking, mut refused) = (self.post.asks(doing), None);
        let copied = self.wire.copy_out(sql, |rows| {
            asking.heard();
            refused = take(rows).err();
            refused.is_none()
        });
        drop(asking);
        if let Some(error) = refused {
            return Err(error);
        }
        copied.map_err(|trouble| self.error(doing, &trouble))?;
        self.count_transactions(1);
        Ok(())
    }
}
