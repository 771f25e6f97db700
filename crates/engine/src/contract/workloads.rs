//! What an engine does for workloads: programs that bring a schema and statements of their own.

use super::{LoadWatch, ProgramSpec};
use crate::EngineError;
use crate::bookkeeping::Meta;
use crate::client::{Values, unsupported};
use crate::data::{Checksum, Column, ColumnValues, Columns, RowSource as _, RowSum, RowsByColumns};
use dbdyno_model::ErrorClass;
use std::ops::RangeInclusive;

/// Rows of a part of a workload's table: what one transaction of a load makes.
const PART_ROWS: u64 = 100_000;

/// Rows that a load of a workload makes in one of its tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableRows {
    /// What the progress calls them: `tpcb accounts`.
    pub what: String,
    /// The unit of the workload that the table belongs to, where each unit has such a table. These are filled together.
    pub unit: Option<u32>,
    /// The table, as SQL calls it.
    pub table: String,
    /// Its columns. The first one is the key, or a parent's: then a part has all children of its parents, as
    /// what a part has is a multiple of their number.
    pub columns: Vec<Column>,
    /// How many rows.
    pub rows: u64,
    /// The seed of what is drawn.
    pub seed: u64,
}

/// A part of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowPart {
    /// The name by which the book-keeping notes that it is there.
    pub name: String,
    /// Its rows' ids.
    pub ids: RangeInclusive<u64>,
}

impl RowPart {
    /// How many rows it has.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.ids.end() + 1 - self.ids.start()
    }
}

impl TableRows {
    /// The table's name without that of its schema.
    #[must_use]
    pub fn name(&self) -> &str {
        self.table.rsplit('.').next().unwrap_or(&self.table)
    }

    /// Whether a part has all children of its parents.
    #[must_use]
    pub fn has_whole_parts(&self) -> bool {
        match self.columns.first().map(|column| &column.values) {
            Some(ColumnValues::Parent(rows)) => PART_ROWS.is_multiple_of((*rows).max(1)),
            _ => true,
        }
    }

    /// Its parts, in order.
    #[must_use]
    pub fn parts(&self) -> Vec<RowPart> {
        let part = |first: u64| {
            let name = format!("{}_p{}", self.name(), first / PART_ROWS + 1);
            RowPart { name, ids: first + 1..=(first + PART_ROWS).min(self.rows) }
        };
        (0..self.rows).step_by(PART_ROWS as usize).map(part).collect()
    }

    /// The keys of a part: those of its first column, which is the id or that of a parent.
    #[must_use]
    pub fn keys(&self, part: &RowPart) -> (u64, u64) {
        let each = match self.columns.first().map(|column| &column.values) {
            Some(ColumnValues::Parent(rows)) => (*rows).max(1),
            _ => 1,
        };
        (1 + (part.ids.start() - 1) / each, 1 + (part.ids.end() - 1) / each)
    }

    /// What makes its rows.
    #[must_use]
    pub fn source(&self) -> RowsByColumns<'_> {
        // Engines call the table differently, and its rows are the same on all of them.
        match self.unit {
            Some(unit) => RowsByColumns::new(&format!("{} {unit}", self.what), self.seed, &self.columns),
            None => RowsByColumns::new(&self.what, self.seed, &self.columns),
        }
    }

    /// Whether an entry of the book-keeping notes a part of the table, of whatever load.
    #[must_use]
    pub fn notes(&self, entry: &str) -> bool {
        let part = entry.strip_prefix("filled ").and_then(|part| part.strip_prefix(self.name()));
        part.and_then(|part| part.strip_prefix("_p")).is_some_and(|number| number.parse::<u64>().is_ok())
    }

    /// A statement about it with the names of the table and its columns in their places.
    #[must_use]
    pub fn filled(&self, sql: &str) -> String {
        let places: Vec<String> = (1..=self.columns.len()).map(|place| format!(":{place}")).collect();
        let values = [
            ("{table}", self.table.as_str()),
            ("{columns}", &crate::data::column_list(&self.columns)),
            ("{places}", &places.join(", ")),
            ("{key}", self.columns.first().map_or("", |column| column.name.as_str())),
        ];
        values.iter().fold(sql.to_owned(), |sql, (name, value)| sql.replace(name, value))
    }

    /// Compares what a part reads back as with what was to be made.
    ///
    /// # Errors
    /// `Corruption`: it is something else.
    pub fn prove(&self, part: &RowPart, found: Checksum) -> Result<(), EngineError> {
        let (mut source, mut row) = (self.source(), Values::new());
        let mut made = RowSum::new(&self.columns, Columns::All);
        for id in part.ids.clone() {
            source.row(id, &mut row);
            made.add(&row);
        }
        if found == made.checksum {
            return Ok(());
        }
        let message = format!(
            "{} reads back as {found}, and {} was to be made; drop it and load again",
            part.name, made.checksum
        );
        Err(EngineError::new(ErrorClass::Corruption, message))
    }
}

