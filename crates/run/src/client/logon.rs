//! A session for each transaction, as applications have it that keep no connections: a program whose transactions log
//! on first and log off last, and what stands for a session meanwhile. Statements are prepared when they are first
//! sent. The thread of a user opens and ends the user's sessions, and waits for that.

use dbdyno_engine::client::{Answer, PrepareWhen, Statements, Values, unsupported};
use dbdyno_engine::program::{Act, Outcome, Program, TransactionType, TypeId};
use dbdyno_engine::{
    Canceller, ChunkResult, Engine, EngineError, Failure, PointSpec, Prepared, Request, Session as EngineSession,
};
use dbdyno_model::ErrorClass;
use std::sync::{Arc, Mutex, PoisonError};

/// A program that logs on for each transaction.
pub(crate) struct LoggingOn<P> {
    program: P,
    stage: Stage,
}

/// Where a transaction is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    LoggedOff,
    LoggedOn,
    /// All but the logoff is done.
    Done,
}

impl<P: Program> LoggingOn<P> {
    pub(crate) fn new(program: P) -> Self {
        Self { program, stage: Stage::LoggedOff }
    }
}

impl<P: Program> Program for LoggingOn<P> {
    fn types(&self) -> &[TransactionType] {
        self.program.types()
    }

    fn begin(&mut self) -> TypeId {
        self.stage = Stage::LoggedOff;
        self.program.begin()
    }

    /// The session is kept for the next attempt.
    fn again(&mut self) {
        self.program.again();
    }

    fn act(&mut self, reply: Option<(&ChunkResult, &Answer)>) -> Act {
        match self.stage {
            Stage::LoggedOff => {
                self.stage = Stage::LoggedOn;
                Act::LogOn
            }
            Stage::Done => Act::Ended,
            Stage::LoggedOn => match self.program.act(reply) {
                Act::Ended => {
                    self.stage = Stage::Done;
                    Act::LogOff
                }
                act => act,
            },
        }
    }

    fn values(&self) -> &Values {
        self.program.values()
    }

    fn did(&self) -> ChunkResult {
        self.program.did()
    }

    fn changes(&self) -> bool {
        self.program.changes()
    }

    fn ended(&mut self, outcome: Outcome) {
        self.program.ended(outcome);
    }
}

/// What stands for the sessions of a user, of which there is one at a time.
pub(crate) struct LogonSession<'e> {
    engine: &'e dyn Engine,
    job: u32,
    nodes: u32,
    statements: Option<Statements>,
    session: Option<Box<dyn EngineSession>>,
    current: Arc<CurrentCanceller>,
    /// Why the statistics of a session that has ended may be missing.
    unaccounted: Option<EngineError>,
}

impl<'e> LogonSession<'e> {
    /// For the sessions of a job, on one of so many nodes.
    pub(crate) fn new(engine: &'e dyn Engine, job: u32, nodes: u32) -> Self {
        Self { engine, job, nodes, statements: None, session: None, current: Arc::default(), unaccounted: None }
    }

    fn log_on(&mut self) -> Result<(), EngineError> {
        self.log_off();
        self.current.refuse()?;
        let statements = self.statements.as_ref().ok_or_else(unprepared)?;
        let logging_on = |error: EngineError| error.while_doing("logging on");
        let mut session = self.engine.client_session(self.job, self.nodes).map_err(logging_on)?;
        self.current.set(Some(session.canceller()));
        // Whoever has cancelled meanwhile has cancelled nothing.
        self.current.refuse()?;
        session.prepare_statements(statements).map_err(logging_on)?;
        self.session = Some(session);
        Ok(())
    }

    /// Its transaction has ended already, so that a logoff which fails makes nothing of it undone.
    fn log_off(&mut self) {
        let Some(mut session) = self.session.take() else { return };
        if let Err(error) = session.end() {
            self.unaccounted.get_or_insert(error);
        }
        self.current.set(None);
    }
}

impl EngineSession for LogonSession<'_> {
    fn prepare(&mut self, _: &PointSpec, _: u32) -> Result<Prepared, EngineError> {
        Err(unsupported())
    }

    /// Prepares all of them in a session once, so that one that the database does not understand is known before.
    fn prepare_statements(&mut self, statements: &Statements) -> Result<(), EngineError> {
        let mut session = self.engine.client_session(self.job, self.nodes)?;
        session.prepare_statements(statements)?;
        session.end()?;
        self.statements = Some(Statements { prepared: PrepareWhen::Sent, ..statements.clone() });
        Ok(())
    }

    fn execute(&mut self, request: &Request<'_>) -> Result<ChunkResult, Failure> {
        match request {
            Request::LogOn => self.log_on()?,
            Request::LogOff => self.log_off(),
            request => return self.session.as_mut().ok_or_else(unprepared)?.execute(request),
        }
        Ok(ChunkResult::default())
    }

    fn answer(&self) -> &Answer {
        self.session.as_ref().map_or(Answer::NONE, |session| session.answer())
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        self.unaccounted.take().map_or(Ok(()), Err)?;
        self.session.as_mut().map_or(Ok(()), |session| session.flush())
    }

    fn canceller(&self) -> Arc<dyn Canceller> {
        Arc::<CurrentCanceller>::clone(&self.current)
    }
}

fn unprepared() -> EngineError {
    EngineError::other("a session was asked to work before it was prepared")
}

/// Cancels what the session of the moment does, and whatever comes after it.
#[derive(Default)]
struct CurrentCanceller(Mutex<Cancellable>);

#[derive(Default)]
struct Cancellable {
    cancelled: bool,
    session: Option<Arc<dyn Canceller>>,
}

impl CurrentCanceller {
    fn set(&self, session: Option<Arc<dyn Canceller>>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).session = session;
    }

    fn refuse(&self) -> Result<(), EngineError> {
        let cancelled = self.0.lock().unwrap_or_else(PoisonError::into_inner).cancelled;
        if cancelled { Err(EngineError::new(ErrorClass::Cancelled, "stopped before a logon")) } else { Ok(()) }
    }
}

impl Canceller for CurrentCanceller {
    fn cancel(&self) {
        let session = {
            let mut cancellable = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            cancellable.cancelled = true;
            cancellable.session.clone()
        };
        if let Some(session) = session {
            session.cancel();
        }
    }
}
