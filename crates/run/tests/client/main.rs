//! The client drive compared with an exactly known truth: sessions on a simulated clock that record what they were
//! asked and when.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod pooled;
mod unknown;

use dbdyno_catalogue::Catalogue;
use dbdyno_engine::client::{TestForm, TestProgram, Value};
use dbdyno_engine::{Canceller, ChunkResult, Clock, EngineError, Failure, Job, Prepared, Pump, Request, Sampling};
use dbdyno_engine::{PointSpec, Session, SimulatedClock, SimulatedPump, StartGate};
use dbdyno_model::{Arrivals, ClientLoad, CommitMode, Drive, ErrorClass, Rate};
use dbdyno_run::{ClientContext, ClientDrive, ClientResult, Span, Timetable, WaitingUsers, Window, WindowMode};
use proptest::prelude::*;
use std::sync::{Arc, Mutex};

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MS;

fn spec(code: &str, jobs: u32) -> PointSpec {
    let catalogue = Catalogue::embedded().unwrap();
    let test = catalogue.test(code).unwrap().clone();
    let rows_per_tx = test.rows_per_tx.unwrap_or(0);
    let size = catalogue.size("T").unwrap().clone();
    let (commit, drive, sampling) = (CommitMode::Durable, Drive::Client, Sampling::Off);
    PointSpec {
        test,
        size,
        seed: 1,
        key_seed: 1,
        nodes: 1,
        jobs,
        jobs_before: 0,
        jobs_after: 0,
        threads: 1,
        rows_per_tx,
        commit,
        drive,
        sampling,
    }
}

/// How a session behaves at its n-th statement, counted from 1.
type Manner = Arc<dyn Fn(u64) -> (u64, Option<ErrorClass>) + Send + Sync>;

/// What a session was asked, when that ended, and whether it succeeded.
type Asked = Arc<Mutex<Vec<(Sent, u64, bool)>>>;

/// A request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sent {
    Statement { key: i64, opens: bool },
    Commit,
    Rollback,
}

/// What a session says of a statement that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    /// Nothing: its answer never came.
    Nothing,
    /// That it was not done.
    Undone,
}

struct Scripted {
    clock: Arc<SimulatedClock>,
    manner: Manner,
    says: Says,
    statements: u64,
    asked: Asked,
}

impl Session for Scripted {
    fn prepare(&mut self, _: &PointSpec, _: u32) -> Result<Prepared, EngineError> {
        Ok(Prepared::default())
    }

    fn execute(&mut self, request: &Request<'_>) -> Result<ChunkResult, Failure> {
        let mut failed = None;
        let is_statement = matches!(request, Request::Statement(_));
        if is_statement {
            self.statements += 1;
            let (takes_ns, error) = (self.manner)(self.statements);
            self.clock.sleep_ns(takes_ns);
            failed = error;
        }
        let asked = match request {
            Request::Statement(bound) => {
                let Some(Value::Int(key)) = bound.values.get(0) else { panic!("{request:?} has no key") };
                Sent::Statement { key, opens: bound.opens }
            }
            Request::Commit => Sent::Commit,
            Request::Rollback => Sent::Rollback,
            other => panic!("{other:?} is none of these clients'"),
        };
        self.asked.lock().unwrap().push((asked, self.clock.now_ns(), failed.is_none()));
        match failed {
            Some(class) => {
                let error = EngineError::new(class, "told to fail");
                Err(if self.says == Says::Undone { error.answered() } else { error }.into())
            }
            None => Ok(ChunkResult { rows: u64::from(is_statement), ..ChunkResult::default() }),
        }
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        Ok(())
    }

    fn canceller(&self) -> Arc<dyn Canceller> {
        struct Never;
        impl Canceller for Never {
            fn cancel(&self) {}
        }
        Arc::new(Never)
    }
}

struct Outcome {
    result: ClientResult,
    span: Option<Span>,
    /// What each session was asked.
    asked: Vec<Vec<(Sent, u64, bool)>>,
    ended_ns: u64,
}

