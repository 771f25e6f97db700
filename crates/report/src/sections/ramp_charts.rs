//! The charts of a test: its figures along the ramp with what is required of them, percentiles of its clients' times,
//! what the machine did meanwhile, the I/O of a storage test, how the size of transactions counts, and the slowest
//! point second by second.

use super::cell_chart::{CellChart, DOPS, PointFigure, SIZES};
use super::io_charts::{self, DEVICE_READS, DEVICE_WRITES};
use super::latency::DRAWN_PERCENTILES;
use super::measured::{MeasuredCell, key_metric, main_ramp, metric_words, ramp_name, ramps};
use super::seconds;
use crate::reported::Reported;
use crate::sections::prelude::*;
use dbdyno_model::{Compression, Drive, Layer, ProcedureShape, Test};

/// A test with its cells.
pub(super) type TestCells<'c, 'a> = (SubjectName<'a>, Vec<&'c MeasuredCell<'a>>);

/// All charts of a test.
pub(super) fn of_test((code, cells): &TestCells<'_, '_>, reported: &Reported, catalogue: &Catalogue) -> Vec<Block> {
    let sizes = sizes(cells);
    // A transaction size that was measured at one degree of parallelism alone is no ramp.
    let is_of_ramp = |c: &&MeasuredCell<'_>| {
        let is_size = sizes.iter().any(|size| size.cell.key == c.cell.key);
        !is_size || cells.iter().filter(|other| other.ramp() == c.ramp()).count() > 1
    };
    let of_ramps = cells.iter().copied().filter(is_of_ramp).collect();
    let mut charts = along_ramps(&(*code, of_ramps), reported, catalogue);
    charts.extend(percentiles(&main_ramp(cells)));
    charts.extend(machine(catalogue.test(code.name).ok(), &main_ramp(cells)));
    [charts, by_size(&sizes), seconds::charts(*code, &reported.run)].map(Block::from).into()
}

/// The key metric, the service time, and what else is required, with a line for each ramp.
fn along_ramps((code, cells): &TestCells<'_, '_>, reported: &Reported, catalogue: &Catalogue) -> Vec<LineChart> {
    let Some(key) = key_metric(cells) else { return Vec::new() };
    let ramps = ramps(cells);
    let service_time = (key.as_str() != "elapsed_s").then(|| MetricId::from("service_time_s"));
    let verdict = reported.verdict.as_ref();
    let required = verdict.iter().flat_map(|verdict| verdict.metrics_on_ramp(*code)).cloned();
    let metrics = unique([key.clone()].into_iter().chain(service_time).chain(required));
    let chart = |metric: &MetricId| {
        let (title, unit) = metric_words(metric, catalogue);
        let mut draft = CellChart::new(title, unit, DOPS);
        for (ramp, cells) in &ramps {
            let name = ramp_name(ramp, &ramps);
            draft.add(if name.is_empty() { "median" } else { &name }, cells, |c| match c.has_key(metric) {
                true => Some((c.cell.median?, c.interval(), String::new())),
                // What stands in place of the key metric is not on its line.
                false => Some((c.median(|p| p.value(metric)).filter(|_| metric != key)?, None, String::new())),
            });
        }
        draft.done(verdict.and_then(|verdict| verdict.limit_on_ramp(*code, metric)))
    };
    metrics.iter().filter_map(chart).collect()
}

