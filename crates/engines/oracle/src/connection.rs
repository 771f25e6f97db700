//! One connection, over Oracle's own thin driver. What is known of its version, and where it is dealt with:
//!
//! - It reads without a limit of time, and overlooks those of a descriptor: `connect.rs` watches it, `socket.rs` ends
//!   it. Calls of procedures have a generous limit ([`OracleConnection::limit_calls`]).
//! - It can stop short (panic) at packets that it does not expect: `server/quiet.rs` makes that an error while a
//!   connection is opened. Later on nothing can: it stops short a second time while it cleans up, and the process ends.
//! - It has no cancel: `cancel.rs` sends the protocol's own.
//! - It waits a second after the last address that turned it down: `options/descriptor.rs` and `options/place.rs`.
//! - It calls a CREATE with compilation errors a success: [`OracleConnection::compile`].
//! - It commits nothing by itself: whoever changes rows says COMMIT.
//! - A text that a block gives back is cut at 4,000 bytes: results of blocks are numbers here
//!   ([`OracleConnection::call`]), and texts are read by queries.

mod basics;
mod bind;
mod cancel;
mod client;
mod connect;
mod control;
mod socket;
mod version;

use super::errors::{self, connect_error, connecting, engine_error};
use super::options::{Options, Place};
use super::password;
pub(super) use bind::{Bind, days};
use cancel::Shared;
use connect::Refused;
use dbdyno_engine::EngineError;
use dbdyno_engine::server::{Connection as _, CountedConnection, Post, caught, recover};
use dbdyno_model::ErrorClass;
use oracledb::{BindParameters, DB_TYPE_NUMBER, Row, Statement, ToDbValue};
use socket::Socket;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
pub(super) use version::Version;

/// Rows that a query brings along at first, and each time that it goes for more.
const FETCH_ROWS: u32 = 100;

/// How long a call of a procedure may take: more than any statement of a test, so that it ends what is lost alone.
const LONGEST_CALL: Duration = Duration::from_secs(6 * 3_600);

/// What ends a statement that dbdyno has not cancelled.
const OTHERS: &str = "another session cancelled the statement, or a limit of the account's profile or the Resource \
                      Manager did";

/// A connection.
pub(super) struct OracleConnection {
    /// Gone once this is dropped.
    connection: Option<oracledb::Connection>,
    place: Place,
    version: Version,
    session_id: u64,
    serial: u64,
    instance: u64,
    closed: AtomicBool,
    shared: Arc<Shared>,
    _counted: CountedConnection,
    /// Where it is noted what is waited for.
    post: Arc<Post>,
}

impl OracleConnection {
    /// Opens a connection to a node. Other sessions see it under the name `application` (`V$SESSION.MODULE`).
    ///
    /// # Errors
    /// The node cannot be reached, or turns us away.
    pub(super) fn open(options: &Options, node: usize, application: &str) -> Result<Self, EngineError> {
        let place = options.place(node);
        let until = Instant::now() + options.connect_timeout;
        let found = password::find(options);
        let gone = |text| EngineError::new(ErrorClass::ConnectionLost, text).while_doing(&connecting(options, place));
        if found.password().is_none() {
            return Err(errors::no_password(options, place));
        }
        if let Some(file) =
            options.wallet.as_ref().map(|folder| folder.join("ewallet.pem")).filter(|file| !file.is_file())
        {
            return Err(gone(errors::no_wallet(options, &file)));
        }
        let connection = connect::connect(options, place, &found).map_err(|refused| match refused {
            Refused::Error(error) => connect_error(options, place, &found, &error),
            Refused::Silent => gone(errors::advice(options, "silent")),
            Refused::Garbled => gone(errors::advice(options, "closed")),
            Refused::Thread(error) => gone(format!("no thread can be started: {error}")),
        })?;
        let socket = Socket::marked(|limit| connection.set_call_timeout(limit).is_ok());
        if let Some(socket) = &socket {
            socket.keep_alive();
        }
        let shared = Shared::new(socket, place.is_encrypted());
        let told = connection.version().ok().map(|version| Version::told(&version));
        let serial = connection.serial_num().map_or(0, |serial| serial as u64);
        let mut connection = Self {
            connection: Some(connection),
            place: place.clone(),
            version: told.unwrap_or_default(),
            session_id: 0,
            serial,
            instance: 0,
            closed: AtomicBool::new(false),
            shared: Arc::new(shared),
            _counted: options.limits.count(),
            post: Arc::default(),
        };
        if connection.version < Version::OLDEST {
            let message =
                format!("{place} is Oracle Database {}; dbdyno works with 12.2 and later", connection.version);
            return Err(EngineError::new(ErrorClass::Unsupported, message));
        }
        // The driver may stop short at these answers, too.
        let Some(introduced) = caught(|| connection.introduce(application, until)) else {
            connection.closed.store(true, Ordering::Relaxed);
            return Err(gone(errors::advice(options, "closed")));
        };
        introduced?;
        connection.post = options.vigil.post(node, connection.session_id);
        Ok(connection)
    }