/// What filling tables took, in seconds by the clock on the wall, all jobs together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FillTimes {
    /// Writing rows.
    pub write_s: f64,
    /// Reading them back.
    pub read_back_s: f64,
}

/// What an engine does for workloads, beside opening sessions that prepare their statements.
pub trait Workloads {
    /// The book-keeping beside the data; empty where there is none.
    ///
    /// # Errors
    /// The target cannot be reached, or what it holds is not dbdyno's.
    fn books(&self) -> Result<Meta, EngineError> {
        Ok(Meta::default())
    }

    /// Sets entries of the book-keeping, by name and value, which is made where there is none. The target is held.
    ///
    /// # Errors
    /// What the target holds is not dbdyno's; the engine's.
    fn note(&self, _: &[(String, String)]) -> Result<(), EngineError> {
        Err(unsupported())
    }

    /// Fills tables of a workload, which the target holds, by the engine's bulk path, and reads all back. What is noted
    /// of an earlier load stays; each part is noted in the transaction that makes it. `jobs` load at the same time
    /// where the engine can.
    ///
    /// # Errors
    /// Anything that ends the load; what was committed stays. `Corruption` where other rows are there.
    fn fill(&self, _: &[TableRows], _jobs: u32, _: &dyn LoadWatch) -> Result<FillTimes, EngineError> {
        Err(unsupported())
    }

    /// Runs statements that each stand for themselves and have no values, as those that make indexes, `jobs` of them at
    /// the same time where the engine can. The progress calls them `what`.
    ///
    /// # Errors
    /// The first that any of them met; `Cancelled` once the watch says so. What was done stays.
    fn run_each(&self, _what: &str, _statements: &[String], _jobs: u32, _: &dyn LoadWatch) -> Result<(), EngineError> {
        Err(unsupported())
    }

    /// Prepares a point of a program: what is counted, and whom to watch. Its tables are there.
    ///
    /// # Errors
    /// The point cannot be prepared.
    fn begin_program(&self, _: &ProgramSpec) -> Result<(), EngineError> {
        Err(unsupported())
    }

    /// Cleans up after such a point, also after one that failed.
    ///
    /// # Errors
    /// The target is lost.
    fn end_program(&self, _: &ProgramSpec) -> Result<(), EngineError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ColumnType;

    #[test]
    fn parts_have_all_rows_and_are_known_by_their_notes() {
        let of = |rows| TableRows {
            what: String::new(),
            unit: None,
            table: "x.t".to_owned(),
            columns: Vec::new(),
            rows,
            seed: 1,
        };
        let table = of(250_000);
        let parts = table.parts();
        assert_eq!(parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>(), ["t_p1", "t_p2", "t_p3"]);
        assert_eq!(parts.iter().map(RowPart::rows).sum::<u64>(), 250_000);
        assert_eq!((parts[0].ids.clone(), parts[2].ids.clone()), (1..=100_000, 200_001..=250_000));
        assert_eq!((of(100_000).parts().len(), of(1).parts()[0].ids.clone(), of(0).parts().len()), (1, 1..=1, 0));
        assert!(table.notes("filled t_p3") && table.notes("filled t_p77"));
        for other in ["filled t", "filled tt_p1", "filled t_px", "kept t_p1"] {
            assert!(!table.notes(other), "{other}");
        }
    }

    #[test]
    fn keys_of_a_part_are_those_of_parents_where_these_come_first() {
        let column =
            |values| Column { name: String::new(), kind: ColumnType::Int { bytes: 8 }, changes: false, values };
        let of = |values| TableRows {
            what: String::new(),
            unit: None,
            table: String::new(),
            columns: vec![column(values)],
            rows: 250_000,
            seed: 1,
        };
        let (items, orders) = (of(ColumnValues::Parent(5)), of(ColumnValues::Serial));
        let keys = |table: &TableRows| table.parts().iter().map(|part| table.keys(part)).collect::<Vec<_>>();
        assert_eq!(keys(&items), [(1, 20_000), (20_001, 40_000), (40_001, 50_000)]);
        assert_eq!(keys(&orders)[1], (100_001, 200_000));
        assert!(
            items.has_whole_parts() && orders.has_whole_parts() && !of(ColumnValues::Parent(900)).has_whole_parts()
        );
    }
}
