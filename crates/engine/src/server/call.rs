//! What a call of a procedure is given: the same ten numbers on every engine that has procedures.

use crate::Task;
use crate::data::Keys;
use dbdyno_model::{Procedure, Shape, TableName};

/// How many they are.
pub const ARGUMENTS: usize = 10;
/// How many of the procedure's own sums follow them: operations, rows, bytes, checksum.
pub const SUMS: usize = 4;

/// The numbers of a call: `p_first`, `p_passes`, `p_state`, `p_job`, `p_jobs`, `p_rows_per_tx`, `p_ops_per_pass`,
/// `p_argument`, `p_table_rows`, `p_small_rows`.
pub fn arguments(task: &Task, job: u32, first_pass: u64, passes: u64) -> [i64; ARGUMENTS] {
    let shape = task.test.table.map_or(Shape::Small, TableName::shape);
    let draws = first_pass.wrapping_mul(draws_per_pass(task));
    [
        first_pass,
        passes,
        Keys::at(task.key_seed, job, draws).state,
        job.into(),
        task.jobs_in_all().into(),
        task.rows_per_tx.max(1),
        task.test.ops_per_pass,
        argument(task),
        task.size.rows(shape),
        task.size.small_rows,
    ]
    .map(u64::cast_signed)
}

/// The procedure's argument at a size.
fn argument(task: &Task) -> u64 {
    match task.test.procedure {
        Procedure::WriteFile => task.size.file_bytes,
        _ => task.test.argument.unwrap_or(0),
    }
}

/// Keys that a pass draws from the job's stream.
fn draws_per_pass(task: &Task) -> u64 {
    match task.test.procedure {
        Procedure::CpuLoop | Procedure::CpuFibonacci | Procedure::CpuPrimes => 0,
        Procedure::CpuQuicksort => argument(task),
        work if work.is_cpu() => 1,
        Procedure::SelectPrimary | Procedure::UpdatePrimary => task.rows_per_tx.max(1),
        Procedure::SelectSecondary | Procedure::UpdateSecondary | Procedure::Join | Procedure::ScanRange => 1,
        _ => 0,
    }
}
