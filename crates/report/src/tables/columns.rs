//! The columns of the point tables, as data: a header, the order in which columns are dropped, and the figure.

use crate::layout::{Column, Keep};
use crate::numbers::{MISSING, scientific, short};
use dbdyno_model::{Dop, Point};
use std::fmt::Display;

/// A column and its figure.
#[derive(Clone, Copy)]
pub(super) struct PointColumn {
    pub(super) column: Column,
    /// JSON path of the value, under which a point says why it is missing; empty where it is never missing.
    pub(super) path: &'static str,
    value: fn(&Point) -> Option<f64>,
    form: fn(Option<f64>) -> String,
}

impl PointColumn {
    const fn written(self, form: fn(Option<f64>) -> String) -> Self {
        Self { form, ..self }
    }

    /// The text of a point's figure.
    pub(super) fn text(&self, point: &Point) -> String {
        (self.form)((self.value)(point))
    }
}

const fn figure(
    name: &'static str,
    head: &'static [&'static str],
    keep: Keep,
    path: &'static str,
    value: fn(&Point) -> Option<f64>,
) -> PointColumn {
    PointColumn { column: Column::right(name, head, keep), path, value, form: short }
}

use Keep::{Always, Drop};

/// The columns that identify a row. Run and running number depend on the row alone.
pub(super) const KEYS: [Column; 6] = [
    Column::right("run", &["Run"], Drop(3)),
    Column::right("test number", &["Tst"], Drop(4)),
    Column::left("code", &["Code"], Always),
    Column::right("#N", &["#N"], Drop(20)),
    Column::right("#J", &["#J"], Always),
    Column::right("#T", &["#T"], Always),
];

const ROWS: PointColumn =
    figure("rows/s", &["Rows/s", "[rps]"], Always, "rows_per_s", |p| p.rows_per_s).written(scientific);
const TX: PointColumn = figure("tx/s", &["Tx/s", "[tps]"], Always, "tx_per_s", |p| p.tx_per_s).written(scientific);
const CPU_BUSY: PointColumn =
    figure("CPU", &["CPU", "busy", "[%]"], Drop(15), "cpu.busy_pct", |p| p.cpu.busy_pct);
const READ_MBPS: PointColumn =
    figure("physical read MBps", &["Phys.", "read", "[MBps]"], Drop(6), "io.read_mib_per_s", |p| p.io.read_mib_per_s);
const WRITE_MBPS: PointColumn =
    figure("physical write MBps", &["Phys.", "write", "[MBps]"], Drop(5), "io.write_mib_per_s", |p| {
        p.io.write_mib_per_s
    });

/// Benchware 8.0.
pub(super) const BPS80: [PointColumn; 11] = [
    ROWS,
    figure("ops/s", &["Ops/s", "[ops]"], Always, "ops_per_s", |p| p.ops_per_s).written(scientific),
    figure("CPU", &["CPU", "[%]"], Always, "cpu.busy_pct", |p| p.cpu.busy_pct),
    figure("physical read iops", &["Phys.", "read", "[iops]"], Drop(7), "io.read_iops", |p| p.io.read_iops),
    figure("physical write iops", &["Phys.", "write", "[iops]"], Drop(8), "io.write_iops", |p| p.io.write_iops),
    figure("total iops", &["Total", "[iops]"], Drop(1), "", |p| {
        p.io.total_iops.or_else(|| sum(p.io.read_iops, p.io.write_iops))
    }),
    READ_MBPS,
    WRITE_MBPS,
    figure("total MBps", &["Total", "[MBps]"], Drop(2), "", |p| {
        p.io.total_mib_per_s.or_else(|| sum(p.io.read_mib_per_s, p.io.write_mib_per_s))
    }),
    figure("redo MBps", &["Redo", "[MBps]"], Drop(9), "redo.mib_per_s", |p| p.redo.mib_per_s),
    figure("time", &["Time", "[s]"], Always, "window_s", |p| p.window_s),
];

/// The index of the waits for redo among the columns of load tests, and the column that replaces it where a source
/// counts them over the whole point.
pub(super) const SYNCS: usize = 11;
pub(super) const SYNCS_COUNTED: PointColumn =
    figure("redo sync writes", &["Redo", "sync", "[count]"], Drop(12), "redo.sync_writes", |p| p.redo.sync_writes)
        .written(whole);

