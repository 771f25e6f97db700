//! What a call of a procedure is given: the same ten numbers on every engine that has procedures.

use crate::PointSpec;
use crate::data::{Keys, quantity_sum};
use dbdyno_model::{Draws, ProcedureShape, RowsBy, TableName, TableShape};

/// How many they are.
pub const ARGUMENTS: usize = 10;
/// How many of the procedure's own sums follow them: operations, rows, bytes, checksum.
pub const SUMS: usize = 4;

/// The numbers of a call: `p_first`, `p_passes`, `p_state`, `p_job`, `p_jobs`, `p_rows_per_tx`, `p_ops_per_pass`,
/// `p_argument`, `p_table_rows`, `p_small_rows`.
pub fn arguments(spec: &PointSpec, job: u32, first_pass: u64, passes: u64) -> [i64; ARGUMENTS] {
    let shape = spec.test.table.map_or(TableShape::Small, TableName::shape);
    let draws = first_pass.wrapping_mul(draws_per_pass(spec));
    [
        first_pass,
        passes,
        Keys::at(spec.key_seed, job, draws).state,
        job.into(),
        spec.jobs_in_all().into(),
        spec.rows_per_tx.max(1),
        spec.test.ops_per_pass,
        argument(spec),
        spec.size.rows(shape),
        spec.size.small_rows,
    ]
    .map(u64::cast_signed)
}

/// The procedure's argument at a size. A bulk load is given the sum of the quantities that it copies: adding them up
/// within the call would be timed with the load.
fn argument(spec: &PointSpec) -> u64 {
    match spec.test.procedure.shape {
        ProcedureShape::File => spec.size.file_bytes,
        ProcedureShape::Load => quantity_sum(&spec.size, TableShape::Small, spec.seed),
        _ => spec.test.argument.unwrap_or(0),
    }
}

/// Keys that a pass draws from the job's stream.
fn draws_per_pass(spec: &PointSpec) -> u64 {
    let procedure = spec.test.procedure;
    match (procedure.shape, procedure.rows_by) {
        (ProcedureShape::Loop, _) => match procedure.draws {
            Draws::None => 0,
            Draws::One => 1,
            Draws::Argument => argument(spec),
        },
        (ProcedureShape::Insert, _) | (_, None) => 0,
        (_, Some(RowsBy::PrimaryKey)) => spec.rows_per_tx.max(1),
        (_, Some(_)) => 1,
    }
}
