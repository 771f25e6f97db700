//! Between sessions and the kernel: how what they send goes out, and how it is known what has come. A ring takes all of
//! a thread's to the kernel at once. Where there is none, and where what comes must be decrypted, each session sends
//! and receives for itself, and epoll says for whom something has come.

use super::super::ClientSession;
use super::ring::{Happening, Ring};
use crate::errors::Trouble;
use dbdyno_engine::{EngineError, Request};
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd, RawFd};

/// Answers that are taken up in one turn: more would be timed late.
const EVENTS: usize = 64;
/// What the timer's and the bell's events are called; all others bear their session's number.
const TIMER: u64 = u64::MAX;
const BELL: u64 = u64::MAX - 1;

/// Who is to be served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Come {
    /// A session, about this.
    Session(usize, News),
    /// The timer has rung.
    Timer,
    /// Another thread has rung the bell.
    Bell,
}

/// What a session is served about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum News {
    /// Something has come that it has to fetch itself, be it the end.
    ToFetch,
    /// So many bytes have come that are kept for it.
    Kept(usize),
    /// Of what it sent only so many bytes have gone.
    Unsent(usize),
    /// Nothing can be sent any more. What the server said last may still come.
    Broken,
}

/// A road for the sessions of one thread, by their numbers.
pub(super) trait Road {
    /// Sends a request of a session, and listens to its answer.
    fn send(&mut self, n: usize, session: &mut ClientSession, request: &Request<'_>) -> Result<(), EngineError>;

    /// Brings news to the session; says whether they may be its answer.
    fn bring(&mut self, n: usize, news: News, session: &mut ClientSession) -> bool;

    /// Listens on: the answer was not whole.
    fn listen(&mut self, n: usize) -> Result<(), Errno>;

    /// Waits for something to come, or does not wait; adds who is to be served.
    fn wait(&mut self, at_once: bool, come: &mut Vec<Come>) -> Result<(), Errno>;
}

/// Descriptors that are registered once, for edges: what came makes one, and nothing need be taken back or asked again.
pub(super) struct Epoll {
    epoll: OwnedFd,
}

impl Epoll {
    /// For the sockets of sessions by their numbers.
    pub(super) fn new(
        sockets: &[(usize, BorrowedFd<'_>)],
        timer: impl AsFd,
        bell: BorrowedFd<'_>,
    ) -> Result<Self, Errno> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, timer, EventData::new_u64(TIMER), EventFlags::IN | EventFlags::ET)?;
        epoll::add(&epoll, bell, EventData::new_u64(BELL), EventFlags::IN | EventFlags::ET)?;
        for (n, socket) in sockets {
            let flags = EventFlags::IN | EventFlags::RDHUP | EventFlags::ET;
            epoll::add(&epoll, socket, EventData::new_u64(*n as u64), flags)?;
        }
        Ok(Self { epoll })
    }
}

impl Road for Epoll {
    fn send(&mut self, _: usize, session: &mut ClientSession, request: &Request<'_>) -> Result<(), EngineError> {
        session.send(request)
    }

    fn bring(&mut self, _: usize, _: News, _: &mut ClientSession) -> bool {
        true
    }

    fn listen(&mut self, _: usize) -> Result<(), Errno> {
        Ok(())
    }

    fn wait(&mut self, at_once: bool, come: &mut Vec<Come>) -> Result<(), Errno> {
        let timeout = at_once.then_some(Timespec { tv_sec: 0, tv_nsec: 0 });
        let mut events = [MaybeUninit::<Event>::uninit(); EVENTS];
        let events = match epoll::wait(&self.epoll, &mut events, timeout.as_ref()) {
            Ok((events, _)) => events,
            Err(Errno::INTR) => return Ok(()),
            Err(error) => return Err(error),
        };
        come.extend(events.iter().map(|event| match event.data.u64() {
            TIMER => Come::Timer,
            BELL => Come::Bell,
            n => Come::Session(n as usize, News::ToFetch),
        }));
        Ok(())
    }
}

/// A ring: nothing goes out before the thread waits, and what comes is there when it has waited.
pub(super) struct Ringed {
    ring: Ring,
    happened: Vec<Happening>,
}

impl Ringed {
    /// For the sockets of all sessions of the pump, in the order of their numbers: any of them may come here.
    pub(super) fn new(sockets: &[RawFd], timer: impl AsFd, bell: BorrowedFd<'_>) -> io::Result<Self> {
        Ok(Self { ring: Ring::new(sockets, timer.as_fd(), bell)?, happened: Vec::with_capacity(EVENTS) })
    }
}

impl Road for Ringed {
    fn send(&mut self, n: usize, session: &mut ClientSession, request: &Request<'_>) -> Result<(), EngineError> {
        let ring = &mut self.ring;
        session.send_by(request, |wire, messages| {
            if wire.is_closed() || !ring.send(n, messages).map_err(|error| not_noted(&error))? {
                wire.send(messages)?;
            }
            ring.listen(n).map_err(|error| not_noted(&error))
        })
    }

    fn bring(&mut self, n: usize, news: News, session: &mut ClientSession) -> bool {
        match news {
            News::ToFetch => true,
            News::Kept(bytes) => {
                session.take_in(self.ring.received(n, bytes));
                true
            }
            // It is listened to already, and what is heard then is how this ended.
            News::Unsent(sent) => {
                session.send_on(self.ring.given(n).get(sent..).unwrap_or_default());
                false
            }
            News::Broken => {
                session.shut();
                false
            }
        }
    }

    fn listen(&mut self, n: usize) -> Result<(), Errno> {
        self.ring.listen(n).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
    }

    fn wait(&mut self, at_once: bool, come: &mut Vec<Come>) -> Result<(), Errno> {
        self.ring.wait(at_once, EVENTS, &mut self.happened)?;
        come.extend(self.happened.drain(..).map(|happening| match happening {
            Happening::Received(n, 0) => Come::Session(n, News::ToFetch),
            Happening::Received(n, bytes) => Come::Session(n, News::Kept(bytes)),
            Happening::Unsent(n, sent) => Come::Session(n, News::Unsent(sent)),
            Happening::Broken(n) => Come::Session(n, News::Broken),
            Happening::Rang => Come::Timer,
            Happening::Called => Come::Bell,
        }));
        Ok(())
    }
}

fn not_noted(error: &io::Error) -> Trouble {
    Trouble::io("writing to the server", error)
}
