//! One connection.

mod basics;
mod cancel;
mod connect;
mod control;
mod version;

use super::errors::{advice, connect_error, engine_error, has_no_right_to_database, is_unknown_database};
use super::known::Known;
use super::options::{Host, Options};
use super::password;
use connect::{ConnectOptions, Refused};
use dbdyno_engine::EngineError;
use dbdyno_engine::server::{
    Asked, Cancellation, Connection, ConnectionLimits, CountedConnection, Post, fell_silent, first, within,
};
use dbdyno_model::ErrorClass;
use mysql::prelude::Queryable as _;
use mysql::{Conn, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
pub(super) use version::Version;

/// What a connection asks first. The last column tells servers apart, as far as every user may see.
const INTRODUCTION: &str = "SELECT VERSION(), CONNECTION_ID(), @@max_connections, @@session.max_user_connections, \
     CONCAT_WS(' ', @@hostname, @@port, @@datadir)";

/// What ends a statement that dbdyno has not cancelled.
const OTHERS: &str =
    "another session ended the statement with KILL QUERY, or somebody's watch over long statements did";

/// How rows go to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InsertMethod {
    /// So many rows of parameters for one INSERT, in MariaDB's bulk protocol.
    Bulk(usize),
    /// INSERTs of so many rows.
    Inserts(usize),
}

/// A connection.
pub(super) struct MariaDbConnection {
    conn: Conn,
    connect_options: ConnectOptions,
    host: Host,
    version: Version,
    session_id: u64,
    /// Which server this is.
    identity: String,
    /// The settings of every session, as SQL.
    basics: String,
    /// How rows go to the server, once it was asked.
    pub(super) insert_method: Option<InsertMethod>,
    /// What is known of the server for whoever looks again and again.
    pub(super) known: Option<Known>,
    closed: AtomicBool,
    cancellation: Arc<Cancellation>,
    _counted: CountedConnection,
    /// Where it is noted what is waited for.
    post: Arc<Post>,
}

impl MariaDbConnection {
    /// Opens a connection to a node. Other sessions see it under the name `application`. It has dbdyno's database as
    /// its default where that exists, and none where not.
    ///
    /// # Errors
    /// The node cannot be reached, or turns us away.
    pub(super) fn open(options: &Options, node: usize, application: &str) -> Result<Self, EngineError> {
        let host = options.host(node);
        let found = password::find(options);
        let tls = options.tls(host).map_err(|error| error.while_doing(&options.connecting(host)))?;
        let connect = |database| connect::connect(options, host, application, &found, tls.clone(), database);
        let connected = match connect(Some(options.database.as_str())) {
            Err(Refused::Error(error)) if is_unknown_database(&error) => connect(None),
            Err(Refused::Error(error)) if options.only_looks && has_no_right_to_database(&error) => connect(None),
            connected => connected,
        };
        let gone = |text| EngineError::new(ErrorClass::ConnectionLost, text).while_doing(&options.connecting(host));
        let (conn, connect_options) = connected.map_err(|refused| match refused {
            Refused::Error(error) => connect_error(options, host, &found, &error),
            Refused::Lookup(error) => gone(format!("{error}; is the host's name spelt right?")),
            Refused::Silent => gone(advice(options, "silent")),
            Refused::Garbled => gone(advice(options, "closed")),
        })?;
        let mut connection = Self {
            conn,
            connect_options,
            host: host.clone(),
            version: Version::default(),
            session_id: 0,
            identity: String::new(),
            basics: String::new(),
            insert_method: None,
            known: None,
            closed: AtomicBool::new(false),
            cancellation: Arc::default(),
            _counted: options.limits.count(),
            post: Arc::default(),
        };
        // Whoever has let us in may fall silent then.
        let limits = Arc::clone(&options.limits);
        let introduced = within(options.connect_timeout, move || connection.introduce(&limits).map(|()| connection));
        let mut connection = introduced.unwrap_or_else(|_| Err(gone(fell_silent(options.connect_timeout))))?;
        connection.post = options.vigil.post(node, connection.session_id);
        Ok(connection)
    }

