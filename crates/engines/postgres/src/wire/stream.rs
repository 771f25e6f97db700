//! A connection on which a session has begun: messages go out as bytes, and come in one by one.

use super::answer::{self, Status};
use super::cancel::{CancelRequest, WireCanceller};
use super::channel::Channel;
use super::incoming::{self, Incoming, Message};
use super::said::said;
use super::socket::Wait;
use crate::errors::Trouble;
use bytes::BytesMut;
use dbdyno_engine::server::Cancellation;
use postgres_protocol::message::frontend;
use std::io;
use std::mem;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a server may take to end a session.
const LOG_OFF_LIMIT: Duration = Duration::from_secs(5);

/// A connection on which a session has begun.
pub(crate) struct Wire {
    pub(super) channel: Channel,
    pub(super) incoming: Incoming,
    cancel_request: Arc<CancelRequest>,
    /// Until when answers are waited for; for ever where there is no such time.
    deadline: Option<Instant>,
    /// The connection has ended, or what came is not understood.
    pub(super) closed: bool,
    status: Status,
}

impl Wire {
    /// A connection that is to be opened by this time. `cancel_request` is what cancels over a connection of its own.
    pub(super) fn new(channel: Channel, cancel_request: CancelRequest, deadline: Instant) -> Self {
        Self {
            channel,
            incoming: Incoming::default(),
            cancel_request: Arc::new(cancel_request),
            deadline: Some(deadline),
            closed: false,
            status: Status::Idle,
        }
    }

    /// Takes note of the process and the secret by which the server knows this session.
    pub(super) fn set_key(&mut self, key: (i32, i32)) {
        if let Some(request) = Arc::get_mut(&mut self.cancel_request) {
            request.key = key;
        }
    }

    /// Sends messages. Between two statements the server has read everything, so that the kernel has room and this does
    /// not wait.
    pub(crate) fn send(&mut self, messages: &[u8]) -> Result<(), Trouble> {
        self.send_both(&[], messages)
    }

    /// Sends a message of which the head and the body lie apart.
    pub(super) fn send_both(&mut self, head: &[u8], body: &[u8]) -> Result<(), Trouble> {
        if self.closed {
            return Err(Trouble::closed());
        }
        self.channel.send(head, body).map_err(|error| self.last_words(&error))
    }

    /// Answers must have come by then; with no deadline they may take any time.
    ///
    /// # Errors
    /// The operating system refuses to take a limit away.
    pub(crate) fn answer_by(&mut self, deadline: Option<Instant>) -> Result<(), Trouble> {
        self.deadline = deadline;
        let waits = self.channel.socket.wait_until(deadline);
        waits.map_err(|error| Trouble::io("waiting for the server", &error))
    }

