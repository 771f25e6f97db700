//! Questions in control of the work, which are looked after where no answer comes.

use super::super::rows::{self, INSERTED_ROWS};
use super::cancel::{OracleCanceller, PATIENCE};
use super::socket::Socket;
use super::{Bind, OracleConnection};
use dbdyno_engine::client::Values;
use dbdyno_engine::data::Column;
use dbdyno_engine::server::{Connection, Rows, recover};
use dbdyno_engine::{Canceller, EngineError};
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl OracleConnection {
    /// What [`OracleConnection::call`] does, in control of the work and without numbers to bind.
    ///
    /// # Errors
    /// As for [`OracleConnection::call`].
    pub(crate) fn ask(&mut self, doing: &str, block: &str, outs: usize) -> Result<Vec<i128>, EngineError> {
        let post = Arc::clone(&self.post);
        let _asking = post.asks(doing);
        self.call(doing, block, &[], outs)
    }
}

impl Connection for OracleConnection {
    fn session_id(&self) -> u64 {
        self.session_id
    }

    /// One statement, or a PL/SQL block: the former without a semicolon at its end, the latter with it.
    fn batch(&mut self, doing: &str, sql: &str) -> Result<(), EngineError> {
        self.run_block(doing, sql, &[])
    }

    fn texts(&mut self, doing: &str, sql: &str) -> Result<Vec<Vec<Option<String>>>, EngineError> {
        self.texts_with(doing, sql, &[])
    }

    /// Nothing is committed.
    fn execute_with(&mut self, doing: &str, sql: &str, texts: &[&str]) -> Result<(), EngineError> {
        let binds: Vec<Bind<'_>> = texts.iter().map(|text| Bind::Text(text)).collect();
        self.run_block(doing, sql, &binds)
    }

    fn rows(
        &mut self,
        doing: &str,
        sql: &str,
        key: &Values,
        columns: &[Column],
        each: &mut dyn FnMut(&Values) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        rows::rows(self, (doing, sql), key, columns, each)
    }

    fn insert(&mut self, doing: &str, sql: &str, rows: &mut Rows<'_>) -> Result<(), EngineError> {
        rows::insert(self, (doing, sql), (INSERTED_ROWS, false), rows)
    }

    /// An end that comes while the session is idle is noticed by the next statement, which fails.
    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    fn has_ended(&mut self) -> bool {
        self.is_closed() || recover(&self.shared.socket).as_ref().is_some_and(Socket::has_hung_up)
    }

    fn cancelled(&self) -> bool {
        self.shared.cancellation.is_requested()
    }

    fn canceller(&self) -> Arc<dyn Canceller> {
        Arc::new(OracleCanceller { shared: Arc::clone(&self.shared), patience: PATIENCE })
    }
}