    /// Asks whom we are talking to, and sets what all of dbdyno's sessions have in common.
    fn introduce(&mut self, limits: &ConnectionLimits) -> Result<(), EngineError> {
        let doing = format!("asking {} for its version", self.host);
        let mut rows = self.texts(&doing, INTRODUCTION)?;
        let known = match <[_; 5]>::try_from(rows.pop().unwrap_or_default()) {
            Ok([Some(version), Some(id), Some(max), Some(account), Some(identity)]) => {
                limits.remember(match account.as_str() {
                    "0" => format!("max_connections is {max}"),
                    account => format!("max_connections is {max}, and this account's MAX_USER_CONNECTIONS {account}"),
                });
                self.identity = identity;
                Version::parse(&version).zip(id.parse().ok())
            }
            _ => None,
        };
        let unclear = || EngineError::new(ErrorClass::Other, format!("{doing}: the answer is not understood"));
        (self.version, self.session_id) = known.ok_or_else(unclear)?;
        self.basics = basics::settings(self.version);
        let basics = self.basics.clone();
        self.batch("preparing a session", &basics)
    }

    /// The crate's connection, for what the methods here do not offer, while something is asked in control of the work.
    /// Who uses it puts errors in words (`error`), reads all results to their end (the crate keeps errors of those that
    /// are dropped to itself), and asks `cancelled` before.
    pub(super) fn control(&mut self, doing: &str) -> Asked<'_, Conn> {
        Asked::new(&mut self.conn, &self.post, doing)
    }

    /// The same for what is measured, which may take as long as it needs.
    pub(super) fn measured(&mut self) -> &mut Conn {
        &mut self.conn
    }

    /// Runs statements that are measured, and gives the rows of all.
    ///
    /// # Errors
    /// As for [`Connection::batch`].
    pub(super) fn measure(&mut self, doing: &str, sql: &str) -> Result<Vec<Vec<Option<String>>>, EngineError> {
        self.cancellation.refuse(doing)?;
        let mut rows = Vec::new();
        let done = run(&mut self.conn, sql, |row| rows.push(row.into_iter().map(text).collect()));
        done.map_err(|error| self.error(doing, &error))?;
        Ok(rows)
    }

    /// The server's version.
    pub(super) fn version(&self) -> Version {
        self.version
    }

    /// The database that this session has as its default: ours where it exists.
    ///
    /// # Errors
    /// The server's.
    pub(super) fn database(&mut self) -> Result<Option<String>, EngineError> {
        Ok(first(self.texts("asking for the database", "SELECT DATABASE()")?))
    }

    /// Whether the connection is encrypted.
    pub(super) fn is_encrypted(&self) -> bool {
        self.connect_options.is_encrypted()
    }

    /// Takes back whatever this session has set, and sets `settings` (SQL) instead. The server forgets everything that
    /// is the session's: variables, prepared statements, temporary tables, and locks by name (GET_LOCK) and by LOCK
    /// TABLES.
    ///
    /// # Errors
    /// As for [`Connection::batch`].
    pub(super) fn reset(&mut self, doing: &str, settings: &str) -> Result<(), EngineError> {
        self.cancellation.refuse(doing)?;
        let done = self.control(doing).reset();
        done.map_err(|error| self.error(doing, &error))?;
        let sql = format!("{}{settings}", self.basics);
        self.batch(doing, &sql)
    }

    /// Puts an error of the connection's in words. What the server interrupted is `Cancelled` if we asked for it; else
    /// a limit of the server's ran out, or another session ended it.
    pub(super) fn error(&self, doing: &str, error: &mysql::Error) -> EngineError {
        let mut said = self.cancellation.judge(engine_error(doing, error), OTHERS);
        if said.class == ErrorClass::ConnectionLost {
            self.closed.store(true, Ordering::Relaxed);
            said = said.while_doing(&self.host.to_string());
        }
        said
    }
}

/// Runs statements and hands over every row of every result, up to the first error.
fn run(conn: &mut Conn, sql: &str, mut row: impl FnMut(Vec<Value>)) -> mysql::Result<()> {
    if sql.trim().is_empty() {
        return Ok(());
    }
    let mut results = conn.query_iter(sql)?;
    while let Some(result) = results.iter() {
        for one in result {
            row(one?.unwrap());
        }
    }
    Ok(())
}

/// A value as text; statements without parameters give nothing else.
fn text(value: Value) -> Option<String> {
    match value {
        Value::NULL => None,
        Value::Bytes(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        other => Some(other.as_sql(true).trim_matches('\'').to_owned()),
    }
}

impl Drop for MariaDbConnection {
    fn drop(&mut self) {
        self.cancellation.end();
    }
}

#[cfg(test)]
#[path = "connection/tests.rs"]
pub(super) mod tests;
