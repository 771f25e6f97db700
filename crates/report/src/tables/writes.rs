//! What each point wrote: to the log, which commits wait for, and to the data files, which are written at checkpoints.

use super::columns::{keys, micros};
use crate::layout::{Column, Keep, Row, Sheet};
use crate::legend::{marks, refusal};
use crate::numbers::short;
use crate::text::hanging;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Point, RunJson};

use Keep::{Always, Drop};

const COLUMNS: [Column; 15] = [
    Column::left("code", &["Code"], Always),
    Column::right("#N", &["#N"], Drop(1)),
    Column::right("#J", &["#J"], Always),
    Column::right("#T", &["#T"], Drop(2)),
    Column::right("TX size", &["TX", "size"], Drop(3)),
    Column::right("log writes/s", &["Log", "writes", "[iops]"], Always),
    Column::right("log MiB/s", &["Log", "size", "[MBps]"], Always),
    Column::right("log service time", &["Log", "svc", "[us]"], Always),
    Column::right("log syncs/s", &["Log", "sync", "[1/s]"], Drop(6)),
    Column::right("log sync service time", &["Sync", "svc", "[us]"], Drop(5)),
    Column::right("data writes/s", &["Data", "writes", "[iops]"], Always),
    Column::right("data MiB/s", &["Data", "size", "[MBps]"], Always),
    Column::right("data service time", &["Data", "svc", "[us]"], Always),
    Column::right("checkpoints", &["Check-", "points"], Drop(4)),
    Column::left("marks", &[], Always),
];

/// A line for each point that writes.
#[must_use]
pub fn writes(run: &RunJson, _: &Catalogue, width: Option<u16>) -> String {
    let wrote = |p: &&Point| p.redo.mib_per_s.is_some() || p.database.data_writes_per_s.is_some();
    let commits = |p: &&Point| p.commit.is_some();
    let rows: Vec<Row> = run.points.iter().filter(commits).filter(wrote).map(row).collect();
    if rows.is_empty() {
        return hanging("", "This run has no such points.", width);
    }
    let sheet = Sheet { columns: COLUMNS.to_vec(), rows, gap: 2 };
    let legend = "As the database counts its own writes, from the barrier to the last job's end: [iops] writes/s, [MBps] 2^20 \
                  bytes/s; svc is the mean time of one write, sync that of a wait until the log was on the device.";
    format!("{}\n{}", sheet.render(width), hanging("", legend, width))
}

fn row(point: &Point) -> Row {
    let (dop, redo, data) = (point.dop, &point.redo, &point.database);
    let mut keys = keys(point.subject.name(), dop, point.rows_per_tx);
    if let Some(text) = refusal(point) {
        return Row::Remark { keys, text };
    }
    keys.extend([
        short(redo.writes_per_s),
        short(redo.mib_per_s),
        micros(redo.write_service_time_s),
        short(redo.sync_writes_per_s),
        micros(redo.sync_service_time_s),
        short(data.data_writes_per_s),
        short(data.data_write_mib_per_s),
        micros(data.data_write_service_time_s),
        short(point.paced_writes.map(|paced| paced.checkpoints as f64).or(data.checkpoints.map(|n| n as f64))),
        marks([point], &point.flags),
    ]);
    Row::Figures(keys)
}
