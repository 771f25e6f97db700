//! What a test is. Tests are data (catalogue/tests); these types say what the data may say.

use crate::{Counter, Dimension, MetricId, Procedure, Proof, Shape, Size, TableName, TestCode};
use serde::{Deserialize, Serialize};

/// The layer of the platform that a test is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// Processors.
    Cpu,
    /// Processors and memory together: SQL on cached data.
    Server,
    /// Devices and the way to them.
    Storage,
    /// The database product's own mechanisms.
    Database,
}

impl Layer {
    /// The name as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Who runs the loop.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Drive {
    /// A stored procedure inside the database (in-process for embedded engines).
    #[default]
    Server,
    /// dbdyno sends each statement, or each I/O.
    Client,
}

impl Drive {
    /// The name as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Whether the test's table is to be in the engine's cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cache {
    /// Pre-read; fewer than 1 in 1,000 logical reads may be physical.
    Cached,
    /// At least 0.7 device reads per block visit.
    NonCached,
    /// The test does not read tables in a way that this matters to.
    Any,
}

/// How a point's work is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepeatMode {
    /// Calibrated chunks of 50-200 ms, again and again.
    Chunks,
    /// Whole statements, at least three, until the duration has passed.
    Statements,
    /// Whole pieces of a definite volume, one at least, until the duration has passed; the window ends with the last
    /// job.
    Once,
}

/// Where the data lies, for engines with cache tiers in flash.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// The database's default storage.
    #[default]
    Default,
    /// The database flash cache.
    DatabaseFlash,
    /// The storage cells' flash cache.
    CellFlash,
}

/// How a bulk load compresses.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// The plainest that the engine has.
    Basic,
    /// One that keeps up with single-row changes.
    Oltp,
    /// Columnar, for queries.
    HccQueryLow,
    /// Columnar, for archives.
    HccArchiveLow,
}

impl Compression {
    /// The name as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
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
    #[serde(default = "any_cache")]
    pub cache: Cache,
    /// Dimensions that a ramp may move; the first is the default.
    pub ramp: Vec<Dimension>,
    /// How the work is divided.
    pub rhythm: RepeatMode,
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
    pub tier: Tier,
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

fn any_cache() -> Cache {
    Cache::Any
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
            rhythm: RepeatMode::Chunks,
            ops_per_pass: 1,
            rows_per_tx: None,
            sweep_rows_per_tx: Vec::new(),
            last_step_rows_per_tx: None,
            argument: None,
            documented_argument: None,
            tier: Tier::Default,
            compression: Compression::None,
            least_duration_s: None,
            metrics: vec![MetricId("ops_per_s".to_owned())],
            reconstructed: false,
            variant_of: None,
            note: None,
        }
    }

    /// Rows that one operation must touch, or `None` where the work has no rows.
    #[must_use]
    pub fn rows_per_op(&self, size: &Size, rows_per_tx: u64) -> Option<u64> {
        let shape = self.table.map_or(Shape::Small, TableName::shape);
        match self.procedure {
            Procedure::Insert | Procedure::SelectPrimary | Procedure::UpdatePrimary => Some(rows_per_tx),
            Procedure::SelectSecondary | Procedure::UpdateSecondary => Some(size.rows_per_value(shape)),
            Procedure::Join => Some(Size::SMALL_ROWS_PER_VALUE),
            Procedure::BulkLoad | Procedure::ScanRange => Some(size.small_rows),
            Procedure::Scan
            | Procedure::IndexUnique
            | Procedure::IndexNonUnique
            | Procedure::Sort
            | Procedure::Group
            | Procedure::Report => Some(size.rows(shape)),
            _ => None,
        }
    }

    /// Statements under test that the engine executes for one operation.
    #[must_use]
    pub fn executions_per_op(&self, rows_per_tx: u64) -> u64 {
        match self.procedure {
            Procedure::Insert | Procedure::SelectPrimary | Procedure::UpdatePrimary => rows_per_tx,
            _ => 1,
        }
    }

    /// What the engine's own counters must say about the work, done with this many threads inside one statement.
    #[must_use]
    pub fn proofs(&self, rows_per_tx: u64, threads: u32) -> Vec<Proof> {
        // One thread is the session itself.
        let workers = Proof::PerOperation(Counter::WorkersLaunched, if threads > 1 { threads.into() } else { 0 });
        let executions = Proof::PerOperation(Counter::Executions, self.executions_per_op(rows_per_tx));
        match self.procedure {
            Procedure::Insert | Procedure::UpdatePrimary | Procedure::UpdateSecondary => {
                vec![executions, Proof::PerRow(Counter::RowsChanged), Proof::PerOperation(Counter::Commits, 1)]
            }
            Procedure::BulkLoad => vec![Proof::PerRow(Counter::RowsChanged)],
            Procedure::Scan | Procedure::Sort => vec![executions, Proof::PerRow(Counter::RowsScanned), workers],
            Procedure::SelectPrimary | Procedure::SelectSecondary | Procedure::Join => vec![executions],
            Procedure::ScanRange
            | Procedure::Group
            | Procedure::Report
            | Procedure::IndexUnique
            | Procedure::IndexNonUnique => vec![executions, workers],
            _ => Vec::new(),
        }
    }

    /// Commits of one operation, where the engine's own count of them must say so.
    #[must_use]
    pub fn commits_per_op(&self, rows_per_tx: u64) -> Option<u64> {
        self.proofs(rows_per_tx, 1).into_iter().find_map(|proof| match proof {
            Proof::PerOperation(Counter::Commits, times) => Some(times),
            _ => None,
        })
    }

    /// Data blocks that one operation must visit when nothing is cached, one a scattered row; `None` where the number
    /// of blocks is not a count of rows (scans read neighbours together).
    #[must_use]
    pub fn block_visits_per_op(&self, size: &Size, rows_per_tx: u64) -> Option<u64> {
        match self.procedure {
            Procedure::SelectPrimary | Procedure::UpdatePrimary | Procedure::SelectSecondary | Procedure::Join
                if self.cache == Cache::NonCached =>
            {
                self.rows_per_op(size, rows_per_tx)
            }
            _ => None,
        }
    }
}
