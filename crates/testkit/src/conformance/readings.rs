//! Reading a server's statistics at any time.

use super::{EngineUnderTest, begin_point};
use dbdyno_engine::Request;
use dbdyno_model::{Counter, Counters};
use std::time::{Duration, Instant};

/// What a monitor wants to know of any server: each counter has a value or a reason.
pub const WANTED: [Counter; 9] = [
    Counter::Commits,
    Counter::Rollbacks,
    Counter::RowsChanged,
    Counter::LogicalReads,
    Counter::PhysicalReads,
    Counter::PhysicalWrites,
    Counter::RedoBytes,
    Counter::RedoWrites,
    Counter::RedoSyncs,
];
/// Counters that every engine has.
const COUNTED: [Counter; 2] = [Counter::Commits, Counter::RowsChanged];
/// Servers with delayed statistics publish them within seconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// Asserts that every counter has a value or a reason.
pub fn is_whole(reading: &Counters) {
    for counter in WANTED {
        assert!(reading.values.contains_key(&counter) != reading.missing.contains_key(&counter), "{counter:?}");
    }
}

/// Asserts that no counter ran backwards.
fn is_later(earlier: &Counters, later: &Counters) {
    for (counter, before) in &earlier.values {
        assert!(later.get(*counter).is_some_and(|now| now >= *before), "{counter:?} was {before}: {later:?}");
    }
    for before in &earlier.waits {
        let now = later.waits.iter().find(|wait| wait.is_like(before));
        assert!(now.is_some_and(|now| now.count >= before.count && now.time_ns >= before.time_ns), "{before:?}");
    }
}

/// A server is read before and after a point, and while its job is at work. The job's work appears once it is flushed,
/// no counter runs backwards, and the point's own counts are still exact.
pub fn statistics_need_no_point(under_test: &EngineUnderTest<'_>) {
    const CHUNKS: u64 = 20;
    const PASSES: u64 = 20;
    let engine = (under_test.open)();
    let first = engine.statistics().unwrap();
    is_whole(&first);
    let test = under_test.tests().into_iter().find(|test| test.procedure == "update_primary").unwrap();
    let spec = under_test.spec(&test, 1);
    let (mut sessions, _) = begin_point(&*engine, &spec);
    sessions[0].flush().unwrap();
    let before = engine.point_statistics(None).unwrap();
    let mut last = engine.statistics().unwrap();
    is_later(&first, &last);
    let session = sessions[0].as_mut();
    let (ops, rows) = std::thread::scope(|scope| {
        let work = scope.spawn(|| {
            let chunks = (0..CHUNKS).map(|chunk| Request::Chunk { first_pass: chunk * PASSES, passes: PASSES });
            let done = chunks.map(|chunk| session.execute(&chunk).unwrap());
            done.fold((0, 0), |(ops, rows), done| (ops + done.ops, rows + done.rows))
        });
        loop {
            let was_done = work.is_finished();
            let reading = engine.statistics().unwrap();
            is_later(&last, &reading);
            last = reading;
            if was_done {
                return work.join().unwrap();
            }
        }
    });
    sessions[0].flush().unwrap();
    let counted = engine.evidence(&before).unwrap();
    let commits = ops * test.commits_per_op(spec.rows_per_tx).unwrap();
    for (counter, done) in COUNTED.into_iter().zip([commits, rows]) {
        assert!(
            counted.get(counter) == Some(done) || under_test.missing_counters.contains(&counter),
            "{counter:?}: {counted:?}"
        );
    }
    drop(sessions);
    engine.end_point(&spec).unwrap();
    let began = Instant::now();
    loop {
        let reading = engine.statistics().unwrap();
        is_later(&last, &reading);
        let since = reading.since(&first);
        let seen = COUNTED.into_iter().zip([commits, rows]);
        if seen.into_iter().all(|(counter, done)| since.get(counter).is_none_or(|counted| counted >= done)) {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "{commits} commits and {rows} rows: {since:?}");
        last = reading;
        std::thread::sleep(Duration::from_millis(50));
    }
}
