//! The columns of the point tables, as data: a header, the order in which columns are dropped, and the figure.

use crate::layout::{Column, Keep};
use crate::numbers::{MISSING, scientific, short};
use dbdyno_model::{Dop, Point};
use std::fmt::Display;

/// A figure of a point: the JSON path of its value, under which a point says why it is missing, and its text. The path
/// is empty where the value is never missing.
type PointFigure = (&'static str, fn(&Point) -> String);

const TX_SIZE: PointFigure = ("", |p| tx_size(p.rows_per_tx));
const ROWS_PER_S: PointFigure = ("rows_per_s", |p| scientific(p.rows_per_s));
const OPS_PER_S: PointFigure = ("ops_per_s", |p| scientific(p.ops_per_s));
const TX_PER_S: PointFigure = ("tx_per_s", |p| scientific(p.tx_per_s));
const SERVICE_TIME: PointFigure =
    ("service_time_s.mean", |p| scientific(p.service_time_s.as_ref().and_then(|t| t.mean)));
const WINDOW: PointFigure = ("window_s", |p| short(p.window_s));
const CPU_BUSY: PointFigure = ("cpu.busy_pct", |p| short(p.cpu.busy_pct));
const READ_IOPS: PointFigure = ("io.read_iops", |p| short(p.io.read_iops));
const WRITE_IOPS: PointFigure = ("io.write_iops", |p| short(p.io.write_iops));
const TOTAL_IOPS: PointFigure = ("", |p| short(p.io.total_iops.or_else(|| sum(p.io.read_iops, p.io.write_iops))));
const READ_MIB: PointFigure = ("io.read_mib_per_s", |p| short(p.io.read_mib_per_s));
const WRITE_MIB: PointFigure = ("io.write_mib_per_s", |p| short(p.io.write_mib_per_s));
const TOTAL_MIB: PointFigure =
    ("", |p| short(p.io.total_mib_per_s.or_else(|| sum(p.io.read_mib_per_s, p.io.write_mib_per_s))));
const REDO_MIB: PointFigure = ("redo.mib_per_s", |p| short(p.redo.mib_per_s));
const REDO_WRITES: PointFigure = ("redo.writes_per_s", |p| short(p.redo.writes_per_s));
const REDO_TIME: PointFigure = ("redo.write_service_time_s", |p| micros(p.redo.write_service_time_s));
const SYNCS_PER_S: PointFigure = ("redo.sync_writes_per_s", |p| short(p.redo.sync_writes_per_s));
const SYNC_WRITES: PointFigure = ("redo.sync_writes", |p| whole(p.redo.sync_writes));
const SYNC_TIME: PointFigure = ("redo.sync_service_time_s", |p| micros(p.redo.sync_service_time_s));
const BLOCKS_WRITTEN: PointFigure = ("database.write_blocks_per_s", |p| short(p.database.write_blocks_per_s));
const FLASH_HITS: PointFigure = ("database.flash_hit_pct", |p| short(p.database.flash_hit_pct));
const CELL_FLASH_HITS: PointFigure = ("database.cell_flash_hit_pct", |p| short(p.database.cell_flash_hit_pct));

/// A column and its figure.
#[derive(Clone, Copy)]
pub(super) struct PointColumn {
    pub(super) column: Column,
    pub(super) path: &'static str,
    pub(super) text: fn(&Point) -> String,
}

const fn figure(
    name: &'static str,
    head: &'static [&'static str],
    keep: Keep,
    (path, text): PointFigure,
) -> PointColumn {
    PointColumn { column: Column::right(name, head, keep), path, text }
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

/// Benchware 8.0.
pub(super) const BPS80: [PointColumn; 11] = [
    figure("rows/s", &["Rows/s", "[rps]"], Always, ROWS_PER_S),
    figure("ops/s", &["Ops/s", "[ops]"], Always, OPS_PER_S),
    figure("CPU", &["CPU", "[%]"], Always, CPU_BUSY),
    figure("physical read iops", &["Phys.", "read", "[iops]"], Drop(7), READ_IOPS),
    figure("physical write iops", &["Phys.", "write", "[iops]"], Drop(8), WRITE_IOPS),
    figure("total iops", &["Total", "[iops]"], Drop(1), TOTAL_IOPS),
    figure("physical read MBps", &["Phys.", "read", "[MBps]"], Drop(6), READ_MIB),
    figure("physical write MBps", &["Phys.", "write", "[MBps]"], Drop(5), WRITE_MIB),
    figure("total MBps", &["Total", "[MBps]"], Drop(2), TOTAL_MIB),
    figure("redo MBps", &["Redo", "[MBps]"], Drop(9), REDO_MIB),
    figure("time", &["Time", "[s]"], Always, WINDOW),
];

/// The index of the waits for redo among the columns of load tests, and the column that replaces it where a source
/// counts them over the whole point.
pub(super) const SYNCS: usize = 11;
pub(super) const SYNCS_COUNTED: PointColumn =
    figure("redo sync writes", &["Redo", "sync", "[count]"], Drop(12), SYNC_WRITES);

/// Benchware 8.4, load tests.
pub(super) const BPS84_LOAD: [PointColumn; 14] = [
    figure("TX size", &["TX", "size", "[rpt]"], Always, TX_SIZE),
    figure("CPU", &["CPU", "busy", "[%]"], Drop(15), CPU_BUSY),
    figure("rows/s", &["Rows/s", "[rps]"], Always, ROWS_PER_S),
    figure("tx/s", &["Tx/s", "[tps]"], Always, TX_PER_S),
    figure("SQL service time", &["SQL", "svc time", "[s]"], Drop(16), SERVICE_TIME),
    figure("physical write iops", &["Phys.", "write", "[iops]"], Drop(8), WRITE_IOPS),
    figure("blocks written/s", &["Phys.", "write", "[bps]"], Drop(5), BLOCKS_WRITTEN),
    figure("physical write MBps", &["Phys.", "write", "[MBps]"], Drop(7), WRITE_MIB),
    figure("redo MBps", &["Redo", "size", "[MBps]"], Drop(14), REDO_MIB),
    figure("redo writes/s", &["Redo", "writes", "[iops]"], Drop(11), REDO_WRITES),
    figure("redo service time", &["Redo", "svc", "[us]"], Drop(10), REDO_TIME),
    figure("redo sync writes/s", &["Redo", "sync", "[1/s]"], Drop(12), SYNCS_PER_S),
    figure("redo sync service time", &["Sync", "svc", "[us]"], Drop(13), SYNC_TIME),
    figure("time", &["Elap", "time", "[s]"], Drop(17), WINDOW),
];

/// Benchware 8.4, OLTP tests.
pub(super) const BPS84_OLTP: [PointColumn; 12] = [
    figure("CPU", &["CPU", "busy", "[%]"], Drop(15), CPU_BUSY),
    figure("rows/s", &["Rows/s", "[rps]"], Always, ROWS_PER_S),
    figure("tx/s", &["Tx/s", "[tps]"], Always, TX_PER_S),
    figure("SQL service time", &["SQL", "svc time", "[s]"], Always, SERVICE_TIME),
    figure("physical read iops", &["Phys.", "read", "[iops]"], Drop(12), READ_IOPS),
    figure("physical write iops", &["Phys.", "write", "[iops]"], Drop(11), WRITE_IOPS),
    figure("redo write iops", &["Redo", "write", "[iops]"], Drop(10), REDO_WRITES),
    figure("database flash hit rate", &["Hitrate", "db flash", "[%]"], Drop(1), FLASH_HITS),
    figure("cell flash hit rate", &["Hitrate", "cells", "[%]"], Drop(2), CELL_FLASH_HITS),
    figure("physical read MBps", &["Phys.", "read", "[MBps]"], Drop(6), READ_MIB),
    figure("physical write MBps", &["Phys.", "write", "[MBps]"], Drop(5), WRITE_MIB),
    figure("time", &["Elap", "time", "[s]"], Drop(16), WINDOW),
];

/// The sum, or `None` if one part is missing, because half a total would be wrong.
fn sum(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    Some(a? + b?)
}

/// A count, without decimals.
fn whole(count: Option<f64>) -> String {
    count.filter(|n| n.is_finite()).map_or_else(|| MISSING.to_owned(), |n| format!("{n:.0}"))
}

/// A time in microseconds.
pub(super) fn micros(seconds: Option<f64>) -> String {
    short(seconds.map(|s| s * 1e6))
}

/// Rows per transaction; a test without transactions has none.
fn tx_size(rows_per_tx: u64) -> String {
    if rows_per_tx == 0 { MISSING.to_owned() } else { rows_per_tx.to_string() }
}

/// The texts of the columns that most tables begin with: code, nodes, jobs, threads, rows per transaction.
pub(super) fn keys(code: impl Display, dop: Dop, rows_per_tx: u64) -> Vec<String> {
    let [nodes, jobs, threads] = [dop.nodes, dop.jobs, dop.threads].map(|n| n.to_string());
    vec![code.to_string(), nodes, jobs, threads, tx_size(rows_per_tx)]
}