/// Runs a point whose sessions behave like this.
fn run(code: &str, load: ClientLoad, duration_ns: u64, manners: Vec<Manner>) -> Outcome {
    run_users(manners.len() as u32, code, load, duration_ns, manners)
}

/// Runs a point with this number of users over sessions that behave like this.
fn run_users(users: u32, code: &str, load: ClientLoad, duration_ns: u64, manners: Vec<Manner>) -> Outcome {
    let spec = spec(code, users);
    let load = ClientLoad { connections: Some(manners.len() as u32).filter(|n| *n < users), ..load };
    let clock = Arc::new(SimulatedClock::default());
    let window = Window::new(WindowMode::of_client(duration_ns as f64 / 1e9), manners.len());
    let context = ClientContext::new(&window, load, load.rate.map(|rate| rate.per_s(0.0)), &spec);
    let scripted = |manner| Scripted {
        clock: Arc::clone(&clock),
        manner,
        says: Says::Nothing,
        statements: 0,
        asked: Asked::default(),
    };
    let mut sessions: Vec<Scripted> = manners.into_iter().map(scripted).collect();
    let program = |job| TestProgram::new(&spec, job, TestForm::default());
    let pool = WaitingUsers::default();
    let mut drives = context.sessions((0..users).map(|job| (job, program(job))), &pool);
    let pairs = sessions.iter_mut().zip(&mut drives).map(|(session, work)| Job { session, work }).collect();
    SimulatedPump(&clock).run(pairs, clock.as_ref(), &StartGate::new(1)).unwrap();
    let counts = drives.into_iter().map(ClientDrive::into_counts);
    let counts = counts.chain(load.connections.map(|_| pool.counts(&context))).collect();
    let asked = sessions.iter().map(|s| s.asked.lock().unwrap().clone()).collect();
    Outcome { result: context.gather(counts), span: window.span(), asked, ended_ns: clock.now_ns() }
}

fn steady(takes_ns: u64) -> Manner {
    Arc::new(move |_| (takes_ns, None))
}

fn open(rate: &str, arrivals: Arrivals) -> ClientLoad {
    ClientLoad { rate: Some(rate.parse::<Rate>().unwrap()), arrivals: Some(arrivals), ..ClientLoad::default() }
}

