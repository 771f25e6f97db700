//! Loading a workload's data, and proving it.

use super::TargetWorkload;
use crate::DataSpec;
use crate::dialect::SchemaObject;
use crate::workload_data::LoadStage;
use dbdyno_engine::bookkeeping::Meta;
use dbdyno_engine::{EngineError, FillTimes, LoadWatch, TableRows};
use dbdyno_model::ErrorClass;
use std::cmp::Reverse;
use std::time::Instant;

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

impl TargetWorkload<'_> {
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
