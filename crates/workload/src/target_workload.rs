//! A workload on a target: its load there, and the figures that prove it and the work.

use crate::dialect::{SchemaObject, data_words};
use crate::{Dialect, WorkloadData};
use dbdyno_engine::bookkeeping::{Meta, kept_entry};
use dbdyno_engine::client::{Bound, PrepareWhen, StatementText, Statements, Values};
use dbdyno_engine::{Engine, EngineError, LoadWatch, Request, Session, TableRows};
use dbdyno_model::{CommitMode, ErrorClass, Scale};
use std::cmp::Reverse;
use std::time::Instant;
use xxhash_rust::xxh3::xxh3_64;

/// What a load did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadDone {
    /// Rows of each table, in order.
    pub rows: Vec<(String, u64)>,
    /// Whether it went on with an earlier load.
    pub went_on: bool,
    /// How long its parts took.
    pub times: LoadTimes,
}

/// How long the parts of a load took, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LoadTimes {
    /// Writing rows; 0 where none were missing.
    pub write_s: f64,
    /// Reading all rows back.
    pub read_back_s: f64,
    /// Indexes.
    pub index_s: f64,
    /// What comes after them, as statistics.
    pub finish_s: f64,
    /// Counting rows and indexes, and looking for what must not be.
    pub prove_s: f64,
    /// Everything, from the tables to the proof.
    pub elapsed_s: f64,
}

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

    /// Loads it at a scale of a seed, with so many jobs at the same time where the engine can. An interrupted load of
    /// the same scale and seed goes on where it stopped. Anything else that an earlier load left is dropped first. The
    /// caller has locked the target.
    ///
    /// # Errors
    /// A table that dbdyno did not make has one of its names; the engine's error; `Cancelled` once the watch says so;
    /// `Corruption` where the tables do not hold what the load must make.
    pub fn load(&self, (scale, seed): (Scale, u64), jobs: u32, watch: &dyn LoadWatch) -> Result<LoadDone, EngineError> {
        let began = Instant::now();
        // This makes the book-keeping where there is none, so that it can be read.
        self.engine.note(&[])?;
        let (meta, objects, tables) =
            (self.engine.books()?, self.dialect.objects()?, self.dialect.table_rows(scale, seed)?);
        objects.iter().try_for_each(|object| self.refuse_foreign(object, &meta))?;
        let size = data_words(scale, seed);
        let filling = format!("filling {size}");
        let went_on = meta.get(&self.entry()) == filling && self.have_tables(&objects)?;
        if !went_on {
            self.make((scale, &size), &objects, &tables, &meta)?;
            self.engine.note(&[(self.entry(), filling)])?;
        }
        let filled = self.engine.fill(&tables, jobs, watch)?;
        let rows = tables.iter().map(|table| (self.short_name(&table.what).to_owned(), table.rows)).collect();
        let index_s = self.run_each(("index", "indexes"), scale, &tables, (jobs, watch))?;
        let finish_s = self.run_each(("finish", "statistics"), scale, &tables, (jobs, watch))?;
        let proof = Instant::now();
        let ((miscounted, indexes), figures) = (self.count(scale)?, self.read_figures(scale)?);
        let wrong: Vec<String> = miscounted.into_iter().chain(self.broken(scale, &figures)?).collect();
        if !wrong.is_empty() {
            let message = format!("what was loaded for {} is not what was to be: {}", self.name(), wrong.join("; "));
            return Err(EngineError::new(ErrorClass::Corruption, message));
        }
        let prove_s = proof.elapsed().as_secs_f64();
        self.engine.note(&[(self.indexes_entry(), indexes), (self.entry(), format!("complete {size}"))])?;
        let (write_s, read_back_s, elapsed_s) = (filled.write_s, filled.read_back_s, began.elapsed().as_secs_f64());
        let times = LoadTimes { write_s, read_back_s, index_s, finish_s, prove_s, elapsed_s };
        Ok(LoadDone { rows, went_on, times })
    }

    /// Runs the statements of a section that come after the rows, those of the largest tables first, so that none of
    /// them begins when nothing else is left to do. Returns how many seconds that took.
    fn run_each(
        &self,
        (section, words): (&str, &str),
        scale: Scale,
        tables: &[TableRows],
        (jobs, watch): (u32, &dyn LoadWatch),
    ) -> Result<f64, EngineError> {
        let (began, what) = (Instant::now(), format!("{} {words}", self.name()));
        let at_scale = |text: &StatementText| Ok(self.dialect.at_scale(&text.sql, scale)?.sql);
        let statements: Result<Vec<String>, EngineError> = self.dialect.all(section).iter().map(at_scale).collect();
        let statements = largest_first(statements?, tables);
        if !statements.is_empty() {
            self.engine.run_each(&what, &statements, jobs, watch)?;
        }
        Ok(began.elapsed().as_secs_f64())
    }

    /// The name of a table in reports: `what` without the workload's name.
    fn short_name<'w>(&self, what: &'w str) -> &'w str {
        what.strip_prefix(self.name()).map_or(what, str::trim_start)
    }

    /// Makes the tables, procedures and sequences anew. Notes of an earlier load that say a table is filled are cleared
    /// first.
    fn make(
        &self,
        (scale, size): (Scale, &str),
        objects: &[SchemaObject<'_>],
        tables: &[TableRows],
        meta: &Meta,
    ) -> Result<(), EngineError> {
        let notes_filled = |entry: &str| tables.iter().any(|table| table.notes(entry));
        let stale = meta.entries().filter(|(entry, value)| *value == "1" && notes_filled(entry));
        let stale: Vec<(String, String)> = stale.map(|(entry, _)| (entry.to_owned(), "0".to_owned())).collect();
        self.engine.note(&stale)?;
        let mut earlier = objects.iter().filter(|object| meta.keeps(object.kind, object.name()));
        earlier.try_for_each(|object| self.drop_object(object))?;
        self.engine.note(&[(self.entry(), format!("loading {size}"))])?;
        objects.iter().try_for_each(|object| self.make_object(object, scale))
    }

    /// Makes an object. It is noted before, so that a load that is killed leaves nothing that nobody knows. Where the
    /// database has refused to make it, the note is taken back, because the object of that name is somebody else's.
    fn make_object(&self, object: &SchemaObject<'_>, scale: Scale) -> Result<(), EngineError> {
        let entry = kept_entry(object.kind, object.name());
        let value = if object.columns.is_empty() { "1" } else { object.columns };
        self.engine.note(&[(entry.clone(), value.to_owned())])?;
        self.run(&[self.dialect.at_scale(object.sql, scale)?]).map_err(|error| {
            let error = error.while_doing(&format!("making the {} {}", object.kind, object.sql_name));
            if !error.undone {
                // It may be there, and then it is ours.
                return error;
            }
            match self.engine.note(&[(entry, String::new())]) {
                Err(other) => other.while_doing(&error.to_string()),
                Ok(()) => error,
            }
        })
    }

    /// Whether all of its tables exist.
    fn have_tables(&self, objects: &[SchemaObject<'_>]) -> Result<bool, EngineError> {
        for table in objects.iter().filter(|object| object.kind == "table") {
            if !self.exists(table.sql_name)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Refuses a table with one of our names that no earlier load made: it is not noted, or has other columns. For a
    /// procedure with one of our names, the statement that makes ours fails and says so.
    fn refuse_foreign(&self, object: &SchemaObject<'_>, meta: &Meta) -> Result<(), EngineError> {
        let SchemaObject { kind, sql_name, columns, .. } = object;
        if *kind != "table"
            || !self.exists(sql_name)?
            || (meta.keeps(kind, object.name()) && self.has_columns(sql_name, columns)?)
        {
            return Ok(());
        }
        Err(EngineError::other(format!(
            "the target holds the table {sql_name}, which dbdyno did not make and whose name {} needs; rename it or drop it yourself",
            self.name()
        )))
    }

    /// Drops an object that an earlier load noted.
    fn drop_object(&self, object: &SchemaObject<'_>) -> Result<(), EngineError> {
        let SchemaObject { kind, sql_name, .. } = object;
        match self.run(&[format!("DROP {} {sql_name}", kind.to_uppercase()).into()]) {
            // A load notes an object before it makes it. If it was killed between the two, there is nothing to drop.
            Err(error) if *kind != "table" || error.class == ErrorClass::UnknownObject => Ok(()),
            done => done,
        }
    }

    fn exists(&self, table: &str) -> Result<bool, EngineError> {
        match self.run(&[format!("SELECT 1 FROM {table} WHERE 1 = 0").into()]) {
            Ok(()) => Ok(true),
            Err(error) if error.class == ErrorClass::UnknownObject => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether a table has exactly these columns.
    fn has_columns(&self, table: &str, columns: &str) -> Result<bool, EngineError> {
        let columns = columns.replace(' ', ", ");
        let both = format!("SELECT {columns} FROM {table} WHERE 1 = 0 UNION ALL SELECT * FROM {table} WHERE 1 = 0");
        match self.run(&[both.into()]) {
            Ok(()) => Ok(true),
            Err(error) if matches!(error.class, ErrorClass::UnknownObject | ErrorClass::Other) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Counts rows and indexes. Says which tables have other numbers of rows than a load of this scale makes, and
    /// whether the indexes are others than those that the load made. Where an earlier release has loaded, their number
    /// alone is known.
    ///
    /// # Errors
    /// The engine's error.
    pub fn recount(&self, scale: Scale) -> Result<Vec<String>, EngineError> {
        let (mut wrong, indexes) = self.count(scale)?;
        let books = self.engine.books()?;
        let noted = books.get(&self.indexes_entry());
        if wrong.is_empty() && !noted.is_empty() && noted != indexes {
            wrong.push("its indexes are others than those that its load made".to_owned());
        }
        Ok(wrong)
    }

    /// What is wrong with the numbers of rows and indexes, and a hash of what describes the indexes.
    fn count(&self, scale: Scale) -> Result<(Vec<String>, String), EngineError> {
        let mut wrong = self.dialect.workload().misloaded(scale, &self.query(self.text("count", scale)?)?);
        let (found, made) = (self.texts(self.text("indexes", scale)?)?, self.dialect.indexes_made()?);
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
    pub fn read_figures(&self, scale: Scale) -> Result<Vec<i64>, EngineError> {
        self.query(self.text("look", scale)?)
    }

    fn text(&self, name: &str, scale: Scale) -> Result<StatementText, EngineError> {
        self.dialect.at_scale(&self.dialect.text(name)?.sql, scale)
    }

    /// What is wrong with the figures, each with the first keys of the rows that break it.
    ///
    /// # Errors
    /// The engine's error.
    pub fn broken(&self, scale: Scale, figures: &[i64]) -> Result<Vec<String>, EngineError> {
        let mut wrong = self.dialect.workload().broken(figures);
        for (place, name) in self.dialect.workload().traced() {
            if figures.get(*place).is_some_and(|figure| *figure != 0) {
                let keys = self.texts(self.text(&format!("keys {name}"), scale)?)?;
                wrong.push(format!("the first keys of {name}: {}", keys.join(", ")));
            }
        }
        Ok(wrong)
    }

    /// The texts in the first column of a query, in order.
    fn texts(&self, statement: StatementText) -> Result<Vec<String>, EngineError> {
        let mut session = self.session(vec![statement])?;
        execute(session.as_mut(), 0, &Values::new())?;
        let answer = session.answer();
        let text =
            |row| answer.int(row, 0).map(|key| key.to_string()).or_else(|| answer.text(row, 0).map(str::to_owned));
        Ok((0..answer.rows()).filter_map(text).collect())
    }

    /// The numbers in the first row of a query.
    fn query(&self, statement: StatementText) -> Result<Vec<i64>, EngineError> {
        let mut session = self.session(vec![statement])?;
        execute(session.as_mut(), 0, &Values::new())?;
        let answer = session.answer();
        Ok((0..).map_while(|column| answer.int(0, column)).collect())
    }

    /// Brings its tables to rest before a point, as far as the engine does not do so by itself.
    ///
    /// # Errors
    /// The engine's error.
    pub fn settle(&self) -> Result<(), EngineError> {
        self.run(&self.dialect.all("rest"))
    }

    fn run(&self, statements: &[StatementText]) -> Result<(), EngineError> {
        for statement in statements {
            let mut session = self.session(vec![statement.clone()])?;
            execute(session.as_mut(), 0, &Values::new())?;
            session.flush()?;
        }
        Ok(())
    }

    fn session(&self, texts: Vec<StatementText>) -> Result<Box<dyn Session>, EngineError> {
        let mut session = self.engine.client_session(0, 1)?;
        let (work, prepared) = (self.name().to_owned(), PrepareWhen::Beforehand);
        session.prepare_statements(&Statements { work, texts, commit: CommitMode::Durable, prepared })?;
        Ok(session)
    }
}

/// Statements, those first that name the tables with the most rows.
fn largest_first(mut statements: Vec<String>, tables: &[TableRows]) -> Vec<String> {
    let named = |sql: &str| tables.iter().filter(|of| sql.contains(of.table.as_str())).map(|of| of.rows).max();
    statements.sort_by_key(|sql| Reverse(named(sql)));
    statements
}

fn execute(session: &mut dyn Session, statement: usize, values: &Values) -> Result<(), EngineError> {
    let request = Request::Statement(Bound { statement, values, times: 1, opens: false });
    session.execute(&request).map(drop).map_err(|failure| failure.error)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;

    #[test]
    fn statements_on_the_largest_tables_come_first() {
        let of = |table: &str, rows| TableRows {
            what: String::new(),
            table: format!("x.{table}"),
            columns: Vec::new(),
            rows,
            seed: 1,
        };
        let tables = [of("orders", 20), of("items", 100), of("products", 3)];
        let sql = [
            "INDEX a ON x.products (n)",
            "INDEX b ON x.orders (n)",
            "INDEX c ON x.items (n)",
            "INDEX d ON x.items (m)",
        ];
        let sorted = largest_first(sql.map(str::to_owned).to_vec(), &tables);
        let names: Vec<&str> = sorted.iter().filter_map(|sql| sql.split(' ').nth(1)).collect();
        assert_eq!(names, ["c", "d", "b", "a"]);
    }
}
