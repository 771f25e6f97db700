//! The client drive: dbdyno sends each statement of a test itself, as an application would, one round trip a statement. The
//! statement is the very text that the procedure has, prepared once; what its answer says adds up to what the procedure's
//! would, so that the same proofs hold for both drives. An application's work sends statements of its own instead.

mod form;
mod link;
mod own;
mod pump;

use super::errors::Trouble;
use super::membership::Membership;
use super::options::Options;
use super::recipe::Recipe;
use super::recipe::client::Keyed;
use super::wire::answer::{self, Reads};
use super::wire::{Status, Wait, Wire};
use super::{Node, describe, session, snapshot};
use dbdyno_engine::client::{Answer, Statements};
use dbdyno_engine::server::ServerLink as _;
use dbdyno_engine::{Canceller, ChunkResult, EngineError, Failure, Prepared, Request, Session, Task};
use dbdyno_model::ErrorClass;
use form::Form;
use link::ClientLink;
pub(super) use own::Kind;
use own::Own;
pub(super) use pump::ClientPump;
use rustls::ClientConfig;
use std::any::Any;
use std::os::fd::BorrowedFd;
use std::sync::Arc;

/// Simple queries: a name to be looked up and messages to bind and execute it would be no less work.
const COMMIT: &[u8] = b"Q\0\0\0\x0bCOMMIT\0";
const ROLLBACK: &[u8] = b"Q\0\0\0\x0dROLLBACK\0";

/// One connection at work.
pub(super) struct ClientSession {
    link: ClientLink,
    part: Membership,
    work: Option<Work>,
}

/// A job's work, understood, and the request that is under way.
struct Work {
    doing: String,
    sends: Sends,
    /// Whether what it commits are the test's commits.
    writes: bool,
    asked: Asked,
    answer: answer::Answer,
}

/// What a work sends.
enum Sends {
    /// The statement under test.
    Test { form: Form, reads: Reads, sums_keys: Keyed },
    /// Statements of its own.
    Own(Own),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// The statement under test, for a key.
    Touch(u64),
    /// A statement of the work's own.
    Statement,
    Commit,
    Rollback,
}

impl ClientSession {
    /// A session of its own connection to a node.
    ///
    /// # Errors
    /// The node cannot be reached or turns us away, or another of our sessions has the same server process.
    pub(super) fn open(
        options: &Options,
        number: usize,
        tls: &Arc<ClientConfig>,
        node: Arc<Node>,
    ) -> Result<Self, EngineError> {
        let link = ClientLink::open(options, number, "dbdyno job", tls)?;
        let part = Membership::new(node, &link)?;
        Ok(Self { link, part, work: None })
    }

    fn prepare_work(&mut self, task: &Task, job: u32) -> Result<Prepared, EngineError> {
        self.work = None;
        let recipe = Recipe::of(&task.test)?;
        let statement = recipe.client_statement()?;
        let doing = format!("preparing {}", task.test.code);
        let version_num = self.link.version_num();
        let settings = session::settings(&mut self.link, version_num, &recipe, task)?;
        self.link.reset(&doing, &settings)?;
        let prepared = session::plan(&mut self.link, &recipe, task, &doing, &statement.explain)?;
        let asking = self.link.post.asks(&doing);
        let asked = self.link.wire.ask(&Form::preparing(&statement)?, |_| {});
        drop(asking);
        asked.map_err(|trouble| self.link.error(&doing, &trouble))?;
        self.link.transactions += 1;
        self.link.wire.shrink();
        self.work = Some(Work {
            doing: format!("{} job {}", task.test.code, job + 1),
            sends: Sends::Test {
                form: Form::new(&statement, task.size.small_rows)?,
                reads: statement.reads,
                sums_keys: statement.sums_keys,
            },
            writes: task.test.procedure.writes(),
            asked: Asked::Rollback,
            answer: answer::Answer::default(),
        });
        Ok(prepared)
    }

    fn prepare_own(&mut self, statements: &Statements) -> Result<(), EngineError> {
        self.work = None;
        let doing = format!("preparing {}", statements.work);
        let settings = describe::commit_settings(&mut self.link, statements.commit)?;
        self.link.reset(&doing, &session::setting(&settings))?;
        let asking = self.link.post.asks(&doing);
        let own = Own::prepare(&mut self.link.wire, statements);
        drop(asking);
        let own = own.map_err(|trouble| self.link.error(&doing, &trouble))?;
        self.link.transactions += 1;
        self.link.wire.shrink();
        // Whatever its transactions do, they are its own.
        let (sends, writes, asked) = (Sends::Own(own), true, Asked::Rollback);
        self.work =
            Some(Work { doing: statements.work.clone(), sends, writes, asked, answer: answer::Answer::default() });
        Ok(())
    }

    /// Sends a request.
    fn send(&mut self, request: &Request<'_>) -> Result<(), EngineError> {
        self.send_by(request, Wire::send)
    }

