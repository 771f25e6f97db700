//! What a test is. Tests are data (catalogue/tests); these types say what the data may contain.

use crate::{
    Argument, CountProof, Counter, Dimension, MetricId, Procedure, ProcedureShape, RepeatMode, RowsBy, Size, TableName,
    TableShape, TestCode,
};
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// The layer of the platform that a test is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// Processors.
    Cpu,
    /// Processors and memory together: SQL on cached data.
    Server,
    /// Devices and the path to them.
    Storage,
    /// The database product's own mechanisms.
    Database,
}

/// Who runs the loop.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Drive {
    /// A stored procedure inside the database (inside the process for embedded engines).
    #[default]
    Server,
    /// dbdyno sends each statement, or each I/O.
    Client,
}

/// Whether the test's table must be in the engine's cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cache {
    /// Read in advance; fewer than 1 in 1,000 logical reads may be physical.
    Cached,
    /// At least 0.7 device reads per block visit.
    NonCached,
    /// The cache makes no difference to the test.
    #[default]
    Any,
}

/// Where the data lies, for engines with cache tiers in flash.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StorageTier {
    /// The database's default storage.
    #[default]
    Default,
    /// The database flash cache.
    DatabaseFlash,
    /// The storage cells' flash cache.
    CellFlash,
}

/// How a bulk load compresses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// The simplest compression that the engine has.
    Basic,
    /// Compression that is kept when single rows change.
    Oltp,
    /// Columnar, for queries.
    HccQueryLow,
    /// Columnar, for archives.
    HccArchiveLow,
}

/// One test of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Test {
    /// Its code.
    pub code: TestCode,
    /// What it does, in a few words.
    pub title: String,
    /// The layer that it is about.
    pub layer: Layer,
    /// The work.
    pub procedure: Procedure,
    /// The table that the work is done on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<TableName>,
    /// Whether that table is in the engine's cache.
    #[serde(default)]
    pub cache: Cache,
    /// Dimensions that a ramp may move; the first is the default.
    pub ramp: Vec<Dimension>,
    /// How the work is divided. It is written as `rhythm`, its older name, so that the hashes of definitions stay.
    #[serde(rename(serialize = "rhythm", deserialize = "repeat_mode"), alias = "rhythm")]
    pub repeat_mode: RepeatMode,
    /// Operations that one pass counts as (38 for the arithmetic mix).
    #[serde(default = "one")]
    pub ops_per_pass: u64,
    /// Rows per transaction, for transactional procedures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows_per_tx: Option<u64>,
    /// Rows per transaction that a first sweep at DOP 1 goes through.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sweep_rows_per_tx: Vec<u64>,
    /// Rows per transaction of one more step at the highest DOP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_step_rows_per_tx: Option<u64>,
    /// How far the work goes, for procedures with an argument (fibonacci n, primes up to n).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument: Option<u64>,
    /// The argument that stands in the documents, where a pass uses a smaller one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documented_argument: Option<u64>,
    /// Storage tier.
    #[serde(default)]
    pub tier: StorageTier,
    /// Compression of a bulk load.
    #[serde(default)]
    pub compression: Compression,
    /// Least window, in seconds, in suites meant for decisions (T721: 60).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least_duration_s: Option<u64>,
    /// Key metrics; the first is the one that cells and heatmaps use.
    pub metrics: Vec<MetricId>,
    /// Whether the code or its definition was reconstructed from a pattern or a bare count in the documents.
    #[serde(default)]
    pub reconstructed: bool,
    /// The test that this one is a named variant of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant_of: Option<TestCode>,
    /// What a reader should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

fn one() -> u64 {
    1
}

