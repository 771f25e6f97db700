//! What every engine must do. Each engine's own test file runs these checks against a real target. Expected figures
//! come from the generator and the key streams alone, never from an engine.

pub mod calls;
pub mod catalogue;
pub mod client;
mod engine_under_test;
pub mod exclusive;
pub mod expected;
pub mod own_statements;
pub mod readings;

pub use engine_under_test::{
    EngineUnderTest, NoProgress, PointResult, begin_point, merge, run_point, run_point_uncounted, spec,
};

use dbdyno_engine::data::{Columns, Generator};
use dbdyno_engine::{ChunkResult, Failure, Loaded, PointSpec, Request, Sampling};
use dbdyno_model::{CountProof, Drive};
use std::collections::BTreeSet;

/// Whether an operation takes long enough that few passes are enough: those on a whole table, and files.
fn is_long(spec: &PointSpec) -> bool {
    let rows = spec.test.rows_per_op(&spec.size, spec.rows_per_tx);
    spec.test.procedure == "write_file" || rows.is_some_and(|rows| rows >= spec.size.small_rows)
}

/// Every table has the generator's content, and the target knows what it holds.
pub fn holds_what_the_generator_makes(under_test: &EngineUnderTest<'_>) {
    let engine = (under_test.open)();
    let Loaded::Complete { size, seed, verified, checksums } = engine.loaded().unwrap() else {
        panic!("not completely loaded: {:?}", engine.loaded());
    };
    assert_eq!((size.as_str(), seed, verified), (under_test.size.id.as_str(), under_test.seed, true));
    for table in engine.tables() {
        let expected = Generator::new(&under_test.size, table.shape(), under_test.seed).checksum();
        assert_eq!(engine.checksum(table, Columns::All, &NoProgress).unwrap(), expected, "{table}");
        assert_eq!(checksums[table.name()], expected.to_string(), "{table}");
    }
    let again = engine.load(&under_test.size, under_test.seed, 2, true, &NoProgress).unwrap();
    assert!(again.resumed && again.tables.iter().all(|t| t.rows_written == 0), "a second load has nothing to do");
}

/// Every mapped test counts the expected operations and rows, and reads the expected rows.
pub fn procedures_do_what_they_say(under_test: &EngineUnderTest<'_>) {
    let engine = (under_test.open)();
    for test in under_test.tests() {
        let spec = under_test.spec(&test, 1);
        for &passes in if is_long(&spec) { &[1, 2][..] } else { &[1, 2, 7] } {
            let result = run_point_uncounted(&*engine, &spec, &[passes]);
            let what = format!("{} with {passes} passes", test.code);
            assert_eq!(result.sum.ops, passes * test.ops_per_pass, "operations of {what}");
            let rows = test.rows_per_op(&spec.size, spec.rows_per_tx).unwrap_or(0);
            assert_eq!(result.sum.rows, result.sum.ops * rows, "rows of {what}");
            if let Some(checksum) = expected::checksum(&spec, passes) {
                assert_eq!(result.sum.checksum, checksum, "checksum of {what}");
            }
            if test.procedure == "write_file" {
                assert!(result.sum.bytes >= passes * spec.size.file_bytes, "bytes of {what}");
            }
        }
    }
}

/// The keys do not depend on how the passes are divided into chunks.
pub fn chunks_may_be_cut_anywhere(under_test: &EngineUnderTest<'_>) {
    let engine = (under_test.open)();
    for test in under_test.tests() {
        let spec = under_test.spec(&test, 2);
        let cuts = if is_long(&spec) { &[1, 2][..] } else { &[3, 1, 6] };
        let passes = cuts.iter().sum();
        let whole = run_point_uncounted(&*engine, &spec, &[passes]).sum;
        let cut = run_point_uncounted(&*engine, &spec, cuts).sum;
        assert_eq!((whole.ops, whole.rows), (cut.ops, cut.rows), "{}", test.code);
        // The result of an empty loop depends on the division.
        if test.procedure != "cpu_loop" {
            assert_eq!(whole.checksum, cut.checksum, "{}", test.code);
        }
        if let Some(checksum) = expected::checksum(&spec, passes) {
            assert_eq!(whole.checksum, checksum, "{}", test.code);
        }
    }
}

/// The engine's counts equal the procedures' counts exactly, also with several jobs.
pub fn proofs_hold(under_test: &EngineUnderTest<'_>) {
    proofs_hold_alone(under_test);
    proofs_hold_together(under_test);
}

