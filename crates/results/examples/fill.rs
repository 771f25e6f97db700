//! Fills a results file with made-up runs of realistic size, for `benches/repository`. Ten runs share a label, as a
//! sample does.
//!
//! Usage: `fill FILE RUNS POINTS`
#![allow(clippy::expect_used, reason = "a script sees it fail")]

use dbdyno_model::{
    ClientLoad, CommitMode, CpuUse, Database, DatabaseRates, Dop, Drive, IoRates, Mapping, MetricValue, Plan,
    PlannedPoint, Platform, Point, Redo, ResponseTime, Run, RunId, RunJson, RunStatus, TestCode, Wait,
};
use dbdyno_results::{ExportedRun, FileAccess, Repository};
use std::path::Path;

const TESTS: [&str; 10] = ["T141", "T311", "T421", "T426", "T611", "T621", "T626", "T711", "T721", "T811"];
const DOPS: [u32; 10] = [1, 2, 4, 8, 12, 16, 24, 32, 48, 64];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, runs, points] = &arguments[..] else { panic!("usage: fill FILE RUNS POINTS") };
    let (runs, points): (u64, usize) = (runs.parse().expect("runs"), points.parse().expect("points"));
    let mut repository = Repository::open(Path::new(file), FileAccess::ReadWrite).expect("a results file");
    for n in 0..runs {
        repository.import(&run(n, points)).expect("a run");
    }
}

fn run(n: u64, count: usize) -> ExportedRun {
    let second = i64::try_from(n).unwrap_or_default() * 3_600;
    let run = Run {
        id: RunId::from_random(n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20),
        label: Some(format!("platform_{}", n / 10)),
        suite: "baseline".to_owned(),
        size: "D".to_owned(),
        seed: 42,
        started_at: jiff::Timestamp::from_second(1_767_225_600 + second).expect("a time"),
        tool_version: "0.1.0".to_owned(),
        target: "null:".to_owned(),
        status: RunStatus::Done,
    };
    let points: Vec<Point> = (0..count).map(|index| point(n, index, &run)).collect();
    let database = Database { engine: "null".to_owned(), version: "1".to_owned(), ..Database::default() };
    let plan = Plan {
        suite: run.suite.clone(),
        size: run.size.clone(),
        seed: run.seed,
        definitions: "fedcba9876543210".to_owned(),
        points: points.iter().map(planned).collect(),
        searches: Vec::new(),
        pairing: None,
    };
    let run = RunJson::new(run, Platform::default(), database, points);
    ExportedRun { run, plan, plan_indexes: (0..count).collect(), histograms: Vec::new() }
}

/// A point of a ramp over the tests, which are repeated until there are enough points. Rates rise and flatten, and
/// differ a little from run to run.
fn point(n: u64, index: usize, run: &Run) -> Point {
    let (test, step) = (index % TESTS.len(), index / TESTS.len());
    let jobs = DOPS[step % DOPS.len()];
    let code = TestCode::new(TESTS[test]).expect("a code");
    let wobble = 1.0 + 0.02 * ((n * 31 + index as u64 * 17) % 100) as f64 / 100.0;
    let rate = 1_000.0 * (1 + test) as f64 * wobble * f64::from(jobs) / (1.0 + 0.03 * f64::from(jobs - 1));
    let mut point = Point::new(code, run.started_at);
    point.definition = "0123456789abcdef".to_owned();
    point.mapping = "native".to_owned();
    point.dop = Dop { jobs, ..Dop::ONE };
    point.rows_per_tx = 1;
    point.repeat = 1 + u32::try_from(step / DOPS.len()).unwrap_or_default();
    point.commit = Some(CommitMode::Durable);
    point.plan = Some("SEARCH small_heap USING INDEX small_heap_customer (customer_id=?)\n".repeat(12));
    (point.window_s, point.counters_s) = (Some(10.003), Some(10.11));
    (point.ops_per_s, point.rows_per_s, point.tx_per_s) = (Some(rate), Some(rate), Some(rate));
    point.metric = Some(MetricValue { id: "ops_per_s".into(), value: rate, unit: "1/s".to_owned() });
    point.outcomes.succeed(rate as u64 * 10);
    point.service_time_s = Some(ResponseTime { mean: Some(f64::from(jobs) / rate), ..ResponseTime::default() });
    point.cpu = CpuUse { busy_pct: Some(97.1), user_pct: Some(80.2), system_pct: Some(16.9), ..CpuUse::default() };
    point.io = IoRates { read_iops: Some(rate), write_iops: Some(2.4), ..IoRates::default() };
    point.redo = Redo { mib_per_s: Some(3.4), writes_per_s: Some(rate), ..Redo::default() };
    point.database = DatabaseRates { logical_reads_per_s: Some(rate * 4.0), ..DatabaseRates::default() };
    let wait = |event: &str| Wait {
        event: event.to_owned(),
        class: "IO".to_owned(),
        count: 13,
        time_s: Some(1.3),
        ..Wait::default()
    };
    point.waits = ["DataFileRead", "WALSync", "WALWrite", "BufferContent"].map(wait).to_vec();
    for metric in ["p50", "p90", "p95", "p99", "p99_9", "p99_99", "max"] {
        point.lacks(&format!("service_time_s.{metric}"), "the server drive times whole chunks of work, not operations");
    }
    point
}

fn planned(point: &Point) -> PlannedPoint {
    PlannedPoint {
        subject: point.subject.requested(),
        drive: Drive::Server,
        dop: point.dop,
        load: ClientLoad::default(),
        rows_per_tx: point.rows_per_tx,
        repeat: point.repeat,
        again: false,
        duration_s: 10.0,
        mix: None,
        parameters: dbdyno_model::Parameters::default(),
        cores: None,
        may_follow_from_jobs: None,
        commit: CommitMode::Durable,
        mapping: Mapping::Native { ramp: None },
        definition: point.definition.clone(),
    }
}