    /// Has a request's messages sent by `send`.
    fn send_by(
        &mut self,
        request: &Request<'_>,
        send: impl FnOnce(&mut Wire, &[u8]) -> Result<(), Trouble>,
    ) -> Result<(), EngineError> {
        let unprepared = || EngineError::new(ErrorClass::Other, "a session was asked to work before it was prepared");
        let work = self.work.as_mut().ok_or_else(unprepared)?;
        self.link.refuse(&work.doing)?;
        self.part.work();
        work.answer = answer::Answer::default();
        let messages = match (request, &mut work.sends) {
            (Request::Touch(touch), Sends::Test { form, .. }) => {
                work.asked = Asked::Touch(touch.key);
                form.fill(touch)
            }
            (Request::Statement(bound), Sends::Own(own)) => {
                work.asked = Asked::Statement;
                own.fill(bound, &work.doing)?
            }
            (Request::Commit, _) => {
                work.asked = Asked::Commit;
                COMMIT
            }
            (Request::Rollback, _) => {
                work.asked = Asked::Rollback;
                ROLLBACK
            }
            _ => {
                let message = format!("{}: this session was prepared for other requests", work.doing);
                return Err(EngineError::new(ErrorClass::Unsupported, message));
            }
        };
        let sent = send(&mut self.link.wire, messages);
        sent.map_err(|trouble| self.link.error(&work.doing, &trouble))
    }

    /// What came of the request that was sent last; `None` while that is not known, and nobody waits for it.
    fn receive(&mut self, wait: Wait) -> Option<Result<ChunkResult, EngineError>> {
        let work = self.work.as_mut()?;
        let answer = &mut work.answer;
        let (reads, mut own) = match &mut work.sends {
            Sends::Test { reads, .. } => (*reads, None),
            Sends::Own(own) => (Reads::Changes, Some(own)),
        };
        let received = self.link.wire.receive(wait, |message| match (&mut own, message.row()) {
            (Some(own), Some(row)) => own.row(row).map(|()| None),
            _ => answer.take(reads, message),
        });
        let trouble = match received {
            Ok(status) => return Some(self.done(status?)),
            Err(trouble) => trouble,
        };
        // What the server said before it went is the reason.
        let trouble = answer.error.take().map_or(trouble, |said| Trouble::said(*said).fatal());
        Some(Err(self.link.error(&work.doing, &trouble)))
    }

    /// Makes the account of a request whose answer is whole.
    fn done(&mut self, status: Status) -> Result<ChunkResult, EngineError> {
        self.link.wire.set_status(status);
        let Some(work) = self.work.as_mut() else { return Ok(ChunkResult::default()) };
        let answer = &mut work.answer;
        if let Some(said) = answer.error.take() {
            return Err(self.link.error(&work.doing, &Trouble::said(*said)));
        }
        if work.asked == Asked::Commit && answer.rolled_back {
            let message = format!("{}: the transaction had failed before, and was rolled back", work.doing);
            return Err(EngineError::new(ErrorClass::Other, message));
        }
        if status == Status::Idle && work.asked != Asked::Rollback {
            if work.writes {
                self.part.claim(1);
            } else {
                self.link.transactions += 1;
            }
        }
        let checksum = match (&work.sends, work.asked) {
            (Sends::Own(own), Asked::Statement) => own.answer.sum(),
            (Sends::Test { sums_keys, .. }, Asked::Touch(key)) => match sums_keys {
                Keyed::No => answer.sum,
                Keyed::WhereFound if answer.rows == 0 => 0,
                Keyed::WhereFound | Keyed::Always => key,
            },
            _ => return Ok(ChunkResult::default()),
        };
        Ok(ChunkResult { rows: answer.rows, checksum, ..ChunkResult::default() })
    }

    /// What to wait at for an answer.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.link.wire.as_fd()
    }

    /// Whether the server is reached through a Unix socket, unencrypted.
    fn by_socket(&self) -> bool {
        self.link.by_socket() && self.is_plain()
    }

    /// The server's process at the other end, where the host is this machine.
    fn server_process(&self) -> Option<u32> {
        self.link.server_process()
    }

    /// Whether what comes is not encrypted.
    fn is_plain(&self) -> bool {
        self.link.wire.is_plain()
    }

    /// Takes bytes that somebody else has received for it.
    fn take_in(&mut self, bytes: &[u8]) {
        self.link.wire.take_in(bytes);
    }

    /// Sends the rest of a request. If that cannot be, nothing more will come, which is how its answer ends.
    fn send_on(&mut self, rest: &[u8]) {
        if self.link.wire.send_on(rest).is_err() {
            self.shut();
        }
    }

    /// Ends the connection.
    fn shut(&self) {
        self.link.wire.shut();
    }

    /// Nothing more is asked for the time being.
    fn rest(&mut self) {
        self.part.rest();
    }
}

impl Session for ClientSession {
    fn prepare(&mut self, task: &Task, job: u32) -> Result<Prepared, EngineError> {
        let prepared = self.prepare_work(task, job);
        self.rest();
        prepared
    }

    fn prepare_statements(&mut self, statements: &Statements) -> Result<(), EngineError> {
        let prepared = self.prepare_own(statements);
        self.rest();
        prepared
    }

    /// Waits for the answer; the pump does the same for many sessions without waiting for each.
    fn execute(&mut self, request: &Request<'_>) -> Result<ChunkResult, Failure> {
        self.send(request)?;
        let received = self.receive(Wait::Yes);
        let nothing = || Err(EngineError::new(ErrorClass::Other, "an answer was waited for, and none came"));
        Ok(received.unwrap_or_else(nothing)?)
    }

    fn answer(&self) -> &Answer {
        match self.work.as_ref().map(|work| &work.sends) {
            Some(Sends::Own(own)) => &own.answer,
            _ => Answer::NONE,
        }
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        self.link.roll_back()?;
        let version_num = self.link.version_num();
        snapshot::flush_version(&mut self.link, version_num, self.part.idle_since())?;
        self.part.settle(self.link.transactions);
        Ok(())
    }

    fn canceller(&self) -> Arc<dyn Canceller> {
        self.link.canceller()
    }

    fn as_any(&mut self) -> Option<&mut dyn Any> {
        Some(self)
    }
}
