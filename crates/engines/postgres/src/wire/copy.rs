//! Rows in bulk, both ways: COPY as a simple query, which is one transaction and has no name to be looked up.

use super::answer;
use super::incoming::{self, Message};
use super::said::said;
use super::socket::Wait;
use super::stream::Wire;
use crate::errors::Trouble;
use bytes::BytesMut;
use postgres_protocol::message::frontend;

/// The buffer for rows that come: as much as the kernel gives at once.
const ROWS_BYTES: usize = 64 << 10;
/// The message that has rows, in either direction.
const COPY_DATA: u8 = b'd';
/// The server waits for rows.
const COPY_IN: u8 = b'G';

impl Wire {
    /// Begins a COPY to the server. Until [`Wire::end_copy_in`] nothing but its rows may be sent.
    pub(crate) fn begin_copy_in(&mut self, sql: &str) -> Result<(), Trouble> {
        self.send_query(sql)?;
        let begun = self.until(|message| Ok((message.kind == COPY_IN).then_some(())))?;
        begun.ok_or_else(|| Trouble::protocol("the statement is no COPY from here"))
    }

    /// Sends rows, in any pieces. Where the server has refused what came before, the COPY is over.
    pub(crate) fn send_rows(&mut self, rows: &[u8]) -> Result<(), Trouble> {
        let length = u32::try_from(rows.len() + 4).map_err(|_| Trouble::protocol("rows that are too many at once"))?;
        let [a, b, c, d] = length.to_be_bytes();
        self.send_both(&[COPY_DATA, a, b, c, d], rows)?;
        let is_error = |message: Message<'_>| (message.kind == incoming::ERROR).then(|| said(message.body));
        match self.receive(Wait::No, |message| Ok(is_error(message)))? {
            None => Ok(()),
            // It lets the rows that are still on their way fall, and is ready then.
            Some(said) => match self.until_ready(|_| {}) {
                Ok(()) => Err(Trouble::said(said)),
                Err(_) => Err(Trouble::said(said).fatal()),
            },
        }
    }

    /// Ends a COPY to the server. Answers how many rows it has taken.
    pub(crate) fn end_copy_in(&mut self) -> Result<u64, Trouble> {
        let (mut message, mut rows) = (BytesMut::new(), 0);
        frontend::copy_done(&mut message);
        self.send(&message)?;
        self.until_ready(|message| {
            if message.kind == incoming::COMMAND_COMPLETE {
                rows = answer::rows_of(message.body);
            }
        })?;
        Ok(rows)
    }

    /// Gives up a COPY to the server, which forgets its rows.
    pub(crate) fn abandon_copy_in(&mut self) {
        let mut message = BytesMut::new();
        // The server answers with an error that says so.
        let sent = frontend::copy_fail("dbdyno has stopped", &mut message).is_ok() && self.send(&message).is_ok();
        if sent {
            drop(self.until_ready(|_| {}));
        } else {
            self.closed = true;
        }
    }

    /// Runs a COPY from the server. Rows go to `take` as they come; where that says that it wants no more, the
    /// connection ends, as the server goes on sending.
    pub(crate) fn copy_out(&mut self, sql: &str, mut take: impl FnMut(&[u8]) -> bool) -> Result<(), Trouble> {
        self.incoming.grow(ROWS_BYTES);
        self.send_query(sql)?;
        let ended = self.until(|message| {
            if message.kind == COPY_DATA && !take(message.body) { Err(Trouble::closed()) } else { Ok(None::<()>) }
        });
        self.shrink();
        ended.map(drop)
    }
}