/// A statement takes `takes_ns`, and every `every`-th one stalls.
fn stalling(takes_ns: u64, every: u64, stall_ns: u64) -> Manner {
    Arc::new(move |n| (takes_ns + if n.is_multiple_of(every) { stall_ns } else { 0 }, None))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn what_ended_inside_the_window_is_counted_and_nothing_else(
        jobs in proptest::collection::vec((20_000u64..50_000_000, 0u64..9, 0u64..3), 1..9),
        duration_ms in 100u64..5_000,
        two_statements in any::<bool>(),
        rate in proptest::option::of(1u64..2_000),
    ) {
        let manners = jobs.iter().map(|(takes_ns, fails_every, class)| -> Manner {
            let (takes_ns, fails_every) = (*takes_ns, *fails_every);
            let class = [ErrorClass::Other, ErrorClass::Conflict, ErrorClass::Timeout][*class as usize];
            // At least two in a row succeed, so that not everything fails for ever.
            Arc::new(move |n| (takes_ns, (fails_every > 2 && n.is_multiple_of(fails_every)).then_some(class)))
        }).collect();
        let load = rate.map_or_else(ClientLoad::default, |rate| open(&format!("{rate}/s"), Arrivals::Poisson));
        let duration_ns = duration_ms * MS;
        let code = if two_statements { "T311" } else { "T711" };
        let Outcome { result, span, asked, .. } = run(code, load, duration_ns, manners);
        let span = span.unwrap();
        prop_assert_eq!(span.length_ns(), duration_ns);
        // A transaction ends with its commit, or with its only statement.
        let is_end = |request: &Sent| match request {
            Sent::Commit => true,
            Sent::Statement { .. } => !two_statements,
            Sent::Rollback => false,
        };
        let ends: Vec<u64> =
            asked.iter().flatten().filter(|(request, _, ok)| *ok && is_end(request)).map(|(_, at, _)| *at).collect();
        let inside = ends.iter().filter(|at| span.start_ns < **at && **at <= span.end_ns).count() as u64;
        prop_assert_eq!(result.outcomes.ok, ends.len() as u64);
        prop_assert!(result.outcomes.adds_up());
        prop_assert_eq!(result.service.count(), inside);
        prop_assert_eq!(result.response.is_some(), rate.is_some());
        if let (Some(response), Some(open), Some(rate)) = (&result.response, result.open_loop, rate) {
            prop_assert_eq!(response.count(), inside + open.unfinished);
            // The timetable again: every transaction due by the window's end has succeeded, failed, or is unfinished.
            let table = Timetable::new(Arrivals::Poisson, rate as f64, 0, 1);
            let due: Vec<u64> = std::iter::repeat_with(|| table.take()).take_while(|due| *due < span.end_ns).collect();
            let of_window = due.iter().filter(|due| **due >= span.start_ns).count() as u64;
            prop_assert_eq!(open.due, of_window);
            let ended = ends.iter().filter(|at| **at <= span.end_ns).count() as u64;
            let failed: u64 = result.outcomes.errors.values().sum();
            prop_assert!(ended + open.unfinished <= due.len() as u64);
            prop_assert!(ended + open.unfinished + failed >= due.len() as u64, "{} {:?} {} {}", ended, open, failed, due.len());
            prop_assert!(open.unfinished - open.waiting <= jobs.len() as u64 && (0.0..=100.0).contains(&open.busy_pct));
            prop_assert!(response.max_ns() >= result.service.max_ns());
        }
        if inside == 0 {
            prop_assert!(result.error.is_some());
            return Ok(());
        }
        prop_assert_eq!(&result.error, &None);
        prop_assert_eq!(result.log.inside(span).ops.round() as u64, inside);
        prop_assert_eq!(result.log.total_ops(), ends.len() as u64);
        prop_assert_eq!(result.log.total_rows(), ends.len() as u64 * if two_statements { 2 } else { 1 });
        let counted: f64 = result.series.ops_per_s.iter().enumerate().map(|(n, rate)| {
            let step_ns = duration_ns.saturating_sub(n as u64 * SECOND).min(SECOND);
            rate * step_ns as f64 / 1e9
        }).sum();
        prop_assert!((counted - inside as f64).abs() < 1e-6 * counted.max(1.0));
        // In a closed loop every job works until the end.
        if rate.is_none() {
            for (asked, (takes_ns, ..)) in asked.iter().zip(&jobs) {
                prop_assert!(asked.last().unwrap().1 + 20 * takes_ns >= span.end_ns);
            }
        }
        // The engine may count every statement that succeeded or failed.
        let statements = asked.iter().flatten().filter(|(request, ..)| matches!(request, Sent::Statement { .. }));
        let (done, sent) = statements.fold((0, 0), |(done, sent), (_, _, ok)| (done + u64::from(*ok), sent + 1));
        let expected = result.log.total_rows();
        prop_assert!(expected <= done && sent <= expected + result.log.lost.statements, "{expected} {done} {sent}");
    }
}

