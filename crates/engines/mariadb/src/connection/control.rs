//! Questions in control of the work, which are looked after where no answer comes.

use super::super::errors::not_understood;
use super::super::rows;
use super::cancel::MariaDbCanceller;
use super::{InsertMethod, MariaDbConnection, run, text};
use dbdyno_engine::client::Values;
use dbdyno_engine::data::Column;
use dbdyno_engine::server::socket::{copy_of, has_hung_up};
use dbdyno_engine::server::{Answers, Connection, Rows, caught};
use dbdyno_engine::{Canceller, EngineError};
use dbdyno_model::ErrorClass;
use mysql::prelude::Queryable as _;
use mysql::{Params, Value};
use std::os::fd::AsRawFd as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl MariaDbConnection {
    /// Runs a statement, and gives its rows by the names of their columns, in small letters; what is null is left out.
    ///
    /// # Errors
    /// As for [`Connection::texts`].
    pub(crate) fn named(&mut self, doing: &str, sql: &str) -> Result<Vec<Answers>, EngineError> {
        self.cancellation.refuse(doing)?;
        let mut asked = self.control(doing);
        let rows = caught(|| asked.query::<mysql::Row, _>(sql));
        drop(asked);
        let Some(rows) = rows else { return Err(self.stopped_short(doing)) };
        let answers = |row: mysql::Row| -> Answers {
            let names: Vec<String> = row.columns_ref().iter().map(|column| column.name_str().to_lowercase()).collect();
            let values = row.unwrap().into_iter().map(text);
            names.into_iter().zip(values).filter_map(|(name, value)| Some((name, value?))).collect()
        };
        Ok(rows.map_err(|error| self.error(doing, &error))?.into_iter().map(answers).collect())
    }

    /// The crate has stopped short at a packet that it did not expect; the connection is used no more.
    fn stopped_short(&self, doing: &str) -> EngineError {
        self.closed.store(true, Ordering::Relaxed);
        let lost = EngineError::new(ErrorClass::ConnectionLost, format!("{doing}: {}", not_understood()));
        lost.while_doing(&self.host.to_string())
    }
}

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
        let done = caught(|| {
            run(conn, sql, |row| {
                asking.heard();
                rows.push(row.into_iter().map(text).collect());
            })
        });
        drop(asked);
        match done {
            Some(done) => done.map_err(|error| self.error(doing, &error))?,
            None => return Err(self.stopped_short(doing)),
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
