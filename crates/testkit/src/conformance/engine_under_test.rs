//! The engine under test, and how a check runs a point on it.

use super::catalogue;
use dbdyno_engine::{ChunkResult, Engine, LoadWatch, PointSpec, Prepared, Request, Sampling, Session};
use dbdyno_model::{CommitMode, Counter, Counters, Drive, Mapping, Size, Test};
use std::collections::BTreeSet;

/// The engine under test.
pub struct EngineUnderTest<'a> {
    /// Opens the engine, always on the same target.
    pub open: &'a dyn Fn() -> Box<dyn Engine>,
    /// How the engine realises a test.
    pub mapping: &'a dyn Fn(&Test) -> Mapping,
    /// Names of everything in the target's schema, whoever made it, and of files beside it, if there are any.
    pub schema: &'a dyn Fn() -> BTreeSet<String>,
    /// Counters that this engine reports as missing.
    pub missing_counters: &'a [Counter],
    /// Size class of the data.
    pub size: Size,
    /// Seed of the data.
    pub seed: u64,
}

impl EngineUnderTest<'_> {
    /// Tests that the engine supports, with every procedure and table that they need.
    pub fn tests(&self) -> Vec<Test> {
        let mut tests = catalogue::tests();
        tests.retain(|test| !matches!((self.mapping)(test), Mapping::None { .. }));
        assert!(tests.len() > 10, "the engine supports too few tests to prove anything");
        tests
    }

    /// The specification of a point of a test on this engine's data.
    pub fn spec(&self, test: &Test, jobs: u32) -> PointSpec {
        spec(test, &self.size, self.seed, jobs)
    }

    /// Loads the data unless it is there.
    pub fn load(&self) {
        (self.open)().load(&self.size, self.seed, 2, true, &NoProgress).unwrap();
    }
}

/// The specification of a point of a test, with the test's rows per transaction. Its keys have another seed than its
/// data, as in a run.
pub fn spec(test: &Test, size: &Size, seed: u64, jobs: u32) -> PointSpec {
    let (test, size, rows_per_tx) = (test.clone(), size.clone(), test.rows_per_tx.unwrap_or(0));
    let key_seed = seed ^ 0x6b65_7973;
    let sampling = Sampling::default();
    PointSpec {
        test,
        size,
        seed,
        key_seed,
        nodes: 1,
        jobs,
        jobs_before: 0,
        jobs_after: 0,
        threads: 1,
        rows_per_tx,
        commit: CommitMode::Durable,
        drive: Drive::Server,
        sampling,
    }
}

/// A watch that ignores progress and never cancels.
pub struct NoProgress;

impl LoadWatch for NoProgress {
    fn progress(&self, _: &str, _: u64, _: u64) {}
    fn cancelled(&self) -> bool {
        false
    }
}

/// What one point did, with all jobs at the same time.
pub struct PointResult {
    /// Sum over all chunks.
    pub sum: ChunkResult,
    /// What the engine counted meanwhile; empty from `run_point_uncounted`.
    pub counted: Counters,
    /// Problems that preparing the sessions found.
    pub problems: Vec<String>,
    /// The plan of the first job.
    pub plan: Option<String>,
}

/// Runs a point. `chunks` has the passes of each chunk, the same for every job.
pub fn run_point(engine: &dyn Engine, spec: &PointSpec, chunks: &[u64]) -> PointResult {
    run_chunks(engine, spec, chunks, true)
}

/// The same without asking for the engine's counts, which takes long on some engines.
pub fn run_point_uncounted(engine: &dyn Engine, spec: &PointSpec, chunks: &[u64]) -> PointResult {
    run_chunks(engine, spec, chunks, false)
}

/// Begins a point. Returns its prepared sessions, with all their problems, and the first plan and form.
pub fn begin_point(engine: &dyn Engine, spec: &PointSpec) -> (Vec<Box<dyn Session>>, Prepared) {
    engine.begin_point(spec).unwrap();
    let session = |job| match spec.drive {
        Drive::Server => engine.session(job, 1).unwrap(),
        Drive::Client => engine.client_session(job, 1).unwrap(),
    };
    let mut sessions: Vec<_> = spec.job_numbers().map(session).collect();
    let mut all = Prepared::default();
    for (job, session) in spec.job_numbers().zip(&mut sessions) {
        let prepared = session.prepare(spec, job).unwrap_or_else(|e| panic!("{}: {e}", spec.test.code));
        all.problems.extend(prepared.problems);
        all.plan = all.plan.or(prepared.plan);
        all.form = all.form.or(prepared.form);
    }
    (sessions, all)
}

fn run_chunks(engine: &dyn Engine, spec: &PointSpec, chunks: &[u64], counting: bool) -> PointResult {
    let (mut sessions, Prepared { problems, plan, .. }) = begin_point(engine, spec);
    if counting {
        sessions.iter_mut().for_each(|session| session.flush().unwrap());
    }
    let before = counting.then(|| engine.point_statistics(None).unwrap());
    let results: Vec<ChunkResult> = std::thread::scope(|scope| {
        let jobs: Vec<_> = sessions
            .iter_mut()
            .map(|session| {
                scope.spawn(move || {
                    let mut first_pass = 0;
                    let mut sum = ChunkResult::default();
                    for passes in chunks.iter().copied() {
                        let chunk = session.execute(&Request::Chunk { first_pass, passes });
                        let chunk = chunk.unwrap_or_else(|e| panic!("{}: {}", spec.test.code, e.error));
                        sum = merge(sum, chunk);
                        first_pass += passes;
                    }
                    if counting {
                        session.flush().unwrap();
                    }
                    sum
                })
            })
            .collect();
        jobs.into_iter().map(|job| job.join().unwrap()).collect()
    });
    let counted = before.map(|before| engine.evidence(&before).unwrap()).unwrap_or_default();
    drop(sessions);
    engine.end_point(spec).unwrap();
    PointResult { sum: results.into_iter().fold(ChunkResult::default(), merge), counted, problems, plan }
}

/// The sum of two chunks.
pub fn merge(a: ChunkResult, b: ChunkResult) -> ChunkResult {
    ChunkResult {
        ops: a.ops + b.ops,
        rows: a.rows + b.rows,
        bytes: a.bytes + b.bytes,
        checksum: a.checksum.wrapping_add(b.checksum),
    }
}
