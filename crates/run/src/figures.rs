//! Turns counts into the figures of a point: rates inside the window, counters over their own interval, and telemetry.

use crate::work::{PointWork, WorkloadSpec};
use crate::work_log::{WorkDone, WorkLog};
use crate::{Span, TypeResult, WindowMode};
use dbdyno_catalogue::Catalogue;
use dbdyno_engine::{PointSpec, program};
use dbdyno_model::{
    Argument, Counter, Counters, CpuUse, DatabaseRates, Drive, IoRates, MetricId, MetricValue, PerMinute, Point, Redo,
    RepeatMode, ResponseTime, Series, TransactionType, Wait,
};
use dbdyno_probe::Telemetry;
use dbdyno_stats::Histogram;
use std::collections::BTreeMap;

/// The key metric of a workload.
const WORKLOAD_METRIC: &str = "tx_per_s";
/// Bytes in a MiB.
pub(crate) const MIB: f64 = 1_048_576.0;

/// Fills in the rates inside the window. The time in which jobs removed what pieces had made does not count.
pub(crate) fn fill_work(point: &mut Point, work: PointWork<'_>, log: &WorkLog, window: Span, discarding_ns: u64) {
    let done = log.inside(window);
    let discarding_s = discarding_ns as f64 / 1e9;
    let seconds = (window.seconds() - discarding_s).max(0.0);
    let rate = |n: f64| (seconds > 0.0).then_some(n / seconds);
    point.window_s = Some(window.seconds());
    point.discarding_s = (discarding_ns > 0).then_some(discarding_s);
    point.ops = Some(done.ops.round() as u64);
    point.ops_total = Some(log.total_ops());
    point.checksum = Some(format!("{:016x}", log.checksum));
    point.ops_per_s = rate(done.ops);
    point.rows = work.has_rows().then_some(done.rows.round() as u64);
    point.rows_per_s = rate(done.rows).filter(|_| work.has_rows());
    point.tx_per_s = point.ops_per_s.filter(|_| work.is_transactional());
    point.work_mib_per_s = rate(done.bytes / MIB).filter(|_| done.bytes > 0.0);
    let mean_s = (done.ops > 0.0).then_some(done.busy_ns / 1e9 / done.ops);
    point.service_time_s = Some(ResponseTime { mean: mean_s, ..ResponseTime::default() });
    if work.driven_by() == Drive::Server {
        let why = "the server drive times chunks, so it knows a mean and no percentiles";
        for percentile in ["p50", "p90", "p95", "p99", "p99_9", "p99_99", "max"] {
            point.lacks(&format!("service_time_s.{percentile}"), why);
        }
        point.lacks("series", why);
    }
    if let Some(spec) = work.test() {
        point.elapsed_s = elapsed_s(spec, log, &done, seconds);
        point.extrapolated.extend(extrapolated_from(spec).map(|from| ("elapsed_s".to_owned(), from)));
    }
    let no_rate = point.asked_per_s.is_none();
    for (is_lacking, path, why) in [
        (!work.has_rows(), "rows", "the test's work has no rows"),
        (!work.has_rows(), "rows_per_s", "the test's work has no rows"),
        (!work.is_transactional(), "tx_per_s", "the test's operations are no transactions"),
        (done.bytes <= 0.0, "work_mib_per_s", "the test does not count bytes of its own"),
        (no_rate, "asked_per_s", "no rate was set"),
        (no_rate, "response_time_s", "no rate was set, so nothing was due at a moment"),
        (point.elapsed_s.is_none(), "elapsed_s", "the work is a rate, not one piece with a duration"),
        (!work.writes(), "commit", "the test writes nothing"),
        (point.plan.is_none(), "plan", "the work is no statement with a plan"),
    ] {
        if is_lacking {
            point.lacks(path, why);
        }
    }
}

/// The transactions of a workload by type.
pub(crate) fn transaction_types(
    point: &Point,
    work: &WorkloadSpec<'_>,
    results: &[TypeResult],
) -> Vec<TransactionType> {
    let figures = |(planned, result): (&program::TransactionType, &TypeResult)| {
        let ops = result.service.count();
        TransactionType {
            name: planned.name.clone(),
            weight: planned.weight,
            ops: Some(ops),
            ops_per_s: point.window_s.filter(|seconds| *seconds > 0.0).map(|seconds| ops as f64 / seconds),
            service_time_s: Some(times_with_failed(&result.service, result.failed)),
            response_time_s: result.response.as_ref().map(|response| times_with_failed(response, result.failed)),
            outcomes: result.outcomes.clone(),
        }
    };
    // Types that are not in the mix are no part of the work.
    work.types.iter().zip(results).filter(|(planned, _)| planned.weight > 0).map(figures).collect()
}