impl Test {
    /// A test that is nothing but its work and its table, in chunks: what a catalogue's entry says besides is left
    /// open.
    #[must_use]
    pub fn plain(code: TestCode, procedure: Procedure, table: Option<TableName>, cache: Cache) -> Self {
        Self {
            code,
            title: procedure.name().to_owned(),
            layer: Layer::Server,
            procedure,
            table,
            cache,
            ramp: vec![Dimension::Jobs],
            repeat_mode: RepeatMode::Chunks,
            ops_per_pass: 1,
            rows_per_tx: None,
            sweep_rows_per_tx: Vec::new(),
            last_step_rows_per_tx: None,
            argument: None,
            documented_argument: None,
            tier: StorageTier::Default,
            compression: Compression::None,
            least_duration_s: None,
            metrics: vec![MetricId("ops_per_s".to_owned())],
            reconstructed: false,
            variant_of: None,
            note: None,
        }
    }

    /// Places of the tests whose operations are the same work as that of the test at each place: the same procedure on
    /// the same table, with the same parameters. How a ramp is climbed, and what is reported of it, makes no other
    /// work.
    #[must_use]
    pub fn same_work(tests: &[Self]) -> Vec<Vec<usize>> {
        let Some(first) = tests.first() else { return Vec::new() };
        let work = |test: &Self| Self {
            code: first.code.clone(),
            title: String::new(),
            layer: first.layer,
            ramp: Vec::new(),
            sweep_rows_per_tx: Vec::new(),
            last_step_rows_per_tx: None,
            least_duration_s: None,
            metrics: Vec::new(),
            reconstructed: false,
            variant_of: None,
            note: None,
            ..test.clone()
        };
        let works: Vec<Self> = tests.iter().map(work).collect();
        let others = |at: usize| (0..works.len()).filter(|other| *other != at && works[*other] == works[at]).collect();
        (0..works.len()).map(others).collect()
    }

    /// The table that the rows of a key are found in: joins begin in the small heap.
    #[must_use]
    pub fn key_table(&self) -> Option<TableName> {
        if self.procedure.probes { Some(TableName::SmallHeap) } else { self.table }
    }

    /// Small or large: the table that the rows of a key are found in.
    #[must_use]
    pub fn key_shape(&self) -> TableShape {
        self.key_table().map_or(TableShape::Small, TableName::shape)
    }

    /// Whether the rows that it finds are looked up in the large table.
    #[must_use]
    pub fn probes_large(&self) -> bool {
        let large = self.table.is_some_and(|table| table.shape() == TableShape::Large);
        self.procedure.probes && (large || self.cache == Cache::NonCached)
    }

    /// The tables that it reads or changes, besides those that it makes.
    #[must_use]
    pub fn reads(&self) -> Vec<TableName> {
        match self.procedure.shape {
            ProcedureShape::Loop | ProcedureShape::File => Vec::new(),
            ProcedureShape::Insert | ProcedureShape::Load => vec![TableName::SmallHeap],
            _ if self.probes_large() => vec![TableName::SmallHeap, TableName::LargeHeapRangeList],
            _ if self.procedure.probes => vec![TableName::SmallHeap, TableName::SmallIot],
            _ => self.table.into_iter().collect(),
        }
    }

    /// Rows that one operation must touch, or `None` where the work has no rows.
    #[must_use]
    pub fn rows_per_op(&self, size: &Size, rows_per_tx: u64) -> Option<u64> {
        match (self.procedure.shape, self.procedure.rows_by) {
            (ProcedureShape::Loop | ProcedureShape::File, _) => None,
            (ProcedureShape::Load, _) | (_, Some(RowsBy::RangePartition)) => Some(size.small_rows),
            (_, Some(RowsBy::PrimaryKey | RowsBy::PrimaryKeyRange)) => Some(rows_per_tx),
            (_, Some(RowsBy::SecondaryKey)) => Some(size.rows_per_value(self.key_shape())),
            (_, None) => Some(size.rows(self.key_shape())),
        }
    }

