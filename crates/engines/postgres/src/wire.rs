//! The protocol between client and server, for the client drive. The crate's client gives each connection a runtime and
//! each answer its own memory; here a statement is a few bytes that are patched, and its answer is read where it lies.
//!
//! Opening a connection, and whatever is asked while a session is prepared, waits for the server. What is measured can
//! do both: wait, or look whether something has come, so that one thread can serve many connections.

pub(super) mod answer;
mod authenticate;
mod binding;
pub(super) mod cancel;
mod channel;
mod incoming;
mod open;
mod said;
mod socket;
#[cfg(test)]
mod tests;

use super::errors::Trouble;
pub(super) use authenticate::{Turn, turn};
use bytes::BytesMut;
pub(super) use cancel::Peer;
use channel::Channel;
pub(super) use channel::Wait;
pub(super) use incoming::Incoming;
use incoming::Message;
pub(super) use open::{Login, open};
use postgres_protocol::message::frontend;
use socket::Socket;
use std::io;
use std::sync::{Arc, Weak};
use std::time::Instant;

/// What a session of the server is doing between two statements, as it says itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    /// No transaction is open.
    Idle,
    /// One is.
    InTransaction,
    /// One is that has failed, and waits to be rolled back.
    Failed,
}

/// A connection on which a session has begun.
pub(super) struct Wire {
    channel: Channel,
    incoming: Incoming,
    peer: Arc<Peer>,
    /// The connection has ended, or what came is not understood.
    closed: bool,
    status: Status,
}

impl Wire {
    /// Sends messages. Between two statements the server has read everything, so that the kernel has room and this does
    /// not wait.
    pub(super) fn send(&mut self, messages: &[u8]) -> Result<(), Trouble> {
        if self.closed {
            return Err(Trouble::closed());
        }
        match self.channel.send(messages) {
            Ok(()) => Ok(()),
            Err(error) => Err(self.last_words(&error)),
        }
    }

    /// Waits no longer than until then for what the server says; for ever where there is no end.
    pub(super) fn wait_until(&self, deadline: Option<Instant>) -> Result<(), Trouble> {
        self.channel.socket.wait_until(deadline).map_err(|error| Trouble::io("waiting for the server", &error))
    }

    /// Whether nothing is encrypted, so that others may receive for it, and send.
    pub(super) fn is_plain(&self) -> bool {
        self.channel.tls.is_none()
    }

    /// Takes bytes that others have received.
    pub(super) fn take_in(&mut self, bytes: &[u8]) {
        self.incoming.put(bytes);
    }

    /// Sends the rest of messages of which others have sent the beginning.
    pub(super) fn send_on(&mut self, rest: &[u8]) -> io::Result<()> {
        self.channel.send(rest)
    }

    /// Ends the connection. What has come before can still be read.
    pub(super) fn shut(&self) {
        self.channel.socket.shut();
    }

    /// Gives messages one by one to `take`, until it has what it wants, or until there is no more now. `None` where
    /// nothing more has come and nobody waits for it.
    pub(super) fn receive<T>(
        &mut self,
        wait: Wait,
        mut take: impl FnMut(Message<'_>) -> Result<Option<T>, Trouble>,
    ) -> Result<Option<T>, Trouble> {
        loop {
            let message = match self.incoming.message() {
                Ok(message) => message,
                Err(malformed) => return Err(self.end(malformed)),
            };
            if let Some(message) = message {
                match take(message) {
                    Ok(None) => continue,
                    Ok(Some(taken)) => return Ok(Some(taken)),
                    Err(trouble) => return Err(self.end(trouble)),
                }
            }
            match self.channel.receive(&mut self.incoming, wait) {
                Ok(0) => return Err(self.end(Trouble::closed())),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && wait == Wait::No => return Ok(None),
                Err(error) => return Err(self.end(Trouble::io("reading from the server", &error))),
            }
        }
    }

    /// A statement, or several in one text, as one message; each row that comes back goes to `row`.
    pub(super) fn query(&mut self, sql: &str, mut row: impl FnMut(&[u8])) -> Result<(), Trouble> {
        let mut message = BytesMut::new();
        frontend::query(sql, &mut message).map_err(|error| Trouble::protocol(&error.to_string()))?;
        self.ask(&message, |message| {
            if message.kind == incoming::DATA_ROW {
                row(message.body);
            }
        })
    }

    /// Sends messages of which the last makes the server say that it is ready, and waits for that. An error of the
    /// server's does not end the session.
    pub(super) fn ask(&mut self, messages: &[u8], mut each: impl FnMut(Message<'_>)) -> Result<(), Trouble> {
        self.send(messages)?;
        let mut told = None;
        let ready = self.receive(Wait::Yes, |message| {
            match message.kind {
                incoming::ERROR => told = Some(said::said(message.body)),
                incoming::READY => return answer::status(message.body).map(Some),
                _ => each(message),
            }
            Ok(None)
        });
        match (ready, told) {
            (Ok(status), None) => {
                self.status = status.unwrap_or(self.status);
                Ok(())
            }
            (Ok(status), Some(said)) => {
                self.status = status.unwrap_or(self.status);
                Err(Trouble::said(said))
            }
            (Err(_), Some(said)) => Err(Trouble::said(said).fatal()),
            (Err(trouble), None) => Err(trouble),
        }
    }

    /// What is left of a buffer that had to be large once goes.
    pub(super) fn shrink(&mut self) {
        self.incoming.shrink();
    }

    /// Whether it is known to have ended.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// What the server said last that it is doing.
    pub(super) fn status(&self) -> Status {
        self.status
    }

    /// Takes note of what the server says that it is doing.
    pub(super) fn set_status(&mut self, status: Status) {
        self.status = status;
    }

    /// Who is at the other end.
    pub(super) fn peer(&self) -> Arc<Peer> {
        Arc::clone(&self.peer)
    }

    /// The socket, for whoever waits for it or ends it.
    pub(super) fn socket(&self) -> Weak<Socket> {
        Arc::downgrade(&self.channel.socket)
    }

    /// The socket's number, to be waited for.
    pub(super) fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.channel.socket.as_fd()
    }

    fn end(&mut self, trouble: Trouble) -> Trouble {
        self.closed = true;
        trouble
    }

    /// What cannot be written to has perhaps said why before it went.
    fn last_words(&mut self, error: &io::Error) -> Trouble {
        let mut told = None;
        let heard = self.receive(Wait::No, |message| -> Result<Option<()>, Trouble> {
            if message.kind == incoming::ERROR {
                told = Some(said::said(message.body));
            }
            Ok(None)
        });
        drop(heard);
        self.closed = true;
        match told {
            Some(said) => Trouble::said(said).fatal(),
            None => Trouble::io("writing to the server", error),
        }
    }
}

impl Drop for Wire {
    /// Says goodbye, so that the server's log has nothing to complain about.
    fn drop(&mut self) {
        if !self.closed {
            let mut message = BytesMut::new();
            frontend::terminate(&mut message);
            drop(self.channel.send(&message));
        }
        self.channel.socket.shut();
    }
}