/// Fills in the rate by the minute.
pub(crate) fn fill_minutes(point: &mut Point) {
    let (Some(per_s), Some(seconds), Some(series)) = (point.tx_per_s, point.window_s, &point.series) else { return };
    let whole = series.ops_per_s.iter().take(seconds as usize).copied().collect::<Vec<_>>();
    let per_minute = PerMinute::of(per_s, &whole);
    if per_minute.max.is_none() {
        point.lacks("tx_per_min.max", "the window is shorter than a minute");
    }
    point.tx_per_min = Some(per_minute);
}

/// Fills in the times of transactions of the client drive.
pub(crate) fn fill_client_times(point: &mut Point, service: &Histogram, response: Option<&Histogram>, series: Series) {
    let failed = series.errors.iter().sum();
    for (name, histogram) in [("service_time_s", Some(service)), ("response_time_s", response)] {
        let Some(histogram) = histogram else { continue };
        for (percentile, pct) in PERCENTILES {
            if histogram.count() > 0 && histogram.percentile_with_longer_ns(pct, failed).is_none() {
                let all = histogram.count() + failed;
                let why = format!(
                    "{failed} of {all} transactions failed, and count as slower than any other: this percentile is among them"
                );
                point.lacks(&format!("{name}.{percentile}"), why);
            }
        }
    }
    point.service_time_s = Some(times_with_failed(service, failed));
    point.response_time_s = response.map(|response| times_with_failed(response, failed));
    point.series = Some(series);
}

/// The percentiles of [`ResponseTime`], by the names of its fields.
const PERCENTILES: [(&str, f64); 6] =
    [("p50", 50.0), ("p90", 90.0), ("p95", 95.0), ("p99", 99.0), ("p99_9", 99.9), ("p99_99", 99.99)];

/// Mean, percentiles and maximum of a distribution of times.
pub(crate) fn times(histogram: &Histogram) -> ResponseTime {
    times_with_failed(histogram, 0)
}

/// The same if `failed` more transactions failed. In percentiles these count as slower than any other. Mean and maximum
/// are those of the transactions that succeeded.
fn times_with_failed(histogram: &Histogram, failed: u64) -> ResponseTime {
    let percentile_s = |pct| histogram.percentile_with_longer_ns(pct, failed).map(|ns| ns as f64 / 1e9);
    ResponseTime {
        mean: histogram.mean_ns().map(|ns| ns / 1e9),
        p50: percentile_s(50.0),
        p90: percentile_s(90.0),
        p95: percentile_s(95.0),
        p99: percentile_s(99.0),
        p99_9: percentile_s(99.9),
        p99_99: percentile_s(99.99),
        max: histogram.max_ns().map(|ns| ns as f64 / 1e9),
        ..ResponseTime::default()
    }
}

/// Seconds that the work of the test takes; `None` if the work is a rate.
fn elapsed_s(spec: &PointSpec, log: &WorkLog, done: &WorkDone, window_s: f64) -> Option<f64> {
    let mean_s = |pieces: f64| (pieces > 0.0).then(|| done.busy_ns / 1e9 / pieces);
    match (spec.test.procedure.argument, spec.test.repeat_mode) {
        (Some(Argument::Fibonacci), _) => {
            // How long one job takes for all calls of the documented argument, at the rate that was measured.
            let calls = spec.test.ops_of_argument(spec.test.documented_argument.or(spec.test.argument)?)? as f64;
            (done.ops > 0.0).then(|| calls * window_s * f64::from(spec.jobs) / done.ops)
        }
        (_, RepeatMode::Once) => mean_s(log.chunks.len() as f64),
        (_, RepeatMode::Statements) => mean_s(done.ops),
        (_, RepeatMode::Chunks) => None,
    }
}

