//! One connection, which counts the transactions that it makes.
//!
//! dbdyno proves a test's commits by the server's count of them (`pg_stat_database.xact_commit`), so it must know which
//! of its own round trips that count holds besides. The server counts a commit whenever a transaction ends well, and
//! every message that has to read the catalogue begins one, which the next Sync ends. Found by asking the server before
//! and after (connection_tests.rs, `transactions_are_counted_exactly`):
//!
//! | what the client does | commits |
//! | --- | --- |
//! | a simple query, however many statements it has, an empty one too | 1 |
//! | the same where a statement fails | 0 (a rollback) |
//! | prepare (Parse, Describe, Sync) | 1 |
//! | execute a prepared statement (Bind, Execute, Sync) | 1 |
//! | prepare and execute, as a query with values does | 2 |
//! | dropping a prepared statement (Close, Sync) | 0 |
//! | CALL of a procedure with k COMMITs | k + 1 |
//! | COPY as a simple query | 1 |
//! | BEGIN ... COMMIT, however many round trips | 1 |
//! | VACUUM of one table; with ANALYZE; with a TOAST table | 3; 4; more |
//! | a parallel worker that a statement launches, for a scan or an index build | 2 |
//! | connecting | 1 |

mod basics;
pub(crate) mod copy;
mod error_context;

use super::copy::{Decoder, send_rows, with_key};
use super::errors::{Trouble, connect_error};
use super::options::Options;
use super::password;
use super::wire::answer::{self, CommandResult};
use super::wire::prepared::{PreparedStatements, ServerText};
use super::wire::{self, Login, Status, Wait, Wire};
use copy::CopyIn;
use dbdyno_engine::client::{self, Bound, Values};
use dbdyno_engine::data::Column;
use dbdyno_engine::server::{Connection, CountedConnection, Post, Rows, fell_silent};
use dbdyno_engine::{Canceller, EngineError};
use dbdyno_model::ErrorClass;
use error_context::ErrorContext;
use std::sync::Arc;
use std::time::Instant;

/// What a connection asks first, while the search path may still be anything.
const INTRODUCTION: &str = "SELECT pg_catalog.current_setting('server_version_num'), pg_catalog.pg_backend_pid(), \
     pg_catalog.current_setting('max_connections'), pg_catalog.current_setting('superuser_reserved_connections'), \
     pg_catalog.current_setting('is_superuser')";

/// A connection.
pub(super) struct PostgresConnection {
    /// The protocol, for whoever serves many sessions on one thread.
    pub(super) wire: Wire,
    context: ErrorContext,
    version_num: u32,
    backend_pid: u32,
    transactions: u64,
    /// The settings of every session, as SQL, as far as this server takes them.
    basics: String,
    /// Where it is noted what is waited for.
    post: Arc<Post>,
    _counted: CountedConnection,
}

impl PostgresConnection {
    /// Opens a connection to a node. Other sessions see it under the name `application`.
    ///
    /// # Errors
    /// The node cannot be reached, or turns us away.
    pub(super) fn open(options: &Options, node: usize, application: &str) -> Result<Self, EngineError> {
        let host = options.host(node);
        let doing = options.connecting(host);
        let (found, settings) = (password::find(options, host), basics::startup());
        let tls = options.tls(host).map_err(|error| error.while_doing(&doing))?;
        let login = Login { options, host, application, settings: &settings, password: &found, tls: tls.as_ref() };
        let wire = wire::open(&login).map_err(|trouble| connect_error(options, host, &found, &trouble))?;
        let mut connection = Self {
            wire,
            context: ErrorContext { host: host.clone(), cancellation: Arc::default() },
            version_num: 0,
            backend_pid: 0,
            transactions: 1,
            basics: String::new(),
            post: Arc::default(),
            _counted: options.limits.count(),
        };
        // A server that has let us in may fall silent then.
        let deadline = Instant::now() + options.connect_timeout;
        connection.answer_by(&doing, Some(deadline))?;
        connection.introduce(options).map_err(|error| {
            let silent = error.target_lost() && Instant::now() >= deadline;
            let words = || fell_silent(options.connect_timeout);
            if silent { EngineError::new(ErrorClass::ConnectionLost, words()).while_doing(&doing) } else { error }
        })?;
        connection.answer_by(&doing, None)?;
        connection.post = options.vigil.post(node, connection.session_id());
        Ok(connection)
    }