#[test]
fn a_conflict_is_sent_again_with_the_same_keys_and_is_no_request_of_its_own() {
    // The second statement of each transaction fails twice, then succeeds.
    let manner: Manner = Arc::new(|n| (MS, ([2, 4].contains(&(n % 6))).then_some(ErrorClass::Conflict)));
    let Outcome { result, asked, .. } = run("T311", ClientLoad::default(), SECOND, vec![manner]);
    let Some(first_commit) = asked[0].iter().position(|(request, ..)| *request == Sent::Commit) else {
        panic!("nothing was committed: {asked:?}")
    };
    let sent: Vec<Sent> = asked[0][..first_commit].iter().map(|(request, ..)| *request).collect();
    let attempt @ [Sent::Statement { key: first, opens: true }, Sent::Statement { key: second, opens: false }] =
        [sent[0], sent[1]]
    else {
        panic!("{sent:?}")
    };
    assert_ne!(first, second);
    assert_eq!(sent, [&attempt[..], &[Sent::Rollback], &attempt, &[Sent::Rollback], &attempt].concat());
    assert_eq!(result.outcomes.retries, 2 * result.outcomes.ok);
    assert_eq!((result.outcomes.requests, result.error), (result.outcomes.ok, None));
    // Six statements of 1 ms each, as the caller saw them.
    assert!(result.service.percentile_ns(50.0).unwrap().abs_diff(6 * MS) < 6_000);
}

#[test]
fn what_conflicts_for_ever_fails_after_ten_retries() {
    let manner: Manner = Arc::new(|n| (MS, (n <= 11).then_some(ErrorClass::Conflict)));
    let Outcome { result, asked, .. } = run("T711", ClientLoad::default(), SECOND, vec![manner]);
    assert_eq!((result.outcomes.retries, result.outcomes.errors[&ErrorClass::Conflict]), (10, 1));
    assert!(result.outcomes.ok > 500 && result.outcomes.adds_up());
    // A single statement is not an open transaction, so there is nothing to roll back.
    assert!(asked[0].iter().all(|(request, ..)| matches!(request, Sent::Statement { .. })));
}

#[test]
fn other_errors_are_counted_and_the_job_goes_on() {
    let manner: Manner = Arc::new(|n| (MS, n.is_multiple_of(10).then_some(ErrorClass::Timeout)));
    let Outcome { result, asked, .. } = run("T311", ClientLoad::default(), SECOND, vec![manner]);
    let failed = result.outcomes.errors[&ErrorClass::Timeout];
    assert!(failed > 50 && result.outcomes.adds_up() && result.error.is_none());
    let rollbacks = asked[0].iter().filter(|(request, ..)| *request == Sent::Rollback).count() as u64;
    assert_eq!(rollbacks, failed);
    assert!(result.series.errors.iter().sum::<u64>() > 0);
}

#[test]
fn what_nothing_survives_ends_the_point_for_all() {
    for class in [ErrorClass::ConnectionLost, ErrorClass::Permission, ErrorClass::UnknownObject] {
        let breaks: Manner = Arc::new(move |n| (MS, (n == 50).then_some(class)));
        let Outcome { result, span, ended_ns, .. } =
            run("T711", ClientLoad::default(), SECOND, vec![breaks, steady(MS)]);
        assert_eq!((span, result.error.map(|e| e.class)), (None, Some(class)));
        assert!(ended_ns < 60 * MS && result.outcomes.adds_up(), "{ended_ns}");
    }
}

#[test]
fn a_storm_of_errors_ends_early() {
    let fails: Manner = Arc::new(|_| (1_000, Some(ErrorClass::Other)));
    let Outcome { result, ended_ns, .. } =
        run("T711", ClientLoad::default(), 60 * SECOND, vec![Arc::clone(&fails), Arc::clone(&fails)]);
    assert!(ended_ns < 1_100 * MS, "{ended_ns}");
    let failed = result.outcomes.errors[&ErrorClass::Other];
    // Ten failures at once, then one every 10 ms.
    assert!((100..300).contains(&failed) && result.outcomes.adds_up(), "{failed}");
    let error = result.error.unwrap();
    assert!(
        error.message.starts_with(&format!("every transaction failed ({failed} of {failed}); the first said: told"))
    );
    // A session whose statements succeed is not stalled.
    let Outcome { result, span, .. } = run("T711", ClientLoad::default(), 2 * SECOND, vec![fails, steady(MS)]);
    assert!(span.is_some() && result.error.is_none());
}