/// Percentiles of the service time of clients, on the main ramp. Times of the server drive are means of chunks.
fn percentiles(cells: &[&MeasuredCell<'_>]) -> Option<LineChart> {
    let clients: Vec<_> = cells.iter().copied().filter(|c| c.cell.key.drive == Drive::Client).collect();
    let drawn = DRAWN_PERCENTILES.map(|(name, figure)| (name, move |p: &Point| figure(p.service_time_s.as_ref()?)));
    CellChart::new("Service time, percentiles", "s", DOPS).lines(&clients, &drawn).done(None)
}

/// What the machine did meanwhile, on the main ramp.
fn machine(test: Option<&Test>, cells: &[&MeasuredCell<'_>]) -> Vec<LineChart> {
    let shares: [(&str, PointFigure); 3] =
        [("busy", |p| p.cpu.busy_pct), ("kernel", |p| p.cpu.system_pct), ("I/O wait", |p| p.cpu.iowait_pct)];
    let processors = CellChart::new("Processors", "%", DOPS).about("share of the machine").lines(cells, &shares);
    let io = if test.is_some_and(|test| test.layer == Layer::Storage) { io_charts::charts(cells) } else { Vec::new() };
    let devices = CellChart::new("Devices", "MiB/s", DOPS)
        .lines(cells, &[("reads", DEVICE_READS.mib_per_s), ("writes", DEVICE_WRITES.mib_per_s)]);
    let has_io = DEVICE_READS.is_there(cells) || DEVICE_WRITES.is_there(cells);
    let devices = devices.done(None).filter(|_| has_io && io.is_empty());
    processors.done(None).into_iter().chain(io).chain(devices).collect()
}

/// The cells of the degree of parallelism at which most sizes of transactions were measured; empty for one size.
fn sizes<'c, 'a>(cells: &[&'c MeasuredCell<'a>]) -> Vec<&'c MeasuredCell<'a>> {
    let sized = cells.iter().filter(|c| c.cell.key.rows_per_tx > 0 && c.cell.median.is_some());
    let groups = grouped(sized.map(|c| ((c.cell.key.drive, c.dop(), c.cell.key.load), *c))).into_iter();
    groups.map(|(_, cells)| cells).filter(|cells| cells.len() > 1).rev().max_by_key(Vec::len).unwrap_or_default()
}

/// What the size of a transaction does to rows, processors and log.
fn by_size(cells: &[&MeasuredCell<'_>]) -> Vec<LineChart> {
    let Some(at) = cells.first().map(|c| dop_words(c.dop())) else { return Vec::new() };
    let chart = |title: &str, unit: &'static str, words: &str, lines: &[(&str, PointFigure)]| {
        let title = format!("{title} by transaction size");
        CellChart::new(title, unit, SIZES).about(format!("{words}, {at}")).lines(cells, lines).done(None)
    };
    let log_times: [(&str, PointFigure); 2] =
        [("log write", |p| p.redo.write_service_time_s), ("wait for the log", |p| p.redo.sync_service_time_s)];
    let charts = [
        chart("Rows", "rows/s", "rows/s", &[("rows", |p| p.rows_per_s)]),
        chart("Processors", "%", "share of the machine", &[("busy", |p| p.cpu.busy_pct)]),
        chart("Log writes", "1/s", "1/s", &[("log writes", |p| p.redo.writes_per_s)]),
        chart("Log times", "s", "mean", &log_times),
    ];
    charts.into_iter().flatten().collect()
}

/// The bulk loads of a class on one chart, plain and compressed ones; `None` where there are not several.
pub(super) fn loads(tests: &[&TestCells<'_, '_>], catalogue: &Catalogue) -> Option<LineChart> {
    let loads = tests.iter().filter_map(|(code, cells)| {
        let test = catalogue.test(code.name).ok().filter(|test| test.procedure.shape == ProcedureShape::Load)?;
        Some((code, test.compression, main_ramp(cells)))
    });
    let loads: Vec<_> = loads.collect();
    let metric = loads.iter().find_map(|(.., cells)| key_metric(cells))?;
    let mut draft = CellChart::new("Bulk loads", metric_words(metric, catalogue).1, DOPS);
    for (code, compression, cells) in &loads {
        let how: &str = if *compression == Compression::None { "plain" } else { compression.into() };
        let name = format!("{code} {}", how.replace('_', " "));
        draft.add(&name, cells, |c| Some((c.cell.median.filter(|_| c.has_key(metric))?, c.interval(), String::new())));
    }
    draft.done(None).filter(|chart| chart.series.len() > 1)
}

#[cfg(test)]
mod tests {
    use crate::charts::LineChart;
    use crate::document::{Block, Document};
    use crate::reported::Reported;
    use crate::sections::measured::fixture::{point, run};
    use crate::sections::ramps;
    use crate::verdict::Verdict;
    use dbdyno_catalogue::{Catalogue, Requirements};
    use dbdyno_model::{ClientLoad, Drive, Point, ResponseTime, Series};

    /// All charts of a run's classes by their titles.
    fn charts(reported: &Reported) -> Vec<LineChart> {
        fn within(blocks: Vec<Block>, found: &mut Vec<LineChart>) {
            for block in blocks {
                match block {
                    Block::Charts(charts) => found.extend(charts),
                    Block::Part(part) => within(part.blocks, found),
                    _ => {}
                }
            }
        }
        let sections = ramps::sections(reported, &Catalogue::embedded().unwrap());
        let mut found = Vec::new();
        sections.into_iter().for_each(|section| within(section.blocks, &mut found));
        found
    }

    fn titled<'c>(charts: &'c [LineChart], title: &str) -> &'c LineChart {
        let titles: Vec<&str> = charts.iter().map(|chart| chart.title.as_str()).collect();
        charts.iter().find(|chart| chart.title == title).unwrap_or_else(|| panic!("no {title} in {titles:?}"))
    }

    fn lines(chart: &LineChart) -> Vec<(&str, Vec<&str>)> {
        chart
            .series
            .iter()
            .map(|line| (line.name.as_str(), line.marks.iter().map(|m| m.text.as_str()).collect()))
            .collect()
    }

    #[test]
    fn a_storage_test_shows_each_kind_of_io_with_its_time_and_length() {
        let updates = |jobs: u32| {
            let (mut point, n) = (point("T721", jobs, "rows_per_s", 1_000.0), f64::from(jobs));
            (point.io.write_iops, point.io.write_mib_per_s) = (Some(9_000.0), Some(80.0));
            point.database.data_writes_per_s = Some(8_000.0 * n);
            point.database.data_write_mib_per_s = Some(62.5 * n);
            point.database.data_write_service_time_s = Some(3e-4);
            (point.redo.writes_per_s, point.redo.mib_per_s) = (Some(500.0), Some(15.625));
            point
        };
        let scan = |jobs: u32| {
            let mut point = point("T426", jobs, "read_mib_per_s", 400.0);
            (point.io.read_iops, point.io.read_mib_per_s) = (Some(400.0), Some(400.0));
            point.io.read_service_time_s = Some(2e-3);
            point
        };
        let all = charts(&Reported::of(run(vec![updates(1), updates(2), scan(1), scan(2)])));
        let io: Vec<&LineChart> = all.iter().filter(|chart| chart.title == "Reads and writes").collect();
        let scans = vec![(
            "device reads",
            vec![
                "1 job: device reads 400.0 MiB/s; 2.00 ms an I/O; 1.00 MiB each",
                "2 jobs: device reads 400.0 MiB/s; 2.00 ms an I/O; 1.00 MiB each",
            ],
        )];
        assert_eq!((io[0].unit.as_str(), lines(io[0])), ("MiB/s", scans));
        let of_updates = lines(io[1]);
        assert_eq!((io[1].unit.as_str(), of_updates.len()), ("IOPS", 2), "{of_updates:?}");
        assert_eq!(of_updates[0].1[1], "2 jobs: data-file writes 16,000 IOPS; 0.300 ms an I/O; 8.00 KiB each");
        assert_eq!(of_updates[1].1[0], "1 job: log writes 500.0 IOPS; 32.0 KiB each");
        assert_eq!(all.iter().filter(|chart| chart.title == "Time of an I/O").count(), 2);
        assert!(all.iter().all(|chart| chart.title != "Devices"));
    }

    #[test]
    fn plain_and_compressed_loads_are_on_one_chart_where_there_are_several() {
        let load = |code: &str, jobs| point(code, jobs, "rows_per_s", 1_000.0);
        let mut points = vec![load("T331", 1), load("T331", 2), load("T332", 1)];
        let both = charts(&Reported::of(run(points.clone())));
        let names: Vec<&str> = lines(titled(&both, "Bulk loads")).iter().map(|l| l.0).collect();
        assert_eq!(names, ["T331 plain", "T332 basic"]);
        points.pop();
        let plain = charts(&Reported::of(run(points)));
        assert!(plain.iter().all(|chart| !chart.title.starts_with("Bulk")));
    }

    #[test]
    fn sizes_of_transactions_have_charts_of_their_own() {
        let sized = |jobs, rows_per_tx: u64| {
            let mut point = point("DBL-11", jobs, "tx_per_s", 1_000.0);
            (point.rows_per_tx, point.redo.writes_per_s) = (rows_per_tx, Some(900.0));
            point.redo.sync_service_time_s = Some(1e-4);
            point
        };
        let all = charts(&Reported::of(run(vec![sized(1, 1), sized(1, 2), sized(1, 10), sized(2, 2), sized(2, 10)])));
        let rows = titled(&all, "Rows by transaction size");
        assert_eq!((rows.unit.as_str(), rows.along.as_str()), ("rows/s, 1 job", "rows per transaction"));
        assert_eq!(rows.series[0].marks.iter().map(|m| m.x).collect::<Vec<_>>(), [1.0, 2.0, 10.0]);
        assert_eq!(lines(titled(&all, "Log times by transaction size"))[0].0, "wait for the log");
        titled(&all, "Log writes by transaction size");
        let ramps: Vec<&str> = lines(titled(&all, "Transactions")).iter().map(|line| line.0).collect();
        assert_eq!(ramps, ["2 rows/tx", "10 rows/tx"], "one row was measured at one degree of parallelism alone");
    }

    #[test]
    fn a_requirement_is_drawn_on_the_chart_of_its_metric() {
        let catalogue = Catalogue::embedded().unwrap();
        let run = run(vec![point("T611", 1, "tx_per_s", 900.0), point("T611", 2, "tx_per_s", 1_700.0)]);
        let required = |title: &str, metric: &str, limit: &str| {
            format!("[[requirement]]\ntitle = \"{title}\"\ntest = \"T611\"\nmetric = \"{metric}\"\n{limit}\n")
        };
        let text = "title = \"Shop\"\n".to_owned()
            + &required("Orders", "tx_per_s", "minimum = 2000\njobs = 2")
            + &required("Some orders", "tx_per_s", "minimum = 10")
            + &required("Rows", "rows_per_s", "minimum = 5")
            + &required("Times", "service_time_s.p99", "maximum = 1.0");
        let verdict = Verdict::of(&run, &Requirements::parse("needs.toml", &text, &catalogue).unwrap());
        let reported = Reported { verdict: Some(verdict), ..Reported::of(run) };
        let all = charts(&reported);
        let orders = titled(&all, "Transactions");
        let words = "Orders: T611 tx_per_s, 2 jobs >= 2,000/s";
        assert_eq!(orders.limit, Some((2_000.0, words.to_owned())), "the strictest");
        assert!(orders.y.to >= 2_000.0 && orders.description().ends_with(&format!("Required: {words}.")));
        assert!(titled(&all, "Rows").limit.is_some(), "what is required has a chart");
        assert_eq!(titled(&all, "Service time, mean").limit, None, "a percentile is no mean");
        let sections = ramps::sections(&reported, &catalogue);
        let page = Document::of(sections).page();
        assert!(page.contains("<path class=\"q\" d=\"M") && page.contains("2 jobs &gt;= 2,000/s"), "{page}");
    }

    #[test]
    fn percentiles_of_clients_are_drawn_along_the_ramp() {
        let timed = |jobs, drive, p99: f64| {
            let times = ResponseTime { p50: Some(p99 / 10.0), p99: Some(p99), ..ResponseTime::default() };
            Point { drive, service_time_s: Some(times), ..point("T711", jobs, "tx_per_s", 70.0) }
        };
        let all = charts(&Reported::of(run(vec![timed(1, Drive::Client, 0.01), timed(2, Drive::Client, 0.04)])));
        let times = titled(&all, "Service time, percentiles");
        let names: Vec<&str> = lines(times).iter().map(|line| line.0).collect();
        assert_eq!(names.len(), 2, "those that there are: {names:?}");
        assert!(
            lines(times).contains(&("p99", vec!["1 job: p99 10.0 ms", "2 jobs: p99 40.0 ms"])),
            "{:?}",
            lines(times)
        );
        let of_chunks = charts(&Reported::of(run(vec![timed(1, Drive::Server, 0.01), timed(2, Drive::Server, 0.04)])));
        assert!(of_chunks.iter().all(|chart| chart.title != "Service time, percentiles"));
    }

    #[test]
    fn the_slowest_point_is_shown_by_the_second() {
        let client = |jobs, p99_s: f64| {
            let series = Series {
                step_s: 1.0,
                ops_per_s: vec![100.0, 40.0],
                p99_s: vec![None, Some(p99_s)],
                errors: vec![0, 3],
                retries: vec![0, 0],
                ..Series::default()
            };
            let load = ClientLoad { rate: (jobs == 2).then(|| "50%".parse().unwrap()), ..ClientLoad::default() };
            Point { drive: Drive::Client, series: Some(series), load, ..point("T711", jobs, "tx_per_s", 70.0) }
        };
        let all = charts(&Reported::of(run(vec![client(1, 0.1), client(2, 0.8)])));
        let rate = titled(&all, "Rate by the second");
        assert_eq!(lines(rate), [("rate", vec!["rate at 0 s: 100.0 tx/s", "rate at 1 s: 40.00 tx/s"])]);
        assert_eq!(rate.unit, "tx/s, 2 jobs, 50% poisson");
        assert_eq!(lines(titled(&all, "Failures by the second"))[0].1[1], "failed at 1 s: 3");
        assert!(all.iter().all(|chart| !chart.title.starts_with("99th")), "one second makes no line");
    }
}
