//! The I/O of a storage test along its ramp: its rate with the time and the length of each I/O, and the times again on
//! a chart of their own. Data files and log are apart where the database tells them apart.

use super::cell_chart::{CellChart, DOPS, PointFigure};
use super::measured::MeasuredCell;
use crate::sections::prelude::*;

/// A kind of I/O of a point.
#[derive(Clone, Copy)]
pub(super) struct IoKind {
    name: &'static str,
    pub(super) iops: PointFigure,
    pub(super) mib_per_s: PointFigure,
    service_time_s: PointFigure,
}

const fn kind(name: &'static str, iops: PointFigure, mib_per_s: PointFigure, service_time_s: PointFigure) -> IoKind {
    IoKind { name, iops, mib_per_s, service_time_s }
}

pub(super) const DEVICE_READS: IoKind =
    kind("device reads", |p| p.io.read_iops, |p| p.io.read_mib_per_s, |p| p.io.read_service_time_s);
pub(super) const DEVICE_WRITES: IoKind =
    kind("device writes", |p| p.io.write_iops, |p| p.io.write_mib_per_s, |p| p.io.write_service_time_s);
/// Writes of data files as the database counts them.
const DATA_WRITES: IoKind = kind(
    "data-file writes",
    |p| p.database.data_writes_per_s,
    |p| p.database.data_write_mib_per_s,
    |p| p.database.data_write_service_time_s,
);
/// Writes of the log as the database counts them.
const LOG_WRITES: IoKind =
    kind("log writes", |p| p.redo.writes_per_s, |p| p.redo.mib_per_s, |p| p.redo.write_service_time_s);

/// Mean length from which bytes tell more than I/Os; shorter requests are not those of sequential work.
pub(super) const LONG_BYTES: f64 = 65_536.0;

/// The mean length of an I/O.
pub(super) fn bytes_each(mib_per_s: Option<f64>, iops: Option<f64>) -> Option<f64> {
    Some(mib_per_s? * 1_048_576.0 / iops.filter(|iops| *iops > 0.0)?)
}

impl IoKind {
    /// Whether there was enough of it to be looked at, in MiB/s or in I/Os/s.
    pub(super) fn is_there(self, cells: &[&MeasuredCell<'_>]) -> bool {
        let enough = [(self.mib_per_s, 5.0), (self.iops, 200.0)];
        let reaches = |(figure, least): (PointFigure, f64)| cells.iter().any(|c| c.median(figure) >= Some(least));
        enough.into_iter().any(reaches)
    }

    /// The mean time and length of one I/O, in words.
    fn each(self, cell: &MeasuredCell<'_>) -> String {
        let time = cell.median(self.service_time_s).map(|time_s| format!("; {} an I/O", duration(time_s)));
        let length = bytes_each(cell.median(self.mib_per_s), cell.median(self.iops));
        let length = length.map(|length| format!("; {} each", bytes(length as u64)));
        time.unwrap_or_default() + &length.unwrap_or_default()
    }
}

/// The I/O of a storage test: its rate, in MiB/s where it is long, and the time of one.
pub(super) fn charts(cells: &[&MeasuredCell<'_>]) -> Vec<LineChart> {
    // Where the database tells its writes apart, those of the devices are the same again.
    let writes = if DATA_WRITES.is_there(cells) { DATA_WRITES } else { DEVICE_WRITES };
    let kinds = [DEVICE_READS, writes, LOG_WRITES].into_iter().filter(|kind| kind.is_there(cells)).collect::<Vec<_>>();
    let sum = |figure: fn(&IoKind) -> PointFigure| {
        kinds.iter().flat_map(|kind| cells.iter().filter_map(move |c| c.median(figure(kind)))).sum::<f64>()
    };
    let each = bytes_each(Some(sum(|kind| kind.mib_per_s)), Some(sum(|kind| kind.iops)));
    let is_long = each.is_none_or(|bytes| bytes >= LONG_BYTES);
    let mut rates = CellChart::new("Reads and writes", if is_long { "MiB/s" } else { "IOPS" }, DOPS);
    for kind in &kinds {
        let figure = if is_long { kind.mib_per_s } else { kind.iops };
        rates.add(kind.name, cells, |c| Some((c.median(figure)?, None, kind.each(c))));
    }
    let times: Vec<(&str, PointFigure)> = kinds.iter().map(|kind| (kind.name, kind.service_time_s)).collect();
    let times = CellChart::new("Time of an I/O", "s", DOPS).about("mean").lines(cells, &times);
    [rates.done(None), times.done(None)].into_iter().flatten().collect()
}
