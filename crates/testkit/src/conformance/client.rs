//! What every engine must do for a client that sends each statement: the same work as its procedures, also by the
//! engine's own count, and nothing of what was rolled back.

use super::engine_under_test::{EngineUnderTest, NoProgress, PointResult, begin_point, merge, run_point_uncounted};
use super::expected;
use dbdyno_engine::client::{Bound, TestProgram, Values};
use dbdyno_engine::program::{Act, Outcome, Program};
use dbdyno_engine::{ChunkResult, Engine, Failure, PointSpec, Prepared, Request, Session};
use dbdyno_model::{CountProof, Drive, ErrorClass, Organisation, Test};

/// Transactions of each job.
const TRANSACTIONS: u64 = 5;

/// Tests that a client can drive.
fn tests(under_test: &EngineUnderTest<'_>) -> impl Iterator<Item = Test> {
    under_test.tests().into_iter().filter(|test| test.procedure.has_client_form())
}

pub fn spec(under_test: &EngineUnderTest<'_>, test: &Test, jobs: u32) -> PointSpec {
    PointSpec { drive: Drive::Client, ..under_test.spec(test, jobs) }
}

/// Executes a statement with these integers.
pub fn execute(
    session: &mut dyn Session,
    statement: usize,
    numbers: &[i64],
    opens: bool,
) -> Result<ChunkResult, Failure> {
    let mut values = Values::new();
    session.execute(&Request::Statement(Bound { statement, values: values.set(numbers), times: 1, opens }))
}

/// Sends the statements of a transaction that the program has begun, and finally what the program says, or `end`
/// instead; then it is one transaction even with a single statement.
fn transaction(
    session: &mut dyn Session,
    program: &mut impl Program,
    end: Option<&Request<'_>>,
) -> Result<ChunkResult, Failure> {
    let (mut done, mut opens_next) = (None, end.is_some());
    loop {
        let act = program.act(done.as_ref().map(|done| (done, session.answer())));
        done = Some(match (act, end) {
            (Act::Execute { statement, times, opens }, _) => {
                let opens = std::mem::take(&mut opens_next) || opens;
                session.execute(&Request::Statement(Bound { statement, values: program.values(), times, opens }))?
            }
            (Act::Think(_) | Act::LogOn | Act::LogOff, _) => ChunkResult::default(),
            (_, Some(end)) => {
                session.execute(end)?;
                return Ok(program.did());
            }
            (Act::Commit, None) => session.execute(&Request::Commit)?,
            (Act::Rollback, None) => session.execute(&Request::Rollback)?,
            (Act::Ended, None) => return Ok(program.did()),
        });
    }
}

/// Sends this number of transactions.
pub fn send(session: &mut dyn Session, program: &mut impl Program, times: u64) -> Result<ChunkResult, Failure> {
    let mut sum = ChunkResult::default();
    for _ in 0..times {
        program.begin();
        sum = merge(sum, transaction(session, program, None)?);
        program.ended(Outcome::Committed);
    }
    Ok(sum)
}

/// Plays a point driven by clients, with all jobs at the same time.
pub fn run_point(engine: &dyn Engine, spec: &PointSpec) -> PointResult {
    let (mut sessions, Prepared { problems, plan, form }) = begin_point(engine, spec);
    let form = form.unwrap();
    sessions.iter_mut().for_each(|session| session.flush().unwrap());
    let before = engine.point_statistics(None).unwrap();
    let sums: Vec<ChunkResult> = std::thread::scope(|scope| {
        let jobs: Vec<_> = spec
            .job_numbers()
            .zip(&mut sessions)
            .map(|(job, session)| {
                let mut program = TestProgram::new(spec, job, form.clone());
                scope.spawn(move || {
                    let sum = send(session.as_mut(), &mut program, TRANSACTIONS);
                    session.flush().unwrap();
                    sum.unwrap_or_else(|failure| panic!("{}: {}", spec.test.code, failure.error))
                })
            })
            .collect();
        jobs.into_iter().map(|job| job.join().unwrap()).collect()
    });
    let counted = engine.evidence(&before).unwrap();
    drop(sessions);
    engine.end_point(spec).unwrap();
    PointResult { sum: sums.into_iter().fold(ChunkResult::default(), merge), counted, problems, plan }
}

