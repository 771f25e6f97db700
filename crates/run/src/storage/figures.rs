//! From the storage room's measurements to the figures of a point, and whether they are valid.

use super::breakdown;
use crate::client::{is_unmet, number};
use crate::figures::MIB;
use crate::point::empty_point;
use crate::{figures, judge};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{
    ErrorClass, MetricId, MetricValue, Outcomes, PlannedPoint, Point, ResponseTime, Status, StorageIos, StorageLun,
    StorageProof, StorageReadWrite,
};
use dbdyno_probe::Telemetry;
use dbdyno_results::{HistogramKind, Histograms, PointHistogram};
use dbdyno_stats::Histogram;
use dbdyno_storage::{Completed, IoError, Ios, Lun, LunKind, Luns, ReadWrite, StorageMeasurement};

/// Mismatches that a reason lists one by one.
const MOST_TOLD: usize = 4;

/// A point of which only the requested load is known.
pub(super) fn empty(planned: &PlannedPoint) -> Point {
    let asked_per_s = planned.load.rate.map(|rate| rate.per_s(0.0));
    let mut point = Point { asked_per_s, ..empty_point(planned) };
    let no_database = "no database took part: I/O was measured below any";
    for path in ["redo", "database", "waits", "rows", "rows_per_s", "tx_per_s", "counters_s", "commit", "plan"] {
        point.lacks(path, no_database);
    }
    point.lacks("elapsed_s", "the work is a rate, not one piece with a duration");
    point.lacks("series", "the seconds of a storage point are in storage.series");
    if point.asked_per_s.is_none() {
        point.lacks("asked_per_s", "no rate was set");
        point.lacks("response_time_s", "no rate was set, so nothing was due at a moment");
    }
    point
}

/// Fills in what was measured. Returns the times of the point: those of small I/Os, or of large I/Os where there are no
/// small ones.
pub(super) fn fill(point: &mut Point, measured: &StorageMeasurement, luns: &Luns, catalogue: &Catalogue) -> Histograms {
    let seconds = measured.window_s;
    let sizes = [&measured.small, &measured.large];
    let all = || sizes.into_iter().flat_map(|size| [&size.read, &size.write]);
    let (ops, bytes) = all().fold((0, 0), |(n, bytes), ios| (n + ios.count, bytes + ios.bytes));
    let rate = |n: f64| (seconds > 0.0).then_some(n / seconds);
    point.window_s = Some(seconds);
    (point.ops, point.ops_total) = (Some(ops), Some(measured.total));
    point.ops_per_s = rate(ops as f64);
    point.work_mib_per_s = rate(bytes as f64 / MIB);
    point.outcomes = outcomes(measured);
    if let Some(storage) = point.subject.storage_mut() {
        let lun = |lun: &Lun| StorageLun {
            path: lun.path.display().to_string(),
            kind: if lun.kind == LunKind::Device { "device" } else { "file" }.to_owned(),
            size_bytes: lun.size_bytes,
            figures: None,
        };
        storage.paths = luns.iter().map(lun).collect();
        breakdown::fill(storage, &measured.breakdown, seconds);
        let completed = measured.completed.filter(|_| seconds > 0.0);
        storage.completed_per_s = completed.map(|c| c.ios as f64 / seconds);
        storage.on_time_per_s = completed.map(|c| c.on_time as f64 / seconds);
        let StorageMeasurement { stamped, unstamped, mismatched: wrong, .. } = *measured;
        storage.proof = storage.load.verify.then_some(StorageProof { stamped, unstamped, wrong });
        measured.backend.name().clone_into(&mut storage.backend);
        storage.submitters = Some(measured.threads);
        storage.total_bytes = Some(measured.total_bytes);
        storage.notes.clone_from(&measured.notes);
        (storage.small, storage.large) = (both(&measured.small, seconds), both(&measured.large, seconds));
    }
    let small = point.subject.storage().is_some_and(|s| s.load.small_outstanding > 0);
    let main = if small { &measured.small } else { &measured.large };
    let service = merged([&main.read, &main.write].map(|ios| Some(&ios.service_time)));
    let response = merged([&main.read, &main.write].map(|ios| ios.response_time.as_ref()));
    point.service_time_s = service.as_ref().map(times);
    point.response_time_s = response.as_ref().map(times);
    let metric = MetricId::from(if small { "small_iops" } else { "large_mib_per_s" });
    point.metric = catalogue.metric(&metric).ok().and_then(|known| {
        Some(MetricValue { value: point.value(&metric)?, unit: known.unit.clone(), id: metric.clone() })
    });
    let of = |kind| move |times| PointHistogram { transaction_type: None, kind, times };
    let service = service.map(of(HistogramKind::Service));
    service.into_iter().chain(response.map(of(HistogramKind::Response))).collect()
}

/// Fills in what the operating system counted, with the flags that follow from it.
pub(super) fn machine(point: &mut Point, telemetry: &Telemetry, clock_jump_s: f64) {
    figures::fill_telemetry(point, telemetry, true);
    judge::clock(point, telemetry, clock_jump_s);
    judge::throttled(point, telemetry);
    // Only dbdyno works for this test, so there is no server share.
    judge::machine(point, telemetry, Some(0.0));
}