    /// Operations that a pass counts as, of a procedure that takes an argument; `None` where it has none, or where they
    /// are more than 64 bits hold.
    #[must_use]
    pub fn ops_of_argument(&self, argument: u64) -> Option<u64> {
        match self.procedure.argument? {
            Argument::Fibonacci => fibonacci_calls(argument),
            Argument::NumbersFromTwo => argument.checked_sub(1),
            Argument::Elements => Some(argument),
        }
    }

    /// Statements under test that the engine executes for one operation.
    #[must_use]
    pub fn executions_per_op(&self, rows_per_tx: u64) -> u64 {
        if self.procedure.rows_by == Some(RowsBy::PrimaryKey) { rows_per_tx } else { 1 }
    }

    /// What the engine's own counters must say about the work, done with this many threads inside one statement.
    #[must_use]
    pub fn proofs(&self, rows_per_tx: u64, threads: u32) -> Vec<CountProof> {
        // One thread is the session itself.
        let workers = CountProof::PerOperation(Counter::WorkersLaunched, if threads > 1 { threads.into() } else { 0 });
        let executions = CountProof::PerOperation(Counter::Executions, self.executions_per_op(rows_per_tx));
        match self.procedure.shape {
            ProcedureShape::Insert | ProcedureShape::Update => {
                vec![
                    executions,
                    CountProof::PerRow(Counter::RowsChanged),
                    CountProof::PerOperation(Counter::Commits, 1),
                ]
            }
            ProcedureShape::Load => vec![CountProof::PerRow(Counter::RowsChanged)],
            ProcedureShape::Select => vec![executions],
            ProcedureShape::Statement if self.procedure.scanned_rows_are_counted => {
                vec![executions, CountProof::PerRow(Counter::RowsScanned), workers]
            }
            ProcedureShape::Statement | ProcedureShape::Index => vec![executions, workers],
            ProcedureShape::Loop | ProcedureShape::File => Vec::new(),
        }
    }

    /// Commits of one operation, where the engine's own count of them must say so.
    #[must_use]
    pub fn commits_per_op(&self, rows_per_tx: u64) -> Option<u64> {
        self.proofs(rows_per_tx, 1).into_iter().find_map(|proof| match proof {
            CountProof::PerOperation(Counter::Commits, times) => Some(times),
            _ => None,
        })
    }

    /// Data blocks that one operation must visit when nothing is cached, one a scattered row; `None` where the number
    /// of blocks is not a count of rows (scans read neighbours together).
    #[must_use]
    pub fn block_visits_per_op(&self, size: &Size, rows_per_tx: u64) -> Option<u64> {
        let scattered = matches!(self.procedure.rows_by, Some(RowsBy::PrimaryKey | RowsBy::SecondaryKey))
            && self.procedure.shape != ProcedureShape::Insert;
        if scattered && self.cache == Cache::NonCached { self.rows_per_op(size, rows_per_tx) } else { None }
    }
}

/// The calls of naive fibonacci(n), itself included: `calls(n) = calls(n-1) + calls(n-2) + 1`, `calls(0) = calls(1) =
/// 1`; `None` where they exceed 64 bits.
#[must_use]
pub fn fibonacci_calls(n: u64) -> Option<u64> {
    let (mut before, mut calls) = (1u64, 1u64);
    for _ in 1..n.min(100) {
        (before, calls) = (calls, before.checked_add(calls)?.checked_add(1)?);
    }
    Some(calls)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_those_of_the_naive_function() {
        fn fibonacci(n: u64, calls: &mut u64) -> u64 {
            *calls += 1;
            if n < 2 { n } else { fibonacci(n - 1, calls) + fibonacci(n - 2, calls) }
        }
        for n in 0..=22 {
            let mut calls = 0;
            fibonacci(n, &mut calls);
            assert_eq!(fibonacci_calls(n), Some(calls), "{n}");
        }
        assert_eq!((fibonacci_calls(39), fibonacci_calls(40)), (Some(204_668_309), Some(331_160_281)));
        assert_eq!(fibonacci_calls(u64::MAX), None);
    }
}
