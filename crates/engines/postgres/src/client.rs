//! The client drive: dbdyno sends each statement of a test itself, as an application would, one round trip a statement.
//! The statement is the very text that the procedure has, prepared once; what its answer says adds up to what the
//! procedure's would, so that the same proofs hold for both drives. An application's work sends statements of its own
//! instead.

mod pump;

use super::connection::PostgresConnection;
use super::errors::Trouble;
use super::membership::Membership;
use super::options::Options;
use super::wire::answer::CommandResult;
use super::wire::prepared::{self, PreparedStatements, ServerText};
use super::wire::{Message, Status, Wait, Wire};
use super::{Node, describe, procedure, session, snapshot};
use crate::DIALECT;
use dbdyno_engine::client::{Answer, PrepareWhen, Statements};
use dbdyno_engine::server::{Connection as _, Job, compare_plan};
use dbdyno_engine::{Canceller, ChunkResult, EngineError, Failure, PointSpec, Prepared, Request, Session};
use dbdyno_model::ErrorClass;
pub(super) use pump::ClientPump;
use std::any::Any;
use std::os::fd::BorrowedFd;
use std::sync::Arc;

/// Simple queries: a name to be looked up and messages to bind and execute it would be no less work.
const COMMIT: &[u8] = b"Q\0\0\0\x0bCOMMIT\0";
const ROLLBACK: &[u8] = b"Q\0\0\0\x0dROLLBACK\0";

/// One connection at work.
pub(super) struct ClientSession {
    /// Dropped before the connection: once that has ended, its process may be another session's.
    part: Membership,
    connection: PostgresConnection,
    work: Option<ClientWork>,
}

/// A job's work, understood, and the request that is under way.
struct ClientWork {
    doing: String,
    sends: PreparedStatements,
    /// Whether what it commits are the test's commits.
    writes: bool,
    asked: Asked,
    result: CommandResult,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Statement,
    Commit,
    Rollback,
}

impl ClientSession {
    /// A session of its own connection to a node.
    ///
    /// # Errors
    /// The node cannot be reached or turns us away, or another of our sessions has the same server process.
    pub(super) fn open(options: &Options, number: usize, node: Arc<Node>) -> Result<Self, EngineError> {
        let connection = PostgresConnection::open(options, number, "dbdyno job")?;
        let part = Membership::new(node, &connection)?;
        Ok(Self { connection, part, work: None })
    }

    fn prepare_work(&mut self, spec: &PointSpec, job: u32) -> Result<Prepared, EngineError> {
        self.work = None;
        let job = Job::new(spec, job, procedure::of(&spec.test)?);
        let client = job.procedure.client_form()?;
        let settings = session::settings(&mut self.connection, &job.procedure, spec)?;
        self.connection.reset(&job.preparing, &settings)?;
        let mut prepared = Prepared::default();
        if let Some(explain) = job.procedure.explain_sent()? {
            let rows = self.connection.texts(&job.preparing, &explain)?;
            prepared = compare_plan(session::plan_of(rows)?, &job)?;
        }
        let texts: Vec<ServerText> = client.texts.iter().map(ServerText::from).collect();
        let sends = self.connection.prepare(&job.preparing, &texts)?;
        self.send_from_now_on(sends, job.doing, spec.test.procedure.writes());
        Ok(Prepared { form: Some(client.form), ..prepared })
    }

    fn prepare_own(&mut self, statements: &Statements) -> Result<(), EngineError> {
        self.work = None;
        let doing = format!("preparing {}", statements.work);
        let settings = describe::commit_settings(&mut self.connection, statements.commit)?;
        let rules = DIALECT.procedures()?;
        let settings: String = settings.iter().map(|setting| format!("{}; ", rules.setting(setting))).collect();
        self.connection.reset(&doing, &settings)?;
        let texts = prepared::texts(statements)?;
        let sends = match statements.prepared {
            PrepareWhen::Beforehand => self.connection.prepare(&doing, &texts)?,
            PrepareWhen::Sent => self.connection.prepare_later(&doing, texts)?,
        };
        // Whatever its transactions do, they are its own.
        self.send_from_now_on(sends, statements.work.clone(), true);
        Ok(())
    }

    /// Notes what is to be sent.
    fn send_from_now_on(&mut self, sends: PreparedStatements, doing: String, writes: bool) {
        self.connection.wire.shrink();
        self.work = Some(ClientWork { doing, sends, writes, asked: Asked::Rollback, result: CommandResult::default() });
    }

    /// Sends a request.
    fn send(&mut self, request: &Request<'_>) -> Result<(), EngineError> {
        self.send_by(request, Wire::send)
    }

