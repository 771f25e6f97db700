//! What is the same in every engine's script of a test: its head, and a task to show the work on.

use crate::{PointSpec, Sampling};
use dbdyno_model::{CommitMode, Mapping, Size, TableName, Test};
use std::fmt::Write as _;

/// The seed of an example's keys.
const EXAMPLE_SEED: u64 = 42;

/// A task as a run would have it at DOP 1.
pub fn spec(test: &Test, size: &Size) -> PointSpec {
    let (seed, rows_per_tx) = (EXAMPLE_SEED, test.rows_per_tx.unwrap_or(1));
    let (test, size) = (test.clone(), size.clone());
    PointSpec {
        test,
        size,
        seed,
        key_seed: seed,
        nodes: 1,
        jobs: 1,
        jobs_before: 0,
        jobs_after: 0,
        threads: 1,
        rows_per_tx,
        commit: CommitMode::Durable,
        drive: dbdyno_model::Drive::Server,
        sampling: Sampling::Off,
    }
}

/// What the test is and how the engine realises it, as comments.
pub fn head(test: &Test, size: &Size, mapping: &Mapping) -> String {
    let mut text = format!("-- {}: {}\n", test.code, test.title);
    match mapping.note() {
        Some(note) => line(&mut text, format_args!("-- {}: {note}", mapping.kind())),
        None => line(&mut text, format_args!("-- {}", mapping.kind())),
    }
    if let (Some(table), false) = (test.table, matches!(mapping, Mapping::None { .. })) {
        line(&mut text, format_args!("-- size {}: {} rows in {table}", size.id, table.rows(size)));
    }
    text
}

/// The heading of what a client sends.
pub fn client_heading(spec: &PointSpec) -> String {
    let statements = match spec.test.executions_per_op(spec.rows_per_tx) {
        1 => "one statement".to_owned(),
        n => format!("{n} statements"),
    };
    format!("\n-- what a client sends for a transaction of {statements}; prepared, with parameters for the values")
}

/// Names of tables, for a sentence.
pub fn list(tables: &[TableName]) -> String {
    tables.iter().map(|table| table.name()).collect::<Vec<_>>().join(", ")
}

/// Adds a line.
pub fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    _ = writeln!(text, "{line}");
}
