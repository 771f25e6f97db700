//! The columns of the point tables, as data: a header, the order in which columns are dropped, and the figure.

use crate::layout::{Column, Keep};
use crate::legend::marks;
use crate::numbers::{MISSING, scientific, short};
use dbdyno_model::Point;

/// A column and its text.
#[derive(Clone, Copy)]
pub(super) struct PointColumn {
    pub(super) column: Column,
    /// JSON path of the value, under which a point says why it is missing; empty where it is never missing.
    pub(super) path: &'static str,
    pub(super) text: fn(&Point) -> String,
}

const fn figure(
    name: &'static str,
    head: &'static [&'static str],
    keep: Keep,
    path: &'static str,
    text: fn(&Point) -> String,
) -> PointColumn {
    PointColumn { column: Column::right(name, head, keep), path, text }
}

use Keep::{Always, Drop};

/// Run and running number, which come before the other columns and depend on the row alone.
pub(super) const RUN: Column = Column::right("run", &["Run"], Drop(3));
pub(super) const TST: Column = Column::right("test number", &["Tst"], Drop(4));

/// The columns that identify a row.
pub(super) const KEYS: [PointColumn; 4] = [
    PointColumn { column: Column::left("code", &["Code"], Always), path: "", text: |p| p.subject.name().to_string() },
    figure("#N", &["#N"], Drop(20), "", |p| p.dop.nodes.to_string()),
    figure("#J", &["#J"], Always, "", |p| p.dop.jobs.to_string()),
    figure("#T", &["#T"], Always, "", |p| p.dop.threads.to_string()),
];

/// The marks behind every row.
pub(super) const MARKS: PointColumn =
    PointColumn { column: Column::left("marks", &[], Always), path: "", text: |p| marks([p], &p.flags) };

/// Benchware 8.0.
pub(super) const BPS80: [PointColumn; 11] = [
    figure("rows/s", &["Rows/s", "[rps]"], Always, "rows_per_s", |p| scientific(p.rows_per_s)),
    figure("ops/s", &["Ops/s", "[ops]"], Always, "ops_per_s", |p| scientific(p.ops_per_s)),
    figure("CPU", &["CPU", "[%]"], Always, "cpu.busy_pct", |p| short(p.cpu.busy_pct)),
    figure("physical read iops", &["Phys.", "read", "[iops]"], Drop(7), "io.read_iops", |p| short(p.io.read_iops)),
    figure("physical write iops", &["Phys.", "write", "[iops]"], Drop(8), "io.write_iops", |p| short(p.io.write_iops)),
    figure("total iops", &["Total", "[iops]"], Drop(1), "", |p| {
        short(p.io.total_iops.or_else(|| sum(p.io.read_iops, p.io.write_iops)))
    }),
    figure("physical read MBps", &["Phys.", "read", "[MBps]"], Drop(6), "io.read_mib_per_s", |p| {
        short(p.io.read_mib_per_s)
    }),
    figure("physical write MBps", &["Phys.", "write", "[MBps]"], Drop(5), "io.write_mib_per_s", |p| {
        short(p.io.write_mib_per_s)
    }),
    figure("total MBps", &["Total", "[MBps]"], Drop(2), "", |p| {
        short(p.io.total_mib_per_s.or_else(|| sum(p.io.read_mib_per_s, p.io.write_mib_per_s)))
    }),
    figure("redo MBps", &["Redo", "[MBps]"], Drop(9), "redo.mib_per_s", |p| short(p.redo.mib_per_s)),
    figure("time", &["Time", "[s]"], Always, "window_s", |p| short(p.window_s)),
];

/// The index of the waits for redo among the columns of load tests, and the column that replaces it where a source
/// counts them over the whole point.
pub(super) const SYNCS: usize = 11;
pub(super) const SYNCS_COUNTED: PointColumn =
    figure("redo sync writes", &["Redo", "sync", "[count]"], Drop(12), "redo.sync_writes", |p| {
        short_whole(p.redo.sync_writes)
    });

