//! Runs, plans, points and histograms that are functions of a number, so that another process can check that it reads
//! what was written.

use dbdyno_model::{
    ClientLoad, CommitMode, CpuUse, Database, Dop, Drive, Flag, Mapping, MetricValue, Plan, PlannedPoint, Platform,
    Point, ResponseTime, Run, RunId, RunStatus, Status, TestCode, Tool,
};
use dbdyno_results::{FileAccess, HistogramKind, Histograms, PointHistogram, Repository};
use dbdyno_stats::Histogram;
use std::path::Path;

pub(crate) fn id(text: &str) -> RunId {
    RunId::new(text).unwrap()
}

pub(crate) fn open(path: &Path) -> Repository {
    Repository::open(path, FileAccess::ReadWrite).unwrap()
}

/// A run that began `second` seconds into 2026.
pub(crate) fn run(text: &str, label: Option<&str>, second: i64) -> Run {
    Run {
        id: id(text),
        label: label.map(str::to_owned),
        suite: "quick".to_owned(),
        size: "T".to_owned(),
        seed: u64::MAX,
        started_at: jiff::Timestamp::from_second(1_767_225_600 + second).unwrap(),
        tool_version: "0.1.0".to_owned(),
        target: "null:".to_owned(),
        status: RunStatus::Running,
    }
}

pub(crate) fn plan(points: usize) -> Plan {
    let point = |index: usize| PlannedPoint {
        subject: TestCode::new("T611").unwrap().into(),
        drive: Drive::Server,
        dop: Dop { jobs: 1 + index as u32, ..Dop::ONE },
        load: ClientLoad::default(),
        rows_per_tx: 1,
        repeat: 1,
        again: false,
        duration_s: 2.0,
        mix: None,
        parameters: dbdyno_model::Parameters::default(),
        cores: None,
        may_follow_from_jobs: None,
        commit: CommitMode::Durable,
        mapping: Mapping::Native { ramp: None },
        definition: "0123456789abcdef".to_owned(),
    };
    let points = (0..points).map(point).collect();
    Plan {
        suite: "quick".to_owned(),
        size: "T".to_owned(),
        seed: 7,
        definitions: "fedcba9876543210".to_owned(),
        points,
        searches: Vec::new(),
        pairing: None,
    }
}

pub(crate) fn platform() -> Platform {
    Platform { host: Some("anvil".to_owned()), numa_nodes: Some(2), ..Platform::default() }
}

pub(crate) fn tool() -> Tool {
    let embedded = [("sqlite".to_owned(), vec!["THREADSAFE=1".to_owned()])].into();
    Tool { version: "0.1.0".to_owned(), profile: Some("dev".to_owned()), embedded, ..Tool::default() }
}

pub(crate) fn database() -> Database {
    Database { engine: "null".to_owned(), version: "1".to_owned(), ..Database::default() }
}

pub(crate) fn begin(repository: &mut Repository, run: &Run, points: usize) {
    repository.begin_run(run, &plan(points), &platform(), &database(), Some(&tool())).unwrap();
}

/// The `index`-th point of a plan, of realistic size.
pub(crate) fn point(index: usize, status: Status) -> Point {
    let mut point: Point = serde_json::from_value(serde_json::json!({
        "subject": { "kind": "test", "name": "T611" }, "definition": "0123456789abcdef", "mapping": "native", "drive": "server",
        "nodes": 1, "jobs": 1 + index, "threads": 1, "rows_per_tx": 1, "repeat": 1,
        "started_at": "2026-01-01T00:00:00Z", "status": status,
    }))
    .unwrap();
    let rate = 275_204.1 / (1.0 + index as f64);
    point.reason = (status != Status::Ok).then(|| format!("point {index} was meant to end so"));
    point.plan = Some(format!("SEARCH t_heap USING INDEX ({index})\n").repeat(40));
    point.ops_per_s = Some(rate);
    point.metric = Some(MetricValue { id: "ops_per_s".into(), value: rate, unit: "1/s".to_owned() });
    point.outcomes.succeed(index as u64);
    point.service_time_s = Some(ResponseTime { mean: Some(1.0 / rate), ..ResponseTime::default() });
    point.cpu = CpuUse { busy_pct: Some(97.1), ..CpuUse::default() };
    point.flag(Flag::NotSteady, format!("the last third was {index} % faster"));
    point.lacks("service_time_s.p99", "server drive times chunks");
    point
}

/// A histogram of 5,000 times, spread as response times are.
pub(crate) fn histogram(seed: usize) -> Histogram {
    let mut histogram = Histogram::new();
    let mut state = seed as u64;
    for _ in 0..5_000 {
        let draw = next(&mut state);
        histogram.record_ns(1_000 + (draw >> 44) + (1 << (draw % 24)));
    }
    histogram
}

/// Both histograms of the `index`-th point.
pub(crate) fn histograms(index: usize) -> Histograms {
    let [service, response] = [(HistogramKind::Service, 0), (HistogramKind::Response, 1_000_000)]
        .map(|(kind, seed)| of_test(kind, histogram(index + seed)));
    vec![service, response]
}

/// A histogram of the one type that a test has.
pub(crate) fn of_test(kind: HistogramKind, times: Histogram) -> PointHistogram {
    PointHistogram { transaction_type: Some("T611".to_owned()), kind, times }
}

/// Records the `index`-th point with its histograms.
pub(crate) fn record(
    repository: &mut Repository,
    run: &RunId,
    index: usize,
    status: Status,
) -> Result<(), dbdyno_results::ResultsError> {
    repository.record_point(run, index, &point(index, status), &histograms(index))
}

/// The next number of a seeded series (SplitMix64, Steele et al. 2014).
pub(crate) fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
