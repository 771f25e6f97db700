//! What a test is. Tests are data (catalogue/tests); these types say what the data may say.

use crate::{Counter, Dimension, MetricId, Shape, Size, TableName, TestCode};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The layer of the platform that a test is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
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
        match self {
            Self::Cpu => "cpu",
            Self::Server => "server",
            Self::Storage => "storage",
            Self::Database => "database",
        }
    }
}

/// Who runs the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Drive {
    /// A stored procedure inside the database (in-process for embedded engines).
    Server,
    /// dbdyno sends each statement.
    Client,
}

impl Drive {
    /// The name as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
        }
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
pub enum Rhythm {
    /// Calibrated chunks of 50-200 ms, again and again.
    Chunks,
    /// Whole statements, at least three, until the duration has passed.
    Statements,
    /// Once; the window ends with the last job.
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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

/// What the work is. Procedures have the same names and arguments on every engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Procedure {
    /// T111: empty counting loop.
    CpuLoop,
    /// T121: one random number a pass.
    CpuRandomNumber,
    /// T122: one random string of 32 characters a pass.
    CpuRandomString,
    /// T131: the arithmetic mix on integers.
    CpuIntegerMix,
    /// T132: the arithmetic mix on exact decimals.
    CpuDecimalMix,
    /// T133: the arithmetic mix on single-precision floats.
    CpuFloatMix,
    /// T134: the arithmetic mix on doubles.
    CpuDoubleMix,
    /// T141: the string mix on VARCHAR(32).
    CpuStringMix,
    /// T151: naive recursive fibonacci; a pass is one whole evaluation.
    CpuFibonacci,
    /// T152: primes by trial division.
    CpuPrimes,
    /// T153: quicksort of random integers.
    CpuQuicksort,
    /// T211: create and write a database file.
    WriteFile,
    /// T311 …: conventional insert, row by row, into a table of its own.
    Insert,
    /// T331 …: bulk load, direct path, one commit at the end.
    BulkLoad,
    /// T421 …: full scan.
    Scan,
    /// T427: scan of one range partition.
    ScanRange,
    /// T511: create a unique index on ref_id.
    IndexUnique,
    /// T512: create a non-unique index on amount.
    IndexNonUnique,
    /// T513: sort by amount, all sorted rows consumed in the server.
    Sort,
    /// T514: group with count, sum, avg, min, max.
    Group,
    /// T515: grouping sets and a ranking.
    Report,
    /// T611 …: rows by primary key.
    SelectPrimary,
    /// T621 …: the rows of one secondary-key value.
    SelectSecondary,
    /// T711 …: update rows by primary key, commit.
    UpdatePrimary,
    /// T721: update the rows of one secondary-key value, commit.
    UpdateSecondary,
    /// T811, T816: the rows of one customer, each probing a second table by ref_id.
    Join,
}

/// An equality between dbdyno's count and the engine's own, over everything from the barrier to the last chunk's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The engine's counter equals the operations, each counted this many times.
    PerOperation(Counter, u64),
    /// The engine's counter equals the rows.
    PerRow(Counter),
}

impl Procedure {
    /// Whether it changes data, and so must say how durable its commits are.
    #[must_use]
    pub fn writes(self) -> bool {
        matches!(
            self,
            Self::WriteFile
                | Self::Insert
                | Self::BulkLoad
                | Self::IndexUnique
                | Self::IndexNonUnique
                | Self::UpdatePrimary
                | Self::UpdateSecondary
        )
    }

    /// Whether an operation is a transaction, so that tx/s has a meaning.
    #[must_use]
    pub fn transactional(self) -> bool {
        matches!(
            self,
            Self::Insert | Self::SelectPrimary | Self::SelectSecondary | Self::UpdatePrimary | Self::UpdateSecondary
        )
    }

    /// Procedural code without tables.
    #[must_use]
    pub fn is_cpu(self) -> bool {
        matches!(
            self,
            Self::CpuLoop
                | Self::CpuRandomNumber
                | Self::CpuRandomString
                | Self::CpuIntegerMix
                | Self::CpuDecimalMix
                | Self::CpuFloatMix
                | Self::CpuDoubleMix
                | Self::CpuStringMix
                | Self::CpuFibonacci
                | Self::CpuPrimes
                | Self::CpuQuicksort
        )
    }

