//! A workload on a target: its load there, and the figures that prove it and the work.

pub(crate) mod load;
mod objects;

use crate::{DataSpec, Dialect, WorkloadData};
use dbdyno_engine::client::{Answer, Bound, PrepareWhen, Statements, Value, Values};
use dbdyno_engine::{Engine, EngineError, Request};
use dbdyno_model::CommitMode;
use xxhash_rust::xxh3::xxh3_64;

/// A workload on the target of an engine, with its SQL in the engine's dialect.
pub struct TargetWorkload<'e> {
    engine: &'e dyn Engine,
    dialect: &'e Dialect,
}

impl<'e> TargetWorkload<'e> {
    /// A workload on an engine.
    #[must_use]
    pub fn new(engine: &'e dyn Engine, dialect: &'e Dialect) -> Self {
        Self { engine, dialect }
    }

    fn name(&self) -> &'static str {
        self.dialect.workload().name()
    }

    /// Its data on the target.
    ///
    /// # Errors
    /// The target cannot be reached, or what it holds is not dbdyno's.
    pub fn data(&self) -> Result<WorkloadData, EngineError> {
        Ok(WorkloadData::read(self.engine.books()?.get(&self.entry())))
    }

    /// The name of its entry in the book-keeping.
    fn entry(&self) -> String {
        format!("workload {}", self.name())
    }

    /// The name of the entry that describes the indexes that a load made.
    fn indexes_entry(&self) -> String {
        format!("indexes of {}", self.name())
    }

    /// Counts rows and indexes, and looks where rows lie where that is asked for. Says which tables have other numbers
    /// of rows than a load of this data makes, and whether the indexes are others than those that the load made. Where
    /// an earlier release has loaded, their number alone is known.
    ///
    /// # Errors
    /// The engine's error.
    pub fn recount(&self, data: &DataSpec) -> Result<Vec<String>, EngineError> {
        if self.places_rows() {
            // Rows that earlier work has moved go back first.
            self.settle(data)?;
        }
        self.recount_as_it_is(data)
    }

    /// Bytes that its rows take at least on the target, where each takes a block.
    ///
    /// # Errors
    /// The workload's file cannot be read.
    pub fn bytes_at_least(&self, data: &DataSpec) -> Result<u64, EngineError> {
        let block_bytes =
            if self.dialect.workload().about().row_is_block { self.engine.features().block_bytes } else { 0 };
        let rows = self.dialect.tables(data)?.iter().map(|table| table.rows).fold(0, u64::saturating_add);
        Ok(rows.saturating_mul(block_bytes))
    }

    /// Whether its load has put rows into places of their own, so that where they lie decides a figure.
    #[must_use]
    pub fn places_rows(&self) -> bool {
        self.dialect.has("placed")
    }

    /// The same without bringing the tables to rest.
    ///
    /// # Errors
    /// As for [`TargetWorkload::recount`].
    pub fn recount_as_it_is(&self, data: &DataSpec) -> Result<Vec<String>, EngineError> {
        let (mut wrong, indexes) = self.count(data)?;
        let books = self.engine.books()?;
        let noted = books.get(&self.indexes_entry());
        if wrong.is_empty() && !noted.is_empty() && noted != indexes {
            wrong.push("its indexes are others than those that its load made".to_owned());
        }
        Ok(wrong)
    }

    /// What is wrong with the numbers of rows and indexes, and with where rows lie, and a hash of what describes the
    /// indexes.
    fn count(&self, data: &DataSpec) -> Result<(Vec<String>, String), EngineError> {
        let mut wrong = if self.places_rows() {
            self.run(&self.dialect.all("refresh", data)?)?;
            self.dialect.workload().misplaced(data, &self.query("placed", data)?)
        } else {
            Vec::new()
        };
        let counted = self.dialect.workload().misloaded(data, &self.query("count", data)?);
        wrong.extend(counted);
        let (found, made) = (self.texts("indexes", data)?, self.dialect.indexes_made(data)?);
        if found.len() != made {
            let advice = if found.len() > made { " (drop what was added)" } else { "" };
            wrong.push(format!("its tables have {} indexes, and {made} were made{advice}", found.len()));
        }
        Ok((wrong, format!("{:016x}", xxh3_64(found.join("\n").as_bytes()))))
    }

    /// Reads the figures that prove the work: those of the statement `look`.
    ///
    /// # Errors
    /// The engine's error.
    pub fn read_figures(&self, data: &DataSpec) -> Result<Vec<i64>, EngineError> {
        if self.dialect.has("look") { self.query("look", data) } else { Ok(Vec::new()) }
    }

    /// What is wrong with the figures, each with the first keys of the rows that break it.
    ///
    /// # Errors
    /// The engine's error.
    pub fn broken(&self, data: &DataSpec, figures: &[i64]) -> Result<Vec<String>, EngineError> {
        let mut wrong = self.dialect.workload().broken(figures);
        for (place, name) in self.dialect.workload().traced() {
            if figures.get(*place).is_some_and(|figure| *figure != 0) {
                let keys = self.texts(&format!("keys {name}"), data)?;
                wrong.push(format!("the first keys of {name}: {}", keys.join(", ")));
            }
        }
        Ok(wrong)
    }

    /// The texts in the first column of a query, in order; of each unit of the scale where it asks for that.
    fn texts(&self, name: &str, data: &DataSpec) -> Result<Vec<String>, EngineError> {
        self.answers(name, data, |answer| {
            let text =
                |row| answer.int(row, 0).map(|key| key.to_string()).or_else(|| answer.text(row, 0).map(str::to_owned));
            (0..answer.rows()).filter_map(text).collect()
        })
    }

    /// The numbers in the first row of a query; of each unit of the scale where it asks for that.
    fn query(&self, name: &str, data: &DataSpec) -> Result<Vec<i64>, EngineError> {
        self.answers(name, data, |answer| (0..).map_while(|column| answer.int(0, column)).collect())
    }

    /// What is read from the answers of a query, one after the other.
    fn answers<T>(&self, name: &str, data: &DataSpec, read: impl Fn(&Answer) -> Vec<T>) -> Result<Vec<T>, EngineError> {
        let mut all = Vec::new();
        self.execute(&self.dialect.each(name, data)?, &Values::new(), |answer| all.extend(read(answer)))?;
        Ok(all)
    }

    /// Brings its tables to rest before a point, as far as the engine does not do so by itself.
    ///
    /// # Errors
    /// The engine's error.
    pub fn settle(&self, data: &DataSpec) -> Result<(), EngineError> {
        self.run(&self.dialect.all("rest", data)?)
    }

    /// The rows that a statement answers with, as texts; `values` are its `:1`, `:2` ...
    ///
    /// # Errors
    /// There is no such statement; the engine's error.
    pub fn ask(&self, name: &str, values: &[i64]) -> Result<Vec<Vec<String>>, EngineError> {
        let (mut bound, mut rows) = (Values::new(), Vec::new());
        for value in values {
            bound.push(*value);
        }
        let read = |answer: &Answer| {
            let row = |row| (0..).map_while(|column| answer.get(row, column)).map(in_words).collect();
            rows.extend((0..answer.rows()).map(row));
        };
        self.execute(&[self.dialect.text(name)?.sql], &bound, read)?;
        Ok(rows)
    }

    fn run(&self, statements: &[String]) -> Result<(), EngineError> {
        self.execute(statements, &Values::new(), |_| ())
    }

    /// Executes statements with the same values in one session, in order, and hands each answer over.
    fn execute(
        &self,
        statements: &[String],
        values: &Values,
        mut each: impl FnMut(&Answer),
    ) -> Result<(), EngineError> {
        if statements.is_empty() {
            return Ok(());
        }
        let mut session = self.engine.client_session(0, 1)?;
        let texts = statements.iter().map(|sql| sql.clone().into()).collect();
        // One may need what another makes.
        let (work, prepared) = (self.name().to_owned(), PrepareWhen::Sent);
        session.prepare_statements(&Statements { work, texts, commit: CommitMode::Durable, prepared })?;
        for statement in 0..statements.len() {
            let request = Request::Statement(Bound { statement, values, times: 1, opens: false });
            session.execute(&request).map_err(|failure| failure.error)?;
            each(session.answer());
            session.flush()?;
        }
        Ok(())
    }
}

fn in_words(value: Value<'_>) -> String {
    match value {
        Value::Text(text) => text.to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Null | Value::Day(_) | Value::Cents(_) => String::new(),
    }
}
