//! What a client asks of a connection: statements with values that are kept parsed, and the ends of transactions, each
//! one round trip. The driver has the protocol's word for a commit with the statement, and no way to say it.

use super::{Bind, OracleConnection, bind};
use dbdyno_engine::EngineError;
use dbdyno_engine::client::{Answer, Value, ValueType};
use oracledb::{DB_TYPE_NUMBER, OracleTimestamp, Statement, ToDbValue};

impl OracleConnection {
    /// Runs a query with values bound to `:1`, `:2`, ... and takes its rows: numbers that are whole as such, and all
    /// else as text. Of two rows that the driver asks for beforehand the second is not there where one answers: so that
    /// takes one round trip.
    ///
    /// # Errors
    /// As for [`OracleConnection::run_block`].
    pub(crate) fn answer(
        &mut self,
        doing: &str,
        sql: &str,
        binds: &[Bind<'_>],
        into: &mut Answer,
    ) -> Result<(), EngineError> {
        let values: Vec<&dyn ToDbValue> = binds.iter().map(Bind::value).collect();
        self.run(doing, |connection| {
            for row in connection.statement(sql)?.build()?.query(&values)? {
                let (row, values) = (row?, into.begin_row());
                for (at, column) in row.columns().iter().enumerate() {
                    let number = std::ptr::eq(column.db_type(), DB_TYPE_NUMBER).then(|| row.get::<Option<i64>>(at));
                    match number {
                        Some(Ok(number)) => values.push(number.map_or(Value::Null, Value::Int)),
                        _ => values.push(bind::text(&row, at)?.as_deref().map_or(Value::Null, Value::Text)),
                    };
                }
            }
            Ok(())
        })
    }

    /// Runs a PL/SQL block with values bound to `:1`, `:2`, ..., and takes what comes back where there are
    /// [`Bind::Out`]s as a row. Texts of more than 4,000 bytes do not fit.
    ///
    /// # Errors
    /// As for [`OracleConnection::run_block`].
    pub(crate) fn outputs(
        &mut self,
        doing: &str,
        block: &str,
        binds: &[Bind<'_>],
        into: &mut Answer,
    ) -> Result<(), EngineError> {
        let values: Vec<&dyn ToDbValue> = binds.iter().map(Bind::value).collect();
        let outputs = binds.iter().filter_map(|bind| if let Bind::Out(of) = bind { Some(*of) } else { None });
        self.run(doing, |connection| {
            let mut statement: Statement = connection.statement(block)?.build()?;
            let row = statement.execute(&values)?.out_bind_data();
            let values = into.begin_row();
            for (at, output) in outputs.enumerate() {
                match output {
                    ValueType::Int => values.push(row.get::<Option<i64>>(at)?.map_or(Value::Null, Value::Int)),
                    ValueType::Day => {
                        let time = row.get::<Option<OracleTimestamp>>(at)?;
                        values.push(time.map(|time| bind::time_text(&time)).as_deref().map_or(Value::Null, Value::Text))
                    }
                    _ => values.push(bind::text(&row, at)?.as_deref().map_or(Value::Null, Value::Text)),
                };
            }
            Ok(())
        })
    }

    /// Runs a statement that changes rows, with values bound to `:1`, `:2`, ..., and gives their number.
    ///
    /// # Errors
    /// As for [`OracleConnection::run_block`].
    pub(crate) fn change(&mut self, doing: &str, sql: &str, binds: &[Bind<'_>]) -> Result<u64, EngineError> {
        let values: Vec<&dyn ToDbValue> = binds.iter().map(Bind::value).collect();
        self.run(doing, |connection| {
            let mut statement: Statement = connection.statement(sql)?.build()?;
            statement.execute(&values).map(|result| result.rows_affected())
        })
    }

    /// Commits what this session has changed.
    ///
    /// # Errors
    /// As for [`OracleConnection::run_block`].
    pub(crate) fn commit(&mut self, doing: &str) -> Result<(), EngineError> {
        self.run(doing, |connection| connection.commit())
    }

    /// Rolls it back.
    ///
    /// # Errors
    /// As for [`OracleConnection::run_block`].
    pub(crate) fn roll_back(&mut self, doing: &str) -> Result<(), EngineError> {
        self.run(doing, |connection| connection.rollback())
    }
}