    fn answer_by(&mut self, doing: &str, deadline: Option<Instant>) -> Result<(), EngineError> {
        let set = self.wire.answer_by(deadline);
        set.map_err(|trouble| self.error(doing, &trouble))
    }

    /// Asks whom we are talking to, and sets what all of dbdyno's sessions have in common.
    fn introduce(&mut self, options: &Options) -> Result<(), EngineError> {
        let doing = format!("asking {} for its version", self.context.host);
        let rows = self.texts(&doing, INTRODUCTION)?;
        let known = match rows.first().map(Vec::as_slice) {
            Some([Some(version), Some(pid), Some(max), Some(reserved), Some(superuser)]) => {
                options.limits.remember(format!(
                    "max_connections is {max} ({reserved} reserved), or the role or database has a lower CONNECTION LIMIT"
                ));
                version.parse().ok().zip(pid.parse().ok()).zip(Some(superuser == "on"))
            }
            _ => None,
        };
        let unclear = || EngineError::new(ErrorClass::Other, format!("{doing}: the answer is not understood"));
        let ((version_num, backend_pid), superuser) = known.ok_or_else(unclear)?;
        (self.version_num, self.backend_pid) = (version_num, backend_pid);
        let (doing, mut basics) = ("preparing a session", basics::settings(version_num, superuser));
        self.batch(doing, &basics)?;
        if let Some(more) = basics::notices_the_end(version_num) {
            match self.batch(doing, more) {
                Ok(()) => basics.push_str(more),
                Err(error) if error.target_lost() => return Err(error),
                // The server's operating system cannot.
                Err(_) => {}
            }
        }
        self.basics = basics;
        Ok(())
    }

    /// The server's version as a number: 150018 is 15.18.
    pub(super) fn version_num(&self) -> u32 {
        self.version_num
    }

    /// Whether the connection is encrypted.
    pub(super) fn is_encrypted(&self) -> bool {
        self.wire.is_encrypted()
    }

    /// Whether the server is reached through a Unix socket.
    pub(super) fn by_socket(&self) -> bool {
        self.context.host.is_socket()
    }

    /// The server's process at the other end, where the host is this machine.
    pub(super) fn server_process(&self) -> Option<u32> {
        self.context.host.is_local().then_some(self.backend_pid)
    }

    /// Takes back whatever this session has set, and sets `settings` (SQL) instead, in one batch. RESET ALL by itself
    /// would take back what all of dbdyno's sessions have in common, too.
    pub(super) fn reset(&mut self, doing: &str, settings: &str) -> Result<(), EngineError> {
        let sql = format!("RESET ALL; {}{settings}", self.basics);
        self.batch(doing, &sql)
    }

    /// Ends a transaction that was left open.
    pub(super) fn roll_back(&mut self) -> Result<(), EngineError> {
        if self.wire.status() == Status::Idle {
            return Ok(());
        }
        let doing = "rolling back";
        let asking = self.post.asks(doing);
        let rolled_back = self.wire.query("ROLLBACK", |_| {});
        drop(asking);
        rolled_back.map_err(|trouble| self.error(doing, &trouble))
    }

    /// Transactions that this connection has committed so far, connecting included.
    pub(super) fn transactions(&self) -> u64 {
        self.transactions
    }

    /// Counts transactions that the server has committed besides: within a procedure, or by a parallel worker.
    pub(super) fn count_transactions(&mut self, n: u64) {
        self.transactions += n;
    }

    /// Refuses to begin anything once somebody has cancelled.
    pub(super) fn refuse(&self, doing: &str) -> Result<(), EngineError> {
        self.context.cancellation.refuse(doing)
    }

