//! One connection, which counts the transactions that it makes.
//!
//! dbdyno proves a test's commits by the server's count of them (`pg_stat_database.xact_commit`), so it must know which
//! of its own round trips that count holds besides. The server counts a commit whenever a transaction ends well, and
//! every message that has to read the catalogue begins one, which the next Sync ends. Found by asking the server before
//! and after (tests/postgres_link.rs, `transactions_are_counted_exactly`):
//!
//! | what the client does | commits |
//! | --- | --- |
//! | a simple query, however many statements it has, an empty one too | 1 |
//! | the same where a statement fails | 0 (a rollback) |
//! | prepare (Parse, Describe, Sync) | 1 |
//! | execute a prepared statement (Bind, Execute, Sync) | 1 |
//! | query with text and parameters (prepare, then execute) | 2 |
//! | dropping a prepared statement (Close, Sync) | 0 |
//! | CALL of a procedure with k COMMITs | k + 1 |
//! | COPY with text (prepare, then the copy) | 2 |
//! | BEGIN ... COMMIT, however many round trips | 1 |
//! | VACUUM of one table; with ANALYZE; with a TOAST table | 3; 4; more |
//! | a parallel worker that a statement launches, for a scan or an index build | 2 |
//! | connecting | 1 |

pub(super) mod basics;
pub(super) mod connect;
mod connector;

use super::copy;
use super::errors::{Trouble, connect_error, connecting, engine_error, not_reached};
use super::options::{Host, Options};
use super::password;
use super::tls;
use connect::Refused;
use connector::Connector;
use dbdyno_engine::client::Values;
use dbdyno_engine::data::Column;
use dbdyno_engine::server::{Asked, Connection, Post, Rows, fell_silent, within};
use dbdyno_engine::{Canceller, EngineError};
use dbdyno_model::ErrorClass;
use postgres::fallible_iterator::FallibleIterator as _;
use postgres::{CancelToken, Client, SimpleQueryMessage};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// What a link asks first, while the search path may still be anything.
const INTRODUCTION: &str = "SELECT pg_catalog.current_setting('server_version_num'), pg_catalog.pg_backend_pid(), \
     pg_catalog.current_setting('max_connections'), pg_catalog.current_setting('superuser_reserved_connections'), \
     pg_catalog.current_setting('is_superuser')";

/// How long is listened for what an idle session is told.
const LISTEN: Duration = Duration::from_millis(1);

/// A connection.
pub(super) struct PostgresConnection {
    client: Client,
    connector: Connector,
    host: Host,
    version_num: u32,
    backend_pid: u32,
    transactions: u64,
    /// The settings of every session, as SQL, as far as this server takes them.
    basics: String,
    stop: Arc<Stop>,
    seats: Arc<ConnectionLimits>,
    /// Where it is noted what is waited for.
    post: Arc<Post>,
}

/// The connections of one target. Whom a server turns away for want of one cannot ask how many there are, so it is kept
/// what the others were told.
#[derive(Debug, Default)]
pub(super) struct ConnectionLimits {
    pub(super) taken: AtomicU32,
    limits: Mutex<Option<[String; 2]>>,
    /// Whether somebody has turned us away because of the settings in the startup message.
    pub(super) refuses_settings: AtomicBool,
}

impl ConnectionLimits {
    /// How many there are, and how many dbdyno has.
    pub(super) fn in_words(&self) -> String {
        let taken = self.taken.load(Ordering::Relaxed);
        let limits = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        let limits = limits.as_ref().map_or_else(
            || "max_connections, or a CONNECTION LIMIT of the role or the database, is reached".to_owned(),
            |[max, reserved]| {
                format!("max_connections is {max} ({reserved} reserved), or the role or database has a lower CONNECTION LIMIT")
            },
        );
        format!("{limits}; dbdyno has {taken} connections and asked for one more")
    }
}

impl PostgresConnection {
    /// Opens a connection to a node. Other sessions see it under the name `application`.
    ///
    /// # Errors
    /// The node cannot be reached, or turns us away.
    pub(super) fn open(options: &Options, node: usize, application: &str) -> Result<Self, EngineError> {
        let host = options.host(node);
        let doing = connecting(options, host);
        let found = password::find(options, host);
        let tls = tls::connector(options).map_err(|error| error.while_doing(&doing))?;
        let connected = connect::connect(options, host, application, &found, &tls);
        let (client, connector) = connected.map_err(|refused| match refused {
            Refused::Error(error) => connect_error(options, host, &found, &Trouble::from(&error)),
            Refused::Silent => EngineError::new(ErrorClass::ConnectionLost, not_reached(options)).while_doing(&doing),
        })?;
        let mut connection = Self {
            client,
            connector,
            host: host.clone(),
            version_num: 0,
            backend_pid: 0,
            transactions: 1,
            basics: String::new(),
            stop: Arc::default(),
            seats: Arc::clone(&options.seats),
            post: Arc::default(),
        };
        connection.seats.taken.fetch_add(1, Ordering::Relaxed);
        // Whoever has let us in may fall silent then.
        let (its_host, seats) = (host.clone(), Arc::clone(&options.seats));
        let introduced = within(options.connect_timeout, move || {
            introduce(&mut connection, &its_host, &seats).map(|introduced| (connection, introduced))
        });
        let silent = |_| {
            Err(EngineError::new(ErrorClass::ConnectionLost, fell_silent(options.connect_timeout)).while_doing(&doing))
        };
        let (mut connection, introduced) = introduced.unwrap_or_else(silent)?;
        let Introduced { version_num, backend_pid, basics } = introduced;
        (connection.version_num, connection.backend_pid, connection.basics) = (version_num, backend_pid, basics);
        connection.post = options.vigil.post(node, connection.session_id());
        Ok(connection)
    }