/// The same for one job without sampling.
pub fn proofs_hold_alone(under_test: &EngineUnderTest<'_>) {
    proofs_hold_at(under_test, 1, Sampling::Off);
}

/// The same for several jobs with sampling.
pub fn proofs_hold_together(under_test: &EngineUnderTest<'_>) {
    proofs_hold_at(under_test, 3, Sampling::On);
}

fn proofs_hold_at(under_test: &EngineUnderTest<'_>, jobs: u32, sampling: Sampling) {
    let engine = (under_test.open)();
    for test in under_test.tests() {
        let spec = PointSpec { sampling, ..under_test.spec(&test, jobs) };
        let result = run_point(&*engine, &spec, if is_long(&spec) { &[1, 1] } else { &[2, 5] });
        for proof in test.proofs(spec.rows_per_tx, spec.threads) {
            let (counter, expected) = match proof {
                CountProof::PerOperation(counter, times) => (counter, result.sum.ops * times),
                CountProof::PerRow(counter) => (counter, result.sum.rows),
            };
            let counted = result.counted.get(counter);
            if under_test.missing_counters.contains(&counter) {
                assert!(counted.is_none() && result.counted.missing.contains_key(&counter), "{counter:?}");
            } else {
                assert_eq!(counted, Some(expected), "{} {counter:?} at {jobs} jobs", test.code);
            }
        }
    }
}

/// Work of a fixed volume can be repeated any number of times. What a piece made is removed before the next, which does
/// the same again, and the engine's counts stay exact over all of them.
pub fn pieces_can_be_repeated(under_test: &EngineUnderTest<'_>) {
    let engine = (under_test.open)();
    let mut tests = under_test.tests();
    let of_pieces = ["write_file", "bulk_load", "index_unique", "index_non_unique"];
    tests.retain(|test| of_pieces.contains(&test.procedure.name()));
    assert!(tests.len() >= 4, "files, loads and both kinds of index");
    for test in tests {
        let spec = under_test.spec(&test, 2);
        // An index of the large table is built 128 times.
        let passes = if test.procedure == "bulk_load" { 2 } else { 1 };
        let (mut sessions, _) = begin_point(&*engine, &spec);
        let empty = (under_test.schema)();
        sessions.iter_mut().for_each(|session| session.flush().unwrap());
        let before = engine.point_statistics(None).unwrap();
        let mut sum = ChunkResult::default();
        for _ in 0..2 {
            let pieces: Vec<ChunkResult> = std::thread::scope(|scope| {
                let jobs: Vec<_> = sessions
                    .iter_mut()
                    .map(|session| scope.spawn(move || session.execute(&Request::Chunk { first_pass: 0, passes })))
                    .collect();
                jobs.into_iter()
                    .map(|job| job.join().unwrap().unwrap_or_else(|e| panic!("{}: {e}", test.code)))
                    .collect()
            });
            sum = pieces.into_iter().fold(sum, merge);
            for session in &mut sessions {
                assert_eq!(session.execute(&Request::Discard).unwrap(), ChunkResult::default(), "{}", test.code);
            }
            let left = (under_test.schema)();
            assert!(left.is_subset(&empty), "{}: pieces leave {:?}", test.code, left.difference(&empty));
        }
        sessions.iter_mut().for_each(|session| session.flush().unwrap());
        let counted = engine.evidence(&before).unwrap();
        drop(sessions);
        engine.end_point(&spec).unwrap();
        assert_eq!(sum.ops, 2 * 2 * passes * test.ops_per_pass, "{}", test.code);
        let rows = test.rows_per_op(&spec.size, spec.rows_per_tx).unwrap_or(0);
        assert_eq!(sum.rows, sum.ops * rows, "rows of {}", test.code);
        if let Some(checksum) = expected::checksum(&spec, passes) {
            assert_eq!(sum.checksum, checksum.wrapping_mul(2), "checksum of {}", test.code);
        }
        for proof in test.proofs(spec.rows_per_tx, spec.threads) {
            let (counter, expected) = match proof {
                CountProof::PerOperation(counter, times) => (counter, sum.ops * times),
                CountProof::PerRow(counter) => (counter, sum.rows),
            };
            if !under_test.missing_counters.contains(&counter) {
                assert_eq!(counted.get(counter), Some(expected), "{} {counter:?}", test.code);
            }
        }
    }
}

