//! Questions in control of the work, which are looked after where no answer comes.

use super::super::errors::not_understood;
use super::super::rows;
use super::cancel::MariaDbCanceller;
use super::{InsertMethod, MariaDbConnection, run, text};
use dbdyno_engine::client::Values;
use dbdyno_engine::data::Column;
use dbdyno_engine::server::socket::{copy_of, has_hung_up};
use dbdyno_engine::server::{Connection, Rows, caught};
use dbdyno_engine::{Canceller, EngineError};
use dbdyno_model::ErrorClass;
use mysql::prelude::Queryable as _;
use mysql::{Params, Value};
use std::os::fd::AsRawFd as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Connection for MariaDbConnection {
    fn session_id(&self) -> u64 {
        self.session_id
    }

    /// Several statements are parted by semicolons; the first that fails is the last.
    fn batch(&mut self, doing: &str, sql: &str) -> Result<(), EngineError> {
        self.texts(doing, sql).map(drop)
    }

    fn texts(&mut self, doing: &str, sql: &str) -> Result<Vec<Vec<Option<String>>>, EngineError> {
        self.cancellation.refuse(doing)?;
        let mut rows = Vec::new();
        let mut asked = self.control(doing);
        let (conn, asking) = asked.parts();
        // The crate stops short at packets that it does not expect; the connection is then used no more.
        let done = caught(|| {
            run(conn, sql, |row| {
                asking.heard();
                rows.push(row.into_iter().map(text).collect());
            })
        });
        drop(asked);
        match done {
            Some(done) => done.map_err(|error| self.error(doing, &error))?,
            None => {
                self.closed.store(true, Ordering::Relaxed);
                let lost = EngineError::new(ErrorClass::ConnectionLost, format!("{doing}: {}", not_understood()));
                return Err(lost.while_doing(&self.host.to_string()));
            }
        }
        Ok(rows)
    }

    fn execute_with(&mut self, doing: &str, sql: &str, texts: &[&str]) -> Result<(), EngineError> {
        self.cancellation.refuse(doing)?;
        let texts = texts.iter().map(|text| Value::Bytes((*text).into())).collect();
        let done = self.control(doing).exec_drop(sql, Params::Positional(texts));
        done.map_err(|error| self.error(doing, &error))
    }

    fn rows(
        &mut self,
        doing: &str,
        sql: &str,
        key: &Values,
        columns: &[Column],
        each: &mut dyn FnMut(&Values) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        self.cancellation.refuse(doing)?;
        rows::rows(self, (doing, sql), key, columns, each)
    }

    /// The statement is an INSERT that ends with VALUES.
    fn insert(&mut self, doing: &str, sql: &str, rows: &mut Rows<'_>) -> Result<(), EngineError> {
        self.cancellation.refuse(doing)?;
        let method = match self.insert_method {
            Some(method) => method,
            None => {
                let asked = InsertMethod::ask(self)?;
                self.insert_method = Some(asked);
                asked
            }
        };
        rows::insert(self, (doing, sql), method, rows)
    }

    /// An end that comes while the session is idle is noticed by the next statement, which fails.
    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    fn has_ended(&mut self) -> bool {
        self.is_closed() || copy_of(self.conn.as_raw_fd()).is_some_and(|socket| has_hung_up(&socket))
    }

    fn cancelled(&self) -> bool {
        self.cancellation.is_requested()
    }

    fn canceller(&self) -> Arc<dyn Canceller> {
        Arc::new(MariaDbCanceller {
            connect_options: self.connect_options.clone(),
            session_id: self.session_id,
            identity: self.identity.clone(),
            cancellation: Arc::clone(&self.cancellation),
        })
    }
}