    /// The crate's client, for what the methods here do not offer, while something is asked in control of the work. Who
    /// uses it counts (`count_transactions`) and puts errors in words (`error`).
    pub(super) fn control(&mut self, doing: &str) -> Asked<'_, Client> {
        Asked::new(&mut self.client, &self.post, doing)
    }

    /// The same for what is measured, which may take as long as it needs.
    pub(super) fn measured(&mut self) -> &mut Client {
        &mut self.client
    }

    /// The server's version as a number: 150018 is 15.18.
    pub(super) fn version_num(&self) -> u32 {
        self.version_num
    }

    /// Whether the connection is encrypted.
    pub(super) fn is_encrypted(&self) -> bool {
        self.connector.encrypted()
    }

    /// Takes back whatever this session has set, and sets `settings` (SQL) instead, in one batch.
    pub(super) fn reset(&mut self, doing: &str, settings: &str) -> Result<(), EngineError> {
        self.batch(doing, &resetting(&self.basics, settings))
    }

    /// Transactions that this link has committed so far, connecting included.
    pub(super) fn transactions(&self) -> u64 {
        self.transactions
    }

    /// Counts transactions made through the client.
    pub(super) fn count_transactions(&mut self, n: u64) {
        self.transactions += n;
    }

    /// Puts an error of the client's in words. What the server cancelled is `Cancelled` if we asked for it; else a
    /// limit of the server's ran out, or another session ended it.
    pub(super) fn error(&self, doing: &str, error: &postgres::Error) -> EngineError {
        statement_error(doing, &error.into(), &self.stop, &self.host)
    }
}

/// What a session has found out when it is open.
pub(super) struct Introduced {
    pub(super) version_num: u32,
    pub(super) backend_pid: u32,
    /// What all of dbdyno's sessions have set, as SQL, as far as this server takes it.
    pub(super) basics: String,
}

/// Asks whom we are talking to, and sets what all of dbdyno's sessions have in common.
pub(super) fn introduce(
    connection: &mut dyn Connection,
    host: &Host,
    seats: &ConnectionLimits,
) -> Result<Introduced, EngineError> {
    let doing = format!("asking {host} for its version");
    let rows = connection.texts(&doing, INTRODUCTION)?;
    let answer = match rows.first().map(Vec::as_slice) {
        Some([Some(version), Some(pid), Some(max), Some(reserved), Some(superuser)]) => {
            let mut limits = seats.limits.lock().unwrap_or_else(PoisonError::into_inner);
            *limits = Some([max.clone(), reserved.clone()]);
            version.parse().ok().zip(pid.parse().ok()).zip(Some(superuser == "on"))
        }
        _ => None,
    };
    let unclear = || EngineError::new(ErrorClass::Other, format!("{doing}: the answer is not understood"));
    let ((version_num, backend_pid), superuser): ((u32, u32), bool) = answer.ok_or_else(unclear)?;
    let doing = "preparing a session";
    let mut basics = basics::settings(version_num, superuser);
    connection.batch(doing, &basics)?;
    if let Some(more) = basics::notices_the_end(version_num) {
        match connection.batch(doing, more) {
            Ok(()) => basics.push_str(more),
            Err(error) if error.target_lost() => return Err(error),
            // The server's operating system cannot.
            Err(_) => {}
        }
    }
    Ok(Introduced { version_num, backend_pid, basics })
}

/// The text that takes back whatever a session has set, and sets `settings` (SQL) instead. RESET ALL by itself would
/// take back what all of dbdyno's sessions have in common, too.
pub(super) fn resetting(basics: &str, settings: &str) -> String {
    format!("RESET ALL; {basics}{settings}")
}

/// Puts an error of a statement in words. What the server cancelled is `Cancelled` if we asked for it; else a limit of
/// the server's ran out, or another session ended it.
pub(super) fn statement_error(doing: &str, trouble: &Trouble, stop: &Stop, host: &Host) -> EngineError {
    let mut said = engine_error(doing, trouble);
    if said.class == ErrorClass::Cancelled {
        if stop.asked.load(Ordering::Relaxed) {
            stop.ended.store(true, Ordering::Relaxed);
        } else {
            said.class = ErrorClass::Timeout;
            said.message += "; dbdyno did not ask for this: a statement_timeout is set, or another session did";
        }
    }
    if said.class == ErrorClass::ConnectionLost {
        said = said.while_doing(&host.to_string());
    }
    said
}