    /// Puts an error of the connection in words.
    #[cold]
    pub(super) fn error(&self, doing: &str, trouble: &Trouble) -> EngineError {
        self.context.error(doing, trouble)
    }

    /// Has the server prepare statements in the place of those that it was given before.
    ///
    /// # Errors
    /// The server's; `Cancelled` without asking the server once somebody has cancelled.
    pub(super) fn prepare(&mut self, doing: &str, texts: &[ServerText]) -> Result<PreparedStatements, EngineError> {
        self.refuse(doing)?;
        let asking = self.post.asks(doing);
        let prepared = PreparedStatements::new(&mut self.wire, texts);
        drop(asking);
        let prepared = prepared.map_err(|trouble| self.error(doing, &trouble))?;
        self.transactions += 1;
        Ok(prepared)
    }

    /// Statements that are each prepared when they are sent for the first time.
    ///
    /// # Errors
    /// As for [`PostgresConnection::prepare`].
    pub(super) fn prepare_later(
        &mut self,
        doing: &str,
        texts: Vec<ServerText>,
    ) -> Result<PreparedStatements, EngineError> {
        let mut prepared = self.prepare(doing, &[])?;
        prepared.unprepared = texts.into_iter().map(Some).collect();
        Ok(prepared)
    }

    /// Prepares one of those, if it was not sent before.
    ///
    /// # Errors
    /// As for [`PostgresConnection::prepare`].
    #[inline]
    pub(super) fn prepare_when_sent(
        &mut self,
        doing: &str,
        statements: &mut PreparedStatements,
        number: usize,
    ) -> Result<(), EngineError> {
        let Some(text) = statements.unprepared.get_mut(number).and_then(Option::take) else { return Ok(()) };
        if let Err(trouble) = statements.add(&mut self.wire, number, &text) {
            statements.unprepared[number] = Some(text);
            return Err(self.error(doing, &trouble));
        }
        self.transactions += u64::from(self.wire.status() == Status::Idle);
        Ok(())
    }

    /// Executes the first of prepared statements with these values, and waits for its answer as long as that takes.
    ///
    /// # Errors
    /// As for [`PostgresConnection::prepare`]; the statement does not take these values.
    pub(super) fn execute(
        &mut self,
        doing: &str,
        prepared: &mut PreparedStatements,
        values: &Values,
    ) -> Result<(), EngineError> {
        self.refuse(doing)?;
        let messages = prepared.fill(&Bound { statement: 0, values, times: 1, opens: false }, doing)?;
        let (sent, mut result) = (self.wire.send(messages), CommandResult::default());
        let received =
            sent.and_then(|()| self.wire.receive(Wait::Yes, |message| result.take(message, |row| prepared.row(row))));
        let status = self.judge(doing, received, &mut result).transpose()?;
        self.transactions += u64::from(status == Some(Status::Idle));
        Ok(())
    }

    /// Does what [`PostgresConnection::execute`] does, in control of the work.
    ///
    /// # Errors
    /// As for [`PostgresConnection::execute`].
    pub(super) fn ask(
        &mut self,
        doing: &str,
        prepared: &mut PreparedStatements,
        values: &Values,
    ) -> Result<(), EngineError> {
        let post = Arc::clone(&self.post);
        let _asking = post.asks(doing);
        self.execute(doing, prepared, values)
    }

    /// Executes a statement with values for `$1`, `$2` ..., and gives its rows.
    ///
    /// # Errors
    /// As for [`PostgresConnection::execute`].
    pub(super) fn query(&mut self, doing: &str, sql: &str, values: &Values) -> Result<client::Answer, EngineError> {
        let mut prepared = self.prepare(doing, &[sql.into()])?;
        self.ask(doing, &mut prepared, values)?;
        Ok(prepared.answer().clone())
    }

    /// Begins a `COPY ... FROM STDIN`.
    ///
    /// # Errors
    /// The server's; `Cancelled` without asking the server once somebody has cancelled.
    pub(super) fn copy_in<'c>(&'c mut self, doing: &'c str, sql: &str) -> Result<CopyIn<'c>, EngineError> {
        self.refuse(doing)?;
        let Self { wire, context, transactions, post, .. } = self;
        CopyIn::begin(wire, context, post.asks(doing), transactions, (doing, sql))
    }