    /// The name as in the catalogue and of the stored procedure.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::CpuLoop => "cpu_loop",
            Self::CpuRandomNumber => "cpu_random_number",
            Self::CpuRandomString => "cpu_random_string",
            Self::CpuIntegerMix => "cpu_integer_mix",
            Self::CpuDecimalMix => "cpu_decimal_mix",
            Self::CpuFloatMix => "cpu_float_mix",
            Self::CpuDoubleMix => "cpu_double_mix",
            Self::CpuStringMix => "cpu_string_mix",
            Self::CpuFibonacci => "cpu_fibonacci",
            Self::CpuPrimes => "cpu_primes",
            Self::CpuQuicksort => "cpu_quicksort",
            Self::WriteFile => "write_file",
            Self::Insert => "insert",
            Self::BulkLoad => "bulk_load",
            Self::Scan => "scan",
            Self::ScanRange => "scan_range",
            Self::IndexUnique => "index_unique",
            Self::IndexNonUnique => "index_non_unique",
            Self::Sort => "sort",
            Self::Group => "group",
            Self::Report => "report",
            Self::SelectPrimary => "select_primary",
            Self::SelectSecondary => "select_secondary",
            Self::UpdatePrimary => "update_primary",
            Self::UpdateSecondary => "update_secondary",
            Self::Join => "join",
        }
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
    pub rhythm: Rhythm,
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

    /// What the engine's own counters must say about the work.
    #[must_use]
    pub fn proofs(&self, rows_per_tx: u64) -> Vec<Proof> {
        let executions = Proof::PerOperation(Counter::Executions, self.executions_per_op(rows_per_tx));
        match self.procedure {
            Procedure::Insert | Procedure::UpdatePrimary | Procedure::UpdateSecondary => {
                vec![executions, Proof::PerRow(Counter::RowsChanged), Proof::PerOperation(Counter::Commits, 1)]
            }
            Procedure::BulkLoad => vec![Proof::PerRow(Counter::RowsChanged)],
            Procedure::Scan | Procedure::Sort => vec![executions, Proof::PerRow(Counter::RowsScanned)],
            Procedure::SelectPrimary
            | Procedure::SelectSecondary
            | Procedure::Join
            | Procedure::ScanRange
            | Procedure::Group
            | Procedure::Report
            | Procedure::IndexUnique
            | Procedure::IndexNonUnique => vec![executions],
            _ => Vec::new(),
        }
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

/// The DOPs of a ramp, as a suite or a user writes them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Ramp {
    /// These, in this order: `1,2,4`.
    List(Vec<u32>),
    /// Powers of two up to this multiple of the hardware threads, and that number itself: `1x`, `2x`.
    Threads(u32),
}

impl Ramp {
    /// The DOPs on a platform with this many hardware threads.
    #[must_use]
    pub fn resolve(&self, hardware_threads: u32) -> Vec<u32> {
        match self {
            Self::List(list) => list.clone(),
            Self::Threads(times) => {
                let top = hardware_threads.max(1).saturating_mul(*times);
                let mut dops: Vec<u32> = (0..32).map(|e| 1u32 << e).take_while(|n| *n < top).collect();
                dops.push(top);
                dops
            }
        }
    }
}

impl FromStr for Ramp {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const RULE: &str = "a ramp is a list of degrees of parallelism from 1 to 65535, as in 1,2,4";
        if let Some(times) = text.strip_suffix('x').filter(|times| !times.contains(',')) {
            let times = times.parse().ok().filter(|n| (1..=64).contains(n));
            return times
                .map(Self::Threads)
                .ok_or_else(|| format!("'{text}' is no ramp; {RULE}, or 2x for twice the hardware threads"));
        }
        let mut list: Vec<u32> = Vec::new();
        for item in text.split(',') {
            let n = item.trim().parse().ok().filter(|n| (1..=65_535).contains(n));
            let n = n.ok_or_else(|| format!("'{}' in '{text}' is no degree of parallelism; {RULE}", item.trim()))?;
            if list.contains(&n) {
                return Err(format!("{n} stands twice in '{text}'; {RULE}"));
            }
            list.push(n);
        }
        Ok(Self::List(list))
    }
}

impl fmt::Display for Ramp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List(list) => {
                let list: Vec<String> = list.iter().map(u32::to_string).collect();
                f.write_str(&list.join(","))
            }
            Self::Threads(times) => write!(f, "{times}x"),
        }
    }
}

impl TryFrom<String> for Ramp {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Ramp> for String {
    fn from(ramp: Ramp) -> Self {
        ramp.to_string()
    }
}

/// An ordered choice of tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Its name.
    pub id: String,
    /// What it is for.
    pub title: String,
    /// The window of each point.
    pub duration_s: u64,
    /// How often the whole ramp is repeated.
    pub repeat: u32,
    /// The ramp, unless a step has its own.
    pub ramp: Ramp,
    /// The tests, in order.
    #[serde(rename = "step")]
    pub steps: Vec<SuiteStep>,
}

/// Some tests of a suite that share a ramp and a duration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteStep {
    /// The tests.
    pub tests: Vec<TestCode>,
    /// Their ramp, if not the suite's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ramp: Option<Ramp>,
    /// The dimension that it moves, if not the test's first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimension: Option<Dimension>,
    /// Their window, if not the suite's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_s: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ramps_are_lists_or_multiples_of_the_threads() {
        assert_eq!("1,2,4".parse::<Ramp>().unwrap().resolve(2), [1, 2, 4]);
        assert_eq!("2x".parse::<Ramp>().unwrap().resolve(2), [1, 2, 4]);
        assert_eq!("1x".parse::<Ramp>().unwrap().resolve(6), [1, 2, 4, 6]);
        assert_eq!("1x".parse::<Ramp>().unwrap().resolve(1), [1]);
        for bad in ["", "0", "4,x", "1,,2", "1,1", "0x", "-1", "70000"] {
            assert!(bad.parse::<Ramp>().is_err(), "{bad}");
        }
    }

    #[test]
    fn procedures_are_named_as_in_the_catalogue() {
        for procedure in [Procedure::CpuLoop, Procedure::SelectPrimary, Procedure::IndexNonUnique, Procedure::ScanRange]
        {
            assert_eq!(serde_json::to_value(procedure).unwrap(), procedure.name());
        }
    }
}