impl Connection for PostgresConnection {
    /// The server process at the other end.
    fn session_id(&self) -> u64 {
        u64::from(self.backend_pid)
    }

    /// Several statements in one text are one transaction.
    fn batch(&mut self, doing: &str, sql: &str) -> Result<(), EngineError> {
        self.stop.refuse(doing)?;
        let done = self.control(doing).batch_execute(sql);
        done.map_err(|e| self.error(doing, &e))?;
        self.transactions += 1;
        Ok(())
    }

    fn texts(&mut self, doing: &str, sql: &str) -> Result<Vec<Vec<Option<String>>>, EngineError> {
        self.stop.refuse(doing)?;
        let messages = self.control(doing).simple_query(sql);
        let messages = messages.map_err(|e| self.error(doing, &e))?;
        self.transactions += 1;
        let mut rows = Vec::new();
        for message in messages {
            if let SimpleQueryMessage::Row(row) = message {
                rows.push((0..row.len()).map(|column| row.get(column).map(str::to_owned)).collect());
            }
        }
        Ok(rows)
    }

    fn execute_with(&mut self, doing: &str, sql: &str, texts: &[&str]) -> Result<(), EngineError> {
        self.stop.refuse(doing)?;
        let texts: Vec<&(dyn postgres::types::ToSql + Sync)> = texts.iter().map(|text| text as _).collect();
        let done = self.control(doing).execute(sql, &texts);
        done.map_err(|error| self.error(doing, &error))?;
        self.count_transactions(2);
        Ok(())
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
        self.stop.refuse(doing)?;
        copy::rows(self, (doing, sql), key, columns, each)
    }

    /// The statement is a COPY.
    fn insert(&mut self, doing: &str, sql: &str, rows: &mut Rows<'_>) -> Result<(), EngineError> {
        self.stop.refuse(doing)?;
        copy::insert(self, doing, sql, rows)
    }

    /// An end that comes while the session is idle is noticed by the next statement, which fails.
    fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Whoever listens for notifications reads what has come: here the word that the session is ended, or the end
    /// itself.
    fn has_ended(&mut self) -> bool {
        self.client.notifications().timeout_iter(LISTEN).next().is_err() || self.client.is_closed()
    }

    fn cancelled(&self) -> bool {
        self.stop.asked.load(Ordering::Relaxed)
    }

    fn canceller(&self) -> Arc<dyn Canceller> {
        let (token, connector) = (self.client.cancel_token(), self.connector.clone());
        Arc::new(PostgresCanceller { token, connector, stop: Arc::clone(&self.stop) })
    }
}

impl Drop for PostgresConnection {
    fn drop(&mut self) {
        self.stop.ended.store(true, Ordering::Relaxed);
        self.seats.taken.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What a link and its cancellers share.
#[derive(Debug, Default)]
pub(super) struct Stop {
    /// Somebody wants this link to stop.
    pub(super) asked: AtomicBool,
    /// It has stopped.
    pub(super) ended: AtomicBool,
}

impl Stop {
    /// A cancel that comes between two statements finds nothing to cancel; the next one must not begin.
    pub(super) fn refuse(&self, doing: &str) -> Result<(), EngineError> {
        if !self.asked.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.ended.store(true, Ordering::Relaxed);
        Err(EngineError::new(ErrorClass::Cancelled, format!("{doing}: stopped before it began")))
    }
}

struct PostgresCanceller {
    token: CancelToken,
    connector: Connector,
    stop: Arc<Stop>,
}

/// Pauses between requests to cancel: one that arrives just before the statement does is lost.
pub(super) const REPEATS: [Duration; 4] =
    [Duration::ZERO, Duration::from_millis(100), Duration::from_millis(500), Duration::from_secs(2)];

impl Canceller for PostgresCanceller {
    fn cancel(&self) {
        // The flag first: a statement that begins later is then not begun at all.
        if self.stop.asked.swap(true, Ordering::Relaxed) {
            return;
        }
        let (token, connector, stop) = (self.token.clone(), self.connector.clone(), Arc::clone(&self.stop));
        // A request is a connection of its own, which may take its time; whoever pressed Ctrl-C does not wait for it.
        thread::spawn(move || {
            for pause in REPEATS {
                thread::sleep(pause);
                if stop.ended.load(Ordering::Relaxed) {
                    return;
                }
                // Where the server cannot be reached, the statement ends with the connection.
                _ = token.cancel_query(connector.clone());
            }
        });
    }
}

#[cfg(test)]
#[path = "connection_tests.rs"]
pub(super) mod tests;
