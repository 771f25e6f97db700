//! Points of storage below any database: a line for each number of outstanding I/Os. The lines of one kind of work form
//! its curve.

use crate::groups::{grouped, unique};
use crate::layout::{Column, Keep, Row, Sheet};
use crate::legend::{self, marks, refusal};
use crate::numbers::{MISSING, duration, short, thousands};
use crate::storage::breakdown;
use crate::text::hanging;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Flag, Point, ResponseTime, RunJson, Status, Storage, StorageIos};

use Keep::{Always, Drop};

const COLUMNS: [Column; 16] = [
    Column::right("test number", &["Tst"], Drop(6)),
    Column::right("small outstanding", &["Small"], Always),
    Column::right("large outstanding", &["Large"], Always),
    Column::right("share of writes", &["Writes", "[%]"], Drop(7)),
    Column::right("asked rate", &["Asked"], Always).optional(),
    Column::right("reads/s", &["Read", "[iops]"], Always),
    Column::right("writes/s", &["Write", "[iops]"], Always),
    Column::right("MiB/s read", &["Read", "[MiB/s]"], Drop(4)),
    Column::right("MiB/s written", &["Write", "[MiB/s]"], Drop(5)),
    Column::right("mean time", &["avg"], Always),
    Column::right("p50", &["p50"], Drop(3)),
    Column::right("p99", &["p99"], Always),
    Column::right("p99.9", &["p99.9"], Drop(1)),
    Column::right("longest time", &["max"], Drop(8)),
    Column::right("CPU", &["CPU", "[%]"], Drop(9)),
    Column::left("marks", &[], Always),
];

/// Every storage point of a run.
#[must_use]
pub fn storage(run: &RunJson, _: &Catalogue, width: Option<u16>) -> String {
    let points: Vec<(usize, &Point, &Storage)> =
        run.points.iter().enumerate().filter_map(|(at, p)| Some((at, p, p.subject.storage()?))).collect();
    if points.is_empty() {
        let text =
            "This run has no points of the storage itself: `dbdyno orion` measures what it can do below any database.";
        return hanging("", text, width);
    }
    let mut rows = Vec::new();
    for (work, points) in grouped(points.iter().map(|point| (point.2.load.work(), point))) {
        rows.push(Row::Section(work));
        rows.extend(points.into_iter().map(|(at, point, storage)| row(at + 1, point, storage)));
    }
    let mut out = Sheet { columns: COLUMNS.to_vec(), rows, gap: 2 }.render(width);
    out.push('\n');
    let legend = "Small and Large are I/Os outstanding at any moment; reads and writes/s and MiB/s (2^20 bytes) are of both. \
                  Times are those of small I/Os, of large ones where there are no small: from when an I/O was submitted, with \
                  a rate from when it was due. --json has small and large, reads and writes apart.";
    out.push_str(&hanging("", legend, width));
    let numbered: Vec<_> = points.iter().map(|(at, p, s)| (at + 1, *p, *s)).collect();
    if let Some(text) = breakdown::longest(&numbered) {
        out.push_str(&hanging("", &text, width));
    }
    out.push_str(&luns_table(&numbered, width));
    for line in notes(&points) {
        out.push_str(&hanging("- ", &line, width));
    }
    let points: Vec<&Point> = points.into_iter().map(|(_, p, _)| p).collect();
    let flags: Vec<Flag> = points.iter().flat_map(|p| p.flags.iter().copied()).collect();
    out.push_str(&legend::flags(&points, &flags, width));
    out
}

const LUNS: [Column; 6] = [
    Column::left("device or file", &["Device or file"], Always),
    Column::right("share of I/Os", &["I/Os"], Always),
    Column::right("mean time", &["avg"], Always),
    Column::right("longest time", &["max"], Always),
    Column::left("when that was", &["at"], Always),
    Column::right("errors", &["Errors"], Drop(1)),
];

/// What each device or file did; empty where there is only one.
fn luns_table(points: &[breakdown::NumberedPoint<'_>], width: Option<u16>) -> String {
    let lines = breakdown::luns(points);
    if lines.is_empty() {
        return String::new();
    }
    let rows = lines.into_iter().map(|texts| Row::Figures(texts.into()));
    format!("\n{}\n", Sheet { columns: LUNS.to_vec(), rows: rows.collect(), gap: 2 }.render(width))
}

/// Notes on how it was measured, each once.
fn notes(points: &[(usize, &Point, &Storage)]) -> Vec<String> {
    let backends = points.iter().map(|(_, _, s)| format!("I/O by {}", s.backend));
    let invalid = points.iter().filter(|(_, p, _)| p.status == Status::Invalid);
    let invalid = invalid.map(|(at, p, _)| format!("point {}: {}", at + 1, refusal(p).unwrap_or_default()));
    unique(backends.chain(points.iter().flat_map(|(_, _, s)| s.notes.iter().cloned())).chain(invalid))
}

fn row(number: usize, point: &Point, storage: &Storage) -> Row {
    let load = &storage.load;
    let mut texts = vec![
        number.to_string(),
        load.small_outstanding.to_string(),
        load.large_outstanding.to_string(),
        load.write_pct.to_string(),
        point.load.rate.map_or_else(String::new, |rate| rate.to_string()),
    ];
    // An invalid point's figures are shown with a mark; a failed point has none.
    let shown = matches!(point.status, Status::Ok | Status::Invalid) && point.service_time_s.is_some();
    if !shown {
        return Row::Remark { keys: texts, text: refusal(point).unwrap_or_else(|| "no figures".to_owned()) };
    }
    let sizes = [&storage.small, &storage.large];
    let sum = |ios: [&Option<StorageIos>; 2], figure: fn(&StorageIos) -> f64| {
        ios.into_iter().flatten().map(figure).reduce(|a, b| a + b)
    };
    let (reads, writes) = (sizes.map(|s| &s.read), sizes.map(|s| &s.write));
    texts.extend([sum(reads, |i| i.iops), sum(writes, |i| i.iops)].map(thousands));
    texts.extend([sum(reads, |i| i.mib_per_s), sum(writes, |i| i.mib_per_s)].map(thousands));
    let time = |figure: fn(&ResponseTime) -> Option<f64>| duration(times(point).and_then(figure));
    texts.extend([time(|t| t.mean), time(|t| t.p50), time(|t| t.p99), time(|t| t.p99_9), time(|t| t.max)]);
    texts.push(point.cpu.busy_pct.map_or_else(|| MISSING.to_owned(), short));
    let unmet = if point.status == Status::Invalid { "! " } else { "" };
    texts.push(format!("{unmet}{}", marks([point], &point.flags)));
    Row::Figures(texts)
}

/// Response times where a rate was set.
fn times(point: &Point) -> Option<&ResponseTime> {
    point.response_time_s.as_ref().or(point.service_time_s.as_ref())
}