/// How the time of the documented work was extrapolated, if a pass does less than this work.
fn extrapolated_from(spec: &PointSpec) -> Option<String> {
    let (argument, documented) = (spec.test.argument?, spec.test.documented_argument?);
    let calls = |argument| Some(spec.test.ops_of_argument(argument)? as f64);
    let ratio = calls(documented)? / calls(argument)?;
    let is_extrapolated = spec.test.procedure.argument == Some(Argument::Fibonacci) && argument != documented;
    is_extrapolated.then(|| {
        format!(
            "fibonacci({documented}) was not run: its time is that of fibonacci({argument}), of which it makes {ratio:.0} times the calls"
        )
    })
}

/// Why nothing is known of the machine.
pub(crate) const ON_ANOTHER_MACHINE: &str =
    "the target is on another machine, whose operating system dbdyno does not see";

/// Fills in what the operating system counted.
pub(crate) fn fill_telemetry(point: &mut Point, telemetry: &Telemetry, local: bool) {
    if !local {
        for path in ["cpu", "io", "memory", "network", "pressure"] {
            point.lacks(path, ON_ANOTHER_MACHINE);
        }
        return;
    }
    point.cpu = telemetry.cpu.clone();
    point.io = telemetry.io.clone();
    point.memory = telemetry.memory.clone();
    point.network = telemetry.network.clone();
    point.pressure = telemetry.pressure.clone();
    point.missing.extend(telemetry.missing.iter().map(|(path, why)| (path.clone(), why.clone())));
}

/// Fills in what an engine on another machine reports about this machine and its files.
pub(crate) fn fill_remote_machine(point: &mut Point, counters: &Counters, counters_s: f64) {
    let get = |counter| counters.get(counter).map(|n| n as f64);
    let all_ns = get(Counter::HostBusyNs).zip(get(Counter::HostIdleNs)).map(|(busy, idle)| busy + idle);
    if let Some(all_ns) = all_ns.filter(|ns| *ns > 0.0) {
        let pct = |counter| get(counter).map(|ns| ns / all_ns * 100.0);
        point.cpu = CpuUse { busy_pct: pct(Counter::HostBusyNs), ..CpuUse::default() };
        point.missing.remove("cpu");
        let figures = [
            ("cpu.user_pct", Counter::HostUserNs, &mut point.cpu.user_pct, pct(Counter::HostUserNs)),
            ("cpu.system_pct", Counter::HostSystemNs, &mut point.cpu.system_pct, pct(Counter::HostSystemNs)),
            ("cpu.iowait_pct", Counter::HostIowaitNs, &mut point.cpu.iowait_pct, pct(Counter::HostIowaitNs)),
        ];
        fill_counted(&mut point.missing, counters, figures, |_, _| "the engine does not tell");
        point.lacks("cpu.steal_pct", "the engine tells of its machine, and this is not among it");
        point.lacks("cpu.harness_pct", "dbdyno runs on another machine than the database");
    }
    let rate = |counter| get(counter).filter(|_| counters_s > 0.0).map(|n| n / counters_s);
    let mean_s = |ns, n| get(ns).zip(get(n)).filter(|(_, n)| *n > 0.0).map(|(ns, n)| ns / n / 1e9);
    if let (Some(read_iops), Some(write_iops)) = (rate(Counter::ReadRequests), rate(Counter::WriteRequests)) {
        point.io = IoRates { read_iops: Some(read_iops), write_iops: Some(write_iops), ..IoRates::default() };
        point.missing.remove("io");
        let [read_mib_per_s, write_mib_per_s] =
            [Counter::ReadBytes, Counter::WriteBytes].map(|bytes| rate(bytes).map(|bytes| bytes / MIB));
        let read_s = mean_s(Counter::FileReadNs, Counter::FileReads);
        let write_s = mean_s(Counter::FileWriteNs, Counter::FileWrites);
        let figures = [
            ("io.read_mib_per_s", Counter::ReadBytes, &mut point.io.read_mib_per_s, read_mib_per_s),
            ("io.write_mib_per_s", Counter::WriteBytes, &mut point.io.write_mib_per_s, write_mib_per_s),
            ("io.read_service_time_s", Counter::FileReadNs, &mut point.io.read_service_time_s, read_s),
            ("io.write_service_time_s", Counter::FileWriteNs, &mut point.io.write_service_time_s, write_s),
        ];
        fill_counted(&mut point.missing, counters, figures, |_, _| "the engine timed none");
        point.lacks("io.devices", "the engine counts requests, whatever device they go to");
    }
}