    /// Whether the connection is encrypted. What is not, others may send and receive.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.channel.tls.is_some()
    }

    /// Takes bytes that others have received.
    pub(crate) fn take_in(&mut self, bytes: &[u8]) {
        self.incoming.put(bytes);
    }

    /// Sends the rest of messages of which others have sent the beginning.
    pub(crate) fn send_on(&mut self, rest: &[u8]) -> io::Result<()> {
        self.channel.send(&[], rest)
    }

    /// Ends the connection. What has come before can still be read.
    pub(crate) fn shut(&self) {
        self.channel.socket.shut();
    }

    /// Ends the session, and waits until the server has ended its own side: its process is gone then. What it says
    /// meanwhile is of no use any more. False where that takes too long.
    pub(crate) fn log_off(&mut self) -> bool {
        let (mut message, deadline) = (BytesMut::new(), Instant::now() + LOG_OFF_LIMIT);
        frontend::terminate(&mut message);
        let asked = self.answer_by(Some(deadline)).and_then(|()| self.send(&message));
        if asked.is_ok() {
            drop(self.receive(Wait::Yes, |_| Ok(None::<()>)));
        }
        self.closed = true;
        Instant::now() < deadline
    }

    /// Gives messages one by one to `take`, until it has what it wants, or until there is no more now. `None` where
    /// nothing more has come and nobody waits for it.
    pub(crate) fn receive<T>(
        &mut self,
        wait: Wait,
        take: impl FnMut(Message<'_>) -> Result<Option<T>, Trouble>,
    ) -> Result<Option<T>, Trouble> {
        self.receive_from(&[], wait, take)
    }

    /// The same, first of `bytes`, which others have received: their messages are read where they lie.
    // With what `take` does in the midst of the loop: four messages an answer would be four calls, and as many results.
    #[inline(always)]
    pub(crate) fn receive_from<T>(
        &mut self,
        mut bytes: &[u8],
        wait: Wait,
        mut take: impl FnMut(Message<'_>) -> Result<Option<T>, Trouble>,
    ) -> Result<Option<T>, Trouble> {
        if !self.incoming.is_empty() {
            // They go on with a message of which the beginning has come before.
            self.incoming.put(mem::take(&mut bytes));
        }
        loop {
            let message = if bytes.is_empty() { self.incoming.message() } else { Message::first(&mut bytes) };
            match message.and_then(|message| message.map(&mut take).transpose()) {
                Ok(Some(None)) => continue,
                Ok(Some(taken)) => {
                    self.incoming.put(bytes);
                    return Ok(taken);
                }
                Ok(None) => self.incoming.put(mem::take(&mut bytes)),
                Err(trouble) => return Err(self.end(trouble)),
            }
            if !self.receive_more(wait)? {
                return Ok(None);
            }
        }
    }

    /// Receives something; false where nothing has come and nobody waits for it.
    fn receive_more(&mut self, wait: Wait) -> Result<bool, Trouble> {
        let wait = match self.deadline {
            Some(deadline) if wait == Wait::Yes => Wait::Until(deadline),
            _ => wait,
        };
        match self.channel.receive(&mut self.incoming, wait) {
            Ok(0) => Err(self.end(Trouble::closed())),
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && wait == Wait::No => Ok(false),
            Err(error) => Err(self.end(Trouble::io("reading from the server", &error))),
        }
    }

    /// A statement, or several in one text, as one message; each row that comes back goes to `row`.
    pub(crate) fn query(&mut self, sql: &str, mut row: impl FnMut(&[u8])) -> Result<(), Trouble> {
        self.send_query(sql)?;
        self.until_ready(|message| {
            if message.kind == incoming::DATA_ROW {
                row(message.body);
            }
        })
    }

    pub(super) fn send_query(&mut self, sql: &str) -> Result<(), Trouble> {
        let mut message = BytesMut::new();
        frontend::query(sql, &mut message).map_err(|error| Trouble::protocol(&error.to_string()))?;
        self.send(&message)
    }

    /// Waits until the server is ready for the next statement. An error of the server's does not end the session.
    pub(super) fn until_ready(&mut self, mut each: impl FnMut(Message<'_>)) -> Result<(), Trouble> {
        let nothing = self.until(|message| {
            each(message);
            Ok(None::<()>)
        });
        nothing.map(drop)
    }

    /// Waits for what `find` looks for among the messages of an answer; none where the answer ends without it.
    pub(super) fn until<T>(
        &mut self,
        mut find: impl FnMut(Message<'_>) -> Result<Option<T>, Trouble>,
    ) -> Result<Option<T>, Trouble> {
        enum Next<T> {
            Found(T),
            Ready(Status),
        }
        let mut told = None;
        let next = self.receive(Wait::Yes, |message| match message.kind {
            incoming::ERROR => {
                // The first error is the reason.
                told.get_or_insert_with(|| said(message.body));
                Ok(None)
            }
            incoming::READY => Ok(Some(Next::Ready(answer::status(message.body)?))),
            _ => Ok(find(message)?.map(Next::Found)),
        });
        match (next, told) {
            (Ok(Some(Next::Found(found))), _) => return Ok(Some(found)),
            (Ok(Some(Next::Ready(status))), None) => self.status = status,
            (Ok(Some(Next::Ready(status))), Some(said)) => {
                self.status = status;
                return Err(Trouble::said(said));
            }
            (Err(_) | Ok(None), Some(said)) => return Err(Trouble::said(said).fatal()),
            (Err(trouble), None) => return Err(trouble),
            (Ok(None), None) => {}
        }
        Ok(None)
    }

    /// Gives back what is left of a buffer that had to be large once.
    pub(crate) fn shrink(&mut self) {
        self.incoming.shrink();
    }

    /// Whether it is known to have ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Whether the server has ended the session while it was idle. Looks at what has come, and does not wait.
    pub(crate) fn has_ended(&mut self) -> bool {
        // An error between two statements is the last that the server says.
        let last = self.receive(Wait::No, |message| Ok((message.kind == incoming::ERROR).then_some(())));
        self.closed |= !matches!(last, Ok(None));
        self.closed
    }

    /// What the server said last that it is doing.
    pub(crate) fn status(&self) -> Status {
        self.status
    }

    /// Takes note of what the server says that it is doing.
    pub(crate) fn set_status(&mut self, status: Status) {
        self.status = status;
    }

    /// What stops the statement of this session from another thread.
    pub(crate) fn canceller(&self, cancellation: &Arc<Cancellation>) -> WireCanceller {
        WireCanceller {
            request: Arc::clone(&self.cancel_request),
            socket: Arc::downgrade(&self.channel.socket),
            cancellation: Arc::clone(cancellation),
        }
    }

    /// The socket's number, to be waited for.
    pub(crate) fn as_fd(&self) -> BorrowedFd<'_> {
        self.channel.socket.as_fd()
    }

    #[cold]
    fn end(&mut self, trouble: Trouble) -> Trouble {
        self.closed = true;
        trouble
    }

    /// What cannot be written to has perhaps said why before it went.
    fn last_words(&mut self, error: &io::Error) -> Trouble {
        let told = self.receive(Wait::No, |message| Ok((message.kind == incoming::ERROR).then(|| said(message.body))));
        self.closed = true;
        match told {
            Ok(Some(said)) => Trouble::said(said).fatal(),
            _ => Trouble::io("writing to the server", error),
        }
    }
}

impl Drop for Wire {
    /// Says goodbye, so that the server's log has nothing to complain about.
    fn drop(&mut self) {
        if !self.closed {
            let mut message = BytesMut::new();
            frontend::terminate(&mut message);
            drop(self.channel.send(&[], &message));
        }
        self.channel.socket.shut();
    }
}
