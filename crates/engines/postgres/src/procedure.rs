//! What of a test's procedure is PostgreSQL's own: the relations that the jobs of a point share, and how the server's
//! counters tell executions.

pub(super) mod layout;
#[cfg(test)]
mod tests;

use super::TABLE_NAMES;
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::procedure::ProcedureSpec;
use dbdyno_engine::server::leaves;
use dbdyno_model::{ErrorClass, ProcedureShape, RowsBy, Size, TableName, Test};

/// How the server's own counters tell the executions of the statement under test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Counting {
    /// An execution is so many scans of an index, those of its leaves added up.
    IndexScans {
        /// The index, of the whole table where that is partitioned.
        index: String,
        /// Leaves that one execution looks into.
        per_execution: u64,
    },
    /// An execution is one sequential scan of a table, or of a part of it.
    TableScans {
        /// The table.
        table: TableName,
        /// Leaves that one execution scans.
        leaves: u64,
        /// Whether it is one month of it.
        range: bool,
    },
    /// Nothing of the work is counted by the server.
    Nothing,
}

impl Counting {
    /// Rows that one execution reads by sequential scans.
    pub(super) fn rows_per_execution(&self, size: &Size) -> u64 {
        match self {
            Self::TableScans { range: true, .. } => size.small_rows,
            Self::TableScans { table, .. } => table.rows(size),
            Self::IndexScans { .. } | Self::Nothing => 0,
        }
    }
}

/// The procedure of a test.
///
/// # Errors
/// `Unsupported` where PostgreSQL has no such table or procedure.
pub(super) fn of(test: &Test) -> Result<ProcedureSpec, EngineError> {
    match test.table.filter(|table| !TABLE_NAMES.contains(table)) {
        None => {
            let procedure = ProcedureSpec::of(&DIALECT, test)?;
            let months = layout::by_months(procedure.table);
            Ok(procedure.with("months", months))
        }
        Some(table) => {
            let message = format!("{}: PostgreSQL has no table {table}", test.code);
            Err(EngineError::new(ErrorClass::Unsupported, message))
        }
    }
}

/// How the server tells the executions.
pub(super) fn counting(procedure: &ProcedureSpec) -> Counting {
    let (facts, table, leaves) = (procedure.test.procedure, procedure.table, leaves(procedure.table).len() as u64);
    let key_table = procedure.test.key_table().unwrap_or(table);
    match (facts.shape, facts.rows_by) {
        (ProcedureShape::Loop | ProcedureShape::Load | ProcedureShape::File, _) => Counting::Nothing,
        (ProcedureShape::Insert, _) => Counting::IndexScans { index: "small_heap_pk".to_owned(), per_execution: 1 },
        (ProcedureShape::Statement | ProcedureShape::Index, rows_by) => {
            let range = rows_by == Some(RowsBy::RangePartition);
            Counting::TableScans { table, leaves: if range { leaves / Size::RANGES } else { leaves }, range }
        }
        (_, Some(RowsBy::SecondaryKey)) => {
            let per_execution = if facts.probes { 1 } else { leaves };
            Counting::IndexScans { index: format!("{key_table}_customer"), per_execution }
        }
        // All other leaves are pruned.
        _ => Counting::IndexScans { index: format!("{table}_pk"), per_execution: 1 },
    }
}

/// Transactions that a pass commits inside the call; the call's own, at its end, is one more.
pub(super) fn commits_per_pass(procedure: &ProcedureSpec) -> u64 {
    match procedure.test.procedure.shape {
        ProcedureShape::Insert | ProcedureShape::Update => 1,
        ProcedureShape::Index | ProcedureShape::File => 2,
        _ => 0,
    }
}

/// The statements that create what the jobs of a point share.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn shared(procedure: &ProcedureSpec) -> Result<Vec<String>, EngineError> {
    match procedure.test.procedure.shape {
        ProcedureShape::Insert => layout::create_indexed(&procedure.fill("{load}")?, procedure.table.organisation()),
        ProcedureShape::File => Ok(vec![DIALECT.get("tables/create_noise")?.text.clone()]),
        _ => Ok(Vec::new()),
    }
}