    /// Asks whom we are talking to, and sets what all of dbdyno's sessions have in common, all within the time that
    /// opening may take.
    fn introduce(&mut self, application: &str, until: Instant) -> Result<(), EngineError> {
        let doing = format!("asking {} for its instance", self.place);
        let left = until.saturating_duration_since(Instant::now()).max(std::time::Duration::from_secs(1));
        self.run(&doing, |connection| {
            connection.set_call_timeout(Some(left))?;
            connection.set_module(application)
        })?;
        let rows = self.texts(&doing, basics::INTRODUCTION)?;
        let number = |text: &Option<String>| text.as_ref()?.parse::<u64>().ok();
        let told = rows.first().and_then(|row| Some((number(row.first()?)?, number(row.get(1)?)?)));
        let unclear = || EngineError::new(ErrorClass::Other, format!("{doing}: the answer is not understood"));
        (self.session_id, self.instance) = told.ok_or_else(unclear)?;
        for setting in basics::SETTINGS {
            self.batch("preparing a session", setting)?;
        }
        self.run(&doing, |connection| connection.set_call_timeout(None))
    }

    /// Every statement that connections run by themselves, for the tests of all SQL.
    #[cfg(test)]
    pub(super) fn own_statements() -> Vec<&'static str> {
        basics::SETTINGS.into_iter().chain([basics::INTRODUCTION, basics::COMPILER]).collect()
    }

    /// Ends calls of procedures that take longer than any can.
    ///
    /// # Errors
    /// The driver's.
    pub(super) fn limit_calls(&mut self, doing: &str) -> Result<(), EngineError> {
        self.run(doing, |connection| connection.set_call_timeout(Some(LONGEST_CALL)))
    }

    /// The server's version.
    pub(super) fn version(&self) -> Version {
        self.version
    }

    /// The serial number that, with the session's number, tells this session from a later one of the same number.
    pub(super) fn serial(&self) -> u64 {
        self.serial
    }

    /// The instance of the cluster (`inst_id`) that this session is in; 1 where there is no cluster.
    pub(super) fn instance(&self) -> u64 {
        self.instance
    }

    /// Runs a PL/SQL block, or any one statement that is no query, with values bound to `:1`, `:2`, ...
    ///
    /// # Errors
    /// The server's; `Cancelled` without asking the server once somebody has cancelled.
    pub(super) fn run_block(&mut self, doing: &str, sql: &str, binds: &[Bind<'_>]) -> Result<(), EngineError> {
        let values: Vec<&dyn ToDbValue> = binds.iter().map(Bind::value).collect();
        let _asking = self.post.asks(doing);
        self.run(doing, |connection| {
            let mut statement = connection.statement(sql)?.exclude_from_cache().build()?;
            statement.execute(&values).map(drop)
        })
    }

    /// Runs a PL/SQL block with numbers: `ins` are bound to `:1` to `:n`, and `outs` more, null when the block begins,
    /// to those that follow; they come back as whole numbers, as many as asked for. The block is kept parsed.
    ///
    /// # Errors
    /// As for [`OracleConnection::run_block`]; a result that is null or no whole number.
    pub(super) fn call(
        &mut self,
        doing: &str,
        block: &str,
        ins: &[i64],
        outs: usize,
    ) -> Result<Vec<i128>, EngineError> {
        let mut values: Vec<&dyn ToDbValue> = ins.iter().map(|number| number as &dyn ToDbValue).collect();
        values.extend(std::iter::repeat_n(&DB_TYPE_NUMBER as &dyn ToDbValue, outs));
        let row = self.run(doing, |connection| {
            let mut statement: Statement = connection.statement(block)?.build()?;
            statement.execute(&values).map(|mut result| result.out_bind_data())
        })?;
        let unclear = || EngineError::new(ErrorClass::Other, format!("{doing}: the block's answer is not understood"));
        (0..outs).map(|at| row.get::<i128>(at).map_err(|_| unclear())).collect()
    }

    /// Runs a query with values bound to `:1`, `:2`, ... and gives its rows as text.
    ///
    /// # Errors
    /// As for [`OracleConnection::run_block`].
    pub(super) fn texts_with(
        &mut self,
        doing: &str,
        sql: &str,
        binds: &[Bind<'_>],
    ) -> Result<Vec<Vec<Option<String>>>, EngineError> {
        let mut rows = Vec::new();
        let unclear = |error: oracledb::Error| engine_error(doing, &error);
        self.each_row(doing, sql, binds, FETCH_ROWS, |row| {
            let row = (0..row.columns().len()).map(|at| bind::text(row, at)).collect::<Result<_, _>>();
            rows.push(row.map_err(unclear)?);
            Ok(())
        })?;
        Ok(rows)
    }

    /// Runs a query of one column and hands over its texts one by one.
    ///
    /// # Errors
    /// As for [`OracleConnection::run_block`], and what `each` answers, which ends the query.
    pub(super) fn each_line(
        &mut self,
        doing: &str,
        sql: &str,
        binds: &[Bind<'_>],
        mut each: impl FnMut(Option<&str>) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        self.each_row(doing, sql, binds, FETCH_ROWS, |row| {
            let line = bind::text(row, 0).map_err(|error| engine_error(doing, &error))?;
            each(line.as_deref())
        })
    }

    /// Runs a query and hands over its rows one by one, `fetch_rows` of them a round trip (verification reads whole
    /// tables).
    ///
    /// # Errors
    /// As for [`OracleConnection::run_block`], and what `each` answers, which ends the query.
    pub(super) fn each_row(
        &mut self,
        doing: &str,
        sql: &str,
        binds: &[Bind<'_>],
        fetch_rows: u32,
        mut each: impl FnMut(&Row) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let values: Vec<&dyn ToDbValue> = binds.iter().map(Bind::value).collect();
        let asking = self.post.asks(doing);
        self.run(doing, |connection| {
            let statement = connection.statement(sql)?.exclude_from_cache();
            let statement = statement.prefetch_rows(fetch_rows).fetch_array_size(fetch_rows).build()?;
            for row in statement.query(&values)? {
                asking.heard();
                if let Err(error) = each(&row?) {
                    return Ok(Err(error));
                }
            }
            Ok(Ok(()))
        })?
    }

    /// Runs a statement once for each row of values, all in one round trip, and gives how many rows the server changed.
    /// `values` are the rows one after the other, `columns` values each. It is kept parsed. A value of a column has the
    /// same type in every row.
    ///
    /// # Errors
    /// As for [`OracleConnection::run_block`].
    pub(super) fn insert_rows(
        &mut self,
        doing: &str,
        sql: &str,
        columns: usize,
        values: &[Bind<'_>],
    ) -> Result<u64, EngineError> {
        if columns == 0 || values.is_empty() {
            return Ok(0);
        }
        let values: Vec<&dyn ToDbValue> = values.iter().map(Bind::value).collect();
        let rows: Vec<&[&dyn ToDbValue]> = values.chunks(columns).collect();
        let _asking = self.post.asks(doing);
        self.run(doing, |connection| {
            let mut statement: Statement = connection.statement(sql)?.build()?;
            statement.execute_batch(BindParameters::Slice(&rows)).map(|result| result.rows_affected())
        })
    }

    /// Runs a CREATE of PL/SQL and asks whether `object` (as the dictionary writes it: upper case) compiled: the server
    /// calls a CREATE with compilation errors a success.
    ///
    /// # Errors
    /// As for [`OracleConnection::run_block`]; the compiler's, with lines.
    pub(super) fn compile(&mut self, doing: &str, ddl: &str, object: &str) -> Result<(), EngineError> {
        match self.batch(doing, ddl) {
            Err(error) if !errors::is_compiled_with_errors(&error) => return Err(error),
            // Whether the driver was told or not: the dictionary knows.
            _ => {}
        }
        let said = self.texts_with(doing, basics::COMPILER, &[Bind::Text(object)])?;
        errors::of_compiler(doing, object, &said)
    }

    /// Puts an error of the driver in words. What the server interrupted is `Cancelled` if we asked for it; else a
    /// limit of the server's ran out, or another session ended it.
    fn error(&self, doing: &str, error: &oracledb::Error) -> EngineError {
        let cancellation = &self.shared.cancellation;
        let mut said = cancellation.judge(engine_error(doing, error), OTHERS);
        if said.class == ErrorClass::ConnectionLost {
            self.closed.store(true, Ordering::Relaxed);
            said = cancellation.judge_loss(said.while_doing(&self.place.to_string()));
        }
        said
    }

    /// Asks the server for something.
    fn run<T>(
        &self,
        doing: &str,
        work: impl FnOnce(&oracledb::Connection) -> Result<T, oracledb::Error>,
    ) -> Result<T, EngineError> {
        self.shared.cancellation.refuse(doing)?;
        let gone = || EngineError::new(ErrorClass::ConnectionLost, format!("{doing}: the connection is closed"));
        let connection = self.connection.as_ref().filter(|_| !self.is_closed()).ok_or_else(gone)?;
        self.shared.called(|| work(connection)).map_err(|error| self.error(doing, &error))
    }
}

impl Drop for OracleConnection {
    fn drop(&mut self) {
        self.shared.cancellation.end();
        // With a server that is gone there is nothing to talk about any more.
        if self.is_closed() {
            self.shared.shut();
        }
        let socket = recover(&self.shared.socket).take();
        if let Some(connection) = self.connection.take() {
            connect::close(connection, socket);
        }
    }
}

#[cfg(test)]
#[path = "connection/tests/fakes.rs"]
mod fakes;
#[cfg(test)]
pub(super) mod tests;