/// A client's transactions touch the same rows as the procedures, by the same plans, and the engine counts them
/// correctly.
pub fn clients_do_what_procedures_do(under_test: &EngineUnderTest<'_>) {
    let engine = (under_test.open)();
    let cases: Vec<_> = tests(under_test).flat_map(|test| [1, 2].map(|jobs| (test.clone(), jobs))).collect();
    // All procedures first: the counts of sessions that have just ended may arrive a moment later.
    let by_procedures: Vec<ChunkResult> = cases
        .iter()
        .map(|(test, jobs)| run_point_uncounted(&*engine, &under_test.spec(test, *jobs), &[TRANSACTIONS]).sum)
        .collect();
    for ((test, jobs), by_procedures) in cases.into_iter().zip(by_procedures) {
        let spec = spec(under_test, &test, jobs);
        let result = run_point(&*engine, &spec);
        let (what, ops) = (format!("{} at {jobs} jobs", test.code), TRANSACTIONS * u64::from(jobs));
        assert_eq!(result.problems, [""; 0], "{what}");
        assert!(test.procedure.writes() || result.plan.is_some(), "{what} shows no plan");
        let rows = test.rows_per_op(&spec.size, spec.rows_per_tx).unwrap();
        assert_eq!((result.sum.ops, result.sum.rows), (0, ops * rows), "{what}: the drive counts operations");
        assert_eq!(result.sum.checksum, by_procedures.checksum, "checksum of {what}");
        if let Some(checksum) = expected::checksum(&spec, TRANSACTIONS) {
            assert_eq!(result.sum.checksum, checksum, "checksum of {what}");
        }
        for proof in test.proofs(spec.rows_per_tx, spec.threads) {
            let (counter, expected) = match proof {
                CountProof::PerOperation(counter, times) => (counter, ops * times),
                CountProof::PerRow(counter) => (counter, result.sum.rows),
            };
            let counted = result.counted.get(counter);
            assert!(
                counted == Some(expected) || (counted.is_none() && under_test.missing_counters.contains(&counter)),
                "{what}: {counted:?} {counter:?} counted, {expected} done"
            );
        }
    }
}

/// Rolled back work leaves nothing, and a failure leaves the session usable.
pub fn what_a_client_rolls_back_was_never_there(under_test: &EngineUnderTest<'_>) {
    let engine = (under_test.open)();
    for test in tests(under_test).filter(|test| test.procedure.writes()) {
        let spec = spec(under_test, &test, 1);
        engine.begin_point(&spec).unwrap();
        let mut session = engine.client_session(0, 1).unwrap();
        let mut program = TestProgram::new(&spec, 0, session.prepare(&spec, 0).unwrap().form.unwrap());
        let mut again = |end: Request<'_>| {
            program.again();
            transaction(session.as_mut(), &mut program, Some(&end))
        };
        let table = test.table.unwrap();
        let content = || engine.checksum(table, dbdyno_engine::data::Columns::All, &NoProgress).unwrap();
        let before = content();
        let rolled_back = again(Request::Rollback).unwrap();
        assert_eq!(content(), before, "{} was rolled back", test.code);
        let committed = again(Request::Commit).unwrap();
        assert_eq!((rolled_back, committed.rows > 0), (committed, true), "{}", test.code);
        let refused = again(Request::Commit);
        match test.procedure.name() {
            // A hash key need not be unique (PostgreSQL's is not); then there is no error.
            "insert" if table.organisation() == Organisation::Hash => {}
            // The rows exist now, and did not before.
            "insert" => {
                refused.unwrap_err();
                again(Request::Rollback).unwrap_err();
                session.execute(&Request::Rollback).unwrap();
                program.ended(Outcome::RolledBack);
                let next = send(session.as_mut(), &mut program, 1).unwrap();
                assert_eq!(next.rows, committed.rows, "{} goes on", test.code);
            }
            _ => assert_ne!(content(), before, "{} was committed", test.code),
        }
        drop(session);
        engine.end_point(&spec).unwrap();
    }
}

/// A client that is told to stop stops, reports it, and does not block others.
pub fn clients_can_be_stopped(under_test: &EngineUnderTest<'_>) {
    let engine = (under_test.open)();
    for test in tests(under_test) {
        let spec = spec(under_test, &test, 1);
        engine.begin_point(&spec).unwrap();
        let mut session = engine.client_session(0, 1).unwrap();
        let mut program = TestProgram::new(&spec, 0, session.prepare(&spec, 0).unwrap().form.unwrap());
        let canceller = session.canceller();
        let failure = std::thread::scope(|scope| {
            let stopper = scope.spawn(move || {
                std::thread::sleep(std::time::Duration::from_millis(10));
                canceller.cancel();
            });
            let failure = send(session.as_mut(), &mut program, u64::MAX).unwrap_err();
            stopper.join().unwrap();
            failure
        });
        assert_eq!(failure.error.class, ErrorClass::Cancelled, "{}: {}", test.code, failure.error);
        drop(session);
        engine.end_point(&spec).unwrap();
        assert!(run_point(&*engine, &spec).sum.rows > 0, "{} goes on", test.code);
    }
}

/// Work that no client would send statement by statement is refused before it begins.
pub fn clients_are_refused_what_nobody_would_send(under_test: &EngineUnderTest<'_>) {
    let engine = (under_test.open)();
    for test in under_test.tests().iter().filter(|test| !test.procedure.has_client_form()) {
        let spec = spec(under_test, test, 1);
        // Which of the two steps refuses it depends on the engine.
        let refused = engine.begin_point(&spec).and_then(|()| engine.client_session(0, 1)?.prepare(&spec, 0));
        assert_eq!(refused.unwrap_err().class, ErrorClass::Unsupported, "{}", test.code);
        engine.end_point(&spec).unwrap();
    }
}
