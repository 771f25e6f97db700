//! The columns of the tables of points, as data: a head, the order in which columns are dropped, and the figure.

use super::super::columns::tx_size;
use crate::document::{Cell, Column, Form, Keep};
use crate::figures::is_doubtful;
use dbdyno_model::{MetricId, Point, SuspectCode};

use Keep::{Always, Drop};

/// A figure of a point: the JSON path of its value, under which a point says why it is missing, and its cell. The path
/// is empty where the value is never missing, and where it follows from others, which have their own reasons.
type PointFigure = (&'static str, fn(&Point) -> Cell);

const TX_SIZE: PointFigure = ("", |p| tx_size(p.rows_per_tx));
const ROWS_PER_S: PointFigure = ("rows_per_s", |p| scientific(p.rows_per_s));
const OPS_PER_S: PointFigure = ("ops_per_s", |p| scientific(p.ops_per_s));
const TX_PER_S: PointFigure = ("tx_per_s", |p| scientific(p.tx_per_s));
const PER_PROCESS: PointFigure = ("ops_per_s", |p| {
    let processes = f64::from(p.dop.jobs) * f64::from(p.dop.threads);
    scientific(p.rows_per_s.or_else(|| exact_ops_per_s(p)).map(|rate_per_s| rate_per_s / processes))
});
const QUERIES: PointFigure = ("ops_per_s", |p| short(exact_ops_per_s(p).filter(|_| is_query(p)).map(|n| n * 60.0)));
const BUFFER_GETS: PointFigure =
    ("database.logical_reads_per_s", |p| scientific(p.database.logical_reads_per_s.filter(|gets| *gets > 0.0)));
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
const READ_KIB: PointFigure = ("", |p| short(mean_kib(p.io.read_mib_per_s, p.io.read_iops)));
const WRITE_KIB: PointFigure = ("", |p| short(mean_kib(p.io.write_mib_per_s, p.io.write_iops)));
const REDO_MIB: PointFigure = ("redo.mib_per_s", |p| short(p.redo.mib_per_s));
const REDO_WRITES: PointFigure = ("redo.writes_per_s", |p| short(p.redo.writes_per_s));
const REDO_TIME: PointFigure = ("redo.write_service_time_s", |p| micros(p.redo.write_service_time_s));
const SYNCS_PER_S: PointFigure = ("redo.sync_writes_per_s", |p| short(p.redo.sync_writes_per_s));
const SYNCS_NOT_COUNTED: PointFigure =
    ("redo.sync_writes_per_s", |p| short(p.redo.sync_writes_per_s.filter(|_| p.redo.sync_writes.is_none())));
const SYNCS: PointFigure = ("redo.sync_writes", |p| Cell::figure(p.redo.sync_writes, Form::Decimals(0)));
const SYNC_TIME: PointFigure = ("redo.sync_service_time_s", |p| micros(p.redo.sync_service_time_s));
const BLOCKS_WRITTEN: PointFigure = ("database.write_blocks_per_s", |p| short(p.database.write_blocks_per_s));
const FLASH_HITS: PointFigure = ("database.flash_hit_pct", |p| short(p.database.flash_hit_pct));
const CELL_FLASH_HITS: PointFigure = ("database.cell_flash_hit_pct", |p| short(p.database.cell_flash_hit_pct));
const DATA_WRITES: PointFigure = ("database.data_writes_per_s", |p| short(p.database.data_writes_per_s));
const DATA_MIB: PointFigure = ("database.data_write_mib_per_s", |p| short(p.database.data_write_mib_per_s));
const DATA_TIME: PointFigure = ("database.data_write_service_time_s", |p| micros(p.database.data_write_service_time_s));
const CHECKPOINTS: PointFigure = ("database.checkpoints", |p| {
    short(p.paced_writes.map(|paced| paced.checkpoints).or(p.database.checkpoints).map(|n| n as f64))
});

/// JSON paths of the figures of a point's own work.
const OF_THE_WORK: [&str; 4] = ["ops_per_s", "rows_per_s", "tx_per_s", "service_time_s.mean"];
/// Fewer whole MiB/s are off by more than 5 %, so no size of an I/O follows from them.
const LEAST_WHOLE_MIB_PER_S: f64 = 10.0;

/// A column and its figure.
pub(in crate::sections) struct PointColumn {
    pub(in crate::sections) column: Column,
    pub(in crate::sections) path: &'static str,
    cell: fn(&Point) -> Cell,
}

impl PointColumn {
    const fn optional(mut self) -> Self {
        self.column.optional = true;
        self
    }

    /// A figure of the point's own work stands in parentheses where it is doubtful; a count beside it does not.
    pub(in crate::sections) fn cell(&self, point: &Point) -> Cell {
        (self.cell)(point).doubtful(OF_THE_WORK.contains(&self.path) && is_doubtful(&point.flags))
    }
}

const fn figure(name: &'static str, head: &'static str, keep: Keep, (path, cell): PointFigure) -> PointColumn {
    PointColumn { column: Column::figures(name, head, keep), path, cell }
}

/// Benchware 8.0.
pub(super) static BPS80: [PointColumn; 17] = [
    figure("TX size", "TX\nsize\n[rpt]", Drop(1), TX_SIZE).optional(),
    figure("rows/s", "Rows/s\n[rps]", Always, ROWS_PER_S),
    figure("ops/s", "Ops/s\n[ops]", Always, OPS_PER_S),
    figure("throughput per process", "Per\nprocess\n[1/s]", Drop(0), PER_PROCESS).optional(),
    figure("queries/minute", "Queries\n[qpm]", Drop(0), QUERIES).optional(),
    figure("buffer gets/s", "Buffer\ngets\n[bgps]", Drop(0), BUFFER_GETS).optional(),
    figure("CPU", "CPU\n[%]", Always, CPU_BUSY),
    figure("physical read iops", "Phys.\nread\n[iops]", Drop(7), READ_IOPS),
    figure("physical write iops", "Phys.\nwrite\n[iops]", Drop(8), WRITE_IOPS),
    figure("total iops", "Total\n[iops]", Drop(1), TOTAL_IOPS),
    figure("physical read MBps", "Phys.\nread\n[MBps]", Drop(6), READ_MIB),
    figure("physical write MBps", "Phys.\nwrite\n[MBps]", Drop(5), WRITE_MIB),
    figure("total MBps", "Total\n[MBps]", Drop(2), TOTAL_MIB),
    figure("average read size", "Avg\nread\n[KiB]", Drop(0), READ_KIB).optional(),
    figure("average write size", "Avg\nwrite\n[KiB]", Drop(0), WRITE_KIB).optional(),
    figure("redo MBps", "Redo\n[MBps]", Drop(9), REDO_MIB),
    figure("time", "Time\n[s]", Always, WINDOW),
];

/// Benchware 8.4, load tests. A source may count the waits for redo over the whole point; a rate would round that.
pub(super) static BPS84_LOAD: [PointColumn; 16] = [
    figure("TX size", "TX\nsize\n[rpt]", Always, TX_SIZE),
    figure("CPU", "CPU\nbusy\n[%]", Drop(15), CPU_BUSY),
    figure("rows/s", "Rows/s\n[rps]", Always, ROWS_PER_S),
    figure("tx/s", "Tx/s\n[tps]", Always, TX_PER_S),
    figure("throughput per process", "Per\nprocess\n[1/s]", Drop(0), PER_PROCESS).optional(),
    figure("SQL service time", "SQL\nsvc time\n[s]", Drop(16), SERVICE_TIME),
    figure("physical write iops", "Phys.\nwrite\n[iops]", Drop(8), WRITE_IOPS),
    figure("blocks written/s", "Phys.\nwrite\n[bps]", Drop(5), BLOCKS_WRITTEN),
    figure("physical write MBps", "Phys.\nwrite\n[MBps]", Drop(7), WRITE_MIB),
    figure("redo MBps", "Redo\nsize\n[MBps]", Drop(14), REDO_MIB),
    figure("redo writes/s", "Redo\nwrites\n[iops]", Drop(11), REDO_WRITES),
    figure("redo service time", "Redo\nsvc\n[us]", Drop(10), REDO_TIME),
    figure("redo sync writes/s", "Redo\nsync\n[1/s]", Drop(12), SYNCS_NOT_COUNTED).optional(),
    figure("redo sync writes", "Redo\nsync\n[count]", Drop(12), SYNCS).optional(),
    figure("redo sync service time", "Sync\nsvc\n[us]", Drop(13), SYNC_TIME),
    figure("time", "Elap\ntime\n[s]", Drop(17), WINDOW),
];

/// Benchware 8.4, OLTP tests.
pub(super) static BPS84_OLTP: [PointColumn; 13] = [
    figure("CPU", "CPU\nbusy\n[%]", Drop(15), CPU_BUSY),
    figure("rows/s", "Rows/s\n[rps]", Always, ROWS_PER_S),
    figure("tx/s", "Tx/s\n[tps]", Always, TX_PER_S),
    figure("throughput per process", "Per\nprocess\n[1/s]", Drop(0), PER_PROCESS).optional(),
    figure("SQL service time", "SQL\nsvc time\n[s]", Always, SERVICE_TIME),
    figure("physical read iops", "Phys.\nread\n[iops]", Drop(12), READ_IOPS),
    figure("physical write iops", "Phys.\nwrite\n[iops]", Drop(11), WRITE_IOPS),
    figure("redo write iops", "Redo\nwrite\n[iops]", Drop(10), REDO_WRITES),
    figure("database flash hit rate", "Hitrate\ndb flash\n[%]", Drop(1), FLASH_HITS),
    figure("cell flash hit rate", "Hitrate\ncells\n[%]", Drop(2), CELL_FLASH_HITS),
    figure("physical read MBps", "Phys.\nread\n[MBps]", Drop(6), READ_MIB),
    figure("physical write MBps", "Phys.\nwrite\n[MBps]", Drop(5), WRITE_MIB),
    figure("time", "Elap\ntime\n[s]", Drop(16), WINDOW),
];

/// What a point wrote.
pub(in crate::sections) static WRITES: [PointColumn; 9] = [
    figure("log writes/s", "Log\nwrites\n[iops]", Always, REDO_WRITES),
    figure("log MiB/s", "Log\nsize\n[MBps]", Always, REDO_MIB),
    figure("log service time", "Log\nsvc\n[us]", Always, REDO_TIME),
    figure("log syncs/s", "Log\nsync\n[1/s]", Drop(7), SYNCS_PER_S),
    figure("log sync service time", "Sync\nsvc\n[us]", Drop(6), SYNC_TIME),
    figure("data writes/s", "Data\nwrites\n[iops]", Always, DATA_WRITES),
    figure("data MiB/s", "Data\nsize\n[MBps]", Always, DATA_MIB),
    figure("data service time", "Data\nsvc\n[us]", Always, DATA_TIME),
    figure("checkpoints", "Check-\npoints", Drop(4), CHECKPOINTS),
];

fn scientific(value: Option<f64>) -> Cell {
    Cell::figure(value, Form::Scientific)
}

fn short(value: Option<f64>) -> Cell {
    Cell::figure(value, Form::Short)
}

/// A time in microseconds.
fn micros(seconds: Option<f64>) -> Cell {
    short(seconds.map(|s| s * 1e6))
}

/// The sum, or `None` if one part is missing, because half a total would be wrong.
fn sum(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    Some(a? + b?)
}

/// The mean size of an I/O.
fn mean_kib(mib_per_s: Option<f64>, iops: Option<f64>) -> Option<f64> {
    // A whole number was printed: 0 MiB/s beside 11 writes/s are no writes of 0 KiB.
    let mib_per_s = mib_per_s.filter(|mib| mib.fract() != 0.0 || *mib >= LEAST_WHOLE_MIB_PER_S)?;
    Some(mib_per_s * 1024.0 / iops.filter(|n| *n > 0.0)?)
}

/// Operations/s, unless a source printed too few digits to compute with.
fn exact_ops_per_s(point: &Point) -> Option<f64> {
    let doubt = point.suspect(&MetricId::from("ops_per_s"));
    point.ops_per_s.filter(|_| doubt.is_none_or(|doubt| !doubt.codes.contains(&SuspectCode::Rounding)))
}

/// Whether an operation is a scan or a report. An index build is neither; it writes.
fn is_query(point: &Point) -> bool {
    let class = point.subject.name().class();
    ["T400", "DBS", "T500", "DBA"].contains(&class.as_str()) && point.commit.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_only_from_rates_with_enough_digits() {
        assert_eq!(mean_kib(Some(889.0), Some(2755.0)).map(f64::round), Some(330.0));
        assert_eq!(mean_kib(Some(0.5), Some(64.0)), Some(8.0));
        for (mib_per_s, iops) in [(0.0, 11.0), (1.0, 157.0), (12.5, 0.0)] {
            assert_eq!(mean_kib(Some(mib_per_s), Some(iops)), None);
        }
    }

    #[test]
    fn rates_are_divided_among_processes_and_scans_counted_by_the_minute() {
        let code = dbdyno_model::TestCode::new("T426").unwrap();
        let mut point = Point::new(code, "1970-01-01T00:00:00Z".parse().unwrap());
        (point.dop.jobs, point.dop.threads) = (2, 4);
        (point.rows_per_s, point.ops_per_s) = (Some(8e6), Some(0.5));
        let texts = |point: &Point| [(PER_PROCESS.1)(point).text(), (QUERIES.1)(point).text()];
        assert_eq!(texts(&point), ["1.000E+06", "30"]);
        let codes = vec![SuspectCode::Rounding];
        let doubt = dbdyno_model::Suspect { codes, why: "one decimal".to_owned(), converted: false };
        point.suspects.insert(MetricId::from("ops_per_s"), doubt);
        assert_eq!(texts(&point), ["1.000E+06", "-"]);
    }
}