/// Benchware 8.4, load tests.
pub(super) const BPS84_LOAD: [PointColumn; 14] = [
    figure("TX size", &["TX", "size", "[rpt]"], Always, "", |p| {
        Some(p.rows_per_tx as f64).filter(|rows| *rows > 0.0)
    })
    .written(whole),
    CPU_BUSY,
    ROWS,
    TX,
    figure("SQL service time", &["SQL", "svc time", "[s]"], Drop(16), "service_time_s.mean", service_time_s)
        .written(scientific),
    figure("physical write iops", &["Phys.", "write", "[iops]"], Drop(8), "io.write_iops", |p| p.io.write_iops),
    figure("blocks written/s", &["Phys.", "write", "[bps]"], Drop(5), "database.write_blocks_per_s", |p| {
        p.database.write_blocks_per_s
    }),
    figure("physical write MBps", &["Phys.", "write", "[MBps]"], Drop(7), "io.write_mib_per_s", |p| {
        p.io.write_mib_per_s
    }),
    figure("redo MBps", &["Redo", "size", "[MBps]"], Drop(14), "redo.mib_per_s", |p| p.redo.mib_per_s),
    figure("redo writes/s", &["Redo", "writes", "[iops]"], Drop(11), "redo.writes_per_s", |p| p.redo.writes_per_s),
    figure("redo service time", &["Redo", "svc", "[us]"], Drop(10), "redo.write_service_time_s", |p| {
        micros(p.redo.write_service_time_s)
    }),
    figure("redo sync writes/s", &["Redo", "sync", "[1/s]"], Drop(12), "redo.sync_writes_per_s", |p| {
        p.redo.sync_writes_per_s
    }),
    figure("redo sync service time", &["Sync", "svc", "[us]"], Drop(13), "redo.sync_service_time_s", |p| {
        micros(p.redo.sync_service_time_s)
    }),
    figure("time", &["Elap", "time", "[s]"], Drop(17), "window_s", |p| p.window_s),
];

/// Benchware 8.4, OLTP tests.
pub(super) const BPS84_OLTP: [PointColumn; 12] = [
    CPU_BUSY,
    ROWS,
    TX,
    figure("SQL service time", &["SQL", "svc time", "[s]"], Always, "service_time_s.mean", service_time_s)
        .written(scientific),
    figure("physical read iops", &["Phys.", "read", "[iops]"], Drop(12), "io.read_iops", |p| p.io.read_iops),
    figure("physical write iops", &["Phys.", "write", "[iops]"], Drop(11), "io.write_iops", |p| p.io.write_iops),
    figure("redo write iops", &["Redo", "write", "[iops]"], Drop(10), "redo.writes_per_s", |p| p.redo.writes_per_s),
    figure("database flash hit rate", &["Hitrate", "db flash", "[%]"], Drop(1), "database.flash_hit_pct", |p| {
        p.database.flash_hit_pct
    }),
    figure("cell flash hit rate", &["Hitrate", "cells", "[%]"], Drop(2), "database.cell_flash_hit_pct", |p| {
        p.database.cell_flash_hit_pct
    }),
    READ_MBPS,
    WRITE_MBPS,
    figure("time", &["Elap", "time", "[s]"], Drop(16), "window_s", |p| p.window_s),
];

/// The sum, or `None` if one part is missing, because half a total would be wrong.
fn sum(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    Some(a? + b?)
}

/// A count, without decimals.
fn whole(count: Option<f64>) -> String {
    count.filter(|n| n.is_finite()).map_or_else(|| MISSING.to_owned(), |n| format!("{n:.0}"))
}

/// Microseconds.
pub(super) fn micros(seconds: Option<f64>) -> Option<f64> {
    seconds.map(|s| s * 1e6)
}

fn service_time_s(point: &Point) -> Option<f64> {
    point.service_time_s.as_ref().and_then(|t| t.mean)
}

/// The texts of the columns that most tables begin with: code, nodes, jobs, threads, rows per transaction.
pub(super) fn keys(code: impl Display, dop: Dop, rows_per_tx: u64) -> Vec<String> {
    let rows = if rows_per_tx == 0 { MISSING.to_owned() } else { rows_per_tx.to_string() };
    let [nodes, jobs, threads] = [dop.nodes, dop.jobs, dop.threads].map(|n| n.to_string());
    vec![code.to_string(), nodes, jobs, threads, rows]
}