/// Rates of what the engine counted in so many seconds. What is absent has its reason in `missing`, by its path in a
/// point.
pub(crate) fn database_rates(
    counters: &Counters,
    counters_s: f64,
    block_bytes: u64,
    missing: &mut BTreeMap<String, String>,
) -> (Redo, DatabaseRates) {
    let (mut redo, mut database) = (Redo::default(), DatabaseRates::default());
    let get = |counter| counters.get(counter).map(|n| n as f64);
    let rate = |counter| get(counter).filter(|_| counters_s > 0.0).map(|n| n / counters_s);
    let mean_s = |ns, n| get(ns).zip(get(n)).filter(|(_, n)| *n > 0.0).map(|(ns, n)| ns / n / 1e9);
    let hit_pct =
        |hits| get(hits).zip(get(Counter::PhysicalReads)).filter(|(_, n)| *n > 0.0).map(|(h, n)| h / n * 100.0);
    let per_s = |path, counter, field| (path, counter, field, rate(counter));
    let mean = |path, ns, n, field| (path, ns, field, mean_s(ns, n));
    let (logical, physical) = (get(Counter::LogicalReads), get(Counter::PhysicalReads));
    let buffer_hit_pct = logical.zip(physical).filter(|(l, _)| *l > 0.0).map(|(l, p)| (1.0 - p / l).max(0.0) * 100.0);
    // If the engine does not count writes, one write for each block is assumed.
    let writes_per_s = rate(Counter::FileWrites).or_else(|| rate(Counter::PhysicalWrites));
    let write_mib_per_s = rate(Counter::PhysicalWrites).map(|blocks| blocks * block_bytes as f64 / MIB);
    let (flash_hit_pct, cell_flash_hit_pct) = (hit_pct(Counter::FlashHits), hit_pct(Counter::CellFlashHits));
    database.checkpoints = counters.get(Counter::Checkpoints);
    database.remote_blocks_per_s = rate(Counter::RemoteBlocks);
    let figures = [
        ("redo.mib_per_s", Counter::RedoBytes, &mut redo.mib_per_s, rate(Counter::RedoBytes).map(|b| b / MIB)),
        per_s("redo.writes_per_s", Counter::RedoWrites, &mut redo.writes_per_s),
        mean("redo.write_service_time_s", Counter::RedoWriteNs, Counter::RedoWrites, &mut redo.write_service_time_s),
        per_s("redo.sync_writes_per_s", Counter::RedoSyncs, &mut redo.sync_writes_per_s),
        mean("redo.sync_service_time_s", Counter::RedoSyncNs, Counter::RedoSyncs, &mut redo.sync_service_time_s),
        per_s("redo.page_images_per_s", Counter::RedoPageImages, &mut redo.page_images_per_s),
        per_s("database.logical_reads_per_s", Counter::LogicalReads, &mut database.logical_reads_per_s),
        per_s("database.physical_reads_per_s", Counter::PhysicalReads, &mut database.physical_reads_per_s),
        per_s("database.physical_writes_per_s", Counter::PhysicalWrites, &mut database.physical_writes_per_s),
        ("database.data_writes_per_s", Counter::PhysicalWrites, &mut database.data_writes_per_s, writes_per_s),
        ("database.data_write_mib_per_s", Counter::PhysicalWrites, &mut database.data_write_mib_per_s, write_mib_per_s),
        mean(
            "database.data_write_service_time_s",
            Counter::FileWriteNs,
            Counter::FileWrites,
            &mut database.data_write_service_time_s,
        ),
        ("database.buffer_hit_pct", Counter::LogicalReads, &mut database.buffer_hit_pct, buffer_hit_pct),
        per_s("database.write_blocks_per_s", Counter::BlocksDirtied, &mut database.write_blocks_per_s),
        ("database.flash_hit_pct", Counter::FlashHits, &mut database.flash_hit_pct, flash_hit_pct),
        ("database.cell_flash_hit_pct", Counter::CellFlashHits, &mut database.cell_flash_hit_pct, cell_flash_hit_pct),
        ("database.checkpoints", Counter::Checkpoints, &mut None, get(Counter::Checkpoints)),
    ];
    fill_counted(missing, counters, figures, |path, counter| match path {
        _ if counters.get(counter).is_none() => "the engine does not count it",
        "database.data_write_service_time_s" => "no data file was written",
        "redo.sync_service_time_s" => "no commit waited for the log",
        "redo.write_service_time_s" => "the log was not written",
        "database.buffer_hit_pct" => "no block was asked for",
        "database.flash_hit_pct" | "database.cell_flash_hit_pct" => "no block was read",
        _ => "the counters' interval has no length",
    });
    (redo, database)
}

