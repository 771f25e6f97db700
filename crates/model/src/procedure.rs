//! Procedures: the work of tests, with the same names and arguments on every engine. Each is a row of facts in
//! `procedures.toml`, and of one of a few shapes; what is the same for all of a shape is written for the shape.

use crate::{Counter, RepeatMode, TableName};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::ops::Deref;
use std::sync::LazyLock;

static ALL: LazyLock<Vec<ProcedureFacts>> = LazyLock::new(|| {
    let rows = toml::from_str(include_str!("procedures.toml")).map(|Rows { procedure }| procedure);
    #[expect(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
    rows.expect("procedures.toml has rows of facts")
});
static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| Procedure::all().map(Procedure::name).collect());

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    procedure: Vec<ProcedureFacts>,
}

/// What a procedure's work is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcedureShape {
    /// Procedural code without tables.
    Loop,
    /// A statement over a whole table, or one partition of it.
    Statement,
    /// Selects rows by a key.
    Select,
    /// Inserts rows into a table of the point's own.
    Insert,
    /// Updates rows by a key.
    Update,
    /// Copies the small heap into tables of the job's own.
    Load,
    /// Builds an index of the job's own.
    Index,
    /// Writes a file of the job's own.
    File,
}

/// Which rows one execution of the statement under test is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowsBy {
    /// One row by its primary key. A transaction has an execution for each of its rows.
    PrimaryKey,
    /// As many rows as a transaction has, whose primary keys follow each other. A transaction is one execution.
    PrimaryKeyRange,
    /// The rows of one value of the secondary key. A transaction is one execution.
    SecondaryKey,
    /// The rows of one range partition.
    RangePartition,
}

/// Random numbers that one pass of a loop draws.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Draws {
    /// None.
    #[default]
    None,
    /// One.
    One,
    /// As many as the test's argument says.
    Argument,
}

/// What a test's argument is, and so how many operations a pass counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Argument {
    /// The argument of the fibonacci function: a pass counts its calls.
    Fibonacci,
    /// The last of the numbers from 2 on: a pass counts them.
    NumbersFromTwo,
    /// A number of elements: a pass counts them.
    Elements,
}

/// The facts of a procedure.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcedureFacts {
    name: String,
    /// What it does, in a few words.
    pub what: String,
    /// What its work is like.
    pub shape: ProcedureShape,
    /// Which rows one execution of the statement under test is about; absent where that is the whole table.
    pub rows_by: Option<RowsBy>,
    /// Random numbers that a pass of a loop draws.
    #[serde(default)]
    pub draws: Draws,
    /// What the test's argument is; absent where it has none.
    pub argument: Option<Argument>,
    /// Whether an operation is a transaction, so that tx/s has a meaning.
    #[serde(default)]
    pub transactional: bool,
    /// Whether engines count the rows that it scans.
    #[serde(default)]
    pub scanned_rows_are_counted: bool,
    /// Whether it sorts more than memory holds.
    #[serde(default)]
    pub sorts: bool,
    /// Whether each row that it finds in the small heap is looked up in a second table: the small index-organised one,
    /// or the large one.
    #[serde(default)]
    pub probes: bool,
    /// The tables that the catalogue's tests have it on.
    #[serde(default)]
    pub tables: Vec<TableName>,
    /// Whether it can be on no other table.
    #[serde(default)]
    pub only_these_tables: bool,
}

/// A procedure: one row of facts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Procedure(&'static ProcedureFacts);

/// An equality that must hold between dbdyno's count and the engine's count, from the barrier to the last chunk's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountProof {
    /// The engine's counter equals the number of operations times this factor.
    PerOperation(Counter, u64),
    /// The engine's counter equals the number of rows.
    PerRow(Counter),
}

impl Procedure {
    /// Every procedure, in the order of the file.
    pub fn all() -> impl Iterator<Item = Self> {
        ALL.iter().map(Self)
    }

