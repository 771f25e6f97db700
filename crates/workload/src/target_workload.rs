//! A workload on a target: its load there, and the figures that prove it and the work.

use crate::dialect::SchemaObject;
use crate::workload_data::LoadStage;
use crate::{DataSpec, Dialect, WorkloadData};
use dbdyno_engine::bookkeeping::{Meta, kept_entry};
use dbdyno_engine::client::{Answer, Bound, PrepareWhen, Statements, Values};
use dbdyno_engine::{Engine, EngineError, FillTimes, LoadWatch, Request, TableRows};
use dbdyno_model::{CommitMode, ErrorClass};
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
    /// Bringing rows into their order, where that is for afterwards; 0 elsewhere.
    pub arrange_s: f64,
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

    /// Loads data, with so many jobs at the same time where the engine can. An interrupted load of the same data goes
    /// on where it stopped. Anything else that an earlier load left is dropped first. The caller has locked the target.
    ///
    /// # Errors
    /// A table that dbdyno did not make has one of its names; the engine's error; `Cancelled` once the watch says so;
    /// `Corruption` where the tables do not hold what the load must make.
    pub fn load(&self, data: &DataSpec, jobs: u32, watch: &dyn LoadWatch) -> Result<LoadDone, EngineError> {
        let began = Instant::now();
        // This makes the book-keeping where there is none, so that it can be read.
        self.engine.note(&[])?;
        let (meta, objects, tables) =
            (self.engine.books()?, self.dialect.objects(data)?, self.dialect.table_rows(data)?);
        objects.iter().try_for_each(|object| self.refuse_foreign(object, &meta))?;
        let left = LoadStage::read(meta.get(&self.entry())).filter(|(_, spec)| spec == data).map(|(stage, _)| stage);
        let went_on = matches!(left, Some(LoadStage::Filling | LoadStage::Arranging)) && self.have_tables(&objects)?;
        if !went_on {
            self.make(data, &objects, (&tables, watch), &meta)?;
            self.note(LoadStage::Filling, data)?;
        }
        let filled = match left {
            // Rows that were arranged in part are no more what they were when they were read back.
            Some(LoadStage::Arranging) if went_on => FillTimes::default(),
            _ => self.engine.fill(&tables, jobs, watch)?,
        };
        let run_each = |section, words| self.run_each((section, words), data, &tables, (jobs, watch));
        if !self.dialect.all("arrange", data)?.is_empty() {
            self.note(LoadStage::Arranging, data)?;
        }
        let arrange_s = run_each("arrange", "order")?;
        let index_s = run_each("index", "indexes")?;
        let finish_s = run_each("finish", "statistics")?;
        let proof = Instant::now();
        let ((miscounted, indexes), figures) = (self.count(data)?, self.read_figures(data)?);
        let wrong: Vec<String> = miscounted.into_iter().chain(self.broken(data, &figures)?).collect();
        if !wrong.is_empty() {
            let message = format!("what was loaded for {} is not what was to be: {}", self.name(), wrong.join("; "));
            return Err(EngineError::new(ErrorClass::Corruption, message));
        }
        let prove_s = proof.elapsed().as_secs_f64();
        self.engine.note(&[(self.indexes_entry(), indexes), (self.entry(), LoadStage::Complete.entry(data))])?;
        let (write_s, read_back_s, elapsed_s) = (filled.write_s, filled.read_back_s, began.elapsed().as_secs_f64());
        let times = LoadTimes { write_s, read_back_s, arrange_s, index_s, finish_s, prove_s, elapsed_s };
        Ok(LoadDone { rows: self.rows(data)?, went_on, times })
    }

    /// Rows of each kind of table, in order.
    fn rows(&self, data: &DataSpec) -> Result<Vec<(String, u64)>, EngineError> {
        let mut rows: Vec<(String, u64)> = Vec::new();
        for table in self.dialect.tables(data)? {
            match rows.iter_mut().find(|(name, _)| *name == table.name) {
                Some((_, all)) => *all += table.rows,
                None => rows.push((table.name, table.rows)),
            }
        }
        Ok(rows)
    }

    fn note(&self, stage: LoadStage, data: &DataSpec) -> Result<(), EngineError> {
        self.engine.note(&[(self.entry(), stage.entry(data))])
    }

    /// Runs the statements of a section that come after the rows, those of the largest tables first, so that none of
    /// them begins when nothing else is left to do. Returns how many seconds that took.
    fn run_each(
        &self,
        (section, words): (&str, &str),
        data: &DataSpec,
        tables: &[TableRows],
        (jobs, watch): (u32, &dyn LoadWatch),
    ) -> Result<f64, EngineError> {
        let (began, what) = (Instant::now(), format!("{} {words}", self.name()));
        let statements = largest_first(self.dialect.all(section, data)?, tables);
        if statements.is_empty() {
            return Ok(0.0);
        }
        self.engine.run_each(&what, &statements, jobs, watch)?;
        Ok(began.elapsed().as_secs_f64())
    }

    /// Makes the tables, procedures and sequences anew. Notes of an earlier load that say a table is filled are cleared
    /// first.
    fn make(
        &self,
        data: &DataSpec,
        objects: &[SchemaObject<'_>],
        (tables, watch): (&[TableRows], &dyn LoadWatch),
        meta: &Meta,
    ) -> Result<(), EngineError> {
        let notes_filled = |entry: &str| tables.iter().any(|table| table.notes(entry));
        let stale = meta.entries().filter(|(entry, value)| *value == "1" && notes_filled(entry));
        let stale: Vec<(String, String)> = stale.map(|(entry, _)| (entry.to_owned(), "0".to_owned())).collect();
        self.engine.note(&stale)?;
        let mut earlier = objects.iter().filter(|object| meta.keeps(object.kind, object.name()));
        earlier.try_for_each(|object| self.drop_object(object))?;
        self.note(LoadStage::Loading, data)?;
        objects.iter().try_for_each(|object| {
            watch.refuse(&format!("making the {} {}", object.kind, object.sql_name))?;
            self.make_object(object)
        })
    }

    /// Makes an object. It is noted before, so that a load that is killed leaves nothing that nobody knows. Where the
    /// database has refused to make it, the note is taken back, because the object of that name is somebody else's.
    fn make_object(&self, object: &SchemaObject<'_>) -> Result<(), EngineError> {
        let entry = kept_entry(object.kind, object.name());
        let value = match (object.columns, object.hidden) {
            ("", _) => "1".to_owned(),
            (columns, "") => columns.to_owned(),
            (columns, hidden) => format!("{columns} {hidden}"),
        };
        self.engine.note(&[(entry.clone(), value)])?;
        self.run(std::slice::from_ref(&object.sql)).map_err(|error| {
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
            if !self.exists(&table.sql_name)? {
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
        match self.run(&[format!("DROP {} {sql_name}", kind.to_uppercase())]) {
            // A load notes an object before it makes it. If it was killed between the two, there is nothing to drop.
            Err(error) if *kind != "table" || error.class == ErrorClass::UnknownObject => Ok(()),
            done => done,
        }
    }

    fn exists(&self, table: &str) -> Result<bool, EngineError> {
        match self.run(&[format!("SELECT 1 FROM {table} WHERE 1 = 0")]) {
            Ok(()) => Ok(true),
            Err(error) if error.class == ErrorClass::UnknownObject => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether a table has exactly these columns.
    fn has_columns(&self, table: &str, columns: &str) -> Result<bool, EngineError> {
        let columns = columns.replace(' ', ", ");
        let both = format!("SELECT {columns} FROM {table} WHERE 1 = 0 UNION ALL SELECT * FROM {table} WHERE 1 = 0");
        match self.run(&[both]) {
            Ok(()) => Ok(true),
            Err(error) if matches!(error.class, ErrorClass::UnknownObject | ErrorClass::Other) => Ok(false),
            Err(error) => Err(error),
        }
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
        self.execute(&self.dialect.each(name, data)?, |answer| all.extend(read(answer)))?;
        Ok(all)
    }

    /// Drops what a load has made, and forgets it.
    ///
    /// # Errors
    /// The engine's error.
    pub fn remove(&self, data: &DataSpec) -> Result<(), EngineError> {
        let (meta, objects) = (self.engine.books()?, self.dialect.objects(data)?);
        for object in objects.iter().filter(|object| meta.keeps(object.kind, object.name())) {
            self.drop_object(object)?;
            self.engine.note(&[(kept_entry(object.kind, object.name()), String::new())])?;
        }
        self.engine.note(&[(self.entry(), String::new()), (self.indexes_entry(), String::new())])
    }

    /// Makes its procedures anew, because what they do now is not known: somebody may have replaced them since the
    /// load.
    ///
    /// # Errors
    /// The engine's error.
    pub fn renew_procedures(&self, data: &DataSpec) -> Result<(), EngineError> {
        let objects = self.dialect.objects(data)?;
        objects.iter().filter(|object| object.kind == "procedure").try_for_each(|procedure| {
            let name = &procedure.sql_name;
            // It may be gone. If it may not be dropped, it cannot be made either, and that is why.
            let dropped = self.run(&[format!("DROP PROCEDURE {name}")]);
            let made = self.run(std::slice::from_ref(&procedure.sql)).map_err(|error| dropped.err().unwrap_or(error));
            made.map_err(|error| error.while_doing(&format!("making the procedure {name} anew")))
        })
    }

    /// Brings its tables to rest before a point, as far as the engine does not do so by itself.
    ///
    /// # Errors
    /// The engine's error.
    pub fn settle(&self, data: &DataSpec) -> Result<(), EngineError> {
        self.run(&self.dialect.all("rest", data)?)
    }

    fn run(&self, statements: &[String]) -> Result<(), EngineError> {
        self.execute(statements, |_| ())
    }

    /// Executes statements in one session, in order, and hands each answer over.
    fn execute(&self, statements: &[String], mut each: impl FnMut(&Answer)) -> Result<(), EngineError> {
        if statements.is_empty() {
            return Ok(());
        }
        let mut session = self.engine.client_session(0, 1)?;
        let texts = statements.iter().map(|sql| sql.clone().into()).collect();
        // One may need what another makes.
        let (work, prepared) = (self.name().to_owned(), PrepareWhen::Sent);
        session.prepare_statements(&Statements { work, texts, commit: CommitMode::Durable, prepared })?;
        let values = Values::new();
        for statement in 0..statements.len() {
            let request = Request::Statement(Bound { statement, values: &values, times: 1, opens: false });
            session.execute(&request).map_err(|failure| failure.error)?;
            each(session.answer());
            session.flush()?;
        }
        Ok(())
    }
}

/// Statements, those first that name the tables with the most rows.
fn largest_first(mut statements: Vec<String>, tables: &[TableRows]) -> Vec<String> {
    let named = |sql: &str| tables.iter().filter(|of| sql.contains(of.table.as_str())).map(|of| of.rows).max();
    statements.sort_by_key(|sql| Reverse(named(sql)));
    statements
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;

    #[test]
    fn statements_on_the_largest_tables_come_first() {
        let of = |table: &str, rows| TableRows {
            what: String::new(),
            unit: None,
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