/// Every statement uses the plan that its test is about.
pub fn plans_are_as_they_must_be(under_test: &EngineUnderTest<'_>) {
    let engine = (under_test.open)();
    for test in under_test.tests() {
        let result = run_point_uncounted(&*engine, &under_test.spec(&test, 1), &[1]);
        assert_eq!(result.problems, [""; 0], "{}", test.code);
        let reads = !test.procedure.is_cpu() && !test.procedure.writes();
        assert!(!reads || result.plan.is_some(), "{} shows no plan", test.code);
    }
}

/// A point leaves the target unchanged, apart from rows that updates change.
pub fn points_leave_nothing_behind(under_test: &EngineUnderTest<'_>) {
    let engine = (under_test.open)();
    let before = (under_test.schema)();
    for test in under_test.tests() {
        run_point_uncounted(&*engine, &under_test.spec(&test, 2), &[1]);
        let after = (under_test.schema)();
        let differ: Vec<_> = before.symmetric_difference(&after).collect();
        assert!(differ.is_empty(), "{} leaves or takes: {differ:?}", test.code);
    }
}

/// A session that is told to stop stops, reports it, and can be used again.
pub fn sessions_can_be_stopped(under_test: &EngineUnderTest<'_>) {
    let engine = (under_test.open)();
    for test in under_test.tests() {
        if matches!(test.procedure.name(), "bulk_load" | "write_file") {
            continue; // They end too soon at this size, or fill the disk at a larger one.
        }
        let spec = under_test.spec(&test, 1);
        engine.begin_point(&spec).unwrap();
        let mut session = engine.session(0, 1).unwrap();
        session.prepare(&spec, 0).unwrap();
        let canceller = session.canceller();
        let Failure { done, error } = std::thread::scope(|scope| {
            let stopper = scope.spawn(move || {
                std::thread::sleep(std::time::Duration::from_millis(30));
                canceller.cancel();
            });
            let failure = session.execute(&Request::Chunk { first_pass: 0, passes: 100_000_000 }).unwrap_err();
            stopper.join().unwrap();
            failure
        });
        assert_eq!(error.class, dbdyno_model::ErrorClass::Cancelled, "{}: {error}", test.code);
        let rows = test.rows_per_op(&spec.size, spec.rows_per_tx).unwrap_or(0);
        assert_eq!(done.rows, done.ops * rows, "{}: only whole operations count", test.code);
        if let Some(checksum) = expected::checksum(&spec, done.ops / test.ops_per_pass) {
            assert_eq!(done.checksum, checksum, "what {} had done when it was stopped", test.code);
        }
        drop(session);
        engine.end_point(&spec).unwrap();
        let mut session = engine.session(0, 1).unwrap();
        engine.begin_point(&spec).unwrap();
        session.prepare(&spec, 0).unwrap();
        session.execute(&Request::Chunk { first_pass: 0, passes: 1 }).unwrap();
        drop(session);
        engine.end_point(&spec).unwrap();
    }
}

/// Hosts that share a point do the work of one host with all the jobs, by calls and by statements: no key and no new
/// row is used by two hosts, and none is left out.
pub fn hosts_that_share_a_point_do_the_work_of_one(under_test: &EngineUnderTest<'_>) {
    let engine = (under_test.open)();
    let shared = ["insert", "update_primary", "update_secondary", "select_primary"];
    for test in under_test.tests().into_iter().filter(|test| shared.contains(&test.procedure.name())) {
        for drive in [Drive::Server, Drive::Client] {
            let whole = PointSpec { drive, ..under_test.spec(&test, 3) };
            let parts = [
                PointSpec { jobs: 1, jobs_after: 2, ..whole.clone() },
                PointSpec { jobs: 2, jobs_before: 1, ..whole.clone() },
            ];
            let [whole, first, second] = [&whole, &parts[0], &parts[1]].map(|spec| match drive {
                Drive::Server => run_point_uncounted(&*engine, spec, &[4]).sum,
                Drive::Client => client::run_point(&*engine, spec).sum,
            });
            let both = merge(first, second);
            assert_eq!((both.rows, both.checksum), (whole.rows, whole.checksum), "{} {drive:?}", test.code);
        }
    }
}

/// Dropping leaves nothing of dbdyno's and reports whether there was anything.
pub fn dropping_leaves_nothing(under_test: &EngineUnderTest<'_>, before_loading: &BTreeSet<String>) {
    let engine = (under_test.open)();
    assert!(engine.drop_all().unwrap());
    assert_eq!(&(under_test.schema)(), before_loading);
    assert_eq!(engine.loaded().unwrap(), Loaded::Nothing);
    assert!(!engine.drop_all().unwrap());
}