/// Fills in what the engine counted, divided by the counters' own interval.
pub(crate) fn fill_counters(point: &mut Point, counters: &Counters, counters_s: f64, block_bytes: u64) {
    point.counters_s = Some(counters_s);
    let get = |counter| counters.get(counter).map(|n| n as f64);
    (point.redo, point.database) = database_rates(counters, counters_s, block_bytes, &mut point.missing);
    point.waits = counters
        .waits
        .iter()
        .map(|w| Wait {
            event: w.event.clone(),
            class: w.class.clone(),
            count: w.count,
            time_s: w.time_ns.map(|ns| ns as f64 / 1e9),
            sampled: w.sampled,
            background: w.background,
            histogram_us: w.buckets_us.clone(),
        })
        .collect();
    if let Some(time_ns) = get(Counter::DbCpuNs).filter(|ns| *ns > 0.0) {
        // This is the processor time of sessions, and no wait, so it has no count.
        let (event, class) = ("DB CPU".to_owned(), "CPU".to_owned());
        point.waits.push(Wait { event, class, time_s: Some(time_ns / 1e9), ..Wait::default() });
    }
    if point.waits.is_empty() {
        let why = match (counters.missing.get(&Counter::ForeignBusyNs), counters.get(Counter::ForeignBusyNs)) {
            (Some(why), _) => why.as_str(),
            (None, Some(_)) => "no session was seen at work",
            (None, None) => "the engine does not tell what its sessions wait for",
        };
        point.lacks("waits", why);
    }
    point.waits.sort_by(|a, b| b.time_s.unwrap_or(0.0).total_cmp(&a.time_s.unwrap_or(0.0)).then(b.count.cmp(&a.count)));
}

/// A figure from counters: its JSON path, the counter that may say why there is no value, its field and its value.
type Counted<'p> = (&'static str, Counter, &'p mut Option<f64>, Option<f64>);

/// Fills in figures from counters. A figure without a value, and without a reason so far, gets the counter's reason, or
/// else the one that `why` returns.
fn fill_counted<const N: usize>(
    missing: &mut BTreeMap<String, String>,
    counters: &Counters,
    figures: [Counted<'_>; N],
    why: impl Fn(&str, Counter) -> &'static str,
) {
    for (path, counter, field, value) in figures {
        *field = value;
        if value.is_none() && !missing.contains_key(path) {
            let why = counters.missing.get(&counter).map_or_else(|| why(path, counter), String::as_str);
            missing.insert(path.to_owned(), why.to_owned());
        }
    }
}

/// Fills in the key metric: the first of the test's metrics that has a value. For a workload, transactions/s.
pub(crate) fn fill_metric(point: &mut Point, work: PointWork<'_>, catalogue: &Catalogue) {
    let of_workload = [MetricId::from(WORKLOAD_METRIC)];
    let metrics = work.test().map_or(of_workload.as_slice(), |spec| &spec.test.metrics);
    point.metric = metrics.iter().find_map(|id| {
        let unit = catalogue.metric(id).ok()?.unit.clone();
        Some(MetricValue { id: id.clone(), value: point.value(id)?, unit })
    });
}

/// The window mode of a point.
pub(crate) fn window_mode(work: PointWork<'_>, duration_s: f64) -> WindowMode {
    match work.repeat_mode() {
        _ if work.transactions_each().is_some() => WindowMode::pieces(duration_s),
        _ if work.driven_by() == Drive::Client => WindowMode::of_client(duration_s),
        RepeatMode::Once => WindowMode::pieces(duration_s),
        RepeatMode::Chunks | RepeatMode::Statements => WindowMode::steady(duration_s),
    }
}

#[cfg(test)]
mod tests;