#[test]
fn an_open_loop_keeps_its_moments_and_tells_what_a_stall_did() {
    // 1,000 a second, and every 2,000th statement stalls for 300 ms: the 300 that are due meanwhile wait 300, 299 … 1
    // ms.
    let (takes_ns, every, stall_ns) = (20_000, 2_000, 300 * MS);
    let load = open("1000/s", Arrivals::Constant);
    let Outcome { result, asked, .. } = run("T711", load, 20 * SECOND, vec![stalling(takes_ns, every, stall_ns)]);
    let response = result.response.unwrap();
    let near = |ns: u64, truth_ms: f64| {
        let off = (ns as f64 / MS as f64 - truth_ms).abs() / truth_ms;
        assert!(off < 0.01, "{ns} ns is not about {truth_ms} ms");
    };
    near(response.max_ns().unwrap(), 300.0);
    // Of 2,000 transactions the 20 slowest are 1 %.
    near(response.percentile_ns(99.0).unwrap(), 280.0);
    // All 2,000 a second were sent nevertheless.
    assert_eq!(result.service.count(), 20_000);
    near(result.service.max_ns().unwrap(), 300.0);
    assert!(result.service.percentile_ns(99.9).unwrap() < MS, "only one of 2,000 was slow itself");
    let sent = asked[0].len() as f64;
    assert!((sent - 24_000.0).abs() < 2.0, "{sent} in 24 s");

    // The closed loop sends nothing while it waits, so it does not see the delay.
    let Outcome { result, .. } =
        run("T711", ClientLoad::default(), 20 * SECOND, vec![stalling(takes_ns, every, stall_ns)]);
    assert!(result.response.is_none());
    near(result.service.max_ns().unwrap(), 300.0);
    assert!(result.service.percentile_ns(99.0).unwrap() < MS && result.service.percentile_ns(99.9).unwrap() < MS);
}

#[test]
fn poisson_arrivals_reach_the_asked_rate() {
    let load = open("500/s", Arrivals::Poisson);
    let Outcome { result, span, .. } = run("T611", load, 60 * SECOND, vec![steady(100_000); 4]);
    let rate = result.log.inside(span.unwrap()).ops / 60.0;
    assert!((rate - 500.0).abs() < 10.0, "{rate}");
}

#[test]
fn a_rate_beyond_what_can_be_served_is_late_and_loses_nothing() {
    // A job can do 100 a second.
    let load = open("200/s", Arrivals::Constant);
    let Outcome { result, span, .. } = run("T711", load, 10 * SECOND, vec![steady(10 * MS)]);
    let rate = result.log.inside(span.unwrap()).ops / 10.0;
    assert!((rate - 100.0).abs() < 1.0, "{rate}");
    // The warm-up of 2 s and the window leave half of the due transactions waiting: 6 s at the end.
    let worst_s = result.response.unwrap().max_ns().unwrap() as f64 / 1e9;
    assert!((worst_s - 6.0).abs() < 0.1, "{worst_s}");
}

#[test]
fn pauses_slow_a_closed_loop_down() {
    let load = ClientLoad { think: Some("4ms".parse().unwrap()), ..ClientLoad::default() };
    let Outcome { result, span, .. } = run("T611", load, 10 * SECOND, vec![steady(MS); 3]);
    let rate = result.log.inside(span.unwrap()).ops / 10.0;
    assert!((rate - 600.0).abs() < 2.0, "{rate}");
    // Think times are not part of a transaction.
    assert!(result.service.max_ns().unwrap() < 1_010_000);
}

#[test]
fn a_pause_longer_than_the_window_does_not_keep_it_open() {
    let load = ClientLoad { think: Some("1000s".parse().unwrap()), ..ClientLoad::default() };
    let Outcome { result, span, ended_ns, .. } = run("T611", load, SECOND, vec![steady(MS)]);
    assert!(span.is_some() && ended_ns < 3 * SECOND, "{ended_ns}");
    let error = result.error.unwrap();
    assert!(error.message.starts_with("no transaction ended inside the window of 1 s"), "{error}");
}
