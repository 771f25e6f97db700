//! The columns that most tables begin with.

use crate::document::{Cell, Column, Form, Keep};
use dbdyno_model::Dop;
use std::fmt::Display;

use Keep::{Always, Drop};

/// Code, nodes, jobs, threads, rows per transaction.
pub(super) const KEYS: [Column; 5] = [
    Column::words("code", "Code", Always),
    Column::figures("#N", "#N", Drop(20)),
    Column::figures("#J", "#J", Always),
    Column::figures("#T", "#T", Always),
    Column::figures("TX size", "TX\nsize", Drop(5)),
];

/// Their cells.
pub(super) fn keys(code: impl Display, dop: Dop, rows_per_tx: u64) -> Vec<Cell> {
    let [nodes, jobs, threads] = [dop.nodes, dop.jobs, dop.threads].map(Cell::count);
    vec![Cell::words(code.to_string()), nodes, jobs, threads, tx_size(rows_per_tx)]
}

/// Rows per transaction; a test without transactions has none.
pub(super) fn tx_size(rows_per_tx: u64) -> Cell {
    Cell::figure((rows_per_tx > 0).then_some(rows_per_tx as f64), Form::Count)
}
