//! What of a test's procedure is MariaDB's own: the tables that the jobs of a point share, what follows a pass of
//! files, and how the server's counters tell executions.

use super::layout;
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::procedure::ProcedureSpec;
use dbdyno_model::{Compression, ErrorClass, ProcedureShape, RowsBy, Size, Test};

#[cfg(test)]
mod tests;

/// How a session's own counters tell the executions of the statement under test, and the rows that they scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counting {
    /// An execution looks up so many keys (`Handler_read_key`).
    Keys {
        /// Lookups of one execution.
        per_execution: u64,
    },
    /// An execution is one SELECT (`Com_select`), or two that share the months, that scans: of the rows that are read
    /// one after the other (`Handler_read_rnd_next`) so many are ends of partitions, and what is left is so many times
    /// the rows of the table.
    Scans {
        /// Ends that one execution reads.
        ends: u64,
        /// How often it reads each row.
        times: u64,
    },
    /// An execution is one ALTER TABLE.
    Alters,
    /// Nothing of the work is counted by the server.
    Nothing,
}

/// The procedure of a test.
///
/// # Errors
/// `Unsupported` where there is none.
pub(super) fn of(test: &Test) -> Result<ProcedureSpec, EngineError> {
    ProcedureSpec::of(&DIALECT, test)
}

/// How the server tells the executions.
///
/// # Errors
/// The note `counts` cannot be understood.
pub(super) fn counting(procedure: &ProcedureSpec) -> Result<Counting, EngineError> {
    let number = |text: String| {
        let wrong = |_| EngineError::new(ErrorClass::Other, format!("{}: counts: {text}", procedure.statement));
        text.parse::<u64>().map_err(wrong)
    };
    let leaves = number(procedure.fill("{leaves}")?)?;
    let facts = procedure.test.procedure;
    Ok(match facts.shape {
        ProcedureShape::Insert => Counting::Keys { per_execution: 1 },
        ProcedureShape::Select | ProcedureShape::Update => {
            Counting::Keys { per_execution: number(procedure.note("counts")?.unwrap_or_default())? }
        }
        ProcedureShape::Statement if facts.rows_by == Some(RowsBy::RangePartition) => {
            Counting::Scans { ends: leaves / Size::RANGES, times: 1 }
        }
        // Groups go through a table of the server's own, of a length that is not known.
        ProcedureShape::Statement if !facts.scanned_rows_are_counted => Counting::Scans { ends: 0, times: 0 },
        // What is sorted goes through one as well, which it scans.
        ProcedureShape::Statement if facts.sorts => Counting::Scans { ends: leaves + 1, times: 2 },
        ProcedureShape::Statement => Counting::Scans { ends: leaves, times: 1 },
        ProcedureShape::Index => Counting::Alters,
        ProcedureShape::Loop | ProcedureShape::Load | ProcedureShape::File => Counting::Nothing,
    })
}

/// Whether what it changes is a partitioned table.
pub(super) fn changes_partitions(procedure: &ProcedureSpec) -> bool {
    procedure.test.procedure.commits() && layout::parts(procedure.table.organisation()) > 0
}

/// The statements that create what the jobs of a point share.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn shared(procedure: &ProcedureSpec) -> Result<Vec<String>, EngineError> {
    Ok(match procedure.test.procedure.shape {
        ProcedureShape::Insert => {
            vec![layout::create(&procedure.fill("{load}")?, procedure.table.organisation(), Compression::None)?]
        }
        ProcedureShape::File => vec![DIALECT.get("procedures/create_noise")?.text.clone()],
        _ => Vec::new(),
    })
}

/// What comes after a pass of a job that writes a file, outside the procedure, and what then tells how many bytes it
/// wrote.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn after_pass(procedure: &ProcedureSpec, job: u32) -> Result<Option<[String; 2]>, EngineError> {
    if procedure.test.procedure.shape != ProcedureShape::File {
        return Ok(None);
    }
    let job = job.to_string();
    let of_job = |statement: &str| DIALECT.fill(&format!("procedures/{statement}"), &[("job", &job)]);
    Ok(Some([of_job("write_file_end")?, of_job("write_file_bytes")?]))
}
