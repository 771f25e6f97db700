//! How a thread sends its sessions' requests, and learns which answers have come. A ring takes the requests of all
//! sessions to the kernel at once, and receives for them. Where the kernel has no ring, and where connections are
//! encrypted, each session sends and receives for itself, and epoll says for which of them something has come.

use super::super::ClientSession;
use super::ring::{Completion, Ring};
use crate::errors::Trouble;
use dbdyno_engine::{EngineError, Request};
use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd, RawFd};

/// Answers that are taken up in one turn: more would be timed late.
pub(super) const EVENTS: usize = 64;
/// The numbers of the timer's and the waker's events; all others bear their session's number.
const TIMER: u64 = u64::MAX;
const WAKER: u64 = u64::MAX - 1;

/// What has happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// On the connection of the session with this number.
    Session(usize, Readiness),
    /// The timer has fired.
    Timer,
    /// Another thread has woken this one.
    Woken,
}

/// What has happened on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Readiness {
    /// Something has come that the session has to receive itself, or the connection has ended.
    Readable,
    /// So many bytes were received, and are kept for the session.
    Received(usize),
    /// Of the request only so many bytes were sent.
    Unsent(usize),
    /// Nothing can be sent any more. What the server said last may still come.
    Broken,
}

/// What sends and waits for the sessions of one thread, by their numbers.
pub(super) trait Poller {
    /// Sends a request of a session, and listens to its answer.
    fn send(&mut self, n: usize, session: &mut ClientSession, request: &Request<'_>) -> Result<(), EngineError>;

    /// Tells the session what has happened on its connection. Where that may be its answer, gives what was received of
    /// it so far, which is nothing where the session has to receive it itself.
    fn deliver(&mut self, n: usize, readiness: Readiness, session: &mut ClientSession) -> Option<&[u8]>;

    /// Listens on: the answer was not whole.
    fn listen(&mut self, n: usize) -> Result<(), Errno>;

    /// Waits for events, or only looks where it is `at_once`.
    fn wait(&mut self, at_once: bool) -> Result<(), Errno>;

    /// The next event of those that there are.
    fn next(&mut self) -> Option<Event>;
}

/// Descriptors that are registered once, edge-triggered: whatever comes makes one event, and nothing need be registered
/// again.
pub(super) struct EpollPoller {
    epoll: OwnedFd,
    /// Events that were not asked for yet, the next one last.
    ready: Vec<epoll::Event>,
}

impl EpollPoller {
    /// For the sockets of sessions by their numbers.
    pub(super) fn new(
        sockets: &[(usize, BorrowedFd<'_>)],
        timer: impl AsFd,
        waker: BorrowedFd<'_>,
    ) -> Result<Self, Errno> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, timer, EventData::new_u64(TIMER), EventFlags::IN | EventFlags::ET)?;
        epoll::add(&epoll, waker, EventData::new_u64(WAKER), EventFlags::IN | EventFlags::ET)?;
        for (n, socket) in sockets {
            let flags = EventFlags::IN | EventFlags::RDHUP | EventFlags::ET;
            epoll::add(&epoll, socket, EventData::new_u64(*n as u64), flags)?;
        }
        Ok(Self { epoll, ready: Vec::with_capacity(EVENTS) })
    }
}

impl Poller for EpollPoller {
    fn send(&mut self, _: usize, session: &mut ClientSession, request: &Request<'_>) -> Result<(), EngineError> {
        session.send(request)
    }

    fn deliver(&mut self, _: usize, _: Readiness, _: &mut ClientSession) -> Option<&[u8]> {
        Some(&[])
    }

    fn listen(&mut self, _: usize) -> Result<(), Errno> {
        Ok(())
    }

    fn wait(&mut self, at_once: bool) -> Result<(), Errno> {
        let timeout = at_once.then_some(Timespec { tv_sec: 0, tv_nsec: 0 });
        match epoll::wait(&self.epoll, spare_capacity(&mut self.ready), timeout.as_ref()) {
            Ok(_) => self.ready.reverse(),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn next(&mut self) -> Option<Event> {
        Some(match self.ready.pop()?.data.u64() {
            TIMER => Event::Timer,
            WAKER => Event::Woken,
            n => Event::Session(n as usize, Readiness::Readable),
        })
    }
}

/// A ring: requests are sent when the thread waits, and what was received is there when it has waited.
pub(super) struct RingPoller(Ring);

impl RingPoller {
    /// For the sockets of all sessions of the pump, in the order of their numbers: any of them may move here.
    pub(super) fn new(sockets: &[RawFd], timer: impl AsFd, waker: BorrowedFd<'_>) -> io::Result<Self> {
        Ok(Self(Ring::new(sockets, timer.as_fd(), waker)?))
    }
}

impl Poller for RingPoller {
    fn send(&mut self, n: usize, session: &mut ClientSession, request: &Request<'_>) -> Result<(), EngineError> {
        let ring = &mut self.0;
        session.send_by(request, |wire, messages| {
            if wire.is_closed() || !ring.send(n, messages).map_err(|error| not_noted(&error))? {
                wire.send(messages)?;
            }
            ring.listen(n).map_err(|error| not_noted(&error))
        })
    }

    #[inline]
    fn deliver(&mut self, n: usize, readiness: Readiness, session: &mut ClientSession) -> Option<&[u8]> {
        match readiness {
            Readiness::Readable => Some(&[]),
            Readiness::Received(bytes) => Some(self.0.received(n, bytes)),
            // The session listens already: the answer, or the connection's end, says how this ended.
            Readiness::Unsent(sent) => {
                session.send_on(self.0.given(n).get(sent..).unwrap_or_default());
                None
            }
            Readiness::Broken => {
                session.shut();
                None
            }
        }
    }

    fn listen(&mut self, n: usize) -> Result<(), Errno> {
        self.0.listen(n).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
    }

    fn wait(&mut self, at_once: bool) -> Result<(), Errno> {
        self.0.wait(at_once)
    }

    #[inline]
    fn next(&mut self) -> Option<Event> {
        Some(match self.0.next()? {
            Completion::Received(n, 0) => Event::Session(n, Readiness::Readable),
            Completion::Received(n, bytes) => Event::Session(n, Readiness::Received(bytes)),
            Completion::Unsent(n, sent) => Event::Session(n, Readiness::Unsent(sent)),
            Completion::Broken(n) => Event::Session(n, Readiness::Broken),
            Completion::Timer => Event::Timer,
            Completion::Woken => Event::Woken,
        })
    }
}

#[cold]
fn not_noted(error: &io::Error) -> Trouble {
    Trouble::io("writing to the server", error)
}
