//! A session's own connection, which counts the transactions that it makes as
//! [`PostgresConnection`](super::super::connection) does.

use super::super::connection::{Introduced, Stop, introduce, resetting, statement_error};
use super::super::errors::{Cause, Trouble, connect_error, connecting, not_reached};
use super::super::options::{Host, Options};
use super::super::password;
use super::super::wire::cancel::WireCanceller;
use super::super::wire::{self, Login, Status, Wire, answer};
use dbdyno_engine::server::{Connection, Post, fell_silent};
use dbdyno_engine::{Canceller, EngineError};
use dbdyno_model::ErrorClass;
use rustls::ClientConfig;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// A connection.
pub(super) struct ClientLink {
    pub(super) wire: Wire,
    host: Host,
    version_num: u32,
    backend_pid: u32,
    /// Transactions that it has committed which are none of the test's, connecting included.
    pub(super) transactions: u64,
    basics: String,
    stop: Arc<Stop>,
    seats: Arc<super::super::connection::ConnectionLimits>,
    /// Where it is noted what is waited for in control of the work.
    pub(super) post: Arc<Post>,
}

impl ClientLink {
    /// Opens a connection to a node. Other sessions see it under the name `application`.
    ///
    /// # Errors
    /// The node cannot be reached, or turns us away.
    pub(super) fn open(
        options: &Options,
        node: usize,
        application: &str,
        tls: &Arc<ClientConfig>,
    ) -> Result<Self, EngineError> {
        let host = options.host(node);
        let found = password::find(options, host);
        let opened = wire::open(&Login { options, host, application, found: &found, tls });
        let wire = opened.map_err(|trouble| match trouble.cause() {
            Cause::Silence => EngineError::new(ErrorClass::ConnectionLost, not_reached(options))
                .while_doing(&connecting(options, host)),
            _ => connect_error(options, host, &found, &trouble),
        })?;
        let mut connection = Self {
            wire,
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
        let doing = connecting(options, host);
        let waits = |connection: &Self, deadline| {
            connection.wire.wait_until(deadline).map_err(|trouble| connection.error(&doing, &trouble))
        };
        let deadline = Instant::now() + options.connect_timeout;
        waits(&connection, Some(deadline))?;
        let introduced = introduce(&mut connection, host, &options.seats).map_err(|error| {
            let silent = error.target_lost() && Instant::now() >= deadline;
            let told = || {
                EngineError::new(ErrorClass::ConnectionLost, fell_silent(options.connect_timeout)).while_doing(&doing)
            };
            if silent { told() } else { error }
        });
        let Introduced { version_num, backend_pid, basics } = introduced?;
        waits(&connection, None)?;
        (connection.version_num, connection.backend_pid, connection.basics) = (version_num, backend_pid, basics);
        connection.post = options.vigil.post(node, connection.session_id());
        Ok(connection)
    }

    /// The server's version as a number: 150018 is 15.18.
    pub(super) fn version_num(&self) -> u32 {
        self.version_num
    }

    /// Whether the server is reached through a Unix socket.
    pub(super) fn by_socket(&self) -> bool {
        self.host.is_socket()
    }

    /// The server's process at the other end, where the host is this machine.
    pub(super) fn server_process(&self) -> Option<u32> {
        self.host.is_local().then_some(self.backend_pid)
    }

    /// Takes back whatever this session has set, and sets `settings` (SQL) instead, in one batch.
    pub(super) fn reset(&mut self, doing: &str, settings: &str) -> Result<(), EngineError> {
        let sql = resetting(&self.basics, settings);
        self.batch(doing, &sql)
    }

    /// Refuses to begin anything once somebody has cancelled.
    pub(super) fn refuse(&self, doing: &str) -> Result<(), EngineError> {
        self.stop.refuse(doing)
    }

    /// Puts an error of the connection's in words. Where it was ended because the server did not hear that it shall
    /// stop, it has been stopped.
    pub(super) fn error(&self, doing: &str, trouble: &Trouble) -> EngineError {
        let mut error = statement_error(doing, trouble, &self.stop, &self.host);
        if error.target_lost() && self.cancelled() && trouble.told().is_none() {
            error.class = ErrorClass::Cancelled;
        }
        error
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

    /// Runs a text; it is one transaction.
    fn run(&mut self, doing: &str, sql: &str, row: impl FnMut(&[u8])) -> Result<(), EngineError> {
        self.refuse(doing)?;
        let asking = self.post.asks(doing);
        let done = self.wire.query(sql, row);
        drop(asking);
        done.map_err(|trouble| self.error(doing, &trouble))?;
        self.transactions += 1;
        Ok(())
    }
}

impl Connection for ClientLink {
    /// The server process at the other end.
    fn session_id(&self) -> u64 {
        u64::from(self.backend_pid)
    }

    fn batch(&mut self, doing: &str, sql: &str) -> Result<(), EngineError> {
        self.run(doing, sql, |_| {})
    }

    fn texts(&mut self, doing: &str, sql: &str) -> Result<Vec<Vec<Option<String>>>, EngineError> {
        let mut rows = Vec::new();
        self.run(doing, sql, |body| rows.extend(answer::texts(body)))?;
        Ok(rows)
    }

    fn is_closed(&self) -> bool {
        self.wire.is_closed()
    }

    fn cancelled(&self) -> bool {
        self.stop.asked.load(Ordering::Relaxed)
    }

    fn canceller(&self) -> Arc<dyn Canceller> {
        Arc::new(WireCanceller { peer: self.wire.peer(), socket: self.wire.socket(), stop: Arc::clone(&self.stop) })
    }
}

impl Drop for ClientLink {
    fn drop(&mut self) {
        self.stop.ended.store(true, Ordering::Relaxed);
        self.seats.taken.fetch_sub(1, Ordering::Relaxed);
    }
}