/// Benchware 8.4, load tests.
pub(super) const BPS84_LOAD: [PointColumn; 14] = [
    figure("TX size", &["TX", "size", "[rpt]"], Always, "", |p| tx_size(p.rows_per_tx)),
    figure("CPU", &["CPU", "busy", "[%]"], Drop(15), "cpu.busy_pct", |p| short(p.cpu.busy_pct)),
    figure("rows/s", &["Rows/s", "[rps]"], Always, "rows_per_s", |p| scientific(p.rows_per_s)),
    figure("tx/s", &["Tx/s", "[tps]"], Always, "tx_per_s", |p| scientific(p.tx_per_s)),
    figure("SQL service time", &["SQL", "svc time", "[s]"], Drop(16), "service_time_s.mean", |p| {
        scientific(service_time_s(p))
    }),
    figure("physical write iops", &["Phys.", "write", "[iops]"], Drop(8), "io.write_iops", |p| short(p.io.write_iops)),
    figure("blocks written/s", &["Phys.", "write", "[bps]"], Drop(5), "database.write_blocks_per_s", |p| {
        short(p.database.write_blocks_per_s)
    }),
    figure("physical write MBps", &["Phys.", "write", "[MBps]"], Drop(7), "io.write_mib_per_s", |p| {
        short(p.io.write_mib_per_s)
    }),
    figure("redo MBps", &["Redo", "size", "[MBps]"], Drop(14), "redo.mib_per_s", |p| short(p.redo.mib_per_s)),
    figure("redo writes/s", &["Redo", "writes", "[iops]"], Drop(11), "redo.writes_per_s", |p| {
        short(p.redo.writes_per_s)
    }),
    figure("redo service time", &["Redo", "svc", "[us]"], Drop(10), "redo.write_service_time_s", |p| {
        short(times(p.redo.write_service_time_s, 1e6))
    }),
    figure("redo sync writes/s", &["Redo", "sync", "[1/s]"], Drop(12), "redo.sync_writes_per_s", |p| {
        short(p.redo.sync_writes_per_s)
    }),
    figure("redo sync service time", &["Sync", "svc", "[us]"], Drop(13), "redo.sync_service_time_s", |p| {
        short(times(p.redo.sync_service_time_s, 1e6))
    }),
    figure("time", &["Elap", "time", "[s]"], Drop(17), "window_s", |p| short(p.window_s)),
];

/// Benchware 8.4, OLTP tests.
pub(super) const BPS84_OLTP: [PointColumn; 12] = [
    figure("CPU", &["CPU", "busy", "[%]"], Drop(15), "cpu.busy_pct", |p| short(p.cpu.busy_pct)),
    figure("rows/s", &["Rows/s", "[rps]"], Always, "rows_per_s", |p| scientific(p.rows_per_s)),
    figure("tx/s", &["Tx/s", "[tps]"], Always, "tx_per_s", |p| scientific(p.tx_per_s)),
    figure("SQL service time", &["SQL", "svc time", "[s]"], Always, "service_time_s.mean", |p| {
        scientific(service_time_s(p))
    }),
    figure("physical read iops", &["Phys.", "read", "[iops]"], Drop(12), "io.read_iops", |p| short(p.io.read_iops)),
    figure("physical write iops", &["Phys.", "write", "[iops]"], Drop(11), "io.write_iops", |p| short(p.io.write_iops)),
    figure("redo write iops", &["Redo", "write", "[iops]"], Drop(10), "redo.writes_per_s", |p| {
        short(p.redo.writes_per_s)
    }),
    figure("database flash hit rate", &["Hitrate", "db flash", "[%]"], Drop(1), "database.flash_hit_pct", |p| {
        short(p.database.flash_hit_pct)
    }),
    figure("cell flash hit rate", &["Hitrate", "cells", "[%]"], Drop(2), "database.cell_flash_hit_pct", |p| {
        short(p.database.cell_flash_hit_pct)
    }),
    figure("physical read MBps", &["Phys.", "read", "[MBps]"], Drop(6), "io.read_mib_per_s", |p| {
        short(p.io.read_mib_per_s)
    }),
    figure("physical write MBps", &["Phys.", "write", "[MBps]"], Drop(5), "io.write_mib_per_s", |p| {
        short(p.io.write_mib_per_s)
    }),
    figure("time", &["Elap", "time", "[s]"], Drop(16), "window_s", |p| short(p.window_s)),
];

/// The sum, or `None` if one part is missing, because half a total would be wrong.
fn sum(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    Some(a? + b?)
}

/// A count, without decimals.
fn short_whole(count: Option<f64>) -> String {
    count.filter(|n| n.is_finite()).map_or_else(|| MISSING.to_owned(), |n| format!("{n:.0}"))
}

fn times(seconds: Option<f64>, factor: f64) -> Option<f64> {
    seconds.map(|s| s * factor)
}

fn service_time_s(point: &Point) -> Option<f64> {
    point.service_time_s.as_ref().and_then(|t| t.mean)
}

/// Rows per transaction; a test without transactions has none.
pub(super) fn tx_size(rows_per_tx: u64) -> String {
    if rows_per_tx == 0 { MISSING.to_owned() } else { rows_per_tx.to_string() }
}
