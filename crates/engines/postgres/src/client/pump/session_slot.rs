//! A session and its work, as a thread of the pump serves them: what they wait for, and what to do when that has come.

use super::super::super::wire::Wait;
use super::super::ClientSession;
use super::poller::{Poller, Readiness};
use dbdyno_engine::Ended;
use dbdyno_engine::{ChunkResult, Clock, EngineError, Failure, Session as _, Step, Work};
use std::os::fd::BorrowedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A session and its work.
pub(super) struct SessionSlot<'a> {
    /// Its number among the sessions of the pump.
    n: usize,
    session: &'a mut ClientSession,
    work: &'a mut dyn Work,
    state: State,
    /// When the request was sent that is waited for.
    started_ns: u64,
    /// What came of a request that could not be sent.
    failed: Option<Ended>,
    /// The thread that is to serve it from its next request on.
    moves_to: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// An answer is to come.
    Waits,
    /// A moment is to come.
    Sleeps,
    /// Nothing more.
    Ended,
    /// The work panicked.
    Broken,
}

/// What a thread has to know about a slot that it has served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// The rest of an answer will come, and is to be listened to.
    Answer,
    /// Nothing: what it waits for is listened to.
    Nothing,
    /// An answer will come, which another thread is to take.
    MovesTo(usize),
    /// It is to be woken at this moment.
    WakeAt(u64),
    /// It has ended.
    Ended,
}

impl<'a> SessionSlot<'a> {
    pub(super) fn new(n: usize, session: &'a mut ClientSession, work: &'a mut dyn Work) -> Self {
        Self { n, session, work, state: State::Sleeps, started_ns: 0, failed: None, moves_to: None }
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.session.as_fd()
    }

    /// Whether its connection is not encrypted.
    pub(super) fn is_plain(&self) -> bool {
        self.session.is_plain()
    }

    /// Its number among the sessions of the pump.
    pub(super) fn number(&self) -> usize {
        self.n
    }

    /// Where its server process is looked for, if on this machine and there is something to be served.
    pub(super) fn server_process(&self) -> Option<u32> {
        matches!(self.state, State::Waits | State::Sleeps).then(|| self.session.server_process())?
    }

    /// From its next request on it is to be served by this thread; none: as it is.
    pub(super) fn move_to(&mut self, thread: Option<usize>) {
        self.moves_to = thread;
    }

    /// When it sent its last request.
    pub(super) fn started_ns(&self) -> u64 {
        self.started_ns
    }

    /// Whether its work panicked.
    pub(super) fn is_broken(&self) -> bool {
        self.state == State::Broken
    }

    /// Something has happened on its connection: perhaps its answer has come.
    #[inline]
    pub(super) fn take(&mut self, readiness: Readiness, poller: &mut impl Poller, clock: &dyn Clock) -> Next {
        let Some(bytes) = poller.deliver(self.n, readiness, self.session) else { return Next::Nothing };
        // Between two requests the server may say something, too, or go: the next request will meet it.
        if self.state != State::Waits {
            self.session.take_in(bytes);
            return Next::Nothing;
        }
        let Some(result) = self.session.receive(bytes, Wait::No) else { return Next::Answer };
        let now_ns = clock.now_ns();
        let ended = Ended { started_ns: self.started_ns, ended_ns: now_ns, result: result.map_err(Failure::from) };
        self.step(now_ns, Some(ended), poller, clock)
    }

    /// Its moment has come.
    // Seldom, beside answers: the step is copied here so that those need no call.
    #[inline(never)]
    pub(super) fn wake(&mut self, now_ns: u64, poller: &mut impl Poller, clock: &dyn Clock) -> Next {
        let failed = self.failed.take();
        self.step(now_ns, failed, poller, clock)
    }

    /// It cannot be served: nobody must wait for it any longer.
    pub(super) fn give_up(&mut self) {
        self.work.abandon();
        self.state = State::Ended;
    }

    /// Gives the work what has ended, and does what it says.
    // Replies and requests are passed on where they lie, and not from memory to memory.
    #[inline(always)]
    fn step(&mut self, now_ns: u64, ended: Option<Ended>, poller: &mut impl Poller, clock: &dyn Clock) -> Next {
        // The work is not used again after a panic but to read what it had recorded.
        let (work, session) = (&mut *self.work, &*self.session);
        let reply = ended.map(|ended| ended.reply(session.answer()));
        let step = catch_unwind(AssertUnwindSafe(move || work.next(now_ns, reply)));
        let Ok(step) = step else {
            self.work.abandon();
            return self.end(State::Broken);
        };
        match &step {
            Step::Execute(request) => {
                // One reading of the clock an answer: deciding what is next is part of what the next one takes.
                self.started_ns = now_ns;
                let moves_to = self.moves_to.take();
                // The poller of another thread does not see what this thread's poller was given.
                let sent = match moves_to {
                    Some(_) => self.session.send(request),
                    None => poller.send(self.n, self.session, request),
                };
                match sent {
                    Ok(()) => {
                        self.state = State::Waits;
                        moves_to.map_or(Next::Nothing, Next::MovesTo)
                    }
                    Err(error) => self.fail(error, clock),
                }
            }
            Step::ThinkNs(ns) => {
                self.state = State::Sleeps;
                Next::WakeAt(now_ns.saturating_add(*ns))
            }
            Step::Done => self.end(State::Ended),
        }
    }

    /// The work hears of it in its turn: one that only ever fails must not keep the others waiting.
    #[cold]
    fn fail(&mut self, error: EngineError, clock: &dyn Clock) -> Next {
        let ended_ns = clock.now_ns();
        let result: Result<ChunkResult, Failure> = Err(error.into());
        self.failed = Some(Ended { started_ns: self.started_ns, ended_ns, result });
        self.state = State::Sleeps;
        Next::WakeAt(ended_ns)
    }

    fn end(&mut self, state: State) -> Next {
        self.state = state;
        self.session.rest();
        Next::Ended
    }
}