    /// The procedure of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|procedure| procedure.0.name == name)
    }

    /// The name in the catalogue and of the stored procedure.
    #[must_use]
    pub fn name(self) -> &'static str {
        &self.0.name
    }

    /// Whether it changes data; then a point must say how durable its commits are.
    #[must_use]
    pub fn writes(self) -> bool {
        !matches!(self.shape, ProcedureShape::Loop | ProcedureShape::Statement | ProcedureShape::Select)
    }

    /// Whether it commits each transaction.
    #[must_use]
    pub fn commits(self) -> bool {
        matches!(self.shape, ProcedureShape::Insert | ProcedureShape::Update)
    }

    /// Whether an application would send this work statement by statement; only then the client drive can run it.
    #[must_use]
    pub fn has_client_form(self) -> bool {
        self.commits() || self.shape == ProcedureShape::Select
    }

    /// Whether each operation reads every row of the table once, so that the returned sum is known beforehand.
    #[must_use]
    pub fn reads_all(self) -> bool {
        self.shape == ProcedureShape::Statement && self.rows_by.is_none()
    }

    /// Whether it is procedural code without tables.
    #[must_use]
    pub fn is_cpu(self) -> bool {
        self.shape == ProcedureShape::Loop
    }

    /// Whether it works without any of the test tables.
    #[must_use]
    pub fn is_tableless(self) -> bool {
        matches!(self.shape, ProcedureShape::Loop | ProcedureShape::File)
    }

    /// Whether it updates rows that lie far apart in each transaction: what is written then is random writes.
    #[must_use]
    pub fn scatters_writes(self) -> bool {
        self.shape == ProcedureShape::Update && self.rows_by == Some(RowsBy::SecondaryKey)
    }

    /// Whether the test says how many rows a transaction has.
    #[must_use]
    pub fn takes_rows_per_tx(self) -> bool {
        matches!(self.rows_by, Some(RowsBy::PrimaryKey | RowsBy::PrimaryKeyRange))
    }

    /// How the work is divided.
    #[must_use]
    pub fn repeat_mode(self) -> RepeatMode {
        match self.shape {
            ProcedureShape::Load | ProcedureShape::Index | ProcedureShape::File => RepeatMode::Once,
            ProcedureShape::Statement => RepeatMode::Statements,
            _ => RepeatMode::Chunks,
        }
    }
}

impl Deref for Procedure {
    type Target = ProcedureFacts;

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

impl PartialEq<&str> for Procedure {
    fn eq(&self, name: &&str) -> bool {
        self.0.name == *name
    }
}

impl fmt::Debug for Procedure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Procedure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Procedure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::named(&name).ok_or_else(|| de::Error::unknown_variant(&name, &NAMES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn procedures_are_named_as_in_the_catalogue() {
        let names: BTreeSet<&str> = Procedure::all().map(Procedure::name).collect();
        assert_eq!(names.len(), Procedure::all().count(), "each has a name of its own");
        for procedure in Procedure::all() {
            let name = serde_json::to_value(procedure).unwrap();
            assert_eq!(serde_json::from_value::<Procedure>(name).unwrap(), procedure);
        }
        let unknown = serde_json::from_value::<Procedure>("scann".into()).unwrap_err().to_string();
        assert!(unknown.starts_with("unknown variant `scann`, expected one of `cpu_loop`, "), "{unknown}");
    }

    #[test]
    fn facts_fit_the_shapes() {
        for procedure in Procedure::all() {
            let (name, rows_by) = (procedure.name(), procedure.rows_by);
            assert_eq!(procedure.is_tableless(), procedure.tables.is_empty(), "{name}");
            assert!(procedure.is_cpu() || (procedure.draws, procedure.argument) == (Draws::None, None), "{name}");
            assert!(!procedure.has_client_form() || rows_by.is_some(), "{name}: what is a client to send?");
            assert!(procedure.reads_all() || !procedure.scanned_rows_are_counted, "{name}");
            let by_partition = rows_by == Some(RowsBy::RangePartition);
            assert!(!by_partition || procedure.shape == ProcedureShape::Statement, "{name}");
            assert!(!procedure.probes || procedure.shape == ProcedureShape::Select, "{name}");
            assert!(!procedure.what.is_empty() && !procedure.what.ends_with('.'), "{name}");
        }
    }
}