    /// Has a request's messages sent by `send`.
    #[inline]
    fn send_by(
        &mut self,
        request: &Request<'_>,
        send: impl FnOnce(&mut Wire, &[u8]) -> Result<(), Trouble>,
    ) -> Result<(), EngineError> {
        let unprepared = || EngineError::new(ErrorClass::Other, "a session was asked to work before it was prepared");
        let work = self.work.as_mut().ok_or_else(unprepared)?;
        self.connection.refuse(&work.doing)?;
        self.part.work();
        work.result = CommandResult::default();
        let messages = match request {
            Request::Statement(bound) => {
                work.asked = Asked::Statement;
                self.connection.prepare_when_sent(&work.doing, &mut work.sends, bound.statement)?;
                work.sends.fill(bound, &work.doing)?
            }
            Request::Commit => {
                work.asked = Asked::Commit;
                COMMIT
            }
            Request::Rollback => {
                work.asked = Asked::Rollback;
                ROLLBACK
            }
            Request::Chunk { .. } | Request::Discard | Request::LogOn | Request::LogOff => {
                let message = format!("{}: this session was prepared for other requests", work.doing);
                return Err(EngineError::new(ErrorClass::Unsupported, message));
            }
        };
        let sent = send(&mut self.connection.wire, messages);
        sent.map_err(|trouble| self.connection.error(&work.doing, &trouble))
    }

    /// What came of the request that was sent last; `None` while that is not known, and nobody waits for it. `bytes` of
    /// its answer were received by somebody else.
    #[inline]
    fn receive(&mut self, bytes: &[u8], wait: Wait) -> Option<Result<ChunkResult, EngineError>> {
        let ClientWork { doing, sends, result, .. } = self.work.as_mut()?;
        let take = |message: Message<'_>| result.take(message, |row| sends.row(row));
        let received = self.connection.wire.receive_from(bytes, wait, take);
        match self.connection.judge(doing, received, result)? {
            Ok(status) => Some(self.done(status)),
            Err(error) => Some(Err(error)),
        }
    }

    /// Makes the account of a request whose answer is whole.
    #[inline]
    fn done(&mut self, status: Status) -> Result<ChunkResult, EngineError> {
        let Some(work) = self.work.as_mut() else { return Ok(ChunkResult::default()) };
        let result = &work.result;
        if work.asked == Asked::Commit && result.rolled_back {
            let message = format!("{}: the transaction had failed before, and was rolled back", work.doing);
            return Err(EngineError::new(ErrorClass::Other, message));
        }
        if status == Status::Idle && work.asked != Asked::Rollback {
            if work.writes {
                self.part.claim(1);
            } else {
                self.connection.count_transactions(1);
            }
        }
        if work.asked != Asked::Statement {
            return Ok(ChunkResult::default());
        }
        work.sends.read_outputs(&work.doing)?;
        // Rows that have come are believed, and not what is said of them.
        let rows = if work.sends.answers() { work.sends.answer().rows() as u64 } else { result.rows };
        Ok(ChunkResult { rows, checksum: work.sends.answer().sum(), ..ChunkResult::default() })
    }

    /// What to wait at for an answer.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.connection.wire.as_fd()
    }

    /// Whether the server is reached through a Unix socket, unencrypted.
    fn by_socket(&self) -> bool {
        self.connection.by_socket() && self.is_plain()
    }

    /// The server's process at the other end, where the host is this machine.
    fn server_process(&self) -> Option<u32> {
        self.connection.server_process()
    }

    /// Whether what comes is not encrypted.
    fn is_plain(&self) -> bool {
        !self.connection.wire.is_encrypted()
    }

    /// Takes bytes that somebody else has received for it while nothing was asked.
    fn take_in(&mut self, bytes: &[u8]) {
        self.connection.wire.take_in(bytes);
    }

    /// Sends the rest of a request. If that cannot be, nothing more will come, which is how its answer ends.
    fn send_on(&mut self, rest: &[u8]) {
        if self.connection.wire.send_on(rest).is_err() {
            self.shut();
        }
    }

    /// Ends the connection.
    fn shut(&self) {
        self.connection.wire.shut();
    }

    /// Nothing more is asked for the time being.
    fn rest(&mut self) {
        self.part.rest();
    }
}

impl Session for ClientSession {
    fn prepare(&mut self, spec: &PointSpec, job: u32) -> Result<Prepared, EngineError> {
        let prepared = self.prepare_work(spec, job);
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
        let received = self.receive(&[], Wait::Yes);
        let nothing = || Err(EngineError::new(ErrorClass::Other, "an answer was waited for, and none came"));
        Ok(received.unwrap_or_else(nothing)?)
    }

    fn answer(&self) -> &Answer {
        self.work.as_ref().map_or(Answer::NONE, |work| work.sends.answer())
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        self.connection.roll_back()?;
        let version_num = self.connection.version_num();
        snapshot::flush_version(&mut self.connection, version_num, self.part.idle_since())?;
        self.part.settle(self.connection.transactions());
        Ok(())
    }

    /// A server process that ends makes its statistics visible by itself. What it leaves open it rolls back.
    fn end(&mut self) -> Result<(), EngineError> {
        self.part.settle(self.connection.transactions());
        if self.connection.wire.log_off() {
            return Ok(());
        }
        let message = "the server did not end a session in time, so what that did may not be counted yet";
        Err(EngineError::new(ErrorClass::Timeout, message))
    }

    fn canceller(&self) -> Arc<dyn Canceller> {
        self.connection.canceller()
    }

    fn as_any(&mut self) -> Option<&mut dyn Any> {
        Some(self)
    }
}
