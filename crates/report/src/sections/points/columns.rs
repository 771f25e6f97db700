//! The figures in the tables of points. A column names the JSON path of its value, or a figure that is computed here.

use super::super::cell_chart::PointFigure;
use crate::over_cores;
use crate::sections::prelude::*;
use dbdyno_model::SuspectCode;
use serde_json::Value;

/// Figures that follow from others, by their names in `words.toml`. Half a total would be wrong, so there is none where
/// one part is missing.
const DERIVED: [(&str, PointFigure); 18] = [
    ("rows_per_tx", |p| (p.rows_per_tx > 0).then_some(p.rows_per_tx as f64)),
    ("per_process", |p| {
        let processes = f64::from(p.dop.jobs) * f64::from(p.dop.threads);
        p.rows_per_s.or_else(|| exact_ops_per_s(p)).map(|rate_per_s| rate_per_s / processes)
    }),
    ("queries_per_minute", |p| exact_ops_per_s(p).filter(|_| is_query(p)).map(|n| n * 60.0)),
    ("buffer_gets_per_s", |p| p.database.logical_reads_per_s.filter(|gets| *gets > 0.0)),
    ("total_iops", |p| p.io.total_iops.or_else(|| Some(p.io.read_iops? + p.io.write_iops?))),
    ("total_mib_per_s", |p| p.io.total_mib_per_s.or_else(|| Some(p.io.read_mib_per_s? + p.io.write_mib_per_s?))),
    ("mean_read_kib", |p| mean_kib(p.io.read_mib_per_s, p.io.read_iops)),
    ("mean_write_kib", |p| mean_kib(p.io.write_mib_per_s, p.io.write_iops)),
    ("read_time_s", |p| mean_time_s(p, p.io.read_service_time_s, p.io.read_iops)),
    ("write_time_s", |p| mean_time_s(p, p.io.write_service_time_s, p.io.write_iops)),
    ("uncounted_syncs_per_s", |p| p.redo.sync_writes_per_s.filter(|_| p.redo.sync_writes.is_none())),
    ("rolled_back", |p| Some(p.outcomes.rolled_back as f64)),
    ("failed", |p| Some(p.outcomes.requests.saturating_sub(p.outcomes.ok) as f64)),
    ("calls", |p| p.statements.map(|sent| sent.call).filter(|calls| *calls > 0).map(|n| n as f64)),
    ("deletes", |p| p.statements.map(|sent| sent.delete).filter(|deletes| *deletes > 0).map(|n| n as f64)),
    ("blocks_per_s", over_cores::blocks_per_s),
    ("idle_cpu_pct", over_cores::idle_cpu_pct),
    ("checkpoints", |p| p.paced_writes.map(|paced| paced.checkpoints).or(p.database.checkpoints).map(|n| n as f64)),
];
/// JSON paths of the figures of a point's own work.
const OF_THE_WORK: [&str; 4] = ["ops_per_s", "rows_per_s", "tx_per_s", "service_time_s.mean"];
/// Fewer whole MiB/s are off by more than 5 %, so no size of an I/O follows from them.
const LEAST_WHOLE_MIB_PER_S: f64 = 10.0;
/// Of fewer I/Os in a window no mean time is told: Linux adds them up to whole milliseconds, and a few may be
/// anybody's.
const LEAST_IOS: f64 = 100.0;

/// The cells of a point in those of the columns that have figures. A figure of the point's own work stands in
/// parentheses where it is doubtful; a count beside it does not.
pub(in crate::sections) fn cells(columns: &[Column], point: &Point) -> Vec<Cell> {
    let body = serde_json::to_value(point).unwrap_or_default();
    let cell = |column: &Column| {
        let value = match &column.derived {
            Some(name) => DERIVED.iter().find(|(known, _)| known == name).and_then(|(_, figure)| figure(point)),
            None => figure_at(&body, &column.path),
        };
        let is_doubtful = OF_THE_WORK.contains(&column.path.as_str()) && is_doubtful(&point.flags);
        Some(Cell::figure(value, column.form?).doubtful(is_doubtful))
    };
    columns.iter().filter_map(cell).collect()
}

/// The figure of a point as JSON at a path.
pub(in crate::sections) fn figure_at(body: &Value, path: &str) -> Option<f64> {
    path.split('.').try_fold(body, |value, key| value.get(key))?.as_f64()
}

/// The mean size of an I/O.
fn mean_kib(mib_per_s: Option<f64>, iops: Option<f64>) -> Option<f64> {
    // A whole number was printed: 0 MiB/s beside 11 writes/s are no writes of 0 KiB.
    let mib_per_s = mib_per_s.filter(|mib| mib.fract() != 0.0 || *mib >= LEAST_WHOLE_MIB_PER_S)?;
    Some(mib_per_s * 1024.0 / iops.filter(|n| *n > 0.0)?)
}

/// The mean time of an I/O, where there were enough of them.
fn mean_time_s(point: &Point, service_time_s: Option<f64>, iops: Option<f64>) -> Option<f64> {
    service_time_s.filter(|_| iops.zip(point.window_s).is_some_and(|(iops, window_s)| iops * window_s >= LEAST_IOS))
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
    fn a_few_ios_have_no_mean_time() {
        let code = dbdyno_model::TestCode::new("T211").unwrap();
        let mut point = Point::new(code, "1970-01-01T00:00:00Z".parse().unwrap());
        point.window_s = Some(2.0);
        for (iops, told) in [(Some(1.5), None), (Some(49.0), None), (Some(50.0), Some(0.039)), (None, None)] {
            assert_eq!(mean_time_s(&point, Some(0.039), iops), told, "{iops:?}");
        }
        point.window_s = None;
        assert_eq!(mean_time_s(&point, Some(0.039), Some(50.0)), None);
    }

    #[test]
    fn every_derived_figure_has_a_column_and_every_column_its_figure() {
        let sections = [
            ("points", "bps80"),
            ("points", "bps84_load"),
            ("points", "bps84_oltp"),
            ("writes", "points"),
            ("transactions", "points"),
            ("slob", "points"),
        ];
        let named = sections.into_iter().flat_map(|(section, name)| words::table(section, name, Vec::new()).columns);
        let named: BTreeSet<String> = named.filter_map(|column| column.derived).collect();
        assert_eq!(named, DERIVED.into_iter().map(|(name, _)| name.to_owned()).collect());
    }

    #[test]
    fn rates_are_divided_among_processes_and_scans_counted_by_the_minute() {
        let code = dbdyno_model::TestCode::new("T426").unwrap();
        let mut point = Point::new(code, "1970-01-01T00:00:00Z".parse().unwrap());
        (point.dop.jobs, point.dop.threads) = (2, 4);
        (point.rows_per_s, point.ops_per_s) = (Some(8e6), Some(0.5));
        let names = ["per_process", "queries_per_minute"];
        let figures = |point: &Point| names.map(|name| DERIVED.iter().find(|(of, _)| *of == name).unwrap().1(point));
        assert_eq!(figures(&point), [Some(1e6), Some(30.0)]);
        let codes = vec![SuspectCode::Rounding];
        let doubt = dbdyno_model::Suspect { codes, why: "one decimal".to_owned(), converted: false };
        point.suspects.insert(MetricId::from("ops_per_s"), doubt);
        assert_eq!(figures(&point), [Some(1e6), None]);
    }
}