/// Judges whether the figures are valid, and why not.
pub(super) fn judge(point: &mut Point, measured: &StorageMeasurement) {
    // What hosts of a fleet lack stands there already.
    let of_hosts = point.reason.take();
    let mut failures = failures(measured);
    if measured.stopped {
        // Missing answers after the user stopped the point are not a fault of the storage.
        point.outcomes.fail(ErrorClass::Cancelled);
        failures.insert(0, "interrupted".to_owned());
    }
    if !failures.is_empty() {
        failures.extend(of_hosts);
        return fail(point, failures.join("; "));
    }
    if point.metric.is_none() && unmet(point, measured).is_none() {
        return fail(point, "no I/O ended inside the window: use a longer -duration".to_owned());
    }
    judge::too_short(point, measured.window_s, "");
    let mut problems: Vec<String> = of_hosts.into_iter().collect();
    if measured.mismatched > 0 {
        let told = measured.mismatches.iter().take(MOST_TOLD);
        let told: Vec<String> =
            told.map(|m| format!("{} at byte {}: {}", m.path.display(), m.offset_bytes, m.what)).collect();
        let more = measured.mismatched.saturating_sub(told.len() as u64);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        problems.push(format!("{} sectors are not what was written: {}{more}", measured.mismatched, told.join("; ")));
    }
    if measured.stamped == 0 && measured.unstamped > 0 && measured.mismatched == 0 {
        problems.push(format!(
            "nothing was verified: none of the {} sectors read had ever been written with a stamp; use a test file of dbdyno's, or measure \
             longer or on less, so that what was written is read again",
            measured.unstamped
        ));
    }
    problems.extend(unmet(point, measured));
    if !problems.is_empty() {
        point.status = Status::Invalid;
        point.reason = Some(problems.join("; "));
    }
}

/// What went wrong with I/Os, in words.
fn failures(measured: &StorageMeasurement) -> Vec<String> {
    let mut failures = Vec::new();
    let errors: u64 = measured.errors.values().sum();
    if errors > 0 {
        let classes: Vec<String> = measured.errors.iter().map(|(of, n)| format!("{n} {}", class(*of))).collect();
        failures.push(format!("{errors} I/Os failed ({})", classes.join(", ")));
    }
    failures.extend(measured.first_error.as_ref().map(|first| format!("the first: {first}")));
    failures.extend(measured.ended_early.clone());
    failures
}

/// Judges a rate: one that was not reached is another load than was asked for. The text has what the storage did, and
/// how much of it was on time: with a backlog, hardly any I/O that ends was due in the window, however fast the storage
/// is.
fn unmet(point: &Point, measured: &StorageMeasurement) -> Option<String> {
    let asked_per_s = point.asked_per_s.filter(|_| measured.window_s > 0.0)?;
    let (due, done) = (asked_per_s * measured.window_s, point.ops.unwrap_or(0) as f64);
    is_unmet(point.load, due, done, point.dop.jobs).then(|| {
        let Completed { ios, on_time } = measured.completed.unwrap_or(Completed { ios: 0, on_time: 0 });
        let per_s = |n: u64| number(n as f64 / measured.window_s);
        format!(
            "{} I/Os/s were asked for; {} a second were completed, {} of them on time (the others were due before the window began): ask \
             for less, or let more be outstanding",
            number(asked_per_s),
            per_s(ios),
            per_s(on_time)
        )
    })
}

/// An error that ended a point before anything was measured.
pub(super) fn fail(point: &mut Point, why: String) {
    point.status = Status::Failed;
    point.reason = Some(why);
    point.metric = None;
    if point.outcomes.errors.is_empty() {
        point.outcomes.fail(ErrorClass::Other);
    }
}

/// The error class of an I/O error.
fn class(error: IoError) -> ErrorClass {
    match error {
        IoError::Io => ErrorClass::Io,
        IoError::Gone => ErrorClass::ConnectionLost,
        IoError::Short => ErrorClass::ShortIo,
        IoError::NoSpace => ErrorClass::OutOfSpace,
        IoError::Timeout => ErrorClass::Timeout,
        IoError::Other => ErrorClass::Other,
    }
}

/// All I/Os from the first to the last.
fn outcomes(measured: &StorageMeasurement) -> Outcomes {
    let mut outcomes = Outcomes::default();
    outcomes.succeed(measured.total);
    for (error, n) in &measured.errors {
        *outcomes.errors.entry(class(*error)).or_default() += n;
        outcomes.requests += n;
    }
    outcomes
}

fn both(size: &ReadWrite, seconds: f64) -> StorageReadWrite {
    StorageReadWrite { read: ios(&size.read, seconds), write: ios(&size.write, seconds) }
}

