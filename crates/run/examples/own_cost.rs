//! What dbdyno itself costs, measured on the null engine: the time between two chunks of a job, the time that the
//! client drive adds to a transaction, and the time to record a point with its histograms. Run by `benches/own_cost`.
#![allow(clippy::print_stdout, clippy::expect_used)]

use dbdyno_catalogue::Catalogue;
use dbdyno_engine::client::TestProgram;
use dbdyno_engine::{Engine, Job, MonotonicClock, PointSpec, Sampling, Session, StartGate};
use dbdyno_model::{
    ClientLoad, CommitMode, Database, Dop, Drive, Mapping, Plan, PlannedPoint, Platform, Point, Rate, Run, RunId,
    RunStatus, TestCode,
};
use dbdyno_null::{Behaviour, NullEngine};
use dbdyno_results::{FileAccess, HistogramKind, PointHistogram, Repository};
use dbdyno_run::{Calibration, ClientContext, ServerDrive, Window, WindowMode};
use dbdyno_stats::Histogram;
use std::sync::Arc;
use std::time::Instant;

const POINTS: usize = 500;

fn main() {
    for jobs in [1, 64] {
        let mut gaps = gaps_us(jobs);
        gaps.sort_unstable_by(f64::total_cmp);
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let at = |pct: usize| gaps[(gaps.len() - 1) * pct / 100];
        println!(
            "gap between chunks, {jobs} jobs: mean {mean:.2} us, median {:.2} us, p99 {:.2} us ({} gaps)",
            at(50),
            at(99),
            gaps.len()
        );
    }
    for rate in [None, Some(1e9)] {
        let kind = if rate.is_some() { "open loop" } else { "closed loop" };
        println!("transaction of the client drive, {kind}: {:.0} ns", transaction_ns(rate));
    }
    let mut times = record_ms();
    times.sort_unstable_by(f64::total_cmp);
    println!(
        "recording a point with two histograms: median {:.2} ms, p99 {:.2} ms ({} points)",
        times[times.len() / 2],
        times[(times.len() - 1) * 99 / 100],
        times.len()
    );
}

fn gaps_us(jobs: u32) -> Vec<f64> {
    let catalogue = Catalogue::embedded().expect("embedded catalogue");
    let clock = Arc::new(MonotonicClock::default());
    let size = catalogue.size("T").expect("size T").clone();
    let engine = NullEngine::new(Behaviour { speed: 1_000_000, ..Behaviour::default() }, size.clone(), clock.clone());
    let test = catalogue.test("T111").expect("T111").clone();
    let (commit, drive, sampling) = (CommitMode::Durable, Drive::Server, Sampling::Off);
    let spec = PointSpec {
        test,
        size,
        seed: 42,
        key_seed: 42,
        nodes: 1,
        jobs,
        jobs_before: 0,
        jobs_after: 0,
        threads: 1,
        rows_per_tx: 0,
        commit,
        drive,
        sampling,
    };
    let window = Window::new(WindowMode::steady(5.0), jobs as usize);
    let mut sessions: Vec<Box<dyn Session>> = (0..jobs).map(|job| engine.session(job, 1).expect("session")).collect();
    for session in &mut sessions {
        session.prepare(&spec, 0).expect("prepared");
    }
    let timed = Calibration::Timed { passes: 50_000 };
    let mut drives: Vec<ServerDrive<'_>> = (0..jobs).map(|_| ServerDrive::new(&window, timed)).collect();
    let pairs = sessions.iter_mut().zip(&mut drives).map(|(s, work)| Job { session: s.as_mut(), work }).collect();
    engine.pump(Drive::Server, None).run(pairs, clock.as_ref(), &StartGate::new(jobs as usize)).expect("pumped");
    let chunks = drives.iter().flat_map(|d| d.log.chunks.windows(2));
    chunks.map(|pair| (pair[1].started_ns - pair[0].ended_ns) as f64 / 1e3).collect()
}

/// Nanoseconds of one transaction with one statement that takes no time. An open loop runs at a rate that is never
/// reached, so it does not sleep.
fn transaction_ns(asked_per_s: Option<f64>) -> f64 {
    const WINDOW_S: f64 = 3.0;
    let catalogue = Catalogue::embedded().expect("embedded catalogue");
    let clock = Arc::new(MonotonicClock::default());
    let size = catalogue.size("T").expect("size T").clone();
    let engine = NullEngine::new(Behaviour { speed: u64::MAX, ..Behaviour::default() }, size.clone(), clock.clone());
    let test = catalogue.test("T611").expect("T611").clone();
    let spec = PointSpec {
        test,
        size,
        seed: 42,
        key_seed: 42,
        nodes: 1,
        jobs: 1,
        jobs_before: 0,
        jobs_after: 0,
        threads: 1,
        rows_per_tx: 1,
        commit: CommitMode::Durable,
        drive: Drive::Client,
        sampling: Sampling::Off,
    };
    let rate = asked_per_s.map(|per_s| Rate::PerS { thousandths: (per_s * 1e3) as u64 });
    let load = ClientLoad { rate, ..ClientLoad::default() };
    let window = Window::new(WindowMode::of_client(WINDOW_S), 1);
    let context = ClientContext::new(&window, load, asked_per_s, &spec);
    let mut session = engine.client_session(0, 1).expect("session");
    let form = session.prepare(&spec, 0).expect("prepared").form.expect("a form");
    let mut drive = context.job(TestProgram::new(&spec, 0, form), 0);
    let pair = vec![Job { session: session.as_mut(), work: &mut drive }];
    engine.pump(Drive::Client, None).run(pair, clock.as_ref(), &StartGate::new(1)).expect("pumped");
    let counts = vec![drive.into_counts()];
    WINDOW_S * 1e9 / context.gather(counts).service.count() as f64
}

fn record_ms() -> Vec<f64> {
    let folder = tempfile::tempdir().expect("folder");
    let mut repository = Repository::open(&folder.path().join("cost.db"), FileAccess::ReadWrite).expect("repository");
    let id = RunId::new("owncost").expect("id");
    let now = jiff::Timestamp::now();
    let run = Run {
        id: id.clone(),
        label: None,
        suite: "cost".to_owned(),
        size: "T".to_owned(),
        seed: 42,
        started_at: now,
        tool_version: "0".to_owned(),
        target: "null:".to_owned(),
        status: RunStatus::Running,
    };
    let planned = PlannedPoint {
        subject: TestCode::new("T611").expect("code").into(),
        drive: Drive::Server,
        dop: Dop::ONE,
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
        definition: String::new(),
    };
    let plan = Plan {
        suite: "cost".to_owned(),
        size: "T".to_owned(),
        seed: 42,
        definitions: String::new(),
        points: vec![planned; POINTS],
        searches: Vec::new(),
        pairing: None,
    };
    repository.begin_run(&run, &plan, &Platform::default(), &Database::default(), None).expect("begun");
    let mut histogram = Histogram::new();
    (0..100_000u64).for_each(|n| histogram.record_ns(1_000 + n * 977 % 50_000_000));
    let point = Point::new(TestCode::new("T611").expect("code"), now);
    let histograms = [HistogramKind::Service, HistogramKind::Response].map(|kind| PointHistogram {
        transaction_type: Some("T611".to_owned()),
        kind,
        times: histogram.clone(),
    });
    (0..POINTS)
        .map(|index| {
            let begun = Instant::now();
            repository.record_point(&id, index, &point, &histograms).expect("recorded");
            begun.elapsed().as_secs_f64() * 1e3
        })
        .collect()
}