    /// Runs a `COPY ... TO STDOUT`. Rows go to `take` in pieces, as they come; an error of its own ends the connection.
    ///
    /// # Errors
    /// As for [`PostgresConnection::copy_in`], and what `take` answers.
    fn copy_out(
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

    /// What came of reading an answer: the session's status where it was read whole, nothing where more is to come.
    #[inline(always)]
    pub(super) fn judge(
        &mut self,
        doing: &str,
        received: Result<Option<Status>, Trouble>,
        result: &mut CommandResult,
    ) -> Option<Result<Status, EngineError>> {
        let trouble = match received {
            Ok(None) => return None,
            Ok(Some(status)) => {
                self.wire.set_status(status);
                match result.error.take() {
                    None => return Some(Ok(status)),
                    Some(said) => Trouble::said(*said),
                }
            }
            // What the server said before it went is the reason.
            Err(trouble) => result.error.take().map_or(trouble, |said| Trouble::said(*said).fatal()),
        };
        Some(Err(self.error(doing, &trouble)))
    }

    /// Runs a text: one transaction, unless it opens or ends one itself.
    fn run(&mut self, doing: &str, sql: &str, row: impl FnMut(&[u8])) -> Result<(), EngineError> {
        self.refuse(doing)?;
        let asking = self.post.asks(doing);
        let done = self.wire.query(sql, row);
        drop(asking);
        done.map_err(|trouble| self.error(doing, &trouble))?;
        self.transactions += u64::from(self.wire.status() == Status::Idle);
        Ok(())
    }
}

impl Connection for PostgresConnection {
    /// The server process at the other end.
    fn session_id(&self) -> u64 {
        u64::from(self.backend_pid)
    }

    /// Several statements in one text are one transaction.
    fn batch(&mut self, doing: &str, sql: &str) -> Result<(), EngineError> {
        self.run(doing, sql, |_| {})
    }

    fn texts(&mut self, doing: &str, sql: &str) -> Result<Vec<Vec<Option<String>>>, EngineError> {
        let mut rows = Vec::new();
        self.run(doing, sql, |body| rows.extend(answer::texts(body)))?;
        Ok(rows)
    }

    fn execute_with(&mut self, doing: &str, sql: &str, texts: &[&str]) -> Result<(), EngineError> {
        let mut values = Values::new();
        texts.iter().for_each(|text| _ = values.push(*text));
        self.query(doing, sql, &values).map(drop)
    }

    /// The query is a COPY.
    fn rows(
        &mut self,
        doing: &str,
        sql: &str,
        key: &Values,
        columns: &[Column],
        each: &mut dyn FnMut(&Values) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let mut decoder = Decoder::new(columns);
        let take = |rows: &[u8]| decoder.take(rows, each).map_err(|broken| broken.in_words(doing));
        self.copy_out(doing, &with_key(sql, key), take)?;
        decoder.finish().map_err(|how| how.in_words(doing))
    }

    /// The statement is a COPY.
    fn insert(&mut self, doing: &str, sql: &str, rows: &mut Rows<'_>) -> Result<(), EngineError> {
        send_rows(self.copy_in(doing, sql)?, doing, rows)
    }

    /// An end that comes while the session is idle is noticed by the next statement, which fails.
    fn is_closed(&self) -> bool {
        self.wire.is_closed()
    }

    fn has_ended(&mut self) -> bool {
        self.wire.has_ended()
    }

    fn cancelled(&self) -> bool {
        self.context.cancellation.is_requested()
    }

    fn canceller(&self) -> Arc<dyn Canceller> {
        Arc::new(self.wire.canceller(&self.context.cancellation))
    }
}

impl Drop for PostgresConnection {
    fn drop(&mut self) {
        self.context.cancellation.end();
    }
}

#[cfg(test)]
#[path = "connection_tests.rs"]
pub(super) mod tests;