fn ios(ios: &Ios, seconds: f64) -> Option<StorageIos> {
    (ios.count > 0 && seconds > 0.0).then(|| StorageIos {
        ios: ios.count,
        bytes: ios.bytes,
        iops: ios.count as f64 / seconds,
        mib_per_s: ios.bytes as f64 / MIB / seconds,
        service_time_s: times(&ios.service_time),
        response_time_s: ios.response_time.as_ref().map(times),
    })
}

fn merged(histograms: [Option<&Histogram>; 2]) -> Option<Histogram> {
    let mut all = Histogram::new();
    histograms.into_iter().flatten().for_each(|histogram| all.merge(histogram));
    (all.count() > 0).then_some(all)
}

fn times(histogram: &Histogram) -> ResponseTime {
    ResponseTime {
        min: histogram.min_ns().map(|ns| ns as f64 / 1e9),
        std_dev: histogram.std_dev_ns().map(|ns| ns / 1e9),
        ..figures::times(histogram)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_model::{Storage, StorageLayout, StorageLoad, StoragePattern, Subject};
    use dbdyno_storage::BackendKind;
    use std::collections::BTreeMap;

    fn measured(stopped: bool, unanswered: u64) -> StorageMeasurement {
        let ios = || Ios { count: 0, bytes: 0, service_time: Histogram::new(), response_time: None };
        let both = || ReadWrite { read: ios(), write: ios() };
        StorageMeasurement {
            began_ns: 0,
            window_ns: (0, 1),
            window_s: 1.0,
            small: both(),
            large: both(),
            total: 0,
            total_bytes: 0,
            due: None,
            completed: None,
            breakdown: dbdyno_storage::Breakdown::default(),
            errors: [(IoError::Timeout, unanswered)].into_iter().filter(|(_, n)| *n > 0).collect::<BTreeMap<_, _>>(),
            first_error: (unanswered > 0).then(|| "no answer from the storage".to_owned()),
            ended_early: None,
            stamped: 0,
            unstamped: 0,
            mismatches: Vec::new(),
            mismatched: 0,
            backend: BackendKind::Uring,
            notes: Vec::new(),
            stopped,
            harness_cpu_s: None,
            threads: 1,
        }
    }

    fn begun() -> Point {
        let load = StorageLoad {
            small_outstanding: 1,
            large_outstanding: 0,
            small_bytes: 8_192,
            large_bytes: 1 << 20,
            pattern: StoragePattern::Random,
            write_pct: 0,
            luns: 1,
            layout: StorageLayout::Concat,
            verify: false,
        };
        Point::new(Subject::Storage(Storage::requested(load)), jiff::Timestamp::now())
    }

    #[test]
    fn a_rate_beyond_the_maximum_says_what_was_done_and_what_of_it_was_on_time() {
        let mut point = begun();
        (point.asked_per_s, point.ops, point.dop.jobs) = (Some(60_000.0), Some(13_366), 32);
        let measured =
            StorageMeasurement { completed: Some(Completed { ios: 37_933, on_time: 0 }), ..measured(false, 0) };
        judge(&mut point, &measured);
        let reason = point.reason.unwrap();
        assert_eq!(point.status, Status::Invalid);
        let said = "60000 I/Os/s were asked for; 37933 a second were completed, 0.0 of them on time";
        assert!(reason.starts_with(said), "{reason}");
    }

    #[test]
    fn what_a_host_lacks_is_not_hidden_by_what_all_lack() {
        let mut point = begun();
        (point.asked_per_s, point.ops, point.dop.jobs) = (Some(60_000.0), Some(13_366), 32);
        (point.status, point.reason) = (Status::Invalid, Some("left: nothing was done".to_owned()));
        judge(&mut point, &measured(false, 0));
        let reason = point.reason.unwrap();
        assert!(reason.starts_with("left: nothing was done; 60000 I/Os/s were asked for"), "{reason}");
    }

    #[test]
    fn what_could_not_be_proved_is_not_verified() {
        let mut point = begun();
        point.metric = Some(MetricValue { id: "small_iops".into(), value: 1.0, unit: "1/s".to_owned() });
        judge(&mut point, &StorageMeasurement { unstamped: 16, ..measured(false, 0) });
        assert_eq!(point.status, Status::Invalid);
        assert!(point.reason.unwrap().starts_with("nothing was verified: none of the 16 sectors"));
    }

    #[test]
    fn who_was_stopped_was_interrupted_whatever_had_no_answer() {
        for (stopped, unanswered, reason) in [
            (true, 0, "interrupted"),
            (true, 4, "interrupted; 4 I/Os failed (4 timeout); the first: no answer from the storage"),
            (false, 4, "4 I/Os failed (4 timeout); the first: no answer from the storage"),
        ] {
            let mut point = begun();
            let measured = measured(stopped, unanswered);
            point.outcomes = outcomes(&measured);
            judge(&mut point, &measured);
            assert_eq!((point.status, point.reason.as_deref()), (Status::Failed, Some(reason)));
            let of = |class| point.outcomes.errors.get(&class).copied().unwrap_or(0);
            assert_eq!((of(ErrorClass::Cancelled), of(ErrorClass::Timeout)), (u64::from(stopped), unanswered));
        }
    }
}
